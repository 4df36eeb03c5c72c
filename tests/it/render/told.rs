//! Small talks as messages, and their bodies told on a line a message.

use hippocamp::domain::{NewMessage, Part, Role};
use serde_json::Value;

use super::{Provider, check_bodies, parsed};
use crate::view::world::{Cover, Row, world};

pub(super) fn text(text: &str) -> Part {
    Part::Text { text: text.into() }
}

pub(super) fn call(id: &str) -> Part {
    Part::ToolUse {
        call_id: id.into(),
        name: "Read".into(),
        arguments: "{}".into(),
    }
}

pub(super) fn result(id: &str, content: &str) -> Part {
    Part::ToolResult {
        call_id: id.into(),
        content: content.into(),
        is_error: false,
    }
}

pub(super) fn says(parts: Vec<Part>) -> NewMessage {
    NewMessage::new(Role::Assistant, parts)
}

pub(super) fn body(
    provider: Provider,
    prompt: Option<&str>,
    messages: Vec<NewMessage>,
    covers: &[Cover],
) -> Value {
    let rows: Vec<Row> = messages.into_iter().map(Row::from).collect();
    let view = world(prompt, &rows, covers).view(1_000_000);
    check_bodies(&view);
    provider
        .body(&view)
        .map_or(Value::Null, |body| parsed(&body))
}

/// Writes a body on one line a message: `user: words`, `assistant: words [Read t1]`, `t1 = result`.
pub(super) fn told(body: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut lines = Vec::new();
    for message in list(&body["messages"]) {
        let mut words: Vec<String> = Vec::new();
        words.extend(message["content"].as_str().map(str::to_owned));
        for block in list(&message["content"]) {
            let field = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
            words.push(match block["type"].as_str().unwrap() {
                "text" => field("text"),
                "thinking" => format!("({} {})", field("thinking"), field("signature")),
                "tool_use" => format!("[{} {}]", field("name"), field("id")),
                "tool_result" if block["is_error"] == true => {
                    format!("{} ! {}", field("tool_use_id"), field("content"))
                }
                "tool_result" => format!("{} = {}", field("tool_use_id"), field("content")),
                other => format!("<{other}>"),
            });
        }
        for call in list(&message["tool_calls"]) {
            let name = call["function"]["name"].as_str().unwrap();
            words.push(format!("[{name} {}]", call["id"].as_str().unwrap()));
        }
        let who = message["tool_call_id"]
            .as_str()
            .or(message["role"].as_str());
        lines.push(format!("{}: {}", who.unwrap(), words.join(" | ")));
    }
    lines
}

#[track_caller]
pub(super) fn check(messages: &[NewMessage], openai: &[&str], anthropic: &[&str]) {
    let found = told(&body(Provider::OpenAiChat, None, messages.to_vec(), &[]));
    assert_eq!(found, openai, "OpenAI");
    let found = told(&body(Provider::Anthropic, None, messages.to_vec(), &[]));
    assert_eq!(found, anthropic, "Anthropic");
}
