//! One message as a JSON object. Owns what it may say.
//! May not drop anything in silence: what it does not know refuses the message by name.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Replay, Role, Timestamp};

/// Reads a message; `what` is how a refusal calls the whole of it.
pub(crate) fn read_message(text: &str, what: &str) -> Result<NewMessage, String> {
    let mut fields = Fields::read(text, what)?;
    let role = read_role(&fields.required::<String>("role")?)?;
    let parts = read_content(&fields.required_raw("content")?)?;
    let mut message = NewMessage::new(role, parts);
    message
        .check_parts()
        .map_err(|error| format!("`content`: {error}"))?;
    let time: Option<String> = fields.optional("time")?;
    message.at = time
        .map(|text| read_time(&text))
        .transpose()
        .map_err(|error| format!("`time`: {error}"))?;
    message.name = fields.optional("name")?;
    message.model = fields.optional("model")?;
    message.provider = fields.optional("provider")?;
    message.key = fields.optional("key")?;
    if fields.optional::<bool>("meta")? == Some(true) {
        message = message.meta();
    }
    if let Some(word) = fields.optional::<String>("replay")? {
        message = message.replayed(read_replay(&word)?);
    }
    fields.finish("role, content, time, name, model, provider, key, meta and replay")?;
    Ok(message)
}

/// A moment beyond the years that ISO 8601 writes is told in milliseconds.
fn read_time(text: &str) -> Result<Timestamp, String> {
    let millis = text
        .strip_suffix(" ms")
        .and_then(|millis| millis.parse().ok());
    match millis {
        Some(millis) => Ok(Timestamp::from_millis(millis)),
        None => Timestamp::parse(text).map_err(|error| error.to_string()),
    }
}

/// How a row stood before it was exported, in words.
pub(crate) const REPLAYS: [(&str, Replay); 4] = [
    ("message", Replay::Message),
    ("continuation", Replay::Continuation),
    ("prompt", Replay::Prompt),
    ("prompt_continuation", Replay::PromptContinuation),
];

fn read_replay(word: &str) -> Result<Replay, String> {
    let known = REPLAYS.into_iter().find(|(known, _)| *known == word);
    known.map(|(_, replay)| replay).ok_or_else(|| {
        format!(
            "`replay` must be message, continuation, prompt or prompt_continuation, not `{word}`"
        )
    })
}

fn read_role(text: &str) -> Result<Role, String> {
    match text {
        "developer" => Ok(Role::System),
        "function" | "toolResult" => Ok(Role::Tool),
        other => other.parse().map_err(|error| format!("`role`: {error}")),
    }
}

fn read_content(raw: &RawValue) -> Result<Vec<Part>, String> {
    if raw.get().starts_with('"') {
        let text = read_value("content", raw)?;
        return Ok(vec![Part::Text { text }]);
    }
    let blocks: Vec<Box<RawValue>> = serde_json::from_str(raw.get())
        .map_err(|_| "`content` must be a text or a list of blocks".to_owned())?;
    let parts = blocks.iter().enumerate().map(|(block_idx, block)| {
        read_block(block).map_err(|reason| format!("`content` block {}: {reason}", block_idx + 1))
    });
    parts.collect()
}

