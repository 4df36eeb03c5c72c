//! What a record of Kimi looks like. Owns how its files are told from others.
//! May not judge a record's content.

use super::{context, legacy};
use crate::import::json::Object;

/// What the types of its records begin with.
const ROOMS: &[&str] = &[
    "config.",
    "context.",
    "llm.",
    "permission.",
    "tools.",
    "turn.",
    "usage.",
];

/// Returns whether a JSON object is a record of this format.
pub(super) fn looks_like_record(text: &str) -> bool {
    let Some(record) = Object::parse(text) else {
        return false;
    };
    let Some(kind) = record.text("type") else {
        return legacy::looks_like_record(&record) || context::looks_like_mark(&record);
    };
    if kind == "metadata" {
        return record.text("protocol_version").is_some();
    }
    let is_own = ROOMS.iter().any(|room| kind.starts_with(room));
    is_own && !record.has("data") && (record.has("time") || record.has("systemPrompt"))
}
