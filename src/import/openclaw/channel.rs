//! What comes and goes through channels. Owns the envelope that this host puts around what a person
//! says, and the copies it writes of answers it delivered.
//! May not drop words: the envelope is kept beside the words as a note.

use crate::domain::{NewMessage, Part, Role};
use crate::import::entry::Body;
use crate::import::pi::Told;
use crate::import::twins::{Heard, Stream, Twins, Voice};

/// The model whose name stands on copies of delivered answers.
const MIRROR: &str = "delivery-mirror";

/// How the line ends that opens a block of an envelope.
const OPENINGS: &[&str] = &["(untrusted metadata):", "(untrusted, for context):"];

/// Takes the bodies of one message.
pub(super) fn custom(bodies: Vec<Body>, record: Option<&str>, twins: &mut Twins) -> Told {
    if let Heard::Again(original) = hear(&bodies, record, twins) {
        return Told::Again(original);
    }
    Told::Bodies(bodies.into_iter().flat_map(unwrap).collect())
}

/// Returns whether a message is the copy of an answer before it, and remembers answers.
fn hear(bodies: &[Body], record: Option<&str>, twins: &mut Twins) -> Heard {
    let Some(Body::Row(message)) = bodies.first() else {
        return Heard::First;
    };
    let texts: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if message.role != Role::Assistant || texts.is_empty() {
        return Heard::First;
    }
    let words = texts.join("\n");
    if message.model.as_deref() == Some(MIRROR) {
        return twins.hear(Stream::Events, Voice::Assistant, &words, record);
    }
    twins.hear(Stream::Items, Voice::Assistant, &words, record);
    Heard::First
}

/// Splits what a person said from the envelope around it, which becomes a note behind it.
fn unwrap(body: Body) -> Vec<Body> {
    let Body::Row(mut message) = body else {
        return vec![body];
    };
    if message.role != Role::User {
        return vec![Body::Row(message)];
    }
    let Some(Part::Text { text }) = message.parts.first_mut() else {
        return vec![Body::Row(message)];
    };
    let length = envelope(text);
    if length == 0 {
        return vec![Body::Row(message)];
    }
    let words = text.split_off(length);
    let note = NewMessage::user(std::mem::replace(text, words)).meta();
    message.parts.retain(|part| !part.body().is_empty());
    let note = Body::Row(Box::new(note));
    if message.parts.is_empty() {
        return vec![note];
    }
    vec![Body::Row(message), note]
}

/// Returns how many bytes at the beginning of a text are the envelope.
fn envelope(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = text.get(length..).unwrap_or_default();
        match block(rest).or_else(|| mark(rest)) {
            Some(more) => length += more,
            None => return length,
        }
    }
}

/// Measures a fenced block with the line that opens it and the blank lines behind it.
fn block(text: &str) -> Option<usize> {
    let (opening, rest) = text.split_once('\n')?;
    let mut ends = OPENINGS.iter();
    let name = ends.find_map(|end| opening.trim_end().strip_suffix(end))?;
    // The host names the block in plain words.
    if !name.chars().all(|c| c.is_alphanumeric() || c == ' ') {
        return None;
    }
    let (fence, body) = rest.split_once('\n')?;
    if !fence.starts_with("```") {
        return None;
    }
    let (_, behind) = match body.strip_prefix("```") {
        Some(behind) => ("", behind),
        None => body.split_once("\n```")?,
    };
    Some(text.len() - behind.trim_start_matches(['\r', '\n']).len())
}

/// Measures a line that holds nothing but a message's id.
fn mark(text: &str) -> Option<usize> {
    let line = text.split('\n').next()?;
    let is_mark = line.starts_with("[message_id: ") && line.trim_end().ends_with(']');
    let behind = text.get(line.len()..)?.trim_start_matches(['\r', '\n']);
    is_mark.then(|| text.len() - behind.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let at = envelope(text);
        assert_eq!(&text[at..], wanted, "{text}");
    }

    #[test]
    fn an_envelope_ends_where_the_words_begin() {
        check("hello", "hello");
        let sender = "Sender (untrusted metadata):\n```json\n{\"id\": \"u\"}\n```\n\n";
        check(&format!("{sender}hello"), "hello");
        let thread = "Thread starter (untrusted, for context):\n```json\n{}\n```\n";
        check(
            &format!("{sender}{thread}[message_id: 7]\nhello\nyou"),
            "hello\nyou",
        );
        check(sender, "");
        // Without its end it is no envelope, nor where a person quotes one.
        check(
            "Sender (untrusted metadata):\nhello",
            "Sender (untrusted metadata):\nhello",
        );
        check(&format!("look: {sender}"), &format!("look: {sender}"));
        check(
            "Sender (untrusted metadata):\n```json\n{}",
            "Sender (untrusted metadata):\n```json\n{}",
        );
    }
}
