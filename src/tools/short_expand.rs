//! The tool that shows rows whole. Owns its arguments and their defaults.
//! May not choose what fits a page: the engine does.

use serde::Deserialize;
use serde_json::Value;

use super::answer::expand_answer;
use super::arguments::read_arguments;
use super::dispatch::{Conversations, ToolScope, reach_of};
use super::error::ToolError;
use super::ids::{AskedId, message_ids, summary_ids};
use crate::domain::{ExpandRequest, Tokens, ToolResults};
use crate::engine::Engine;

/// Tokens of a page unless asked otherwise.
pub const PAGE_TOKENS: Tokens = ExpandRequest::PAGE;
/// Tokens of a page at most: clients refuse a tool's answer of more than 25,000 tokens whole.
const PAGE_TOKENS_MAX: u64 = 20_000;

/// The names of the arguments, in the order of the schema.
pub(super) const FIELDS: [&str; 6] = [
    "message_ids",
    "summary_ids",
    "include_tool_results",
    "max_tokens",
    "all_conversations",
    "cursor",
];

/// The arguments of `short_expand`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
#[non_exhaustive]
pub struct ExpandArgs {
    /// The rows, of one kind, at least one.
    pub ids: Vec<AskedId>,
    /// Whether tool results come whole.
    pub tool_results: ToolResults,
    /// A page's tokens.
    pub max_tokens: Tokens,
    /// Whose conversations.
    pub conversations: Conversations,
    /// Where an earlier answer ended.
    pub cursor: Option<String>,
}

impl TryFrom<Value> for ExpandArgs {
    type Error = ToolError;

    fn try_from(json: Value) -> Result<Self, Self::Error> {
        let mut fields = read_arguments("short_expand", &FIELDS, json)?;
        let ids = match (fields.list("message_ids")?, fields.list("summary_ids")?) {
            (Some(values), None) => message_ids("message_ids", &values)?,
            (None, Some(values)) => summary_ids("summary_ids", &values)?,
            (None, None) => return Err(one_list("one of them is needed")),
            (Some(_), Some(_)) => return Err(one_list("not both in one call")),
        };
        let tool_results = match fields.flag("include_tool_results")? {
            Some(true) => ToolResults::Include,
            Some(false) | None => ToolResults::Omit,
        };
        let conversations = match fields.flag("all_conversations")? {
            Some(true) => Conversations::All,
            Some(false) | None => Conversations::Bound,
        };
        let max_tokens = fields.count("max_tokens")?.unwrap_or(PAGE_TOKENS.get());
        Ok(Self {
            ids,
            tool_results,
            max_tokens: Tokens::new(max_tokens.min(PAGE_TOKENS_MAX)),
            conversations,
            cursor: fields.text("cursor")?,
        })
    }
}

fn one_list(reason: &str) -> ToolError {
    ToolError::Combination {
        message: format!("give exactly one of `message_ids` and `summary_ids`: {reason}"),
    }
}

/// Shows messages and summaries whole, a page at a time.
///
/// # Errors
/// `Unbound` if no conversation is bound and all are not asked for; else what the engine says.
pub async fn short_expand(
    engine: &Engine,
    scope: &ToolScope,
    args: ExpandArgs,
) -> Result<Value, ToolError> {
    let request = ExpandRequest {
        ids: args.ids.iter().map(|asked| asked.id).collect(),
        reach: reach_of(scope, args.conversations)?,
        tool_results: args.tool_results,
        max_tokens: args.max_tokens,
        cursor: args.cursor,
    };
    let reply = engine.expand(&request).await?;
    Ok(expand_answer(&reply, &args.ids))
}
