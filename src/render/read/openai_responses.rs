//! `OpenAI`'s Responses interface, read. Owns what each item becomes.
//! May not drop words: an item or a block of an unknown kind is kept as it came.

use super::error::ReadError;
use super::node::{Fields, Kind, Node};
use super::openai_chat::read_file;
use super::said::{ANY_IMAGE, PDF, Said, arguments, marked_result_of, medium, text_part};
use crate::domain::{NewMessage, Part, Role};

/// Reads a request `{"instructions", "input"}`, an answer `{"output"}`, one item or a list of items.
///
/// What the model says in a row, its reasoning, words, calls and items of unknown kinds, is one
/// message; each output of a call is a message of the tool's of its own. Arguments stay byte for
/// byte. Reasoning has its encrypted content as its signature where that and one text are all there
/// is, else the whole item as it came. An output that begins with a line `[failed]`, as in bodies of
/// ours, is a failed result. The model's messages bear the provider `openai`.
///
/// # Errors
/// [`ReadError`], which names the place, the value and the right form.
pub fn read(json: &str) -> Result<Vec<NewMessage>, ReadError> {
    let body = Node::body(json)?;
    let mut items = Items {
        said: Said::by(Some("openai")),
        answer: Vec::new(),
    };
    match body.kind() {
        Kind::List => items.push_all(&body)?,
        Kind::Object => {
            let fields = body.object()?;
            if fields.get("type").is_some() || fields.get("role").is_some() {
                items.push(&body)?;
            } else if fields.get("input").is_some() || fields.get("instructions").is_some() {
                items.push_request(&fields)?;
            } else if let Some(output) = fields.get("output") {
                items.said.model = fields.text("model")?;
                items.push_all(&output)?;
            } else {
                return Err(body.wrong(WANTED));
            }
        }
        Kind::Text | Kind::Other => return Err(body.wrong(WANTED)),
    }
    items.end(&body)?;
    Ok(items.said.messages)
}

const WANTED: &str =
    "a request with `input`, an answer with `output`, an item with `type`, or a list of items";

/// The messages so far and what the model is saying.
struct Items {
    said: Said,
    answer: Vec<Part>,
}

impl Items {
    fn push_request(&mut self, fields: &Fields<'_>) -> Result<(), ReadError> {
        // An answer repeats the instructions that it was asked under.
        if let Some(output) = fields.get("output") {
            self.said.model = fields.text("model")?;
            return self.push_all(&output);
        }
        if let Some(instructions) = fields.get("instructions") {
            if instructions.kind() == Kind::List {
                self.push_all(&instructions)?;
            } else {
                let text = text_part(instructions.text()?);
                let message = NewMessage::new(Role::System, text.into_iter().collect());
                self.said.push(&instructions, message)?;
            }
        }
        let input = fields.need("input", "a text or a list of items")?;
        match input.kind() {
            Kind::Text => {
                let text = text_part(input.text()?);
                let message = NewMessage::new(Role::User, text.into_iter().collect());
                self.said.push(&input, message)
            }
            Kind::List => self.push_all(&input),
            Kind::Object | Kind::Other => Err(input.wrong("a text or a list of items")),
        }
    }

    fn push_all(&mut self, items: &Node<'_>) -> Result<(), ReadError> {
        let items = items.list()?;
        items.iter().try_for_each(|item| self.push(item))
    }

    /// Ends what the model is saying.
    fn end(&mut self, at: &Node<'_>) -> Result<(), ReadError> {
        let parts = std::mem::take(&mut self.answer);
        self.said.push(at, NewMessage::new(Role::Assistant, parts))
    }

    fn say(&mut self, at: &Node<'_>, role: Role, parts: Vec<Part>) -> Result<(), ReadError> {
        if role == Role::Assistant {
            self.answer.extend(parts);
            return Ok(());
        }
        self.end(at)?;
        self.said.push(at, NewMessage::new(role, parts))
    }

