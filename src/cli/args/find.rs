//! The words of finding and showing again. Owns their filters.
//! May not do anything.

use clap::{Args, ValueEnum};

use super::value::{role, session_key, sort, tokens, whole};
use crate::domain::{Role, SessionKey, Sort, Tokens};

/// Which kinds of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Summaries only.
    Summary,
    /// Messages only.
    Message,
    /// Both, taking turns.
    Both,
}

/// `grep`.
#[derive(Debug, Args)]
pub(crate) struct GrepArgs {
    /// What to look for
    pub(crate) pattern: String,
    /// Only this conversation and what it inherits, by its key or its beginning [default: all]
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: Option<SessionKey>,
    /// Which rows: summary, message or both
    #[arg(long, value_enum, default_value = "both", hide_possible_values = true)]
    pub(crate) scope: ScopeArg,
    /// Only messages of this role: user, assistant, tool or system
    #[arg(long, value_name = "ROLE", value_parser = role)]
    pub(crate) role: Option<Role>,
    /// Only the time up to now: 6h, 7d, 2w, or 1m for a month of 30 days
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) last: Option<String>,
    /// Only from this time on (inclusive): 2026-01-02 or 2026-01-02T03:04:05Z
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// Only before this time (exclusive)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) before: Option<String>,
    /// Which come first: relevance, time (the newest) or both
    #[arg(long, value_name = "ORDER", default_value = "relevance", value_parser = sort, hide_possible_values = true)]
    pub(crate) sort: Sort,
    /// Rows at most, 1 to 200
    #[arg(long, value_name = "N", default_value = "20", value_parser = whole, allow_negative_numbers = true)]
    pub(crate) limit: u64,
    /// The next page: the cursor that this one ended with
    #[arg(long, value_name = "C")]
    pub(crate) cursor: Option<String>,
    /// With N turns before and after that of each message found
    #[arg(short = 'C', long = "context", value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    pub(crate) around: Option<u64>,
}

/// `expand`.
#[derive(Debug, Args)]
pub(crate) struct ExpandArgs {
    /// Ids of messages (42) and summaries (s12)
    #[arg(value_name = "ID", required = true, allow_negative_numbers = true)]
    pub(crate) ids: Vec<String>,
    /// Show the bodies of tool results
    #[arg(long)]
    pub(crate) tool_results: bool,
    /// Tokens of a page
    #[arg(long, value_name = "N", default_value = "4000", value_parser = tokens, allow_negative_numbers = true)]
    pub(crate) max_tokens: Tokens,
    /// The next page: the cursor that this one ended with
    #[arg(long, value_name = "C")]
    pub(crate) cursor: Option<String>,
}
