//! What a tool answers about a conversation in which nothing has been said yet: that there is nothing.
//! May not decide whether a key is one that is new, or one that is wrong.

use serde_json::Value;

use super::answer::{expand_answer, grep_answer};
use super::error::ToolError;
use super::short_expand::ExpandArgs;
use super::short_grep::{GREP_LIMIT_MAX, GrepArgs};
use crate::domain::{ExpandReply, GrepReply, MatchKind, SessionKey, Tokens};
use crate::engine::EngineError;
use crate::policy::pattern::parse;

/// Returns the answer of a tool that reads; none for one that writes.
///
/// # Errors
/// As the tool's, for arguments that are none.
pub(crate) fn answer_of_nothing(
    session: &SessionKey,
    name: &str,
    arguments: Value,
) -> Result<Option<Value>, ToolError> {
    Ok(match name {
        "short_grep" => Some(nothing_found(session, &arguments.try_into()?)?),
        "short_expand" => Some(nothing_shown(&arguments.try_into()?)),
        _ => None,
    })
}

fn nothing_found(session: &SessionKey, args: &GrepArgs) -> Result<Value, ToolError> {
    let pattern = parse(&args.pattern).map_err(EngineError::from)?;
    Ok(grep_answer(&GrepReply {
        hits: Vec::new(),
        total: 0,
        total_capped: false,
        limit: args.limit.min(GREP_LIMIT_MAX),
        limit_capped: args.limit > GREP_LIMIT_MAX,
        matched: MatchKind::All,
        read_as: pattern.read_as().to_owned(),
        hint: Some(format!(
            "nothing is stored yet in the conversation `{session}`"
        )),
        complete: true,
        cursor: None,
    }))
}

fn nothing_shown(args: &ExpandArgs) -> Value {
    let reply = ExpandReply {
        messages: Vec::new(),
        summaries: Vec::new(),
        tokens: Tokens::ZERO,
        cursor: None,
        missing: args.ids.iter().map(|asked| asked.id).collect(),
    };
    expand_answer(&reply, &args.ids)
}
