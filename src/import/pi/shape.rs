//! What an entry of Pi looks like. Owns how its files are told from others.
//! May not judge an entry's content.

use crate::import::json::Object;

/// Who speaks in its messages.
const ROLES: &[&str] = &[
    "assistant",
    "bashExecution",
    "branchSummary",
    "compactionSummary",
    "custom",
    "system",
    "toolResult",
    "user",
];

/// Returns whether a JSON object is an entry of this format.
pub(crate) fn looks_like_record(text: &str) -> bool {
    let Some(entry) = Object::parse(text) else {
        return false;
    };
    // Relatives of this format name the session in each record.
    if entry.text("timestamp").is_none() || entry.has("sessionId") || entry.has("uuid") {
        return false;
    }
    let has = |name| entry.has(name);
    match entry.text("type").as_deref() {
        Some("session") => entry.text("id").is_some() && !has("message") && !has("payload"),
        Some("message") => entry
            .object("message")
            .and_then(|message| message.text("role"))
            .is_some_and(|role| ROLES.contains(&role.as_str())),
        Some("compaction") => has("summary") && has("tokensBefore"),
        Some("branch_summary") => has("summary") && has("fromId"),
        Some("model_change") => has("modelId") || has("model"),
        Some("thinking_level_change") => has("thinkingLevel"),
        Some("custom" | "custom_message") => has("customType"),
        Some("session_info") => has("id") && has("name"),
        Some("label") => has("targetId"),
        _ => false,
    }
}
