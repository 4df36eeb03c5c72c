//! The content of messages as the chat interfaces have it. Owns what each block becomes.
//! May not drop words: a block of an unknown kind is kept as it came.

use serde_json::value::RawValue;

use super::json::{self, Kind, Object};
use crate::domain::Part;

/// The media type of a picture whose kind is not told.
pub(crate) const ANY_IMAGE: &str = "image/*";

/// Reads a text, a list of blocks, one block, or any other value.
pub(crate) fn read_content(raw: Option<&RawValue>) -> Vec<Part> {
    let raw = raw.map_or("null", RawValue::get);
    let mut parts = Vec::new();
    match json::kind(raw) {
        Kind::Array => {
            for block in json::elements(raw).unwrap_or_default() {
                push(block.get(), &mut parts);
            }
        }
        _ => push(raw, &mut parts),
    }
    parts
}

/// Makes a text part, if there is a text.
pub(crate) fn text_part(text: Option<String>) -> Option<Part> {
    text.filter(|text| !text.is_empty())
        .map(|text| Part::Text { text })
}

/// Makes a result of parts: texts are its body, the others follow it.
pub(crate) fn result_of(call_id: String, is_error: bool, parts: Vec<Part>) -> Vec<Part> {
    let mut texts = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        match part {
            Part::Text { text } => texts.push(text),
            other => others.push(other),
        }
    }
    let content = texts.join("\n");
    let result = Part::ToolResult {
        call_id,
        content,
        is_error,
    };
    std::iter::once(result).chain(others).collect()
}

fn push(raw: &str, parts: &mut Vec<Part>) {
    match json::kind(raw) {
        Kind::Text => parts.extend(text_part(json::text(raw))),
        Kind::Object => push_block(raw, parts),
        Kind::Literal if raw == "null" => {}
        Kind::Number | Kind::Literal => parts.extend(text_part(Some(raw.to_owned()))),
        Kind::Array => parts.push(opaque(raw)),
    }
}

fn push_block(raw: &str, parts: &mut Vec<Part>) {
    let block = Object::parse(raw).unwrap_or_default();
    let image = |uri: String| Part::Media {
        uri,
        mime: ANY_IMAGE.to_owned(),
    };
    match block.text("type").as_deref() {
        Some("text" | "input_text" | "output_text") if block.text("text").is_some() => {
            parts.extend(text_part(block.text("text")));
        }
        Some("image_url") => {
            let url = block
                .object("image_url")
                .and_then(|image| image.text("url"));
            let url = url.or_else(|| block.text("image_url"));
            parts.push(url.map_or_else(|| opaque(raw), image));
        }
        Some("image") if block.has("image_urls") => {
            let urls = block.get("image_urls").map_or("null", RawValue::get);
            let urls = json::elements(urls).unwrap_or_default();
            parts.extend(
                urls.iter()
                    .filter_map(|url| json::text(url.get()))
                    .map(image),
            );
        }
        _ => parts.push(opaque(raw)),
    }
}

fn opaque(raw: &str) -> Part {
    Part::Opaque {
        json: raw.to_owned(),
    }
}
