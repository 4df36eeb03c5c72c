//! What a record of Claude Code looks like. Owns how its files are told from others.
//! May not judge a record's content.

use crate::import::entry::clean_id;
use crate::import::json::Object;

/// Types that only this host writes, each beside a session or a message it belongs to.
const OWN_TYPES: &[&str] = &[
    "agent-name",
    "agent-setting",
    "ai-title",
    "attachment",
    "bridge-session",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "started",
    "summary",
    "system",
    "worktree-state",
];

/// Returns whether a JSON object is a record of this format.
pub(crate) fn looks_like_record(text: &str) -> bool {
    let Some(record) = Object::parse(text) else {
        return false;
    };
    let has_owner = ["uuid", "sessionId", "leafUuid", "messageId", "agentId"]
        .iter()
        .any(|name| clean_id(record.text(name)).is_some());
    match record.text("type").as_deref() {
        Some("user" | "assistant") => match record.object("message") {
            // Relatives of this format put `parts` in place of `content`.
            Some(message) => {
                !message.has("parts")
                    && (has_owner || (message.has("content") && message.has("role")))
            }
            None => has_owner && !record.has("parts") && !record.has("content"),
        },
        Some(kind) => has_owner && OWN_TYPES.contains(&kind),
        None => false,
    }
}
