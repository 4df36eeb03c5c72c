//! `compact --stdin`: messages in, fewer and shorter messages out. Owns the form of both.
//! May not open a store: what it is given is all it knows.

use serde_json::{Map, Value, json};

use crate::cli::failure::Failure;
use crate::cli::reply::Reply;
use crate::cli::terminal::read_stdin;
use crate::policy::extract::{Spoken, squeeze};
use crate::policy::limits::SQUEEZE_PERCENT;

/// What stdin should hold.
const FORM: &str = r#"stdin holds one object: {"messages":[{"role":"user","content":"…"}],"round":1,"budget_chars":4000}; round counts the times a talk is shortened, from 1; without a budget 30 % of the size is left"#;

/// The roles that messages may have.
const ROLES: [&str; 7] = [
    "user",
    "assistant",
    "tool",
    "system",
    "developer",
    "function",
    "toolResult",
];

/// Reads stdin and answers.
pub(super) fn run() -> Result<Reply, Failure> {
    answer(&read_stdin()?)
}

/// Answers what stdin held.
fn answer(bytes: &[u8]) -> Result<Reply, Failure> {
    let (messages, budget) =
        read(bytes).map_err(|message| Failure::usage(message).with_hint(FORM))?;
    let kept: Vec<Value> = squeeze(&messages, budget)
        .into_iter()
        .map(|spoken| json!({"role": spoken.role, "content": spoken.content}))
        .collect();
    let object = json!({"messages": kept});
    let text = format!("{object}\n");
    Ok(Reply::new(object, text))
}

/// Reads the messages and the budget in characters.
fn read(bytes: &[u8]) -> Result<(Vec<Spoken>, usize), String> {
    if bytes.trim_ascii().is_empty() {
        return Err("standard input is empty".to_owned());
    }
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("standard input is no JSON: {error}"))?;
    let Value::Object(fields) = value else {
        return Err(format!("standard input is {}, not an object", kind(&value)));
    };
    if let Some(key) = fields
        .keys()
        .find(|key| !["messages", "round", "budget_chars"].contains(&key.as_str()))
    {
        return Err(format!("unknown key `{key}`"));
    }
    let messages = match fields.get("messages") {
        Some(Value::Array(messages)) => messages
            .iter()
            .zip(1..)
            .map(|(message, number)| {
                read_message(message).map_err(|what| format!("message {number}: {what}"))
            })
            .collect::<Result<Vec<_>, _>>()?,
        Some(other) => return Err(format!("`messages` is {}, not a list", kind(other))),
        None => return Err("`messages` is missing".to_owned()),
    };
    if let Some(round) = fields.get("round")
        && !round.is_null()
        && round.as_u64().is_none_or(|round| round == 0)
    {
        return Err(format!("`round` is {round}, not a number from 1 on"));
    }
    let budget = match fields.get("budget_chars") {
        None | Some(Value::Null) => {
            let size: usize = messages.iter().map(Spoken::size).sum();
            size.saturating_mul(SQUEEZE_PERCENT) / 100
        }
        Some(budget) => budget
            .as_u64()
            .map(|budget| usize::try_from(budget).unwrap_or(usize::MAX))
            .ok_or_else(|| format!("`budget_chars` is {budget}, not a whole number from 0 on"))?,
    };
    Ok((messages, budget))
}

fn read_message(message: &Value) -> Result<Spoken, String> {
    let Value::Object(fields) = message else {
        return Err(format!("is {}, not an object", kind(message)));
    };
    if let Some(key) = fields
        .keys()
        .find(|key| !["role", "content"].contains(&key.as_str()))
    {
        return Err(format!("unknown key `{key}`"));
    }
    let role = text(fields, "role")?;
    if !ROLES.contains(&role) {
        return Err(format!(
            "`{role}` is no role; roles are {}",
            ROLES.join(", ")
        ));
    }
    Ok(Spoken::new(role, text(fields, "content")?))
}

fn text<'v>(fields: &'v Map<String, Value>, key: &str) -> Result<&'v str, String> {
    match fields.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!("`{key}` is {}, not a text", kind(other))),
        None => Err(format!("`{key}` is missing")),
    }
}

/// Returns what a value is, in words.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
