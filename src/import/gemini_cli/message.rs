//! One message of a chat. Owns the rows it gives: its words, its thoughts, its calls and what they
//! gave back, each with a key of its own, so that a message that is written again adds only what is
//! new in it. May not drop words.

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Provenance, Role, Timestamp};
use crate::import::entry::{Entry, clean_id, time};
use crate::import::json::{self, Object};

/// Reads a message of a session.
///
/// # Errors
/// A lower-case fragment that says why it is none.
pub(super) fn read_message(session: &str, raw: &str) -> Result<Vec<Entry>, String> {
    let message = Object::parse(raw).ok_or("a message that is no object")?;
    let kind = message.text("type").unwrap_or_default();
    let id = clean_id(message.text("id"));
    let at = message.get("timestamp").and_then(|raw| time(raw.get()));
    let mut rows = Rows {
        session,
        message: id.as_deref(),
        at,
        entries: Vec::new(),
    };
    let content = message.get("content");
    match kind.as_str() {
        "gemini" => rows.push_answer(&message),
        "user" => rows.push_prompt(content),
        "info" | "warning" | "error" => {
            let parts = read_content(content);
            rows.push("note", NewMessage::new(Role::System, parts).meta());
        }
        "" => return Err("a message without a `type`".to_owned()),
        other => return Err(format!("a message of the unknown type `{other}`")),
    }
    Ok(rows.entries)
}

/// The rows of one message.
struct Rows<'a> {
    session: &'a str,
    message: Option<&'a str>,
    at: Option<Timestamp>,
    entries: Vec<Entry>,
}

impl Rows<'_> {
    fn push(&mut self, key: &str, message: NewMessage) {
        let id = self
            .message
            .map(|id| format!("{}:{id}:{key}", self.session));
        self.push_as(id, message);
    }

    fn push_as(&mut self, id: Option<String>, mut message: NewMessage) {
        if message.parts.is_empty() {
            return;
        }
        message.at = self.at;
        let mut entry = Entry::row(message);
        // What was rewound to lies in the conversation that is branched from.
        entry.is_copy = id.is_some();
        entry.id = id;
        entry.session = Some(self.session.to_owned());
        self.entries.push(entry);
    }

    /// What tools gave back may be told again as a prompt.
    fn push_prompt(&mut self, content: Option<&RawValue>) {
        let raw = content.map_or("null", RawValue::get);
        let blocks = json::elements(raw).unwrap_or_default();
        let mut echoes = Vec::new();
        for block in &blocks {
            let block = Object::parse(block.get());
            echoes.extend(block.and_then(|block| block.object("functionResponse")));
        }
        for echo in &echoes {
            self.push_result(echo, None);
        }
        self.push("text", NewMessage::new(Role::User, read_content(content)));
    }

    fn push_answer(&mut self, message: &Object<'_>) {
        let model = message.text("model");
        let tokens = message
            .object("tokens")
            .and_then(|tokens| tokens.get("output")?.get().parse().ok());
        let joins = self.message.map(str::to_owned);
        let answer = |parts| {
            let mut new = NewMessage::new(Role::Assistant, parts);
            new.model.clone_from(&model);
            new.provider = Some("google".to_owned());
            new.provenance = Some(Provenance::of_message(joins.clone(), tokens));
            new
        };
        let thoughts = list(message.get("thoughts"));
        for (at, thought) in thoughts.iter().enumerate() {
            let text = thought_text(thought.get());
            if !text.is_empty() {
                let signature = None;
                let part = Part::Reasoning { text, signature };
                self.push(&format!("thought {at}"), answer(vec![part]));
            }
        }
        self.push("text", answer(read_content(message.get("content"))));
        let calls = list(message.get("toolCalls"));
        let calls: Vec<Object<'_>> = calls
            .iter()
            .filter_map(|raw| Object::parse(raw.get()))
            .collect();
        for call in &calls {
            let call_id = call.text("id").unwrap_or_default();
            let part = Part::ToolUse {
                name: call.text("name").unwrap_or_default(),
                arguments: call.get("args").map_or("{}", RawValue::get).to_owned(),
                call_id: call_id.clone(),
            };
            self.push(&format!("call {call_id}"), answer(vec![part]));
        }
        for call in &calls {
            let responses = list(call.get("result"));
            let mut n_results = 0;
            for response in responses {
                let object = Object::parse(response.get());
                if let Some(response) = object.and_then(|object| object.object("functionResponse"))
                {
                    self.push_result(&response, Some(call));
                    n_results += 1;
                }
            }
            if n_results == 0 {
                self.push_bare_result(call);
            }
        }
    }

    /// What a tool gave back, under the same key wherever it is told.
    fn push_result(&mut self, response: &Object<'_>, call: Option<&Object<'_>>) {
        let call_id = response
            .text("id")
            .or_else(|| call.and_then(|call| call.text("id")))
            .unwrap_or_default();
        let given = response.object("response");
        let field = |name| given.as_ref().and_then(|given| given.text(name));
        let failed = field("error");
        let is_error = failed.is_some()
            || call.is_some_and(|call| call.text("status").as_deref() == Some("error"));
        let whole = || response.get("response").map(|raw| raw.get().to_owned());
        let content = field("output")
            .or(failed)
            .or_else(whole)
            .unwrap_or_default();
        let id = format!("{}:result {call_id}", self.session);
        let part = Part::ToolResult {
            call_id,
            content,
            is_error,
        };
        self.push_as(Some(id), NewMessage::new(Role::Tool, vec![part]));
    }

    /// A result that is no list of responses, or is known only by what was shown of it.
    fn push_bare_result(&mut self, call: &Object<'_>) {
        let given = call.get("result").or_else(|| call.get("resultDisplay"));
        let Some(given) = given.filter(|given| given.get() != "[]") else {
            return;
        };
        let call_id = call.text("id").unwrap_or_default();
        let content = json::text(given.get()).unwrap_or_else(|| given.get().to_owned());
        let id = format!("{}:result {call_id}", self.session);
        let part = Part::ToolResult {
            call_id,
            content,
            is_error: call.text("status").as_deref() == Some("error"),
        };
        self.push_as(Some(id), NewMessage::new(Role::Tool, vec![part]));
    }
}

fn list(raw: Option<&RawValue>) -> Vec<&RawValue> {
    raw.and_then(|raw| json::elements(raw.get()))
        .unwrap_or_default()
}

fn thought_text(raw: &str) -> String {
    json::strings(raw, &["timestamp"]).join("\n")
}

/// Reads a content: a text, a part, or a list of parts.
fn read_content(raw: Option<&RawValue>) -> Vec<Part> {
    json::content(raw, read_part)
}

fn read_part(raw: &str) -> Option<Part> {
    if let Some(text) = json::text(raw) {
        return (!text.is_empty()).then_some(Part::Text { text });
    }
    let part = Object::parse(raw)?;
    if let Some(text) = part.text("text") {
        let is_thought = part.is_set("thought");
        let signature = None;
        return (!text.is_empty()).then_some(if is_thought {
            Part::Reasoning { text, signature }
        } else {
            Part::Text { text }
        });
    }
    if part.has("functionResponse") || part.has("functionCall") {
        return None;
    }
    if let Some(data) = part.object("inlineData") {
        let mime = data.text("mimeType")?;
        let uri = format!("data:{mime};base64,{}", data.text("data")?);
        return Some(Part::Media { uri, mime });
    }
    let json = raw.to_owned();
    Some(Part::Opaque { json })
}
