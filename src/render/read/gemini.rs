//! Gemini's `generateContent`, read. Owns what each part becomes.
//! May not drop words: a part of an unknown kind is kept as it came.

use super::error::ReadError;
use super::node::{Fields, Kind, Node};
use super::said::{ANY_IMAGE, Block, Said, arguments, inline, medium, result_of, text_part};
use crate::domain::{NewMessage, Part, Role};

/// Reads a request `{"systemInstruction", "contents"}`, an answer `{"candidates"}`, one content or a
/// list of contents; fields may be written in `snake_case` too.
///
/// A thought signature stands as reasoning without words before the part that it came with; a part
/// that is nothing but a signature is kept whole in it. A call's args stay byte for byte. A call
/// without an id has its name as one, and so has its response. Each response is a message of the
/// tool's of its own: `{"output"}` and `{"error"}` with a text are that text, any other is kept as
/// JSON. The model's messages bear the provider `google`.
///
/// # Errors
/// [`ReadError`], which names the place, the value and the right form.
pub fn read(json: &str) -> Result<Vec<NewMessage>, ReadError> {
    let body = Node::body(json)?;
    let mut said = Said::by(Some("google"));
    let Some(fields) = said.begin(&body, WANTED, push_request_content)? else {
        return Ok(said.messages);
    };
    if let Some(contents) = fields.get("contents") {
        if let Some(system) = fields.either(&["systemInstruction", "system_instruction"]) {
            let parts = read_parts(&system.object()?.need("parts", "a list of parts")?)?;
            said.push_split(&system, Role::System, parts)?;
        }
        said.push_each(&contents, push_request_content)?;
    } else if let Some(candidates) = fields.get("candidates") {
        said.model = match fields.either(&["modelVersion", "model_version"]) {
            Some(model) => Some(model.text()?),
            None => None,
        };
        let list = candidates.list()?;
        let [candidate] = list.as_slice() else {
            return Err(candidates.wrong("a list of one candidate, the one that goes on"));
        };
        // An answer that was stopped at once has no content.
        if let Some(content) = candidate.object()?.get("content") {
            push_content(&mut said, &content, Role::Assistant)?;
        }
    } else if fields.get("parts").is_some() {
        push_content(&mut said, &body, Role::User)?;
    } else if fields
        .either(&["promptFeedback", "prompt_feedback"])
        .is_none()
    {
        return Err(body.wrong(WANTED));
    }
    Ok(said.messages)
}

const WANTED: &str = "a request with `contents`, an answer with `candidates`, a content with \
                      `parts`, or a list of contents";

/// Adds a content of a request, where one without a role is the user's.
fn push_request_content(said: &mut Said, content: &Node<'_>) -> Result<(), ReadError> {
    push_content(said, content, Role::User)
}

fn push_content(said: &mut Said, content: &Node<'_>, unnamed: Role) -> Result<(), ReadError> {
    let fields = content.object()?;
    let role = match fields.get("role") {
        None => unnamed,
        Some(role) => match role.text()?.as_str() {
            "user" | "function" => Role::User,
            "model" => Role::Assistant,
            "system" => Role::System,
            _ => return Err(role.wrong("user or model")),
        },
    };
    // An answer that was stopped may have a role and nothing else.
    let parts = fields.get("parts").map(|parts| read_parts(&parts));
    let mut blocks = parts.transpose()?.unwrap_or_default();
    blocks.push(Block::Said(
        fields.rest(&["role", "parts"]).into_iter().collect(),
    ));
    said.push_split(content, role, blocks)
}

fn read_parts(parts: &Node<'_>) -> Result<Vec<Block>, ReadError> {
    parts.list()?.iter().map(read_part).collect()
}

