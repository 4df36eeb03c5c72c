//! What the model is told after a compaction: pins, what is kept, and how it is found again.
//! Stored text in it is escaped and bounded; the whole has at most [`MAX_BYTES`].

use std::fmt::Write;

use crate::domain::{
    GrepRequest, Hit, HitKind, ItemId, Pin, PinFilter, PinState, Reach, Role, SearchScope,
    SessionKey, Sort,
};
use crate::engine::{Engine, EngineError};
use crate::policy::assemble::{escape, render_pin};

/// Bytes of the whole text: hosts cut what a hook adds at 10,000 characters.
pub(super) const MAX_BYTES: usize = 8_000;
/// Bytes that pins may take of it, so that there is room for the rest.
const PIN_BYTES: usize = 4_000;
/// The newest requests that are listed.
const REQUESTS: u64 = 12;
/// Letters of a request: enough to tell what it was about.
const REQUEST_LETTERS: usize = 120;

/// Makes the text; none where nothing of the session is stored.
///
/// # Errors
/// `Store`.
pub(super) async fn recall(
    engine: &Engine,
    session: &SessionKey,
) -> Result<Option<String>, EngineError> {
    if !engine.has_session(session).await? {
        return Ok(None);
    }
    engine.find_pins(session).await?;
    let mut pins = engine.pins(session, PinFilter::Standing).await?;
    pins.retain(|pin| pin.state == PinState::Live);
    let stats = engine.session_stats(session).await?;
    let mut request = GrepRequest::new("role:user", Reach::Session(session.clone()));
    request.kinds = SearchScope::Message;
    request.role = Some(Role::User);
    request.sort = Sort::Time;
    request.limit = REQUESTS;
    let found = engine.grep(&request).await?;
    let kept = Kept {
        messages: stats.messages,
        summaries: stats.summaries,
    };
    Ok(Some(text(session, &pins, kept, &found.hits)))
}

/// How much of a session is stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub(super) messages: u64,
    pub(super) summaries: u64,
}

/// Writes the text.
pub(super) fn text(session: &SessionKey, pins: &[Pin], kept: Kept, newest: &[Hit]) -> String {
    let key = escape(session.as_str());
    let mut text = format!(
        "<hippocamp>\nThis conversation was compacted. hippocamp has kept every message of it, \
         word for word, as session {key}: {} messages, {} summaries.\n",
        kept.messages, kept.summaries
    );
    add_pins(&mut text, pins);
    add_ways(&mut text, session);
    add_requests(&mut text, newest);
    text.push_str("</hippocamp>");
    text
}

fn add_pins(text: &mut String, pins: &[Pin]) {
    if pins.is_empty() {
        return;
    }
    text.push_str("Pinned, word for word; it holds whatever a summary says:\n");
    let most = text.len() + PIN_BYTES;
    let mut n_left_out = 0;
    // The newest first, as long as there is room: they are what was last agreed.
    for pin in pins.iter().rev() {
        let line = render_pin(pin.id, pin.kind, &pin.text);
        if text.len() + line.len() < most {
            text.push_str(&line);
            text.push('\n');
        } else {
            n_left_out += 1;
        }
    }
    if n_left_out > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "[{n_left_out} more pins have no room here; `hippocamp pins` lists them]"
        );
    }
}

fn add_ways(text: &mut String, session: &SessionKey) {
    let quoted = serde_json::to_string(session.as_str()).unwrap_or_default();
    let quoted = escape(&quoted);
    text.push_str(
        "Look a detail up before you state it (a name, a number, a path, a quotation):\n",
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "- short_grep {{\"pattern\": \"words\", \"session\": {quoted}}} of the MCP server hippocamp \
         finds messages; short_expand {{\"message_ids\": [id], \"session\": {quoted}}} shows them whole"
    );
    if is_plain(session.as_str()) {
        let _ = writeln!(
            text,
            "- or in a shell: hippocamp grep --session {session} 'words', then hippocamp expand ID"
        );
    }
    text.push_str(
        "A pattern is words, \"a phrase\", prefix*, %substring%, /regex/, and fields as role:user, \
         tool:Bash, path:src/x.rs, is:error, last:6h.\n",
    );
}

/// Lists what the user said last, old to new.
fn add_requests(text: &mut String, newest: &[Hit]) {
    let end = "</hippocamp>".len();
    let heading = "What the user said last, in beginnings (the whole is under the id):\n";
    let mut room = MAX_BYTES.saturating_sub(text.len() + heading.len() + end);
    let mut lines = Vec::new();
    for hit in newest {
        let Some(line) = request_line(hit) else {
            continue;
        };
        if line.len() > room {
            break;
        }
        room -= line.len();
        lines.push(line);
    }
    if !lines.is_empty() {
        text.push_str(heading);
        text.extend(lines.into_iter().rev());
    }
}

fn request_line(hit: &Hit) -> Option<String> {
    let ItemId::Message(id) = hit.id else {
        return None;
    };
    if hit.kind != HitKind::Text {
        return None;
    }
    let words: Vec<&str> = hit.snippet.text.split_whitespace().collect();
    let words = words.join(" ");
    let mut beginning: String = words.chars().take(REQUEST_LETTERS).collect();
    if beginning.len() < words.len() {
        beginning.push('…');
    }
    let at = hit.at.map(|at| at.to_string()).unwrap_or_default();
    let at = at.get(..16).unwrap_or_default();
    Some(format!(
        "<said id=\"{id}\" at=\"{at}\">{}</said>\n",
        escape(&beginning)
    ))
}

/// Says whether a key can stand in a command as it is.
fn is_plain(key: &str) -> bool {
    key.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "-_:./".contains(letter))
}
