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
    /// The store refused or failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
}
