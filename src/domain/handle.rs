//! Ids as people and models write them: `42` is a message, `s12` a summary.
//! May not look anything up.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::ids::{MessageId, SummaryId};

/// What a search prints and an expansion takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemId {
    /// A message, printed as a decimal number.
    Message(MessageId),
    /// A summary, printed as `s` and a decimal number.
    Summary(SummaryId),
}

/// A text that is no id at all. A number that no row has is not this error: it is missing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` is no id; a message id is a number such as 42, a summary id is s and a number such as s12"
)]
pub struct HandleError {
    text: String,
}

impl FromStr for ItemId {
    type Err = HandleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (digits, is_summary) = match text.strip_prefix('s') {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let well_formed = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !well_formed {
            return Err(HandleError {
                text: text.to_owned(),
            });
        }
        // A number past 64 bits is well formed; no row can have it.
        let raw = digits.parse().unwrap_or(i64::MAX);
        Ok(if is_summary {
            Self::Summary(SummaryId::new(raw))
        } else {
            Self::Message(MessageId::new(raw))
        })
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(id) => write!(formatter, "{id}"),
            Self::Summary(id) => write!(formatter, "s{id}"),
        }
    }
}
