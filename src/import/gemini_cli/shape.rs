//! What a record of the Gemini CLI looks like. Owns how its files are told from others.
//! May not judge a record's content.

use crate::import::json::Object;

/// Types of messages.
const TYPES: &[&str] = &["error", "gemini", "info", "user", "warning"];

/// Returns whether a JSON object is a record of this format.
pub(super) fn looks_like_record(text: &str) -> bool {
    let Some(record) = Object::parse(text) else {
        return false;
    };
    let is_text = |name: &str| record.text(name).is_some();
    if record.has("$set") || record.has("$rewindTo") {
        return true;
    }
    match record.text("type") {
        None => is_text("sessionId") && is_text("startTime") && record.has("lastUpdated"),
        // Relatives of this format wrap what they say in `message`.
        Some(kind) => {
            TYPES.contains(&kind.as_str())
                && is_text("id")
                && is_text("timestamp")
                && record.has("content")
                && !record.has("message")
                && !record.has("uuid")
        }
    }
}
