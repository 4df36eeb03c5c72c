//! A model that is a script, behind a server on loopback that speaks as `OpenAI`'s Chat Completions. It
//! knows nothing but the request: what it looks up it has found in the answers of the tools before.

use serde_json::{Value, json};

use crate::providers::server::{Answer, Request, Server};
use crate::render::rule::{list, text};

/// What is said in turn 3, and asked for at the end.
pub(crate) const FACT: &str = "KX-4471";

/// The prompt of a turn.
pub(crate) fn prompt(turn: usize) -> String {
    match turn {
        3 => format!("Turn 3: the berth by the old crane goes by the word {FACT} on the radio."),
        n if n.is_multiple_of(10) => {
            format!("Turn {n}: look up the tide and the wind of turn {}.", n - 7)
        }
        n => format!(
            "Turn {n}: the tide stands at {} and the wind blows from {}.",
            n * 3 + 1,
            WINDS[n % 4]
        ),
    }
}

/// The prompt that asks for the fact.
pub(crate) const QUESTION: &str = "By which word does the berth by the old crane go on the radio?";

const WINDS: [&str; 4] = ["north", "east", "south", "west"];

/// Starts the server.
pub(crate) fn start() -> Server {
    Server::start(|_, request| answer(request))
}

/// Returns the bodies of all requests.
pub(crate) fn bodies(server: &Server) -> Vec<Value> {
    let requests = server.requests();
    let bodies = requests
        .iter()
        .map(|request| serde_json::from_str(&request.body).unwrap());
    bodies.collect()
}

fn answer(request: &Request) -> Answer {
    if !request.path.ends_with("/chat/completions") {
        return Answer::fails(404, r#"{"error":{"message":"no such path"}}"#);
    }
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let message = said(&body);
    let reason = if message.get("tool_calls").is_some() {
        "tool_calls"
    } else {
        "stop"
    };
    let answer = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": request.body.len() / 4, "completion_tokens": 20, "total_tokens": request.body.len() / 4 + 20},
    });
    Answer::ok(answer.to_string())
}

/// What the model says next.
fn said(body: &Value) -> Value {
    let messages = list(&body["messages"]);
    let last = messages.last().unwrap();
    if last["role"] == "tool" {
        return after(messages, text(&last["content"]));
    }
    let asked = words_of(&last["content"]);
    let asked = asked.rsplit("\n\n").next().unwrap_or_default();
    if asked.ends_with(QUESTION) {
        return calls(&[("short_grep", json!({"pattern": "berth crane radio"}))]);
    }
    if let Some((_, turn)) = asked.rsplit_once("the wind of turn ") {
        let turn = turn.trim_end_matches('.');
        return calls(&[
            (
                "short_grep",
                json!({"pattern": format!("\"Turn {turn}\" tide"), "limit": 2}),
            ),
            (
                "short_grep",
                json!({"pattern": format!("\"Turn {turn}\" wind"), "limit": "2"}),
            ),
        ]);
    }
    let log =
        "The log of the harbour was read, the boats were counted and the buoys were checked. "
            .repeat(3);
    json!({"role": "assistant", "content": format!("Noted. {log}")})
}

/// What it says once its tools have answered.
fn after(messages: &[Value], result: &str) -> Value {
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    let results = messages
        .iter()
        .rev()
        .take_while(|message| message["role"] == "tool")
        .count();
    let is_search = result.get("results").is_some();
    if is_search && results == 1 {
        // What it still sees, its question among it, it need not look up.
        let hidden = |hit: &&Value| hit["role"] == "user" && hit["standing"] != "in_view";
        let mut ids = list(&result["results"])
            .iter()
            .filter(hidden)
            .map(|hit| hit["id"].clone());
        return match ids.next() {
            Some(id) => calls(&[("short_expand", json!({"message_ids": [id]}))]),
            None => json!({"role": "assistant", "content": "I found nothing."}),
        };
    }
    let shown = result.pointer("/messages/0/parts/0/text").map(text);
    let found = shown.map_or_else(|| "two lines of the log".to_owned(), str::to_owned);
    json!({"role": "assistant", "content": format!("I looked it up: {found}")})
}

fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(n, (name, arguments))| {
            json!({
                "id": format!("call_{n}"),
                "type": "function",
                "function": {"name": name, "arguments": arguments.to_string()},
            })
        })
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn words_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        parts => list(parts).iter().map(|part| text(&part["text"])).collect(),
    }
}
