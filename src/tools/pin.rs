//! The tool that keeps a fact in every view, word for word. Owns its arguments and its answer.
//! May not decide what there is room for, and retires nothing: people do that.

use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::read_arguments;
use super::dispatch::ToolScope;
use super::error::ToolError;
use super::ids::message_id;
use crate::domain::{MessageId, PinId, PinKind, PinRequest};
use crate::engine::{Engine, EngineError, PinStep};

/// The names of the arguments, in the order of the schema.
pub(super) const FIELDS: [&str; 3] = ["text", "kind", "message_id"];

/// The arguments of `pin`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
#[non_exhaustive]
pub struct PinArgs {
    /// The words, verbatim.
    pub text: String,
    /// What they hold.
    pub kind: PinKind,
    /// The message that they come from.
    pub message_id: Option<MessageId>,
}

impl TryFrom<Value> for PinArgs {
    type Error = ToolError;

    fn try_from(json: Value) -> Result<Self, Self::Error> {
        let mut fields = read_arguments("pin", &FIELDS, json)?;
        Ok(Self {
            text: fields.text("text")?.ok_or_else(|| {
                ToolError::argument("text", "is missing; give the words to be kept")
            })?,
            kind: fields
                .parsed("kind", read_kind)?
                .unwrap_or(PinKind::Constraint),
            message_id: fields
                .value("message_id")
                .map(|value| message_id("message_id", &value))
                .transpose()?,
        })
    }
}

fn read_kind(text: &str) -> Result<PinKind, String> {
    PinKind::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = PinKind::ALL.into_iter().map(PinKind::as_str).collect();
        format!("`{text}` is no kind; the kinds are {}", words.join(", "))
    })
}

/// Pins words of the bound conversation. What the engine refuses is an answer that says what to do
/// instead, since a model goes on from answers.
///
/// # Errors
/// `NotOne` if no one conversation is bound; `UnknownSession` and `Store` as the engine says.
pub async fn pin(engine: &Engine, scope: &ToolScope, args: PinArgs) -> Result<Value, ToolError> {
    let ToolScope::Session(session) = scope else {
        return Err(ToolError::NotOne { tool: "pin" });
    };
    let mut request = PinRequest::new(args.kind, args.text);
    request.source = args.message_id;
    match engine.pin(session, request).await {
        Ok(report) => Ok(json!({
            "status": match report.step {
                PinStep::Changed => "pinned",
                PinStep::Unchanged => "unchanged",
            },
            "id": PinId(report.pin.id).to_string(),
            "reason": null,
        })),
        Err(EngineError::Usage { message, hint }) => Ok(json!({
            "status": "refused",
            "id": null,
            "reason": match hint {
                Some(hint) => format!("{message}; {hint}"),
                None => message,
            },
        })),
        Err(error) => Err(error.into()),
    }
}
