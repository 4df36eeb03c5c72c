//! Content blocks to parts. Owns what a block of any shape becomes.
//! May not drop words: a block of an unknown kind is kept as it came.

use serde_json::value::RawValue;

use crate::domain::Part;
use crate::import::json::{self, Kind, Object};

/// Reads a message's content: a text, a list of blocks, or any other value.
pub(super) fn read_content(raw: &str) -> Vec<Part> {
    match json::kind(raw) {
        Kind::Text => text_part(json::text(raw)).into_iter().collect(),
        Kind::Array => {
            let blocks = json::elements(raw).unwrap_or_default();
            let parts = blocks
                .into_iter()
                .filter_map(|block| read_block(block.get()));
            parts.collect()
        }
        Kind::Object => read_block(raw).into_iter().collect(),
        Kind::Literal if raw == "null" => Vec::new(),
        Kind::Number | Kind::Literal => text_part(Some(raw.to_owned())).into_iter().collect(),
    }
}

fn text_part(text: Option<String>) -> Option<Part> {
    let text = text.filter(|text| !text.is_empty())?;
    Some(Part::Text { text })
}

fn read_block(raw: &str) -> Option<Part> {
    let Some(block) = Object::parse(raw) else {
        return match json::kind(raw) {
            Kind::Text => text_part(json::text(raw)),
            Kind::Literal if raw == "null" => None,
            _ => Some(opaque(raw)),
        };
    };
    let known = match block.text("type").as_deref() {
        Some("text") => match block.get("text") {
            None => return None,
            Some(_) => match block.text("text") {
                Some(text) => return text_part(Some(text)),
                None => None,
            },
        },
        Some("thinking") => block.text("thinking").map(|text| Part::Reasoning {
            text,
            signature: block.text("thinkingSignature"),
        }),
        Some("toolCall") => tool_call(&block),
        Some("image") => image(&block),
        _ => None,
    };
    Some(known.unwrap_or_else(|| opaque(raw)))
}

fn opaque(raw: &str) -> Part {
    let json = raw.to_owned();
    Part::Opaque { json }
}

fn tool_call(block: &Object<'_>) -> Option<Part> {
    Some(Part::ToolUse {
        call_id: block.text("id")?,
        name: block.text("name").unwrap_or_default(),
        arguments: block
            .get("arguments")
            .map_or("{}", RawValue::get)
            .to_owned(),
    })
}

fn image(block: &Object<'_>) -> Option<Part> {
    let data = block.text("data")?;
    let mime = block.text("mimeType")?;
    let uri = format!("data:{mime};base64,{data}");
    Some(Part::Media { uri, mime })
}

/// Makes a result of what a tool gave back: its words are the body, all else follows it.
pub(super) fn result_parts(call_id: String, is_error: bool, pieces: Vec<Part>) -> Vec<Part> {
    let mut words = Vec::new();
    let mut others = Vec::new();
    for piece in pieces {
        match piece {
            Part::Text { text } => words.push(text),
            other => others.push(other),
        }
    }
    let content = words.join("\n");
    let result = Part::ToolResult {
        call_id,
        content,
        is_error,
    };
    std::iter::once(result).chain(others).collect()
}
