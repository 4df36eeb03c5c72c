//! One message. Owns who really speaks in it: what the user seems to say after an answer is what the
//! environment gave back. May not know where it lies.

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Role};
use crate::import::chat_content::{read_content, result_of};
use crate::import::entry::Body;
use crate::import::json::{self, Object};

/// What is known of the messages before.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Whether the model has acted in this run.
    has_acted: bool,
}

impl Calls {
    /// Reads the next message. A demonstration is of another run, shown to the model: a note.
    pub(super) fn read(&mut self, message: &Object<'_>) -> Body {
        let kind = message.text("message_type");
        let is_demo = message.is_set("is_demo") || kind.as_deref() == Some("demonstration");
        let role = message.text("role");
        let role = match role.as_deref() {
            Some("system") => Role::System,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            _ if self.has_acted && !is_demo => Role::Tool,
            _ => Role::User,
        };
        let mut parts = read_content(message.get("content"));
        parts.append(&mut calls(message));
        if let (Role::Tool, Some(call_id)) = (role, answered(message)) {
            parts = result_of(call_id, false, parts);
        }
        if role == Role::Assistant && !is_demo {
            self.has_acted = true;
        }
        if parts.is_empty() {
            return Body::Silent;
        }
        let new = NewMessage::new(role, parts);
        Body::Row(Box::new(if is_demo { new.meta() } else { new }))
    }
}

fn calls(message: &Object<'_>) -> Vec<Part> {
    let raw = message.get("tool_calls").map_or("null", RawValue::get);
    let calls = json::elements(raw).unwrap_or_default();
    let calls = calls.iter().filter_map(|raw| {
        let call = Object::parse(raw.get())?;
        let function = call.object("function")?;
        let arguments = function.get("arguments").map_or("{}", RawValue::get);
        Some(Part::ToolUse {
            call_id: call.text("id").unwrap_or_default(),
            name: function.text("name").unwrap_or_default(),
            arguments: json::text(arguments).unwrap_or_else(|| arguments.to_owned()),
        })
    });
    calls.collect()
}

/// Returns the call that a tool's message answers.
fn answered(message: &Object<'_>) -> Option<String> {
    let ids = message.get("tool_call_ids").map_or("null", RawValue::get);
    let ids = json::elements(ids).unwrap_or_default();
    let first = ids.first().and_then(|raw| json::text(raw.get()));
    first.or_else(|| message.text("tool_call_id"))
}
