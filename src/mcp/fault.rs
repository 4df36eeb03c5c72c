//! What is said of a call that went wrong. Owns who is told: a model by a result that is an error,
//! a client by an error of the protocol.

use std::error::Error;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::engine::EngineError;
use crate::tools::ToolError;

/// A call without an answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The model, or the person behind it, can do something about it: it is told how.
    Mendable(String),
    /// The client called what cannot be called.
    Client(ErrorData),
}

impl Fault {
    /// Returns what the client is answered.
    pub(super) fn answer(self) -> Result<CallToolResult, ErrorData> {
        match self {
            Self::Mendable(words) => Ok(CallToolResult::error(vec![ContentBlock::text(words)])),
            Self::Client(error) => Err(error),
        }
    }

    /// Reads the error of a tool whose caller is bound to a conversation by its host: it learns of
    /// no others.
    pub(super) fn of_bound(error: ToolError) -> Self {
        match error {
            ToolError::Engine(EngineError::UnknownSession { key, .. }) => {
                Self::Mendable(format!("nothing is stored yet in the conversation `{key}`"))
            }
            other => Self::from(other),
        }
    }

    /// Reads the error of a tool whose caller may name a conversation.
    pub(super) fn of_unbound(error: ToolError) -> Self {
        match error {
            ToolError::Unbound => Self::Mendable(
                "no conversation is bound here; name one in `session`, or set `all_conversations` \
                 to true to look in all of them"
                    .to_owned(),
            ),
            ToolError::NotOne { tool } => Self::Mendable(format!(
                "{tool} is about one conversation, and none is bound here; name one in `session`"
            )),
            other => Self::from(other),
        }
    }
}

impl From<ToolError> for Fault {
    fn from(error: ToolError) -> Self {
        if let ToolError::Engine(EngineError::ShutDown | EngineError::NoRuntime) = &error {
            return Self::Client(ErrorData::internal_error(error.to_string(), None));
        }
        let words = with_sources(&error);
        Self::Mendable(match error.hint() {
            Some(hint) => format!("{words}\nhint: {hint}"),
            None => words,
        })
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        Self::from(ToolError::from(error))
    }
}

/// Returns an error's text with those of its causes.
fn with_sources(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let part = cause.to_string();
        if !words.contains(&part) {
            words.push_str(": ");
            words.push_str(&part);
        }
        source = cause.source();
    }
    words
}