fn read_part(node: &Node<'_>) -> Result<Block, ReadError> {
    const SIGNATURE: [&str; 2] = ["thoughtSignature", "thought_signature"];
    let fields = node.object()?;
    let signature = fields.either(&SIGNATURE).map(|node| node.text());
    let signature = signature.transpose()?;
    let calls = fields.either(&["functionCall", "function_call"]);
    let inline_data = fields.either(&["inlineData", "inline_data"]);
    let file_data = fields.either(&["fileData", "file_data"]);
    let responses = fields.either(&["functionResponse", "function_response"]);
    let (part, known) = if let Some(call) = calls {
        (read_call(&call)?, ["functionCall", "function_call"])
    } else if let Some(response) = responses {
        return read_response(&response.object()?);
    } else if let Some(data) = inline_data {
        (read_bytes(&data.object()?)?, ["inlineData", "inline_data"])
    } else if let Some(data) = file_data {
        let data = data.object()?;
        let uri = need_either(&data, ["fileUri", "file_uri"])?;
        let mime = data.either(&["mimeType", "mime_type"]);
        let mime = mime.map(|mime| mime.text()).transpose()?;
        let part = medium(uri, mime.as_deref().unwrap_or(ANY_IMAGE));
        (part, ["fileData", "file_data"])
    } else if fields.get("text").is_some() || (signature.is_some() && fields.has_only(&SIGNATURE)) {
        return read_text(node, &fields, signature);
    } else {
        return Ok(Block::Said(vec![node.opaque()]));
    };
    let before = signature.map(signed);
    let rest = fields.rest(&[&known[..], &SIGNATURE].concat());
    let parts = before.into_iter().chain([part]).chain(rest);
    Ok(Block::Said(parts.collect()))
}

fn signed(signature: String) -> Part {
    Part::Reasoning {
        text: String::new(),
        signature: Some(signature),
    }
}

fn read_text(
    node: &Node<'_>,
    fields: &Fields<'_>,
    signature: Option<String>,
) -> Result<Block, ReadError> {
    const KNOWN: [&str; 4] = ["text", "thought", "thoughtSignature", "thought_signature"];
    let text = fields.text("text")?.unwrap_or_default();
    let is_thought = fields.flag("thought")?;
    let mut parts = match (signature, is_thought) {
        // Nothing but a signature, which stands for no other part.
        (Some(_), _) if text.is_empty() => vec![signed(node.raw().to_owned())],
        (signature, true) => vec![Part::Reasoning { text, signature }],
        (signature, false) => {
            let before = signature.map(signed).into_iter();
            before.chain(text_part(text)).collect()
        }
    };
    parts.extend(fields.rest(&KNOWN));
    Ok(Block::Said(parts))
}

fn read_call(call: &Node<'_>) -> Result<Part, ReadError> {
    let fields = call.object()?;
    let name = fields.need_text("name")?;
    Ok(Part::ToolUse {
        call_id: fields.text("id")?.unwrap_or_else(|| name.clone()),
        name,
        arguments: arguments(fields.get("args"))?,
    })
}

fn read_response(fields: &Fields<'_>) -> Result<Block, ReadError> {
    let name = fields.need_text("name")?;
    let call_id = fields.text("id")?.unwrap_or(name);
    let mut is_error = false;
    let mut pieces = Vec::new();
    if let Some(response) = fields.get("response") {
        let given = response.object()?;
        let told = |name| {
            let value: Option<Node<'_>> = given.get(name);
            value.filter(|value| value.kind() == Kind::Text && given.has_only(&[name]))
        };
        let failed = told("error");
        is_error = failed.is_some();
        let text = match failed.or_else(|| told("output")) {
            Some(text) => text.text()?,
            None => response.raw().to_owned(),
        };
        pieces.push(Part::Text { text });
    }
    if let Some(parts) = fields.get("parts") {
        for block in read_parts(&parts)? {
            let (Block::Said(parts) | Block::Result(parts)) = block;
            pieces.extend(parts);
        }
    }
    pieces.extend(fields.rest(&["id", "name", "response", "parts"]));
    Ok(Block::Result(result_of(call_id, is_error, pieces)))
}

fn read_bytes(data: &Fields<'_>) -> Result<Part, ReadError> {
    let mime = need_either(data, ["mimeType", "mime_type"])?;
    Ok(inline(mime, &data.need_text("data")?))
}

fn need_either(fields: &Fields<'_>, names: [&str; 2]) -> Result<String, ReadError> {
    let [camel, _] = names;
    match fields.either(&names) {
        Some(text) => text.text(),
        None => fields.need_text(camel),
    }
}
