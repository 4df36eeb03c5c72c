//! Messages. Owns who speaks in one, and what of it is talk.
//! May not know the entry around it.

use serde_json::value::RawValue;

use super::parts::{read_content, result_parts};
use crate::domain::{NewMessage, Part, Provenance, Role};
use crate::import::entry::Body;
use crate::import::entry::meta_row;
use crate::import::json::{self, Object};

/// Fields of a message that carry no words.
const ENVELOPE: &[&str] = &[
    "customType",
    "display",
    "fromId",
    "mimeType",
    "role",
    "timestamp",
    "type",
    "usage",
];

/// Reads a message: its row, and a note of what went wrong with it.
pub(super) fn read(raw: &str) -> Vec<Body> {
    let Some(message) = Object::parse(raw) else {
        return vec![meta_row(&json::strings(raw, &[]), Role::System)];
    };
    let content = message.get("content").map_or("null", RawValue::get);
    match message.text("role").as_deref() {
        Some("user") => vec![row(Role::User, read_content(content))],
        Some("assistant") => read_assistant(&message, content),
        Some("toolResult") => {
            let call_id = message.text("toolCallId").unwrap_or_default();
            let is_error = message.is_set("isError");
            let parts = result_parts(call_id, is_error, read_content(content));
            vec![row(Role::Tool, parts)]
        }
        Some("bashExecution") => vec![read_command(&message)],
        Some("compactionSummary" | "branchSummary") => {
            vec![meta_row(&json::strings(raw, ENVELOPE), Role::Assistant)]
        }
        Some("custom") => vec![injected(content)],
        _ => vec![meta_row(&json::strings(raw, ENVELOPE), Role::System)],
    }
}

/// Makes a meta row of what an extension put before the model.
pub(super) fn injected(content: &str) -> Body {
    match row(Role::User, read_content(content)) {
        Body::Row(message) => Body::Row(Box::new(message.meta())),
        Body::Silent => Body::Silent,
    }
}

fn row(role: Role, parts: Vec<Part>) -> Body {
    if parts.is_empty() {
        return Body::Silent;
    }
    Body::Row(Box::new(NewMessage::new(role, parts)))
}

fn read_assistant(message: &Object<'_>, content: &str) -> Vec<Body> {
    let mut bodies = Vec::new();
    if let Body::Row(mut answer) = row(Role::Assistant, read_content(content)) {
        answer.model = message.text("model").filter(|model| !model.is_empty());
        answer.provider = message.text("provider").filter(|name| !name.is_empty());
        let usage = message.object("usage");
        let output = usage.and_then(|usage| usage.get("output")?.get().parse().ok());
        answer.provenance = Some(Provenance::of_message(None, output));
        bodies.push(Body::Row(answer));
    }
    let error = message.text("errorMessage");
    if let Some(error) = error.filter(|error| !error.trim().is_empty()) {
        bodies.push(meta_row(&[error], Role::System));
    }
    bodies
}

/// Reads a command that a person ran: it is theirs, and no call of the model's.
fn read_command(message: &Object<'_>) -> Body {
    let words = ["command", "output"].map(|name| message.text(name).unwrap_or_default());
    let parts = words.into_iter().filter(|text| !text.is_empty());
    let body = row(Role::User, parts.map(|text| Part::Text { text }).collect());
    match body {
        Body::Row(command) if message.is_set("excludeFromContext") => {
            Body::Row(Box::new(command.meta()))
        }
        other => other,
    }
}
