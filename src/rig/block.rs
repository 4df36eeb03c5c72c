//! One block of rig's as parts of ours, and back. Owns which part stands for which block; what the
//! part has no place for (items of the provider, citations, details) is kept before it.
//! May not know a message.

use rig_core::message::{
    AssistantContent, Reasoning, ToolCall, ToolFunction, ToolName, UserContent,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::kept::{Kind, beyond, fields_of, keep, with_beyond};
use super::media::{encoded, line, mime_of, part_of, picture, shown};
use crate::domain::Part;

/// What stands for a tool whose name is not known; rig takes no empty one.
pub(super) const UNNAMED: &str = "unnamed";

/// A block that a part can stand for.
pub(super) trait Block: Clone + PartialEq + Serialize + DeserializeOwned {
    /// Returns the part that stands for it, as far as it goes; `None` if none does.
    fn part(&self) -> Option<Part>;
    /// Returns the block that a part alone stands for.
    fn of_part(part: &Part) -> Option<Self>;
}

/// Writes a block as one part or two.
pub(super) fn parts_of<B: Block>(block: &B) -> Vec<Part> {
    let Some(part) = block.part() else {
        return vec![keep(Kind::Alone, "", fields_of(block))];
    };
    let fields = match B::of_part(&part) {
        Some(known) if known == *block => return vec![part],
        Some(known) => beyond(block, &known),
        None => fields_of(block),
    };
    match &part {
        Part::Reasoning { text, .. } => vec![keep(Kind::Reasoning, text, fields)],
        _ => vec![keep(Kind::Next, "", fields), part],
    }
}

/// Reads the block of a part, with what was kept before it. Where the view has shortened the part,
/// what was kept of the whole one counts for nothing.
pub(super) fn block_of<B: Block>(part: &Part, kept: Option<Map<String, Value>>) -> Option<B> {
    let known = B::of_part(part)?;
    let whole = kept.and_then(|fields| with_beyond(&known, fields));
    Some(match whole {
        Some(whole) if whole.part().is_some_and(|own| same(&own, part)) => whole,
        _ => known,
    })
}

/// Reads a block that no part stands for.
pub(super) fn block_alone<B: Block>(kept: Map<String, Value>) -> Option<B> {
    serde_json::from_value(Value::Object(kept)).ok()
}

/// Says whether two parts say the same; what is kept with reasoning aside.
fn same(one: &Part, other: &Part) -> bool {
    match (one, other) {
        (Part::Reasoning { text, .. }, Part::Reasoning { text: other, .. }) => text == other,
        (one, other) => one == other,
    }
}

impl Block for AssistantContent {
    fn part(&self) -> Option<Part> {
        match self {
            Self::Text(text) => Some(Part::Text {
                text: text.text.clone(),
            }),
            Self::Reasoning(reasoning) => Some(Part::Reasoning {
                text: reasoning.text.clone(),
                signature: None,
            }),
            Self::ToolCall(call) => Some(Part::ToolUse {
                call_id: call.id.wire().into_owned(),
                name: call.function.name.as_str().to_owned(),
                arguments: arguments_of(&call.function),
            }),
            Self::Image(image) => {
                part_of(&image.data, mime_of(image.media_type.as_ref(), "image/*"))
            }
            _ => None,
        }
    }

    fn of_part(part: &Part) -> Option<Self> {
        match part {
            Part::Text { text } => Some(Self::text(text)),
            Part::Reasoning { text, .. } => Some(Self::Reasoning(Reasoning::new(text))),
            Part::ToolUse {
                call_id,
                name,
                arguments,
            } => {
                let function = ToolFunction::parse(tool_name(name)?, arguments);
                Some(Self::ToolCall(ToolCall::from_wire(call_id, function)))
            }
            Part::Media { uri, mime } => Some(match picture(uri, mime) {
                Some(image) => Self::Image(image),
                None => Self::text(line(uri, mime)),
            }),
            Part::Opaque { json } => Some(Self::text(json)),
            Part::ToolResult { .. } => None,
        }
    }
}

impl Block for UserContent {
    fn part(&self) -> Option<Part> {
        let (data, mime) = match self {
            Self::Text(text) => {
                let text = text.text.clone();
                return Some(Part::Text { text });
            }
            Self::Document(document) => {
                if let rig_core::message::DocumentSourceKind::String(text) = &document.data {
                    let text = text.clone();
                    return Some(Part::Text { text });
                }
                let mime = mime_of(document.media_type.as_ref(), "application/octet-stream");
                (&document.data, mime)
            }
            Self::Image(image) => (&image.data, mime_of(image.media_type.as_ref(), "image/*")),
            Self::Audio(audio) => (&audio.data, mime_of(audio.media_type.as_ref(), "audio/*")),
            Self::Video(video) => (&video.data, mime_of(video.media_type.as_ref(), "video/*")),
            Self::ToolResult(_) => return None,
        };
        part_of(data, mime)
    }

    fn of_part(part: &Part) -> Option<Self> {
        match part {
            Part::Text { text } => Some(Self::text(text)),
            Part::Media { uri, mime } => Some(shown(uri, mime)),
            Part::Opaque { json } => Some(Self::text(json)),
            Part::Reasoning { .. } | Part::ToolUse { .. } | Part::ToolResult { .. } => None,
        }
    }
}

/// Returns a name that rig takes.
pub(super) fn tool_name(name: &str) -> Option<ToolName> {
    ToolName::new(name).or_else(|_| ToolName::new(UNNAMED)).ok()
}

/// Returns arguments as the model sent them.
fn arguments_of(function: &ToolFunction) -> String {
    match &function.invalid_arguments {
        Some(text) => text.clone(),
        None => Value::Object(function.arguments.clone()).to_string(),
    }
}

/// Returns a block whose bytes are base64, as every provider is sent them.
pub(super) fn user_encoded(mut block: UserContent) -> UserContent {
    let data = match &mut block {
        UserContent::Image(image) => &mut image.data,
        UserContent::Audio(audio) => &mut audio.data,
        UserContent::Video(video) => &mut video.data,
        UserContent::Document(document) => &mut document.data,
        UserContent::Text(_) | UserContent::ToolResult(_) => return block,
    };
    if let Some(base64) = encoded(data) {
        *data = base64;
    }
    block
}

/// The same of what the model shows.
pub(super) fn assistant_encoded(mut block: AssistantContent) -> AssistantContent {
    if let AssistantContent::Image(image) = &mut block
        && let Some(base64) = encoded(&image.data)
    {
        image.data = base64;
    }
    block
}
