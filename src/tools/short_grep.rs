//! The tool that finds. Owns its arguments and their defaults.
//! May not parse a pattern: the engine does.

use serde::Deserialize;
use serde_json::Value;

use super::answer::grep_answer;
use super::arguments::read_arguments;
use super::dispatch::{Conversations, ToolScope, reach_of};
use super::error::ToolError;
use super::when::{When, WhenError};
use crate::domain::{GrepRequest, Role, SearchScope, Sort};
use crate::engine::Engine;

/// Rows of an answer unless asked otherwise.
pub const GREP_LIMIT: u64 = 20;
/// Rows of an answer at most; more is capped, and the answer says so.
pub const GREP_LIMIT_MAX: u64 = 200;

/// The names of the arguments, in the order of the schema.
pub(super) const FIELDS: [&str; 10] = [
    "pattern",
    "scope",
    "role",
    "last",
    "since",
    "before",
    "all_conversations",
    "sort",
    "limit",
    "cursor",
];

/// The arguments of `short_grep`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
#[non_exhaustive]
pub struct GrepArgs {
    /// The pattern as written.
    pub pattern: String,
    /// Which kinds of rows.
    pub scope: SearchScope,
    /// Whose messages; excludes summaries.
    pub role: Option<Role>,
    /// Which times.
    pub when: When,
    /// Whose conversations.
    pub conversations: Conversations,
    /// Which rows come first.
    pub sort: Sort,
    /// Rows at most, from 1; above 200 is capped by the engine.
    pub limit: u64,
    /// Where an earlier answer ended.
    pub cursor: Option<String>,
}

impl GrepArgs {
    /// Makes arguments with every default.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            scope: SearchScope::Both,
            role: None,
            when: When::Any,
            conversations: Conversations::Bound,
            sort: Sort::Relevance,
            limit: GREP_LIMIT,
            cursor: None,
        }
    }
}

impl TryFrom<Value> for GrepArgs {
    type Error = ToolError;

    fn try_from(json: Value) -> Result<Self, Self::Error> {
        let mut fields = read_arguments("short_grep", &FIELDS, json)?;
        let pattern = fields.text("pattern")?.ok_or_else(|| {
            ToolError::argument("pattern", "is missing; say what to look for, in words")
        })?;
        let scope = fields.parsed("scope", read_scope)?.unwrap_or_default();
        let role = fields.parsed("role", str::parse)?;
        if role.is_some() && scope == SearchScope::Summary {
            return Err(ToolError::Combination {
                message: "`role` excludes summaries; leave it out, or set `scope` to message"
                    .to_owned(),
            });
        }
        let (last, since, before) = (
            fields.text("last")?,
            fields.text("since")?,
            fields.text("before")?,
        );
        let when = When::parse(last.as_deref(), since.as_deref(), before.as_deref())
            .and_then(|when| when.beside(&pattern))
            .map_err(|error| name_filter(&error))?;
        let conversations = match fields.flag("all_conversations")? {
            Some(true) => Conversations::All,
            Some(false) | None => Conversations::Bound,
        };
        Ok(Self {
            pattern,
            scope,
            role,
            when,
            conversations,
            sort: fields.parsed("sort", str::parse)?.unwrap_or_default(),
            limit: fields.count("limit")?.unwrap_or(GREP_LIMIT),
            cursor: fields.text("cursor")?,
        })
    }
}

fn name_filter(error: &WhenError) -> ToolError {
    match error {
        WhenError::Last(error) => ToolError::argument("last", error.to_string()),
        WhenError::Since(error) => ToolError::argument("since", error.to_string()),
        WhenError::Before(error) => ToolError::argument("before", error.to_string()),
        WhenError::LastAndRange => ToolError::Combination {
            message: error.to_string(),
        },
    }
}

fn read_scope(text: &str) -> Result<SearchScope, String> {
    match text {
        "summary" => Ok(SearchScope::Summary),
        "message" => Ok(SearchScope::Message),
        "both" => Ok(SearchScope::Both),
        _ => Err(format!(
            "`{text}` is no scope; the scopes are summary, message and both"
        )),
    }
}

/// Finds messages and summaries.
///
/// # Errors
/// `Unbound` if no conversation is bound and all are not asked for; else what the engine says.
pub async fn short_grep(
    engine: &Engine,
    scope: &ToolScope,
    args: GrepArgs,
) -> Result<Value, ToolError> {
    let mut request = GrepRequest::new(args.pattern, reach_of(scope, args.conversations)?);
    request.kinds = args.scope;
    request.role = args.role;
    request.time = args.when.range(engine.now());
    request.sort = args.sort;
    request.limit = args.limit;
    request.cursor = args.cursor;
    Ok(grep_answer(&engine.grep(&request).await?))
}
