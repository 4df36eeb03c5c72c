//! What can go wrong in the engine, by what a caller can do about it.

use thiserror::Error;

use crate::domain::{PatternError, SessionKey};
use crate::store::StoreError;

/// An error of the engine.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The caller asked for something that cannot be; the text names the value and the right form.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do instead.
        hint: Option<String>,
    },
    /// The pattern cannot be read.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// No conversation has this key.
    #[error("no session `{key}`")]
    UnknownSession {
        /// The key asked for.
        key: SessionKey,
        /// Keys that look like it.
        near: Vec<SessionKey>,
    },
    /// `build()` was called outside a tokio runtime.
    #[error("no tokio runtime is running here; call build() inside one, or use engine::blocking")]
    NoRuntime,
    /// The engine has been shut down.
    #[error("the engine has been shut down")]
    ShutDown,
    /// A background task failed; what it was to do is tried again when it is next woken.
    #[error("a background step failed: {words}")]
    Background {
        /// The failure, in words.
        words: String,
    },
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl EngineError {
    /// Says what is wrong with a request and what to ask instead.
    pub(super) fn wrong_use(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// Turns a value's own error into a usage error.
    pub(super) fn usage(error: impl std::error::Error) -> Self {
        Self::Usage {
            message: error.to_string(),
            hint: None,
        }
    }

    /// The writer answered with a reply of another operation: the store is at fault.
    pub(super) fn unexpected_reply() -> Self {
        let detail = "the writer answered another operation".to_owned();
        Self::Store(StoreError::Corrupt { detail })
    }
}
