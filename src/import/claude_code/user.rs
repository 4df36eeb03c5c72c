//! Records in the user's name. Owns who really speaks in them: a person, a tool, or the host.
//! May not change what is said.

use super::entry::{note, raw_or_null};
use super::noise::is_noise;
use super::parts::read_content;
use crate::domain::{NewMessage, Part, Role, Visibility};
use crate::import::entry::Body;
use crate::import::json::{self, Kind, Object};

/// Reads a `user` record.
pub(super) fn read_user(record: &Object<'_>) -> Body {
    let Some(raw) = record.get("message") else {
        return Body::Silent;
    };
    let message = Object::parse(raw.get());
    let parts = message_parts(raw.get(), message.as_ref());
    if parts.is_empty() {
        return Body::Silent;
    }
    let has_result = parts
        .iter()
        .any(|part| matches!(part, Part::ToolResult { .. }));
    if has_result {
        return Body::Row(Box::new(NewMessage::new(Role::Tool, parts)));
    }
    // The model wrote the host's summary; it is no request of the user's.
    let is_summary = record.is_set("isCompactSummary");
    let role = if is_summary {
        Role::Assistant
    } else {
        Role::User
    };
    let mut new = NewMessage::new(role, parts);
    if is_summary
        || record.is_set("isMeta")
        || record.is_set("isVisibleInTranscriptOnly")
        || !message
            .as_ref()
            .is_none_or(|message| message.has("content"))
        || is_all_noise(&new.parts)
    {
        new.visibility = Visibility::Meta;
    }
    Body::Row(Box::new(new))
}

/// Reads an `attachment` record: a prompt typed while the model worked, or the host's context.
pub(super) fn read_attachment(record: &Object<'_>) -> Body {
    let Some(attachment) = record.object("attachment") else {
        return note(record, Role::System);
    };
    if attachment.text("type").as_deref() != Some("queued_command") {
        return note(record, Role::System);
    }
    let parts = read_content(raw_or_null(attachment.get("prompt")));
    if parts.is_empty() {
        return Body::Silent;
    }
    let mut new = NewMessage::new(Role::User, parts);
    let is_notice = attachment.text("commandMode").as_deref() == Some("task-notification");
    if is_notice || record.is_set("isMeta") || is_all_noise(&new.parts) {
        new.visibility = Visibility::Meta;
    }
    Body::Row(Box::new(new))
}

/// Returns what a `message` field says. One without `content` is kept as it came, if it has words.
pub(super) fn message_parts(raw: &str, message: Option<&Object<'_>>) -> Vec<Part> {
    let Some(message) = message else {
        return read_content(raw);
    };
    if message.has("content") {
        return read_content(raw_or_null(message.get("content")));
    }
    let skip = [
        "id",
        "model",
        "role",
        "stop_reason",
        "stop_sequence",
        "type",
        "usage",
    ];
    let has_words = json::kind(raw) == Kind::Object && !json::strings(raw, &skip).is_empty();
    let json = raw.to_owned();
    has_words
        .then_some(Part::Opaque { json })
        .into_iter()
        .collect()
}

/// Returns whether nothing but the host speaks: each text is noise, and there is nothing else.
fn is_all_noise(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Text { text } => is_noise(text),
        _ => false,
    })
}
