//! A run as messages. Owns who speaks in a line: `#### ` is the user, `> ` the program, and all
//! else the model, also where it writes such a line itself: the file does not tell.
//! May not know where a run begins.

use super::run::Run;
use crate::domain::{NewMessage, Role, Timestamp};
use crate::import::entry::Entry;

/// What the program says before it names the model.
const MODEL_LINES: &[&str] = &["Main model: ", "Model: ", "Models: "];

/// A run of lines of one speaker.
struct Block {
    role: Role,
    text: String,
}

/// Reads the messages of a run. The program's lines are notes: the model never saw them.
pub(super) fn entries(run: &Run<'_>, session: &str) -> Vec<Entry> {
    let at = run.began.and_then(|time| Timestamp::parse(time).ok());
    let mut model = None;
    let mut entries = Vec::new();
    for (n, block) in blocks(run.body).into_iter().enumerate() {
        let mut message = NewMessage::text(block.role, block.text.as_str());
        match block.role {
            Role::Tool => {
                model = named_model(&block.text).or(model);
                message = message.meta();
            }
            Role::Assistant => message.model.clone_from(&model),
            Role::User | Role::System => {}
        }
        message.at = at;
        let mut entry = Entry::row(message);
        entry.id = Some(format!("{session}:{n}"));
        entries.push(entry);
    }
    if entries.is_empty() {
        entries.push(Entry::silent());
    }
    entries
}

fn blocks(body: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // Blank lines belong to the model's words only if those go on behind them.
    let mut n_blank = 0;
    for line in body.lines() {
        if line.trim().is_empty() {
            n_blank += 1;
            continue;
        }
        let (role, text) = speaker(line);
        let goes_on = role == Role::Assistant || n_blank == 0;
        match blocks
            .last_mut()
            .filter(|last| goes_on && last.role == role)
        {
            Some(last) => {
                let n_lines = n_blank + 1;
                last.text.extend(std::iter::repeat_n('\n', n_lines));
                last.text.push_str(text);
            }
            None => blocks.push(Block {
                role,
                text: text.to_owned(),
            }),
        }
        n_blank = 0;
    }
    blocks.retain(|block| !block.text.trim().is_empty());
    blocks
}

/// Returns who says a line, and what. The two blanks that end a line of the program's and the
/// user's are Markdown's sign for a line's end.
fn speaker(line: &str) -> (Role, &str) {
    let behind = |sign: &'static str| {
        let words = line.strip_prefix(sign)?;
        words.strip_prefix(' ').or(words.is_empty().then_some(""))
    };
    if let Some(text) = behind("####") {
        (Role::User, without_break(text))
    } else if let Some(text) = behind(">") {
        (Role::Tool, without_break(text))
    } else {
        (Role::Assistant, line)
    }
}

fn without_break(text: &str) -> &str {
    text.strip_suffix("  ").unwrap_or(text)
}

/// Returns the model that the program names in its greeting.
fn named_model(text: &str) -> Option<String> {
    let named = text.lines().find_map(|line| {
        let mut words = MODEL_LINES.iter();
        words.find_map(|words| line.strip_prefix(words))
    })?;
    let name = named.split([' ', ',']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}
