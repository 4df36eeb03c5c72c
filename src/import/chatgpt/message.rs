//! One message. Owns what each kind of content becomes and what of it is the host's.
//! May not look at other messages: its caller knows which call a tool answers.

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Role, Visibility};
use crate::import::chat_content::{ANY_IMAGE, result_of, text_part};
use crate::import::entry::{Body, time};
use crate::import::json::{self, Kind, Object};

/// Contents that the host adds: the user's standing instructions, and how long the model thought.
const HOST_CONTENT: &[&str] = &[
    "user_editable_context",
    "model_editable_context",
    "reasoning_recap",
];

/// Contents whose fields are all read.
const KNOWN_CONTENT: &[&str] = &["text", "multimodal_text", "code", "execution_output"];

/// Fields of a content that hold no words.
const ENVELOPE: &[&str] = &[
    "content_type",
    "language",
    "response_format_name",
    "source_analysis_msg_id",
];

/// What a tool's message finds above it.
pub(super) enum Answered {
    /// A call.
    Call,
    /// Another answer to the same call, or a note.
    Tool,
    /// Someone else's words.
    Other,
}

/// Says what a message is to a tool's message below it.
pub(super) fn answered(message: &Object<'_>) -> Answered {
    match role(message) {
        Role::Assistant if callee(message).is_some() => Answered::Call,
        Role::Tool | Role::System => Answered::Tool,
        Role::Assistant if content_type(message).as_deref() == Some("thoughts") => Answered::Tool,
        Role::Assistant | Role::User => Answered::Other,
    }
}

/// Reads a message. `call` returns the id of the call that it answers.
pub(super) fn read(message: &Object<'_>, id: &str, call: impl FnOnce() -> Option<String>) -> Body {
    let role = role(message);
    let mut parts = content_parts(message);
    if role == Role::Assistant
        && let Some(name) = callee(message)
    {
        parts = called(parts, id, name);
    }
    if role == Role::Tool
        && let Some(call_id) = call()
    {
        let is_error = content_type(message).as_deref() == Some("system_error");
        parts = result_of(call_id, is_error, parts);
    }
    let metadata = message.object("metadata").unwrap_or_default();
    parts.append(&mut attachments(&metadata));
    if parts.is_empty() {
        return Body::Silent;
    }
    let mut new = NewMessage::new(role, parts);
    let is_host = content_type(message).is_some_and(|kind| HOST_CONTENT.contains(&kind.as_str()));
    if is_host || metadata.is_set("is_visually_hidden_from_conversation") {
        new.visibility = Visibility::Meta;
    }
    new.at = message.get("create_time").and_then(|raw| time(raw.get()));
    if role == Role::Assistant {
        new.provider = Some("openai".to_owned());
        new.model = metadata
            .text("model_slug")
            .filter(|model| !model.is_empty());
    }
    let author = message.object("author").unwrap_or_default();
    new.name = author.text("name").filter(|name| !name.trim().is_empty());
    Body::Row(Box::new(new))
}

fn role(message: &Object<'_>) -> Role {
    let author = message.object("author").unwrap_or_default();
    let role = author.text("role").and_then(|role| role.parse().ok());
    role.unwrap_or(Role::System)
}

/// Returns the tool that a message is addressed to.
fn callee(message: &Object<'_>) -> Option<String> {
    message
        .text("recipient")
        .filter(|name| !name.is_empty() && name != "all")
}

fn content_type(message: &Object<'_>) -> Option<String> {
    message.object("content")?.text("content_type")
}

/// The words sent to a tool are its arguments.
fn called(parts: Vec<Part>, id: &str, name: String) -> Vec<Part> {
    let mut words = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        match part {
            Part::Text { text } => words.push(text),
            other => others.push(other),
        }
    }
    others.push(Part::ToolUse {
        call_id: id.to_owned(),
        name,
        arguments: words.join("\n"),
    });
    others
}

fn content_parts(message: &Object<'_>) -> Vec<Part> {
    let Some(raw) = message.get("content") else {
        return Vec::new();
    };
    let Some(content) = Object::parse(raw.get()) else {
        return text_part(json::text(raw.get())).into_iter().collect();
    };
    let kind = content.text("content_type").unwrap_or_default();
    let list = |name: &str| {
        let raw = content.get(name).map_or("null", RawValue::get);
        json::elements(raw).unwrap_or_default()
    };
    if kind == "thoughts" {
        return list("thoughts")
            .iter()
            .filter_map(|raw| thought(raw))
            .collect();
    }
    let mut parts: Vec<Part> = list("parts")
        .iter()
        .filter_map(|raw| piece(raw.get()))
        .collect();
    if KNOWN_CONTENT.contains(&kind.as_str()) {
        parts.extend(text_part(content.text("text")));
    } else {
        // What quotes of pages, displays and kinds yet unknown say, each field on its own line.
        let other = content
            .fields()
            .filter(|(name, _)| !ENVELOPE.contains(name) && *name != "parts");
        let words: Vec<String> = other
            .flat_map(|(_, raw)| json::strings(raw.get(), ENVELOPE))
            .collect();
        parts.extend(text_part(Some(words.join("\n"))));
    }
    parts
}

/// Reads an element of `parts`: words, or what points to a picture or a sound.
fn piece(raw: &str) -> Option<Part> {
    if json::kind(raw) == Kind::Text {
        return text_part(json::text(raw));
    }
    let object = Object::parse(raw).unwrap_or_default();
    let kind = object.text("content_type").unwrap_or_default();
    let mime = match kind.as_str() {
        "audio_transcription" => return text_part(object.text("text")),
        "image_asset_pointer" => ANY_IMAGE,
        "audio_asset_pointer" => "audio/*",
        _ => {
            let json = raw.to_owned();
            return (raw != "null").then_some(Part::Opaque { json });
        }
    };
    Some(Part::Media {
        uri: object.text("asset_pointer")?,
        mime: mime.to_owned(),
    })
}

fn thought(raw: &RawValue) -> Option<Part> {
    let thought = Object::parse(raw.get())?;
    let words = [thought.text("summary"), thought.text("content")];
    let words: Vec<String> = words
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    (!words.is_empty()).then(|| Part::Reasoning {
        text: words.join("\n"),
        signature: None,
    })
}

/// Files that the user gave, by name: the export has them elsewhere.
fn attachments(metadata: &Object<'_>) -> Vec<Part> {
    let raw = metadata.get("attachments").map_or("null", RawValue::get);
    let files = json::elements(raw).unwrap_or_default();
    let files = files.iter().filter_map(|raw| {
        let file = Object::parse(raw.get())?;
        let mime = file.text("mime_type").or_else(|| file.text("mimeType"));
        Some(Part::Media {
            uri: file.text("name").or_else(|| file.text("id"))?,
            mime: mime.unwrap_or_else(|| "application/octet-stream".to_owned()),
        })
    });
    files.collect()
}
