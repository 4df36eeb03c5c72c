//! Events: what was shown to the person. Owns which of them say something that no item says.
//! May not judge whether an item has said it: the reader does.

use super::output::image;
use crate::domain::{NewMessage, Part, Role};
use crate::import::json::{self, Object};

/// What an event is.
pub(super) enum Event {
    /// A prompt.
    Prompt(Vec<Part>),
    /// An answer.
    Answer(String),
    /// A thought.
    Thought(String),
    /// The person's last turns were taken back; the host's note of it.
    RolledBack(usize, Box<NewMessage>),
    /// A note of the host.
    Note(Box<NewMessage>),
    /// The tokens of the session so far: all, and those of answers.
    Tokens {
        /// All.
        total: u64,
        /// Those of answers.
        output: u64,
    },
    /// A turn begins.
    Turn(String),
    /// Nothing new.
    Silent,
}

/// Reads an event.
pub(super) fn read_event(event: &Object<'_>) -> Event {
    let words = |name: &str| event.text(name).filter(|text| !text.trim().is_empty());
    let kind = event.text("type").unwrap_or_default();
    match kind.as_str() {
        "user_message" => {
            let mut parts: Vec<Part> = words("message")
                .map(|text| Part::Text { text })
                .into_iter()
                .collect();
            let images = event
                .get("images")
                .and_then(|raw| json::elements(raw.get()));
            let uris = images.unwrap_or_default().into_iter();
            parts.extend(uris.filter_map(|uri| json::text(uri.get())).map(image));
            Event::Prompt(parts)
        }
        "agent_message" => words("message").map_or(Event::Silent, Event::Answer),
        "agent_reasoning" | "agent_reasoning_raw_content" => {
            words("text").map_or(Event::Silent, Event::Thought)
        }
        "token_count" => tokens(event).unwrap_or(Event::Silent),
        "task_started" | "turn_started" => words("turn_id").map_or(Event::Silent, Event::Turn),
        "thread_rolled_back" => {
            let n_turns = event
                .get("num_turns")
                .and_then(|raw| raw.get().parse().ok());
            let note = Box::new(note(&kind, event));
            n_turns.map_or(Event::Note(note.clone()), |n| Event::RolledBack(n, note))
        }
        "turn_aborted"
        | "error"
        | "stream_error"
        | "warning"
        | "entered_review_mode"
        | "exited_review_mode" => Event::Note(Box::new(note(&kind, event))),
        _ => Event::Silent,
    }
}

/// The counts are of the whole session; the last of them is what it took.
fn tokens(event: &Object<'_>) -> Option<Event> {
    let total = event.object("info")?.object("total_token_usage")?;
    let count = |name: &str| -> Option<u64> { total.get(name)?.get().parse().ok() };
    Some(Event::Tokens {
        total: count("total_tokens")?,
        output: count("output_tokens").unwrap_or_default(),
    })
}

/// Writes an event as a note: its kind, and what it says.
fn note(kind: &str, event: &Object<'_>) -> NewMessage {
    let mut text = kind.replace('_', " ");
    for (name, value) in event.fields() {
        if ["type", "turn_id"].contains(&name) {
            continue;
        }
        let mut words = json::strings(value.get(), &[]);
        if words.is_empty() && json::kind(value.get()) == json::Kind::Number {
            words.push(format!("{} {}", name.replace('_', " "), value.get()));
        }
        for word in words {
            text.push_str(": ");
            text.push_str(&word);
        }
    }
    NewMessage::text(Role::System, text).meta()
}
