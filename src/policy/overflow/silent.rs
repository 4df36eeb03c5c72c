//! Overflows that no error tells of: the usage of an answered call does. Pure.

use crate::domain::{Factor, Tokens, Usage};
use crate::policy::judge::StopReason;

/// An overflow that passed without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Silent {
    /// The prompt was larger than the window, and what did not fit was cut off unsaid.
    OverWindow,
    /// The prompt left no room for an answer.
    NoRoom,
}

impl Silent {
    /// Returns the word printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OverWindow => "over_window",
            Self::NoRoom => "no_room",
        }
    }
}

/// Prompts of this much of the window and more leave no room, in percent.
const FULL_PERCENT: u64 = 99;

/// Says whether an answered call overflowed a window of `context` tokens. A view is estimated within
/// its window, and no estimate is further off than [`Factor::MOST`]: more is no count of it.
#[must_use]
pub fn silent(usage: Usage, stop: StopReason, context: Tokens) -> Option<Silent> {
    if usage.input > Factor::MOST.measured(context) {
        return None;
    }
    if usage.input > context {
        return Some(Silent::OverWindow);
    }
    let says_nothing = stop == StopReason::MaxTokens && usage.output == Tokens::ZERO;
    (says_nothing && usage.input >= context.percent(FULL_PERCENT)).then_some(Silent::NoRoom)
}
