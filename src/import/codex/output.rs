//! What a call gave back. Owns the forms in which outputs are written.
//! May not drop words.

use serde_json::value::RawValue;

use crate::domain::Part;
use crate::import::json::{self, Kind, Object};

/// Reads an output: a text, a text that holds JSON, a list of blocks, or an object.
pub(super) fn read_output(call_id: String, raw: Option<&RawValue>) -> Vec<Part> {
    let raw = raw.map_or("null", RawValue::get);
    let mut others = Vec::new();
    let (content, is_error) = match json::kind(raw) {
        Kind::Text => {
            let text = json::text(raw).unwrap_or_default();
            unwrapped(&text).unwrap_or((text, false))
        }
        Kind::Array => {
            let mut texts = Vec::new();
            for block in json::elements(raw).unwrap_or_default() {
                match read_block(block.get()) {
                    Some(Part::Text { text }) => texts.push(text),
                    Some(other) => others.push(other),
                    None => {}
                }
            }
            (texts.join("\n"), false)
        }
        Kind::Object => {
            let object = Object::parse(raw);
            let content = object.as_ref().and_then(|object| object.text("content"));
            let success = object.as_ref().and_then(|object| object.get("success"));
            let is_error = success.is_some_and(|flag| flag.get() == "false");
            let (content, has_failed) = match content {
                Some(text) => unwrapped(&text).unwrap_or((text, false)),
                None => unwrapped(raw).unwrap_or((raw.to_owned(), false)),
            };
            (content, is_error || has_failed)
        }
        Kind::Literal if raw == "null" => (String::new(), false),
        Kind::Number | Kind::Literal => (raw.to_owned(), false),
    };
    let mut parts = vec![Part::ToolResult {
        call_id,
        content,
        is_error,
    }];
    parts.append(&mut others);
    parts
}

/// Takes the words out of `{"output": …, "metadata": {"exit_code": …}}`.
fn unwrapped(text: &str) -> Option<(String, bool)> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let object = Object::parse(text)?;
    let output = object.text("output")?;
    let is_known =
        |name: &str| ["output", "metadata", "exit_code", "wall_time_seconds"].contains(&name);
    if !object.fields().all(|(name, _)| is_known(name)) {
        return None;
    }
    let metadata = object.object("metadata");
    let code = metadata
        .as_ref()
        .and_then(|metadata| metadata.get("exit_code"))
        .or_else(|| object.get("exit_code"));
    let is_error = code.is_some_and(|code| code.get() != "0");
    Some((output, is_error))
}

/// Reads a block of a message or an output.
pub(super) fn read_block(raw: &str) -> Option<Part> {
    if let Some(text) = json::text(raw) {
        return Some(Part::Text { text }).filter(|_| raw != "\"\"");
    }
    let block = Object::parse(raw)?;
    match block.text("type").as_deref() {
        Some("input_text" | "output_text" | "text" | "summary_text" | "reasoning_text") => {
            let text = block.text("text")?;
            (!text.is_empty()).then_some(Part::Text { text })
        }
        Some("input_image") => block.text("image_url").map(image),
        _ => Some(Part::Opaque {
            json: raw.to_owned(),
        }),
    }
}

/// Makes the part of a picture from its address.
pub(super) fn image(uri: String) -> Part {
    let mime = uri
        .strip_prefix("data:")
        .and_then(|rest| rest.split([';', ',']).next())
        .filter(|mime| mime.contains('/'))
        .unwrap_or("image/*")
        .to_owned();
    Part::Media { uri, mime }
}
