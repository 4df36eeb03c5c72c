//! Content blocks to parts. Owns what a block of any shape becomes.
//! May not drop words: a block of an unknown kind is kept as it came.

use serde_json::value::RawValue;

use crate::domain::Part;
use crate::import::json::{self, Kind, Object};

/// Reads a message's content: a string, a list of blocks, one block, or any other value.
pub(crate) fn read_content(raw: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    match json::kind(raw) {
        Kind::Text => push_text(json::text(raw), &mut parts),
        Kind::Array => {
            for block in json::elements(raw).unwrap_or_default() {
                push_block(block.get(), &mut parts);
            }
        }
        Kind::Object => push_block(raw, &mut parts),
        Kind::Literal if raw == "null" => {}
        Kind::Number | Kind::Literal => push_text(Some(raw.to_owned()), &mut parts),
    }
    parts
}

fn push_text(text: Option<String>, parts: &mut Vec<Part>) {
    parts.extend(
        text.filter(|text| !text.is_empty())
            .map(|text| Part::Text { text }),
    );
}

fn push_block(raw: &str, parts: &mut Vec<Part>) {
    let Some(block) = Object::parse(raw) else {
        match json::kind(raw) {
            Kind::Text => push_text(json::text(raw), parts),
            Kind::Literal if raw == "null" => {}
            _ => parts.push(opaque(raw)),
        }
        return;
    };
    match block.text("type").as_deref() {
        Some("text") => match block.get("text").map(RawValue::get) {
            Some(text) if json::kind(text) == Kind::Text => push_text(json::text(text), parts),
            Some(_) => parts.push(opaque(raw)),
            None => {}
        },
        Some("thinking") => match block.text("thinking") {
            Some(text) => parts.push(Part::Reasoning {
                text,
                signature: block.text("signature"),
            }),
            None => parts.push(opaque(raw)),
        },
        Some("tool_use") => parts.push(tool_use(&block).unwrap_or_else(|| opaque(raw))),
        Some("tool_result") => push_result(&block, parts),
        Some("image" | "document") => parts.push(media(&block).unwrap_or_else(|| opaque(raw))),
        _ => parts.push(opaque(raw)),
    }
}

fn opaque(raw: &str) -> Part {
    Part::Opaque {
        json: raw.to_owned(),
    }
}

fn tool_use(block: &Object<'_>) -> Option<Part> {
    Some(Part::ToolUse {
        call_id: block.text("id")?,
        name: block.text("name").unwrap_or_default(),
        arguments: block.get("input").map_or("{}", RawValue::get).to_owned(),
    })
}

/// A result's words become its body; pictures and blocks of other kinds follow it as parts.
fn push_result(block: &Object<'_>, parts: &mut Vec<Part>) {
    let mut pieces = Vec::new();
    let content = block.get("content").map_or("null", RawValue::get);
    match json::kind(content) {
        // A lone object is an envelope of the tool's own, not a block: it is the body as it came.
        Kind::Object if !is_block(content) => pieces.push(Part::Text {
            text: content.to_owned(),
        }),
        _ => pieces = read_content(content),
    }
    let mut body: Option<String> = None;
    let mut others = Vec::new();
    for piece in pieces {
        match piece {
            Part::Text { text } => match &mut body {
                Some(body) => {
                    body.push('\n');
                    body.push_str(&text);
                }
                None => body = Some(text),
            },
            other => others.push(other),
        }
    }
    parts.push(Part::ToolResult {
        call_id: block.text("tool_use_id").unwrap_or_default(),
        content: body.unwrap_or_default(),
        is_error: block.is_set("is_error"),
    });
    parts.append(&mut others);
}

fn is_block(raw: &str) -> bool {
    Object::parse(raw).is_some_and(|object| object.text("type").is_some())
}

fn media(block: &Object<'_>) -> Option<Part> {
    let source = block.object("source")?;
    let mime = source.text("media_type");
    match source.text("type")?.as_str() {
        "base64" => {
            let mime = mime.unwrap_or_else(|| "application/octet-stream".to_owned());
            let data = source.text("data")?;
            Some(Part::Media {
                uri: format!("data:{mime};base64,{data}"),
                mime,
            })
        }
        "url" => Some(Part::Media {
            uri: source.text("url")?,
            mime: mime.unwrap_or_else(|| "application/octet-stream".to_owned()),
        }),
        "text" => Some(Part::Text {
            text: source.text("data")?,
        }),
        _ => None,
    }
}