/// Reads one block of content.
pub(crate) fn read_block(raw: &RawValue) -> Result<Part, String> {
    let mut fields = Fields::read(raw.get(), "a block")?;
    let kind: String = fields.required("type")?;
    let (part, known) = match kind.as_str() {
        "text" => (
            Part::Text {
                text: fields.required("text")?,
            },
            "type and text",
        ),
        "reasoning" => (
            Part::Reasoning {
                text: fields.required("text")?,
                signature: fields.optional("signature")?,
            },
            "type, text and signature",
        ),
        "tool_use" => (
            Part::ToolUse {
                call_id: fields.required("call_id")?,
                name: fields.required("name")?,
                arguments: read_arguments(&fields.required_raw("arguments")?)?,
            },
            "type, call_id, name and arguments",
        ),
        "tool_result" => (
            Part::ToolResult {
                call_id: fields.required("call_id")?,
                content: fields.required("content")?,
                is_error: fields.optional("is_error")?.unwrap_or(false),
            },
            "type, call_id, content and is_error",
        ),
        "media" => (
            Part::Media {
                uri: fields.required("uri")?,
                mime: fields.required("mime")?,
            },
            "type, uri and mime",
        ),
        // How an export writes a block that would not be read back as it is.
        "opaque" if fields.has("json") => (
            Part::Opaque {
                json: fields.required("json")?,
            },
            "type and json",
        ),
        _ => {
            return Ok(Part::Opaque {
                json: raw.get().to_owned(),
            });
        }
    };
    fields.finish(known)?;
    Ok(part)
}

/// A text is kept byte for byte; an object as it is written, so that no number loses a digit.
fn read_arguments(raw: &RawValue) -> Result<String, String> {
    let text = raw.get();
    if text.starts_with('{') {
        return Ok(text.to_owned());
    }
    serde_json::from_str(text).map_err(|_| "`arguments` must be a text or an object".to_owned())
}

/// The fields of one object, each as it is written.
struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    fn read(text: &str, what: &str) -> Result<Self, String> {
        if !text.trim_start().starts_with('{') {
            return Err(match serde_json::from_str::<Value>(text) {
                Ok(_) => format!("{what} is no JSON object"),
                Err(error) => format!("{what} is no JSON: {error}"),
            });
        }
        serde_json::from_str(text).map_err(|error| format!("{what} is no JSON object: {error}"))
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(field, _)| field == name)
    }

    fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        let field_idx = self.0.iter().position(|(field, _)| field == name)?;
        Some(self.0.remove(field_idx).1)
    }

    /// Takes a field that must be there; null counts as not there.
    fn required_raw(&mut self, name: &str) -> Result<Box<RawValue>, String> {
        let raw = self
            .take(name)
            .ok_or_else(|| format!("`{name}` is missing"))?;
        if raw.get() == "null" {
            return Err(format!("`{name}` is null"));
        }
        Ok(raw)
    }

    fn required<T: Expected>(&mut self, name: &str) -> Result<T, String> {
        read_value(name, &self.required_raw(name)?)
    }

    fn optional<T: Expected>(&mut self, name: &str) -> Result<Option<T>, String> {
        match self.take(name).filter(|raw| raw.get() != "null") {
            Some(raw) => read_value(name, &raw).map(Some),
            None => Ok(None),
        }
    }

    fn finish(self, known: &str) -> Result<(), String> {
        match self.0.first() {
            Some((name, _)) => Err(format!("unknown key `{name}`; the keys are {known}")),
            None => Ok(()),
        }
    }
}

/// A type of value and its name.
trait Expected: for<'de> Deserialize<'de> {
    const NAME: &'static str;
}

impl Expected for String {
    const NAME: &'static str = "a text";
}

impl Expected for bool {
    const NAME: &'static str = "true or false";
}

fn read_value<T: Expected>(name: &str, raw: &RawValue) -> Result<T, String> {
    serde_json::from_str(raw.get()).map_err(|error| {
        if raw.get().starts_with('"') && T::NAME == String::NAME {
            // A text after all, but with an escape that is no character.
            format!("`{name}`: {error}")
        } else {
            format!("`{name}` must be {}", T::NAME)
        }
    })
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields: Vec<(String, Box<RawValue>)> = Vec::new();
                // A line may have any number of keys, and they are all looked at.
                let mut names = HashSet::new();
                while let Some((name, raw)) = map.next_entry::<String, Box<RawValue>>()? {
                    if !names.insert(name.clone()) {
                        return Err(serde::de::Error::custom(format!("`{name}` is there twice")));
                    }
                    fields.push((name, raw));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}
