//! One message. Owns its rows: what the model says and what a tool gave back stand in one message
//! of the export and are rows of their own. May not look at other messages.

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Role};
use crate::import::chat_content::{read_content, result_of, text_part};
use crate::import::claude_code;
use crate::import::entry::{Body, time};
use crate::import::json::{self, Object};

/// What `text` says in place of a block that it cannot show.
const UNSHOWN: &str = "This block is not supported on your current device yet.";

/// Reads a message: one row, or several where a tool answered in between.
pub(super) fn read(message: &Object<'_>, id: &str) -> Vec<Body> {
    let role = match message.text("sender").as_deref() {
        Some("assistant") => Role::Assistant,
        _ => Role::User,
    };
    let mut parts = blocks(message, id);
    if let Some(text) = message.text("text").filter(|text| adds_words(text, &parts)) {
        parts.insert(0, Part::Text { text });
    }
    parts.append(&mut files(message));
    let at = message.get("created_at").and_then(|raw| time(raw.get()));
    let rows = rows(role, parts).into_iter().map(|mut row| {
        row.at = at;
        Body::Row(Box::new(row))
    });
    rows.collect()
}

/// Reads the blocks of `content`. Old exports give calls no ids: such a result answers the call
/// before it.
fn blocks(message: &Object<'_>, id: &str) -> Vec<Part> {
    let raw = message.get("content").map_or("null", RawValue::get);
    let mut parts = Vec::new();
    let mut call = None;
    for (at, raw) in json::elements(raw).unwrap_or_default().iter().enumerate() {
        let block = Object::parse(raw.get()).unwrap_or_default();
        let kind = block.text("type");
        match kind.as_deref() {
            Some("tool_use") => {
                let call_id = block.text("id").unwrap_or_else(|| format!("{id}:{at}"));
                parts.push(Part::ToolUse {
                    call_id: call_id.clone(),
                    name: block.text("name").unwrap_or_default(),
                    arguments: block.get("input").map_or("{}", RawValue::get).to_owned(),
                });
                call = Some(call_id);
            }
            Some("tool_result") => {
                let call_id = block.text("tool_use_id").or_else(|| call.take());
                let call_id = call_id.unwrap_or_default();
                let content = read_content(block.get("content"));
                parts.append(&mut result_of(call_id, block.is_set("is_error"), content));
            }
            // It counts what is left of a budget and says nothing.
            Some("token_budget") => {}
            _ => parts.append(&mut claude_code::read_content(raw.get())),
        }
    }
    parts
}

/// Returns whether `text` has a line that no block has: it repeats their words.
fn adds_words(text: &str, parts: &[Part]) -> bool {
    let said = parts.iter().map(Part::body).collect::<Vec<_>>().join("\n");
    text.lines().any(|line| {
        let line = line.trim();
        !line.is_empty() && line != "```" && line != UNSHOWN && !said.contains(line)
    })
}

/// Reads what the user gave along: the words of pasted documents, and the names of files.
fn files(message: &Object<'_>) -> Vec<Part> {
    let list = |name: &str| {
        let raw = message.get(name).map_or("null", RawValue::get);
        json::elements(raw).unwrap_or_default()
    };
    let mut parts = Vec::new();
    for raw in list("attachments").into_iter().chain(list("files")) {
        let Some(file) = Object::parse(raw.get()) else {
            continue;
        };
        let name = file.text("file_name").filter(|name| !name.is_empty());
        let kind = file.text("file_type").filter(|kind| kind.contains('/'));
        parts.extend(name.map(|uri| Part::Media {
            uri,
            mime: kind.unwrap_or_else(|| "application/octet-stream".to_owned()),
        }));
        parts.extend(text_part(file.text("extracted_content")));
    }
    parts
}

/// Splits the parts of a message into rows. What follows a result is said after it.
fn rows(role: Role, parts: Vec<Part>) -> Vec<NewMessage> {
    let mut rows: Vec<NewMessage> = Vec::new();
    for part in parts {
        let is_result = matches!(part, Part::ToolResult { .. });
        let of_result = is_result || matches!(part, Part::Media { .. });
        let role = if is_result { Role::Tool } else { role };
        match rows.last_mut() {
            Some(row) if row.role == role || (row.role == Role::Tool && of_result) => {
                row.parts.push(part);
            }
            _ => rows.push(NewMessage::new(role, vec![part])),
        }
    }
    rows
}
