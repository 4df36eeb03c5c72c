//! `OpenAI`'s Chat Completions, and what speaks like it, read. Owns what each message becomes.
//! May not drop words: a part of an unknown kind is kept as it came.

use serde_json::json;

use super::error::ReadError;
use super::node::{Fields, Kind, Node};
use super::said::{
    ANY_IMAGE, PDF, Said, arguments, inline, marked_result_of, medium, result_of, text_part,
};
use crate::domain::{NewMessage, Part, Role};

/// Fields of a message that are no content, or are read.
const MESSAGE: [&str; 12] = [
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "annotations",
    "prefix",
];

/// Reads a request `{"messages"}`, an answer `{"choices"}`, one message or a list of messages.
///
/// A call's arguments stay byte for byte, reasoning that is encrypted or signed as it came. A tool's
/// message that begins with a line `[failed]`, as in bodies of ours, is a failed result.
///
/// # Errors
/// [`ReadError`], which names the place, the value and the right form.
pub fn read(json: &str) -> Result<Vec<NewMessage>, ReadError> {
    let body = Node::body(json)?;
    let mut said = Said::by(None);
    let Some(fields) = said.begin(&body, WANTED, push_message)? else {
        return Ok(said.messages);
    };
    if let Some(messages) = fields.get("messages") {
        said.push_each(&messages, push_message)?;
    } else if let Some(choices) = fields.get("choices") {
        said.model = fields.text("model")?;
        let list = choices.list()?;
        let [choice] = list.as_slice() else {
            return Err(choices.wrong("a list of one choice, the one that goes on"));
        };
        let message = choice.object()?.need("message", "the model's message")?;
        push_message(&mut said, &message)?;
    } else if fields.get("role").is_some() {
        push_message(&mut said, &body)?;
    } else {
        return Err(body.wrong(WANTED));
    }
    Ok(said.messages)
}

const WANTED: &str = "a request with `messages`, an answer with `choices`, a message with `role`, \
                      or a list of messages";
const ROLES: &str = "system, developer, user, assistant, tool or function";

fn push_message(said: &mut Said, at: &Node<'_>) -> Result<(), ReadError> {
    let fields = at.object()?;
    let role = fields.need("role", ROLES)?;
    let word = role.text()?;
    let content = fields.get("content").map(|content| read_content(&content));
    let content = content.transpose()?.unwrap_or_default();
    let rest = fields.rest(&MESSAGE);
    let mut message = match word.as_str() {
        "system" | "developer" => NewMessage::new(Role::System, content),
        "user" => NewMessage::new(Role::User, content),
        "assistant" => answer(&fields, content)?,
        "tool" => {
            let call_id = fields.need_text("tool_call_id")?;
            NewMessage::new(Role::Tool, marked_result_of(call_id, content))
        }
        // The older form has no ids: a function is called by its name and answers under it.
        "function" => {
            let call_id = fields.need_text("name")?;
            NewMessage::new(Role::Tool, result_of(call_id, false, content))
        }
        _ => return Err(role.wrong(ROLES)),
    };
    message.parts.extend(rest);
    if message.role != Role::Tool {
        message.name = fields.text("name")?;
    }
    said.push(at, message)
}

/// Puts together what the model says: its reasoning, its words, its calls.
fn answer(fields: &Fields<'_>, content: Vec<Part>) -> Result<NewMessage, ReadError> {
    let mut message = NewMessage::new(Role::Assistant, Vec::new());
    let thought = fields.either(&["reasoning_content", "reasoning"]);
    let thought = thought.map(|text| text.text()).transpose()?;
    let details = fields.get("reasoning_details");
    if thought.is_some() || details.is_some() {
        // Only the gateway that sent these details can read what is signed in them.
        message.provider = details.as_ref().map(|_| "openrouter".to_owned());
        message.parts.push(Part::Reasoning {
            text: thought.unwrap_or_default(),
            signature: details.map(|details| details.raw().to_owned()),
        });
    }
    message.parts.extend(content);
    if let Some(refusal) = fields.text("refusal")? {
        let block = json!({ "type": "refusal", "refusal": refusal });
        message.parts.push(Part::Opaque {
            json: block.to_string(),
        });
    }
    if let Some(calls) = fields.get("tool_calls") {
        for call in calls.list()? {
            push_call(&mut message, &call)?;
        }
    }
    if let Some(call) = fields.get("function_call") {
        let call = call.object()?;
        let name = call.need_text("name")?;
        message.parts.push(Part::ToolUse {
            call_id: name.clone(),
            name,
            arguments: arguments(call.get("arguments"))?,
        });
    }
    Ok(message)
}

