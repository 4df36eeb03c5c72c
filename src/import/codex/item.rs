//! Items: what went to the model and came from it. Owns what each kind of them becomes.
//! May not drop words: an item of an unknown kind is kept as it came.

use serde_json::value::RawValue;

use super::injected::is_injected;
use super::output::{read_block, read_output};
use crate::domain::{NewMessage, Part, Role, Visibility};
use crate::import::json::{self, Object};

/// What an item is.
pub(super) enum Item {
    /// Words of a person, the model or the host.
    Message(NewMessage),
    /// What the model thought, in pieces.
    Thoughts(Vec<String>),
    /// A call or a result.
    Other(NewMessage),
    /// Nothing that could be read.
    Silent,
}

/// Reads an item.
pub(super) fn read_item(raw: &str, item: &Object<'_>) -> Item {
    let kind = item.text("type");
    match kind.as_deref() {
        Some("message") => read_message(item),
        None if item.text("role").is_some() => read_message(item),
        Some("reasoning") => Item::Thoughts(thoughts(item)),
        Some("function_call" | "custom_tool_call" | "mcp_tool_call" | "tool_search_call") => {
            Item::Other(call(item, item.text("name")))
        }
        Some("local_shell_call") => Item::Other(call(item, Some("local_shell".to_owned()))),
        Some("web_search_call") => Item::Other(call(item, Some("web_search".to_owned()))),
        Some(
            "function_call_output"
            | "custom_tool_call_output"
            | "mcp_tool_call_output"
            | "tool_search_output",
        ) => {
            let call_id = item.text("call_id").unwrap_or_default();
            let output = item.get("output").or_else(|| item.get("tools"));
            Item::Other(NewMessage::new(Role::Tool, read_output(call_id, output)))
        }
        // Counters, and what only the provider can read.
        Some("token_count" | "compaction" | "compaction_summary" | "ghost_snapshot" | "other") => {
            Item::Silent
        }
        _ if json::strings(raw, &["type", "id", "status"]).is_empty() => Item::Silent,
        _ => Item::Other(NewMessage::new(
            Role::Assistant,
            vec![Part::Opaque {
                json: raw.to_owned(),
            }],
        )),
    }
}

fn read_message(item: &Object<'_>) -> Item {
    let parts = read_content(item.get("content"));
    if parts.is_empty() {
        return Item::Silent;
    }
    let (role, is_host) = match item.text("role").as_deref() {
        Some("assistant") => (Role::Assistant, false),
        Some("developer" | "system") => (Role::System, true),
        Some("tool") => (Role::Tool, false),
        _ => (Role::User, false),
    };
    let mut message = NewMessage::new(role, parts);
    if is_host || (role == Role::User && is_all_injected(&message.parts)) {
        message.visibility = Visibility::Meta;
    }
    Item::Message(message)
}

/// Returns whether nothing but the host speaks.
pub(super) fn is_all_injected(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Text { text } => is_injected(text),
        _ => false,
    })
}

fn read_content(raw: Option<&RawValue>) -> Vec<Part> {
    json::content(raw, read_block)
}

/// Returns all texts of a message, as the other stream writes them.
pub(super) fn joined_text(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("")
}

fn thoughts(item: &Object<'_>) -> Vec<String> {
    let pieces = ["summary", "content"]
        .iter()
        .flat_map(|name| read_content(item.get(name)));
    pieces
        .filter_map(|part| match part {
            Part::Text { text } => Some(text),
            _ => None,
        })
        .collect()
}

fn call(item: &Object<'_>, name: Option<String>) -> NewMessage {
    let call_id = item.text("call_id").or_else(|| item.text("id"));
    let fields = ["arguments", "input", "parameters", "action"];
    let given = fields.iter().find_map(|name| item.get(name));
    let arguments = match given {
        // A text is the arguments themselves; anything else stands for itself.
        Some(raw) => json::text(raw.get()).unwrap_or_else(|| raw.get().to_owned()),
        None => match item.get("summary") {
            Some(summary) => format!("{{\"summary\":{}}}", summary.get()),
            None => "{}".to_owned(),
        },
    };
    let part = Part::ToolUse {
        call_id: call_id.unwrap_or_default(),
        name: name.unwrap_or_default(),
        arguments,
    };
    NewMessage::new(Role::Assistant, vec![part])
}
