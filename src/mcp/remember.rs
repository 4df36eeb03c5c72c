//! What a host does through MCP at the end of each turn: it hands over the messages, and they are
//! stored and compacted as the engine does a turn. Owns the tool's arguments and its answer.
//! May not summarise, nor take half a turn: one bad message refuses all.

use std::error::Error;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::domain::{ItemId, NewMessage, SessionKey, SummaryId, Window};
use crate::engine::{Engine, TurnReport};
use crate::render::{self, ReadError};
use crate::tools::output::{count, flag, list, object, text};
use crate::tools::{ToolError, ToolSchema, read_arguments, read_message};

/// The name of the tool.
pub(super) const NAME: &str = "remember";

const DESCRIPTION: &str = "\
For hosts: stores the messages of a turn at the end of the conversation and compacts what is due, as \
one turn. Call it once a turn with what is new, or a message at a time: as messages, or as a body in the form \
of a model's interface, such as the model's answer as it came. A message with a key is stored once, \
however often it is sent; without one it is always new. If one message cannot be read, none is stored. \
Give arguments of calls, or the whole body, as text to keep them byte for byte; long numbers in an \
object may be rounded on the way.

Examples:
{\"messages\": [{\"role\": \"user\", \"content\": \"Which port?\", \"key\": \"m1\"}]}
{\"format\": \"openai-chat\", \"body\": {\"role\": \"assistant\", \"content\": \"7443.\"}}

The answer has rows (id, seq and duplicate for each message), leaf and condensed (ids of new summaries), \
cleared, tokens_before, tokens_after, fits (whether the view is within its budget), reason and warnings.";

type Read = fn(&str) -> Result<Vec<NewMessage>, ReadError>;

/// The interfaces whose bodies are taken. A new one is one line here.
const READERS: [(&str, Read); 4] = [
    ("openai-chat", render::openai_chat::read),
    ("openai-responses", render::openai_responses::read),
    ("anthropic", render::anthropic::read),
    ("gemini", render::gemini::read),
];

/// Returns the tool as it is listed.
pub(super) fn schema() -> ToolSchema {
    ToolSchema::new(NAME, DESCRIPTION, parameters())
}

fn parameters() -> Value {
    let word = |description: &str| json!({"type": "string", "description": description});
    let block = json!({
        "type": "object",
        "properties": {
            "type": word("text, reasoning, tool_use, tool_result, media, or any other."),
        },
        "required": ["type"],
    });
    let message = json!({
        "type": "object",
        "properties": {
            "role": word("user, assistant, tool or system."),
            "content": {"anyOf": [
                word("What was said."),
                {"type": "array", "items": block},
            ]},
            "time": word("Such as 2026-01-02T03:04:05Z. Now, if left out."),
            "name": word("Who speaks."),
            "model": word("The model that said it."),
            "provider": word("The provider of that model."),
            "key": word("The message is stored once under it."),
            "meta": {"type": "boolean", "description": "True for what is kept but is no talk."},
            "replay": word("Only from an export: how the row stood."),
        },
        "required": ["role", "content"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "messages": {
                "type": "array",
                "items": message,
                "minItems": 1,
                "description": "What is new, old to new, in the form of `hippocamp append --help`.",
            },
            "format": {
                "type": "string",
                "enum": READERS.map(|(name, _)| name),
                "description": "Whose form body has.",
            },
            "body": {
                "anyOf": [
                    {"type": "object"},
                    {"type": "array", "items": {"type": "object"}},
                    {"type": "string"},
                ],
                "description": "What is new, instead of messages, in the form that format names: an \
                                answer, one message, a list of messages or a request.",
            },
        },
        "additionalProperties": false,
    })
}

/// Returns the schema of the answer.
pub(super) fn output() -> Value {
    let row = object(&[
        ("id", text("For short_expand.")),
        ("seq", count("Its place.")),
        ("duplicate", flag("Whether its key was there before.")),
    ]);
    object(&[
        ("rows", list(&row)),
        ("leaf", list(&text("A summary of messages."))),
        ("condensed", list(&text("A summary of summaries."))),
        (
            "cleared",
            count("Old tool results that became a line each."),
        ),
        ("tokens_before", count("Before the compaction.")),
        ("tokens_after", count("After it.")),
        ("fits", flag("Whether the view is within its budget.")),
        ("reason", text("Why the compaction ended where it did.")),
        ("warnings", list(&text("What is odd, but no error."))),
    ])
}

/// Stores the messages and runs the turn.
///
/// # Errors
/// `Argument` names the first message, or the place in a body, that cannot be read; else what the engine says.
pub(super) async fn remember(
    engine: &Engine,
    session: &SessionKey,
    window: Window,
    arguments: Value,
) -> Result<Value, ToolError> {
    let messages = read(arguments)?;
    let report = engine.turn(session, messages, window).await?;
    Ok(answer(&report))
}

fn read(arguments: Value) -> Result<Vec<NewMessage>, ToolError> {
    let mut fields = read_arguments(NAME, &["messages", "format", "body"], arguments)?;
    let format = fields.parsed("format", read_format)?;
    match (fields.value("messages"), fields.value("body"), format) {
        (Some(messages), None, None) => read_messages(messages),
        (None, Some(body), Some(read)) => read_body(&body, read),
        (Some(_), None, Some(_)) => Err(ToolError::argument(
            "format",
            "is for `body`; messages have the form of `hippocamp append --help`",
        )),
        (None, Some(_), None) => Err(ToolError::argument(
            "format",
            format!("is missing; name the form of `body`: {}", formats()),
        )),
        (Some(_), Some(_), _) => Err(ToolError::argument(
            "body",
            "cannot stand beside `messages`; give one of the two",
        )),
        (None, None, _) => Err(ToolError::argument(
            "messages",
            "is missing; give the messages of the turn",
        )),
    }
}

fn formats() -> String {
    READERS.map(|(name, _)| name).join(", ")
}

fn read_format(word: &str) -> Result<Read, String> {
    let known = READERS.into_iter().find(|(name, _)| *name == word);
    known
        .map(|(_, read)| read)
        .ok_or_else(|| format!("`{word}` is no form of a body; the forms are {}", formats()))
}

fn read_body(body: &Value, read: Read) -> Result<Vec<NewMessage>, ToolError> {
    let refused = |reason: String| ToolError::argument("body", reason);
    let text = match body {
        // As it is written: no number loses a digit.
        Value::String(text) => text.clone(),
        body => body.to_string(),
    };
    let messages = read(&text).map_err(|error| {
        let cause = error.source().map(|cause| format!(": {cause}"));
        refused(format!("{error}{}", cause.unwrap_or_default()))
    })?;
    if messages.is_empty() {
        return Err(refused("nobody says anything in it".to_owned()));
    }
    Ok(messages)
}

fn read_messages(messages: Value) -> Result<Vec<NewMessage>, ToolError> {
    let refused = |reason: String| ToolError::argument("messages", reason);
    let lines: Vec<String> = match messages {
        Value::Array(messages) => messages.iter().map(Value::to_string).collect(),
        // As it is written: no number loses a digit.
        Value::String(text) => serde_json::from_str::<Vec<Box<RawValue>>>(&text)
            .map_err(|_| refused("must be a list of messages".to_owned()))?
            .iter()
            .map(|raw| raw.get().to_owned())
            .collect(),
        _ => return Err(refused("must be a list of messages".to_owned())),
    };
    if lines.is_empty() {
        return Err(refused("is empty; give at least one message".to_owned()));
    }
    let messages = lines.iter().zip(1..).map(|(line, number)| {
        read_message(line, "it").map_err(|reason| refused(format!("message {number}: {reason}")))
    });
    messages.collect()
}

fn answer(report: &TurnReport) -> Value {
    let rows = report.appended.rows.iter().map(|row| {
        json!({
            "id": row.id.to_string(),
            "seq": row.seq.get(),
            "duplicate": row.is_duplicate,
        })
    });
    let ids = |summaries: &[SummaryId]| -> Vec<String> {
        let ids = summaries.iter().map(|id| ItemId::Summary(*id).to_string());
        ids.collect()
    };
    let compacted = &report.compacted;
    json!({
        "rows": rows.collect::<Vec<_>>(),
        "leaf": ids(&compacted.leaf),
        "condensed": ids(&compacted.condensed),
        "cleared": compacted.n_cleared,
        "tokens_before": compacted.tokens_before.get(),
        "tokens_after": compacted.tokens_after.get(),
        "fits": report.view.fits,
        "reason": compacted.reason.as_str(),
        "warnings": report.view.warnings,
    })
}
