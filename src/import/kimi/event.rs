//! What happened in a step. Owns the parts, calls and results of it.
//! May not drop words.

use serde_json::value::RawValue;

use crate::domain::Part;
use crate::import::json::{self, Object};

/// Reads contents: a text, a part, or a list of parts.
pub(super) fn read_content(raw: Option<&RawValue>) -> Vec<Part> {
    json::content(raw, read_part)
}

pub(super) fn read_part(raw: &str) -> Option<Part> {
    if let Some(text) = json::text(raw) {
        return (!text.is_empty()).then_some(Part::Text { text });
    }
    let part = Object::parse(raw)?;
    let text = part.text("text").filter(|text| !text.is_empty());
    match part.text("type").as_deref() {
        Some("text") => text.map(|text| Part::Text { text }),
        Some("think") => {
            let text = text.or_else(|| part.text("think"))?;
            let signature = part.text("encrypted");
            (!text.is_empty()).then_some(Part::Reasoning { text, signature })
        }
        Some("image_url") => {
            let uri = part.object("imageUrl").or_else(|| part.object("image_url"));
            let uri = uri.and_then(|uri| uri.text("url"))?;
            let mime = "image/*".to_owned();
            Some(Part::Media { uri, mime })
        }
        _ => Some(Part::Opaque {
            json: raw.to_owned(),
        }),
    }
}

/// Reads a call.
pub(super) fn read_call(event: &Object<'_>) -> Part {
    Part::ToolUse {
        call_id: event.text("toolCallId").unwrap_or_default(),
        name: event.text("name").unwrap_or_default(),
        arguments: event.get("args").map_or("{}", RawValue::get).to_owned(),
    }
}

/// Reads what a call gave back: a text, or a list of parts of which the texts are its body.
pub(super) fn read_result(event: &Object<'_>) -> Vec<Part> {
    let call_id = event.text("toolCallId").unwrap_or_default();
    let result = event.object("result");
    read_result_of(call_id, result.as_ref(), event.get("result"))
}

/// As [`read_result`], of a call: from the value with an `output`, else from the bare one.
pub(super) fn read_result_of(
    call_id: String,
    result: Option<&Object<'_>>,
    bare: Option<&RawValue>,
) -> Vec<Part> {
    let field = |name: &str| result.and_then(|result| result.get(name));
    let flag = field("isError").or_else(|| field("is_error"));
    let mut texts = Vec::new();
    let mut others = Vec::new();
    for part in read_content(field("output").or(bare)) {
        match part {
            Part::Text { text } => texts.push(text),
            other => others.push(other),
        }
    }
    // What the host says of a result that has no words of its own.
    if texts.is_empty() {
        let told = field("message").and_then(|raw| json::text(raw.get()));
        texts.extend(told.filter(|text| !text.is_empty()));
    }
    let mut parts = vec![Part::ToolResult {
        call_id,
        content: texts.join("\n"),
        is_error: flag.is_some_and(|flag| flag.get() == "true"),
    }];
    parts.append(&mut others);
    parts
}
