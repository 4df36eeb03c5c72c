//! The content of a message. Owns what each piece of it becomes, and who speaks in it.
//! May not drop words: a piece of an unknown kind is kept as it came.

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Role};
use crate::import::json::{self, Kind, Object};

/// Who is to see a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The person: it is talk, whether or not the model still sees it.
    ByPerson,
    /// At most the model: it is the host's.
    ByModelOnly,
}

impl Seen {
    /// Reads a message's metadata.
    pub(super) fn of(metadata: Option<&str>) -> Self {
        let metadata = metadata.and_then(Object::parse);
        let visible = metadata.and_then(|object| object.get("userVisible").map(RawValue::get));
        match visible {
            Some("false") => Self::ByModelOnly,
            _ => Self::ByPerson,
        }
    }
}

/// Reads a message: its rows, results of tools apart from what else is in it.
///
/// # Errors
/// A lower-case fragment that says why it is none.
pub(super) fn read(role: &str, content: &str, seen: Seen) -> Result<Vec<NewMessage>, String> {
    let role = match role {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        "tool" => Role::Tool,
        other => return Err(format!("`{other}` is no role of this host")),
    };
    let mut said = Vec::new();
    let mut results = Vec::new();
    match json::kind(content) {
        Kind::Array => {
            for piece in json::elements(content).unwrap_or_default() {
                read_piece(piece.get(), &mut said, &mut results);
            }
        }
        _ => read_piece(content, &mut said, &mut results),
    }
    // Answers of tools come in the person's name, before what the person says with them.
    let rows = [(Role::Tool, results), (role, said)];
    let rows = rows.into_iter().filter(|(_, parts)| !parts.is_empty());
    let rows = rows.map(|(role, parts)| match seen {
        Seen::ByPerson => NewMessage::new(role, parts),
        Seen::ByModelOnly => NewMessage::new(role, parts).meta(),
    });
    Ok(rows.collect())
}

fn read_piece(raw: &str, said: &mut Vec<Part>, results: &mut Vec<Part>) {
    let Some(piece) = Object::parse(raw) else {
        let text = json::text(raw).unwrap_or_else(|| raw.to_owned());
        if raw != "null" && !text.is_empty() {
            said.push(Part::Text { text });
        }
        return;
    };
    let known = match piece.text("type").as_deref() {
        Some("text") => match piece.text("text") {
            Some(text) if text.is_empty() => return,
            text => text.map(|text| Part::Text { text }),
        },
        Some("thinking") => piece.text("thinking").map(|text| Part::Reasoning {
            text,
            signature: piece.text("signature").filter(|text| !text.is_empty()),
        }),
        Some("toolRequest" | "frontendToolRequest") => request(&piece),
        Some("toolResponse") => match response(&piece) {
            Some(mut parts) => return results.append(&mut parts),
            None => None,
        },
        Some("image") => image(&piece),
        _ => None,
    };
    let json = raw.to_owned();
    said.push(known.unwrap_or(Part::Opaque { json }));
}

fn request(piece: &Object<'_>) -> Option<Part> {
    let call = piece.object("toolCall")?;
    let value = call.object("value")?;
    Some(Part::ToolUse {
        call_id: piece.text("id")?,
        name: value.text("name")?,
        arguments: value
            .get("arguments")
            .map_or("{}", RawValue::get)
            .to_owned(),
    })
}

/// Reads what a tool gave back: its words, and the other pieces behind them. Older versions have
/// the list of pieces as the value itself.
fn response(piece: &Object<'_>) -> Option<Vec<Part>> {
    let call_id = piece.text("id")?;
    let result = piece.object("toolResult")?;
    let is_failed = result
        .text("status")
        .is_some_and(|status| status != "success");
    let value = result.get("value").map_or("null", RawValue::get);
    let envelope = Object::parse(value);
    let is_error = is_failed
        || envelope
            .as_ref()
            .is_some_and(|value| value.is_set("isError"));
    let content = envelope
        .as_ref()
        .and_then(|value| value.get("content"))
        .map_or(value, RawValue::get);
    let mut words = Vec::new();
    let mut others = Vec::new();
    for piece in json::elements(content).unwrap_or_default() {
        let object = Object::parse(piece.get());
        match object.as_ref().and_then(|object| object.text("text")) {
            Some(text) => words.push(text),
            None => others.push(object.as_ref().and_then(image).unwrap_or_else(|| {
                let json = piece.get().to_owned();
                Part::Opaque { json }
            })),
        }
    }
    if words.is_empty() && others.is_empty() {
        let raw = result.get("error").map_or(content, RawValue::get);
        words.extend(match json::kind(raw) {
            Kind::Text => json::text(raw),
            Kind::Object => Some(raw.to_owned()),
            _ => None,
        });
    }
    let content = words.join("\n");
    others.insert(
        0,
        Part::ToolResult {
            call_id,
            content,
            is_error,
        },
    );
    Some(others)
}

fn image(piece: &Object<'_>) -> Option<Part> {
    let mime = piece.text("mimeType")?;
    let data = piece.text("data")?;
    let uri = format!("data:{mime};base64,{data}");
    Some(Part::Media { uri, mime })
}
