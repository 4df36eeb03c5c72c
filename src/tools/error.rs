//! What can go wrong in a tool call, in words a model can act on.

use thiserror::Error;

use crate::domain::SessionKey;
use crate::engine::EngineError;

/// An error of a tool call.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// No tool has this name.
    #[error("no tool `{name}`; the tools are short_grep and short_expand")]
    UnknownTool {
        /// The name asked for.
        name: String,
    },
    /// The arguments are no JSON object.
    #[error("the arguments of {tool} must be one JSON object, not {found}")]
    NoObject {
        /// The tool.
        tool: &'static str,
        /// What came instead.
        found: &'static str,
    },
    /// An argument that the tool does not have.
    #[error("{tool} has no argument `{name}`; it takes {known}")]
    UnknownArgument {
        /// The tool.
        tool: &'static str,
        /// The argument.
        name: String,
        /// The arguments there are.
        known: String,
    },
    /// An argument with a value it cannot have.
    #[error("`{name}`: {message}")]
    Argument {
        /// The argument.
        name: &'static str,
        /// What is wrong with the value, and the right form.
        message: String,
    },
    /// Arguments that cannot go together, or of which one is missing.
    #[error("{message}")]
    Combination {
        /// What is wrong, and the right form.
        message: String,
    },
    /// No conversation is bound to the caller.
    #[error(
        "no conversation is bound here; set `all_conversations` to true to look in all of them"
    )]
    Unbound,
    /// No one conversation is bound to the caller, and the tool is about one.
    #[error("no conversation is bound here, and {tool} is about one")]
    NotOne {
        /// The tool.
        tool: &'static str,
    },
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl ToolError {
    pub(crate) fn argument(name: &'static str, message: impl Into<String>) -> Self {
        Self::Argument {
            name,
            message: message.into(),
        }
    }

    /// Says what to do instead, where there is more to say than the error itself does.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(EngineError::Usage { hint, .. }) => hint.clone(),
            Self::Engine(EngineError::Pattern(error)) => error.hint.clone(),
            Self::Engine(EngineError::UnknownSession { near, .. }) if !near.is_empty() => {
                let keys: Vec<&str> = near.iter().map(SessionKey::as_str).collect();
                Some(format!("near keys: {}", keys.join(", ")))
            }
            _ => None,
        }
    }
}