fn push_call(message: &mut NewMessage, call: &Node<'_>) -> Result<(), ReadError> {
    let fields = call.object()?;
    let call_id = fields.need_text("id")?;
    if let Some(signature) = google_signature(&fields)? {
        message.provider = Some("google".to_owned());
        message.parts.push(Part::Reasoning {
            text: String::new(),
            signature: Some(signature),
        });
    }
    let (made, given) = match fields.get("custom") {
        Some(made) => (made, "input"),
        None => (
            fields.need("function", "an object with `name` and `arguments`")?,
            "arguments",
        ),
    };
    let made = made.object()?;
    message.parts.push(Part::ToolUse {
        call_id,
        name: made.need_text("name")?,
        arguments: arguments(made.get(given))?,
    });
    let known = ["id", "type", "index", "function", "custom", "extra_content"];
    message.parts.extend(fields.rest(&known));
    Ok(())
}

/// Reads the signature that Google puts on a call of this interface.
fn google_signature(call: &Fields<'_>) -> Result<Option<String>, ReadError> {
    let Some(extra) = call.get("extra_content") else {
        return Ok(None);
    };
    match extra.object()?.get("google") {
        Some(google) => google.object()?.text("thought_signature"),
        None => Ok(None),
    }
}

fn read_content(content: &Node<'_>) -> Result<Vec<Part>, ReadError> {
    match content.kind() {
        Kind::Text => Ok(text_part(content.text()?).into_iter().collect()),
        Kind::List => {
            let mut parts = Vec::new();
            for part in content.list()? {
                read_part(&part, &mut parts)?;
            }
            Ok(parts)
        }
        Kind::Object | Kind::Other => Err(content.wrong("a text or a list of parts")),
    }
}

fn read_part(part: &Node<'_>, parts: &mut Vec<Part>) -> Result<(), ReadError> {
    let fields = part.object()?;
    let kind = fields.need_text("type")?;
    let read = match kind.as_str() {
        "text" => {
            parts.extend(text_part(fields.need_text("text")?));
            parts.extend(fields.rest(&["type", "text", "cache_control"]));
            return Ok(());
        }
        "image_url" => {
            let image = fields.need("image_url", "an object with `url`")?;
            let uri = match image.kind() {
                Kind::Text => image.text()?,
                _ => image.object()?.need_text("url")?,
            };
            Some(medium(uri, ANY_IMAGE))
        }
        "input_audio" => {
            let audio = fields
                .need("input_audio", "an object with `data` and `format`")?
                .object()?;
            let format = audio.need_text("format")?;
            let mime = match format.as_str() {
                "mp3" => "audio/mpeg".to_owned(),
                _ => format!("audio/{format}"),
            };
            Some(inline(mime, &audio.need_text("data")?))
        }
        "file" => {
            let file = fields
                .need("file", "an object with `file_data`")?
                .object()?;
            read_file(&file, parts)?
        }
        _ => None,
    };
    parts.push(read.unwrap_or_else(|| part.opaque()));
    Ok(())
}

/// Reads a file with its bytes, after its name if that says anything.
pub(super) fn read_file(
    file: &Fields<'_>,
    parts: &mut Vec<Part>,
) -> Result<Option<Part>, ReadError> {
    /// The name that a body of ours gives every document.
    const FILLER: &str = "document.pdf";
    let Some(data) = file.text("file_data")? else {
        return Ok(None);
    };
    if !data.starts_with("data:") || file.get("file_id").is_some() {
        return Ok(None);
    }
    if let Some(name) = file.text("filename")?.filter(|name| name != FILLER) {
        parts.push(Part::Opaque {
            json: json!({ "filename": name }).to_string(),
        });
    }
    Ok(Some(medium(data, PDF)))
}
