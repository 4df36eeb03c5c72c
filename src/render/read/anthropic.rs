//! Anthropic's Messages interface, read. Owns what each block becomes.
//! May not drop words: a block of an unknown kind is kept as it came.

use super::error::ReadError;
use super::node::{Fields, Kind, Node};
use super::said::{ANY_IMAGE, Block, PDF, Said, arguments, inline, medium, result_of, text_part};
use crate::domain::{NewMessage, Part, Role};

/// Fields of an answer that are no content.
const MESSAGE: [&str; 10] = [
    "role",
    "content",
    "id",
    "type",
    "model",
    "stop_reason",
    "stop_sequence",
    "stop_details",
    "usage",
    "container",
];

/// Fields of any block that are no content.
const BESIDE: [&str; 4] = ["type", "cache_control", "citations", "caller"];

/// Reads a request `{"system", "messages"}`, an answer, one message or a list of messages.
///
/// Signatures, encrypted reasoning and unknown blocks stay as they came, a call's input byte for
/// byte. Each result is a message of the tool's of its own, what a user says beside it the user's;
/// texts of one result are joined by line breaks, its pictures follow it. The model's messages bear
/// the provider `anthropic`.
///
/// # Errors
/// [`ReadError`], which names the place, the value and the right form.
pub fn read(json: &str) -> Result<Vec<NewMessage>, ReadError> {
    let body = Node::body(json)?;
    let mut said = Said::by(Some("anthropic"));
    let Some(fields) = said.begin(&body, WANTED, push_message)? else {
        return Ok(said.messages);
    };
    if let Some(messages) = fields.get("messages") {
        if let Some(system) = fields.get("system") {
            let parts = said_parts(read_content(&system)?);
            said.push(&system, NewMessage::new(Role::System, parts))?;
        }
        said.push_each(&messages, push_message)?;
    } else if fields.get("role").is_some() {
        said.model = fields.text("model")?;
        push_message(&mut said, &body)?;
    } else {
        return Err(body.wrong(WANTED));
    }
    Ok(said.messages)
}

const WANTED: &str = "a request with `messages`, a message with `role`, or a list of messages";

fn push_message(said: &mut Said, message: &Node<'_>) -> Result<(), ReadError> {
    let fields = message.object()?;
    let role = fields.need("role", "user, assistant or system")?;
    let role = match role.text()?.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => return Err(role.wrong("user, assistant or system")),
    };
    let mut blocks = read_content(&fields.need("content", "a text or a list of blocks")?)?;
    blocks.push(Block::Said(fields.rest(&MESSAGE).into_iter().collect()));
    said.push_split(message, role, blocks)
}

fn read_content(content: &Node<'_>) -> Result<Vec<Block>, ReadError> {
    match content.kind() {
        Kind::Text => Ok(vec![Block::Said(
            text_part(content.text()?).into_iter().collect(),
        )]),
        Kind::List => content.list()?.iter().map(read_block).collect(),
        Kind::Object | Kind::Other => Err(content.wrong("a text or a list of blocks")),
    }
}

fn said_parts(blocks: Vec<Block>) -> Vec<Part> {
    let parts = blocks.into_iter().flat_map(|block| match block {
        Block::Said(parts) | Block::Result(parts) => parts,
    });
    parts.collect()
}

fn read_block(block: &Node<'_>) -> Result<Block, ReadError> {
    let fields = block.object()?;
    let kind = fields.need_text("type")?;
    let (part, known): (Option<Part>, &[&str]) = match kind.as_str() {
        "text" => (text_part(fields.need_text("text")?), &["text"]),
        "thinking" => {
            let part = Part::Reasoning {
                text: fields.need_text("thinking")?,
                signature: fields.text("signature")?,
            };
            (Some(part), &["thinking", "signature"])
        }
        "tool_use" => {
            let part = Part::ToolUse {
                call_id: fields.need_text("id")?,
                name: fields.need_text("name")?,
                arguments: arguments(fields.get("input"))?,
            };
            (Some(part), &["id", "name", "input"])
        }
        "tool_result" => return read_result(&fields),
        "image" | "document" => match read_media(&fields, &kind)? {
            Some(part) => (Some(part), &["source"]),
            None => return Ok(Block::Said(vec![block.opaque()])),
        },
        _ => return Ok(Block::Said(vec![block.opaque()])),
    };
    let rest = fields.rest(&[known, &BESIDE].concat());
    Ok(Block::Said(part.into_iter().chain(rest).collect()))
}

fn read_result(fields: &Fields<'_>) -> Result<Block, ReadError> {
    let content = fields.get("content").map(|content| read_content(&content));
    let mut pieces = said_parts(content.transpose()?.unwrap_or_default());
    let known = ["tool_use_id", "content", "is_error"];
    pieces.extend(fields.rest(&[&known[..], &BESIDE].concat()));
    let call_id = fields.need_text("tool_use_id")?;
    Ok(Block::Result(result_of(
        call_id,
        fields.flag("is_error")?,
        pieces,
    )))
}

/// Reads a picture or a document; `None` where it is neither bytes nor a link.
fn read_media(fields: &Fields<'_>, kind: &str) -> Result<Option<Part>, ReadError> {
    let source = fields.need("source", "an object")?.object()?;
    let own = |known: &[&str]| source.has_only(&[&["type"], known].concat());
    Ok(match source.need_text("type")?.as_str() {
        "base64" if own(&["media_type", "data"]) => Some(inline(
            source.need_text("media_type")?,
            &source.need_text("data")?,
        )),
        "url" if own(&["url"]) => {
            let mime = if kind == "image" { ANY_IMAGE } else { PDF };
            Some(medium(source.need_text("url")?, mime))
        }
        _ => None,
    })
}
