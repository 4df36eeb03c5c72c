//! The words of `compact`. May not do anything.

use clap::Args;

use super::value::{focus, session_key, tokens};
use crate::domain::{SessionKey, Tokens};

/// `compact`.
#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The conversation's key, or its beginning
    #[arg(long, value_name = "KEY", value_parser = session_key, required_unless_present = "stdin")]
    pub(crate) session: Option<SessionKey>,
    /// Go on until a view of this many tokens holds everything
    #[arg(long, value_name = "N", value_parser = tokens, allow_negative_numbers = true)]
    pub(crate) until_under: Option<Tokens>,
    /// What the summaries should keep to, in words for the model
    #[arg(long, value_name = "TEXT", value_parser = focus, conflicts_with = "until_under")]
    pub(crate) focus: Option<String>,
    /// Shorten the messages of a JSON object on stdin; no store and no model is asked
    #[arg(long, conflicts_with_all = ["session", "until_under", "focus"])]
    pub(crate) stdin: bool,
}
