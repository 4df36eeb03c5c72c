//! What a record of Codex looks like. Owns how its files are told from others.
//! May not judge a record's content.

use crate::import::json::{Object, elements};

/// Types of records that wrap a payload.
const WRAPPERS: &[&str] = &[
    "compacted",
    "event_msg",
    "inter_agent_communication",
    "request_item",
    "response_item",
    "session_meta",
    "turn_context",
    "world_state",
];

/// Returns whether a JSON object is a record of this format.
pub(super) fn looks_like_record(text: &str) -> bool {
    let Some(record) = Object::parse(text) else {
        return false;
    };
    let kind = record.text("type");
    if record.has("payload") {
        return kind.is_some_and(|kind| WRAPPERS.contains(&kind.as_str()));
    }
    // What the first versions wrote, without wrappers.
    match kind.as_deref() {
        None => {
            record.text("record_type").as_deref() == Some("state")
                || (record.text("id").is_some()
                    && record.text("timestamp").is_some()
                    && record.has("instructions"))
        }
        Some("message") => record.text("role").is_some() && has_blocks(&record),
        // Other hosts keep the calls and thoughts of the same interface: these alone say nothing.
        Some(_) => false,
    }
}

/// Returns whether a message's content is made of this format's blocks.
fn has_blocks(record: &Object<'_>) -> bool {
    let blocks = record.get("content").and_then(|raw| elements(raw.get()));
    let first = blocks
        .and_then(|blocks| blocks.first().copied())
        .and_then(|block| Object::parse(block.get()));
    first
        .and_then(|block| block.text("type"))
        .is_some_and(|kind| ["input_text", "output_text", "input_image"].contains(&kind.as_str()))
}
