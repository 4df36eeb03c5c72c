//! A talk as lines that stay or go as a whole. Owns where they part.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use super::super::salience::{Source, Unit};
use super::super::sentence;
use super::Spoken;
use crate::domain::Role;

/// Characters of a line that is kept whole: what a person writes in one breath, where the second
/// sentence needs the first. Longer lines are parted into sentences.
const BREATH_CHARS: usize = 240;

/// Characters of a message from which on it was hardly typed.
const PASTED_CHARS: usize = 2_000;

/// Bytes of one sentence at most; a longer one is data, and its beginning stands for it.
const SENTENCE_BYTES: usize = 800;

/// One line or sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Who says it, as the host writes it; empty where that is not known.
    pub(super) role: String,
    pub(super) text: String,
    message_idx: usize,
    n_said: u32,
    source: Source,
}

impl Line {
    pub(super) fn with_text(&self, text: String) -> Self {
        Self {
            text,
            ..self.clone()
        }
    }

    pub(super) fn unit(&self) -> Unit<'_> {
        Unit {
            role: role_of(&self.role),
            text: &self.text,
            message_idx: self.message_idx,
            n_said: self.n_said,
            source: self.source,
        }
    }
}

/// All lines of a talk, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Talk {
    /// The role of the one message that held them all.
    pub(super) outer: Option<String>,
    pub(super) lines: Vec<Line>,
}

impl Talk {
    pub(super) fn of(messages: &[Spoken]) -> Self {
        let mut lines = Vec::new();
        let mut outer = None;
        if let [only] = messages {
            read_earlier(&only.content, &mut lines);
            outer = Some(only.role.clone());
        } else {
            for (message_idx, message) in messages.iter().enumerate() {
                read(message_idx, &message.role, &message.content, &mut lines);
            }
        }
        Self {
            outer,
            lines: each_once(lines),
        }
    }
}

/// Reads one message that may be an earlier answer: roles in brackets say who goes on.
fn read_earlier(content: &str, lines: &mut Vec<Line>) {
    let mut role = "";
    let mut said: Vec<&str> = Vec::new();
    for line in content.lines() {
        match marked(line) {
            Some((marked, rest)) => {
                read(0, role, &said.join("\n"), lines);
                role = marked;
                said = vec![rest];
            }
            None => said.push(line),
        }
    }
    read(0, role, &said.join("\n"), lines);
}

/// Reads `[role] text`.
fn marked(line: &str) -> Option<(&str, &str)> {
    let (role, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let is_role = known_role(role).is_some();
    // Who reads an answer back may have put it into brackets once more.
    is_role.then(|| marked(rest).unwrap_or((role, rest)))
}

fn read(message_idx: usize, role: &str, content: &str, lines: &mut Vec<Line>) {
    let source = if content.chars().nth(PASTED_CHARS).is_some() && !role.is_empty() {
        Source::Pasted
    } else {
        Source::Said
    };
    let mut push = |text: &str| {
        let text = text.trim();
        if text.contains(char::is_alphanumeric) {
            lines.push(Line {
                role: role.to_owned(),
                text: sentence::clip(text, SENTENCE_BYTES),
                message_idx,
                n_said: 1,
                source,
            });
        }
    };
    for line in content.lines() {
        if line.chars().nth(BREATH_CHARS).is_none() {
            push(line);
        } else {
            line.split_sentence_bounds().for_each(&mut push);
        }
    }
}

/// Leaves each line once, where it was said last; a user's words remain a user's.
fn each_once(lines: Vec<Line>) -> Vec<Line> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Option<Line>> = Vec::with_capacity(lines.len());
    for mut line in lines {
        let key = sentence::key(&line.text);
        let at = kept.len();
        let before = places.get(&key).copied();
        match before.and_then(|before| kept.get_mut(before)) {
            Some(Some(known))
                if role_of(&known.role) == Role::User && role_of(&line.role) != Role::User =>
            {
                known.n_said += 1;
                continue;
            }
            Some(known) => {
                line.n_said += known.take().map_or(0, |known| known.n_said);
            }
            None => {}
        }
        places.insert(key, at);
        kept.push(Some(line));
    }
    kept.into_iter().flatten().collect()
}

fn role_of(role: &str) -> Role {
    // Without a role the words are an earlier summary's, in which users' words stand.
    known_role(role).unwrap_or(if role.is_empty() {
        Role::User
    } else {
        Role::Assistant
    })
}

/// Reads a role as hosts write it; none for other words.
fn known_role(role: &str) -> Option<Role> {
    Some(match role {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" | "toolResult" => Role::Tool,
        "system" | "developer" => Role::System,
        _ => return None,
    })
}