    fn push(&mut self, item: &Node<'_>) -> Result<(), ReadError> {
        let fields = item.object()?;
        let kind = fields.text("type")?.unwrap_or_else(|| "message".to_owned());
        match kind.as_str() {
            "message" => {
                let (role, parts) = read_message(&fields)?;
                self.say(item, role, parts)
            }
            "reasoning" => {
                self.answer.extend(read_reasoning(item, &fields)?);
                Ok(())
            }
            "function_call" | "custom_tool_call" => {
                let given = fields.either(&["arguments", "input"]);
                self.answer.push(Part::ToolUse {
                    call_id: fields.need_text("call_id")?,
                    name: fields.need_text("name")?,
                    arguments: arguments(given)?,
                });
                let known = [
                    "type",
                    "call_id",
                    "name",
                    "arguments",
                    "input",
                    "id",
                    "status",
                ];
                self.answer.extend(fields.rest(&known));
                Ok(())
            }
            "function_call_output" | "custom_tool_call_output" => {
                let call_id = fields.need_text("call_id")?;
                let output = fields.need("output", "a text or a list of blocks")?;
                let mut pieces = read_content(&output)?;
                pieces.extend(fields.rest(&["type", "call_id", "output", "id", "status"]));
                self.say(item, Role::Tool, marked_result_of(call_id, pieces))
            }
            other if other.ends_with("_output") => self.say(item, Role::Tool, vec![item.opaque()]),
            _ => {
                self.answer.push(item.opaque());
                Ok(())
            }
        }
    }
}

fn read_message(fields: &Fields<'_>) -> Result<(Role, Vec<Part>), ReadError> {
    const ROLES: &str = "user, assistant, system or developer";
    let role = fields.need("role", ROLES)?;
    let role = match role.text()?.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" | "developer" => Role::System,
        _ => return Err(role.wrong(ROLES)),
    };
    let mut parts = read_content(&fields.need("content", "a text or a list of blocks")?)?;
    parts.extend(fields.rest(&["type", "role", "content", "id", "status", "phase"]));
    Ok((role, parts))
}

fn read_content(content: &Node<'_>) -> Result<Vec<Part>, ReadError> {
    match content.kind() {
        Kind::Text => Ok(text_part(content.text()?).into_iter().collect()),
        Kind::List => {
            let mut parts = Vec::new();
            for block in content.list()? {
                read_block(&block, &mut parts)?;
            }
            Ok(parts)
        }
        Kind::Object | Kind::Other => Err(content.wrong("a text or a list of blocks")),
    }
}

fn read_block(block: &Node<'_>, parts: &mut Vec<Part>) -> Result<(), ReadError> {
    let fields = block.object()?;
    let read = match fields.need_text("type")?.as_str() {
        "input_text" | "output_text" | "text" => {
            parts.extend(text_part(fields.need_text("text")?));
            parts.extend(fields.rest(&["type", "text", "annotations", "logprobs"]));
            return Ok(());
        }
        "input_image" => fields.text("image_url")?.map(|uri| medium(uri, ANY_IMAGE)),
        "input_file" => match fields.text("file_url")? {
            Some(uri) => Some(medium(uri, PDF)),
            None => read_file(&fields, parts)?,
        },
        _ => None,
    };
    parts.push(read.unwrap_or_else(|| block.opaque()));
    Ok(())
}

/// Reads reasoning: its words, and what only the provider can read as their signature.
fn read_reasoning(item: &Node<'_>, fields: &Fields<'_>) -> Result<Option<Part>, ReadError> {
    let mut texts = Vec::new();
    for name in ["summary", "content"] {
        let Some(pieces) = fields.get(name) else {
            continue;
        };
        for piece in pieces.list()? {
            texts.push(piece.object()?.need_text("text")?);
        }
    }
    let encrypted = fields.text("encrypted_content")?;
    let is_plain = texts.len() <= 1
        && texts.iter().all(|text| !text.is_empty())
        && encrypted.as_ref().is_none_or(|text| !text.starts_with('{'))
        && fields.has_only(&["type", "summary", "encrypted_content"]);
    if is_plain && encrypted.is_none() && texts.is_empty() {
        return Ok(None);
    }
    Ok(Some(Part::Reasoning {
        text: texts.join("\n\n"),
        signature: if is_plain {
            encrypted
        } else {
            Some(item.raw().to_owned())
        },
    }))
}
