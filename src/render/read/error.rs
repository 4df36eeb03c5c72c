//! Why a body gives no messages: the place, what stands there and what belongs there.

use thiserror::Error;

use crate::domain::TooManyParts;

/// A body that cannot be read. Places are written as `messages[3].content[1].text`.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no JSON.
    #[error("the body is no JSON")]
    NotJson(#[source] serde_json::Error),
    /// Something else belongs here.
    #[error("{place} must be {wanted}, not {found}")]
    Wrong {
        /// Where, in backquotes.
        place: String,
        /// The right form.
        wanted: &'static str,
        /// What stands there, its beginning if it is long.
        found: String,
    },
    /// Something belongs here and is not there.
    #[error("{place} is missing; {wanted} belongs there")]
    Missing {
        /// Where, in backquotes.
        place: String,
        /// The right form.
        wanted: &'static str,
    },
    /// A field is there twice: which of them counts is anyone's guess.
    #[error("{place} is there twice")]
    Twice {
        /// Which field, in backquotes.
        place: String,
    },
    /// A message has more parts than can be kept.
    #[error("{place} is too long")]
    TooManyParts {
        /// Which message, in backquotes.
        place: String,
        /// How many it has.
        #[source]
        source: TooManyParts,
    },
}
