//! One message. Owns who speaks in it, its parts, and what it is known by in either source.
//! May not know where it was read.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Role};
use crate::import::json::{self, Kind, Object};

/// Hexadecimal digits by which a message is known.
const DIGITS: usize = 32;

/// Fields that only this host's relatives write beside `role`.
const OWN_FIELDS: &[&str] = &[
    "created_at",
    "model_name",
    "reasoning_content",
    "tool_call_id",
    "tool_calls",
];

/// Fields that show a record of another host.
const OTHER_FIELDS: &[&str] = &[
    "created",
    "id",
    "key",
    "message",
    "parts",
    "session_id",
    "sessionId",
    "time",
    "timestamp",
    "type",
    "uuid",
];

/// Returns whether a JSON object is a message of this format.
pub(super) fn looks_like_record(text: &str) -> bool {
    let Some(record) = Object::parse(text) else {
        return false;
    };
    let content = record.get("content").map(|raw| json::kind(raw.get()));
    role_of(&record).is_some()
        && matches!(content, None | Some(Kind::Text))
        && OWN_FIELDS.iter().any(|name| record.has(name))
        && !OTHER_FIELDS.iter().any(|name| record.has(name))
}

pub(super) fn role_of(record: &Object<'_>) -> Option<Role> {
    match record.text("role")?.as_str() {
        "function" => Some(Role::Tool),
        "developer" => Some(Role::System),
        role => role.parse().ok(),
    }
}

/// Reads a line. A message without a word, a call or a picture keeps an empty text: the host has it.
///
/// # Errors
/// A lower-case fragment that says why it is none.
pub(super) fn read(record: &Object<'_>) -> Result<NewMessage, String> {
    let Some(role) = role_of(record) else {
        return Err("a JSON object without a message's `role`".to_owned());
    };
    let mut parts = Vec::new();
    if let Some(text) = record
        .text("reasoning_content")
        .filter(|text| !text.is_empty())
    {
        let signature = None;
        parts.push(Part::Reasoning { text, signature });
    }
    let text = match record.get("content").map(RawValue::get) {
        None => String::new(),
        Some(raw) => json::text(raw).unwrap_or_else(|| raw.to_owned()),
    };
    let calls = record.get("tool_calls").map_or("[]", RawValue::get);
    let calls = json::elements(calls).unwrap_or_default();
    match record.text("tool_call_id") {
        Some(call_id) if role == Role::Tool => parts.push(result(call_id, text)),
        _ if text.is_empty() => {}
        _ => parts.push(Part::Text { text }),
    }
    parts.extend(calls.iter().map(|call| tool_call(call.get())));
    let media = record.get("media").map_or("[]", RawValue::get);
    for found in json::elements(media).unwrap_or_default() {
        parts.push(match json::text(found.get()) {
            Some(uri) => media_part(uri, None),
            None => opaque(found.get()),
        });
    }
    let attached = record.get("attachments").map_or("[]", RawValue::get);
    let attached = json::elements(attached).unwrap_or_default();
    parts.extend(attached.iter().map(|one| opaque(one.get())));
    if parts.is_empty() {
        let text = String::new();
        parts.push(Part::Text { text });
    }
    let mut message = NewMessage::new(role, parts);
    message.model = record.text("model_name").filter(|model| !model.is_empty());
    Ok(message)
}

pub(super) fn result(call_id: String, content: String) -> Part {
    let is_error = false;
    Part::ToolResult {
        call_id,
        content,
        is_error,
    }
}

pub(super) fn media_part(uri: String, mime: Option<String>) -> Part {
    let told = uri
        .strip_prefix("data:")
        .and_then(|rest| rest.split([';', ',']).next());
    let told = told.filter(|mime| !mime.is_empty()).map(str::to_owned);
    let mime = mime.filter(|mime| !mime.is_empty()).or(told);
    let mime = mime.unwrap_or_else(|| "application/octet-stream".to_owned());
    Part::Media { uri, mime }
}

fn opaque(raw: &str) -> Part {
    let json = raw.to_owned();
    Part::Opaque { json }
}

fn tool_call(raw: &str) -> Part {
    let Some(call) = Object::parse(raw) else {
        return opaque(raw);
    };
    let function = call.object("function");
    let field = |name| function.as_ref().and_then(|function| function.get(name));
    let text = |name| field(name).and_then(|raw| json::text(raw.get()));
    let Some(call_id) = call.text("id") else {
        return opaque(raw);
    };
    Part::ToolUse {
        call_id,
        name: text("name")
            .or_else(|| call.text("name"))
            .unwrap_or_default(),
        arguments: text("arguments")
            .or_else(|| Some(field("arguments")?.get().to_owned()))
            .or_else(|| Some(call.get("arguments")?.get().to_owned()))
            .unwrap_or_else(|| "{}".to_owned()),
    }
}

/// How often each message of a session has come. The lines and the database hold the same messages
/// under no common id, so that a message is known by its words and calls and its place among equals.
#[derive(Debug, Default)]
pub(super) struct Repeats(pub(super) BTreeMap<String, u64>);

impl Repeats {
    /// Returns what the next message is known by.
    pub(super) fn id(&mut self, message: &NewMessage) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(message.role.as_str().as_bytes());
        for part in &message.parts {
            let (kind, words) = match part {
                Part::Text { text } => ("text", text),
                Part::ToolUse { call_id, .. } => ("call", call_id),
                Part::ToolResult { content, .. } => ("text", content),
                _ => continue,
            };
            for piece in [kind, words] {
                hasher.update(&piece.len().to_le_bytes());
                hasher.update(piece.as_bytes());
            }
        }
        let hash = hasher.finalize().to_hex();
        let short = hash.get(..DIGITS).unwrap_or_default();
        let count = self.0.entry(short.to_owned()).or_default();
        let id = format!("p:{short}:{count}");
        *count += 1;
        id
    }
}
