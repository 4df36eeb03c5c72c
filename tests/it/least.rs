//! How small a view can get at most: what I5 allows to stay, counted on our own.

use hippocamp::domain::{Message, Part, Role, Tokens, Visibility, cost, estimate};
use serde_json::Value;

/// What a cut body holds, its mark included.
const LEAST_BODY: u64 = 50;
/// More than the estimate of a whole and of its pieces can differ, for one body.
const SLACK: u64 = 16;

/// Returns an upper bound of system prompt, newest request and newest batch in its least form.
pub(crate) fn least_tokens(messages: &[Message]) -> Tokens {
    let prompt = messages
        .iter()
        .filter(|message| message.visibility == Visibility::Prompt);
    let prompt: Tokens = prompt.map(|message| message.view_tokens).sum();
    let talk: Vec<&Message> = messages
        .iter()
        .filter(|message| message.visibility == Visibility::Talk)
        .collect();
    let is_request = |message: &&&Message| message.role == Role::User && !has_result(message);
    let last = talk
        .iter()
        .rposition(|message| is_request(&message))
        .map_or(0, |at| at + 1);
    let request: Tokens = talk[..last]
        .iter()
        .rev()
        .take_while(is_request)
        .map(|message| quoted(message))
        .sum();
    prompt
        + request
        + newest_batch(&talk[last..])
            .iter()
            .map(|message| least(message))
            .sum()
}

fn has_result(message: &Message) -> bool {
    message
        .parts
        .iter()
        .any(|part| matches!(part, Part::ToolResult { .. }))
}

/// A request as it is printed when a summary covers it: escaped, in a wrapper.
fn quoted(message: &Message) -> Tokens {
    let escapes = message.parts.iter().map(|part| match part {
        Part::Text { text } => text.matches(['<', '>', '&']).count() as u64 * 2,
        _ => 0,
    });
    message.view_tokens + cost::SUMMARY + Tokens::new(escapes.sum())
}

/// The newest message, or the newest calls with all that follows them.
fn newest_batch<'a>(turn: &'a [&'a Message]) -> &'a [&'a Message] {
    let first = match turn.last() {
        Some(last) if has_result(last) => turn
            .iter()
            .rposition(|message| message.role == Role::Assistant)
            .unwrap_or(0),
        _ => turn.len().saturating_sub(1),
    };
    &turn[first..]
}

fn least(message: &Message) -> Tokens {
    cost::MESSAGE + message.parts.iter().map(least_part).sum()
}

fn least_part(part: &Part) -> Tokens {
    match part {
        Part::Text { text } => cost::PART + body(text),
        Part::ToolUse {
            name, arguments, ..
        } => {
            let arguments = match serde_json::from_str(arguments) {
                Ok(value) => leaves(&value),
                Err(_) => body(arguments),
            };
            cost::CALL + estimate(name) + arguments
        }
        Part::ToolResult { content, .. } => cost::RESULT + body(content),
        Part::Reasoning { .. } => Tokens::ZERO,
        _ => cost::PART + Tokens::new(LEAST_BODY),
    }
}

fn body(text: &str) -> Tokens {
    estimate(text).min(Tokens::new(LEAST_BODY)) + Tokens::new(SLACK)
}

/// Arguments whose texts are cut and whose other values stay.
fn leaves(value: &Value) -> Tokens {
    let braces = Tokens::new(2);
    match value {
        Value::String(text) => body(text),
        Value::Array(values) => braces + values.iter().map(leaves).sum(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| estimate(name) + braces + leaves(value));
            braces + fields.sum()
        }
        other => estimate(&other.to_string()) + braces,
    }
}
