//! A result of rig's as parts of ours, and back: its texts are one body, its pictures stand behind it.
//! Owns how the pieces of a body are found again; may not know where the call stands.

use rig_core::message::{CallId, Image, ToolName, ToolResult, ToolResultContent as Piece};
use serde_json::{Map, Value, json};

use super::block::tool_name;
use super::kept::{Kind, beyond, keep, with_beyond};
use super::media::{encoded, mime_of, part_of, picture};
use crate::domain::Part;

/// Whom a result answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) id: CallId,
    pub(super) name: ToolName,
}

/// Parts the pieces of a body.
const BETWEEN: &str = "\n";

/// Writes a result; `answered` is its call, where it is known.
pub(super) fn result_parts(result: &ToolResult, answered: Option<&Answered>) -> Vec<Part> {
    let result = with_base64(result);
    let bodies: Vec<String> = result.content.iter().filter_map(body_of).collect();
    let mut parts = vec![Part::ToolResult {
        call_id: result.call.wire().into_owned(),
        content: bodies.join(BETWEEN),
        is_error: result.is_error,
    }];
    parts.extend(result.content.iter().filter_map(picture_part));
    let known = known_result(&parts, answered);
    if known.as_ref() == Some(&result) {
        return parts;
    }
    let mut fields = Map::new();
    if known.as_ref().map(|known| &known.call) != Some(&result.call) {
        fields.insert("call".to_owned(), json!(result.call));
    }
    if known.as_ref().map(|known| &known.name) != Some(&result.name) {
        fields.insert("name".to_owned(), json!(result.name));
    }
    if known.as_ref().map(|known| &known.content) != Some(&result.content) {
        let shapes = result.content.iter().map(shape_of);
        fields.insert("pieces".to_owned(), shapes.collect());
    }
    parts.insert(0, keep(Kind::Result, "", fields));
    parts
}

/// Reads a result and the pictures behind it, with what was kept before it.
pub(super) fn result_of(
    parts: &[Part],
    kept: Option<Map<String, Value>>,
    answered: Option<&Answered>,
) -> Option<ToolResult> {
    let mut result = known_result(parts, answered)?;
    let Some(mut kept) = kept else {
        return Some(result);
    };
    let read = |value: Value| serde_json::from_value(value).ok();
    if let Some(call) = kept.shift_remove("call").and_then(read) {
        result.call = call;
    }
    let read = |value: Value| serde_json::from_value(value).ok();
    if let Some(name) = kept.shift_remove("name").and_then(read) {
        result.name = name;
    }
    // Of a body that the view has shortened the pieces are not found again: it is one text.
    if let Some(Value::Array(shapes)) = kept.shift_remove("pieces")
        && let Some(content) = pieces_of(parts, &shapes)
    {
        result.content = content;
    }
    Some(result)
}

/// Returns the result that parts alone stand for.
fn known_result(parts: &[Part], answered: Option<&Answered>) -> Option<ToolResult> {
    let (first, pictures) = parts.split_first()?;
    let Part::ToolResult {
        call_id,
        content,
        is_error,
    } = first
    else {
        return None;
    };
    let pictures = pictures.iter().filter_map(known_picture);
    let pictures: Vec<Piece> = pictures.map(Piece::Image).collect();
    let text = (!content.is_empty() || pictures.is_empty()).then(|| Piece::text(content));
    Some(ToolResult {
        call: answered.map_or_else(|| CallId::from_wire(call_id), |call| call.id.clone()),
        name: match answered {
            Some(call) => call.name.clone(),
            None => tool_name("")?,
        },
        content: text.into_iter().chain(pictures).collect(),
        is_error: *is_error,
    })
}

fn known_picture(part: &Part) -> Option<Image> {
    match part {
        Part::Media { uri, mime } => picture(uri, mime),
        _ => None,
    }
}

/// Returns the text of a piece in the body.
fn body_of(piece: &Piece) -> Option<String> {
    match piece {
        Piece::Text(text) => Some(text.text.clone()),
        Piece::Json { value } => Some(value.to_string()),
        Piece::Image(image) => match picture_of(image) {
            Some(_) => None,
            None => Some("[image]".to_owned()),
        },
    }
}

fn picture_part(piece: &Piece) -> Option<Part> {
    match piece {
        Piece::Image(image) => picture_of(image),
        Piece::Text(_) | Piece::Json { .. } => None,
    }
}

/// Returns the part of a picture that can be found again.
fn picture_of(image: &Image) -> Option<Part> {
    let part = part_of(&image.data, mime_of(image.media_type.as_ref(), "image/*"))?;
    known_picture(&part).is_some().then_some(part)
}

/// Says what a piece is: a text or a JSON value of so many bytes, or a picture with what its part
/// lacks.
fn shape_of(piece: &Piece) -> Value {
    let length = body_of(piece).map_or(0, |body| body.len());
    match piece {
        Piece::Json { .. } => json!({"json": length}),
        Piece::Text(text) => match beyond(text, &text.text.as_str().into()) {
            fields if fields.is_empty() => json!({"text": length}),
            fields => json!({"text": length, "beyond": fields}),
        },
        Piece::Image(image) => match picture_of(image).as_ref().and_then(known_picture) {
            Some(known) => json!({"image": beyond(image, &known)}),
            None => json!({"lost": length, "image": image}),
        },
    }
}

/// Finds the pieces in a body and the pictures behind it again; `None` if they are not there.
fn pieces_of(parts: &[Part], shapes: &[Value]) -> Option<Vec<Piece>> {
    let (first, pictures) = parts.split_first()?;
    let Part::ToolResult { content, .. } = first else {
        return None;
    };
    let mut pictures = pictures.iter().filter_map(known_picture);
    let mut rest = Some(content.as_str());
    let mut take = |length: &Value| -> Option<&str> {
        let length = usize::try_from(length.as_u64()?).ok()?;
        let (body, behind) = rest?.split_at_checked(length)?;
        rest = match behind.strip_prefix(BETWEEN) {
            None if behind.is_empty() => None,
            None => return None,
            more => more,
        };
        Some(body)
    };
    let mut pieces = Vec::new();
    for shape in shapes {
        let piece = if let Some(length) = shape.get("text") {
            let known = take(length)?.into();
            let fields = shape.get("beyond").and_then(Value::as_object).cloned();
            Piece::Text(with_beyond(&known, fields.unwrap_or_default())?)
        } else if let Some(length) = shape.get("json") {
            let value = serde_json::from_str(take(length)?).ok()?;
            Piece::Json { value }
        } else {
            let image = shape.get("image")?;
            if let Some(length) = shape.get("lost") {
                take(length)?;
                Piece::Image(serde_json::from_value(image.clone()).ok()?)
            } else {
                let fields = image.as_object().cloned().unwrap_or_default();
                Piece::Image(with_beyond(&pictures.next()?, fields)?)
            }
        };
        pieces.push(piece);
    }
    let is_whole = rest.is_none_or(str::is_empty) && pictures.next().is_none();
    (is_whole && !pieces.is_empty()).then_some(pieces)
}

/// Bytes of pictures are base64, as every provider is sent them.
fn with_base64(result: &ToolResult) -> ToolResult {
    let mut result = result.clone();
    for piece in &mut result.content {
        if let Piece::Image(image) = piece
            && let Some(base64) = encoded(&image.data)
        {
            image.data = base64;
        }
    }
    result
}
