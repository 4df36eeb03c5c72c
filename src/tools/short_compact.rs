//! The tool that asks for a compaction at the end of the turn. Owns its argument and its answer.
//! May not compact: the engine does, when the turn has ended.

use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::read_arguments;
use super::dispatch::ToolScope;
use super::error::ToolError;
use crate::engine::{Engine, RequestOutcome};

/// The arguments of `short_compact`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "Value")]
#[non_exhaustive]
pub struct CompactArgs {
    /// What the summaries should keep to.
    pub focus: Option<String>,
}

impl TryFrom<Value> for CompactArgs {
    type Error = ToolError;

    fn try_from(json: Value) -> Result<Self, Self::Error> {
        let mut fields = read_arguments("short_compact", &["focus"], json)?;
        Ok(Self {
            focus: fields.text("focus")?,
        })
    }
}

/// Asks for a compaction of the bound conversation at the end of the turn.
///
/// # Errors
/// `NotOne` if no one conversation is bound; else what the engine says.
pub async fn short_compact(
    engine: &Engine,
    scope: &ToolScope,
    args: CompactArgs,
) -> Result<Value, ToolError> {
    let ToolScope::Session(session) = scope else {
        return Err(ToolError::NotOne {
            tool: "short_compact",
        });
    };
    let outcome = engine
        .request_compaction(session, args.focus.as_deref())
        .await?;
    let reason = match &outcome {
        RequestOutcome::Refused { pressure, least } => Some(format!(
            "the conversation holds {pressure} tokens; from {least} on a summary pays"
        )),
        RequestOutcome::Managed => Some("the provider compacts this conversation".to_owned()),
        _ => None,
    };
    Ok(json!({ "status": outcome.as_str(), "reason": reason }))
}
