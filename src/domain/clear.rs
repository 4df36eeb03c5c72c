//! Clears: old tool results that views show as one line. Owns what is recorded of one.
//! May not hold the body: the message does.

use super::ids::{ConversationId, EventId, MessageId};
use super::time::Timestamp;
use super::tokens::Tokens;

/// One tool result that views show as a line, with the pieces that follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    /// Which result of its row, from 0.
    pub nth: u32,
    /// The tool, where its call is known.
    pub tool: Option<String>,
    /// What views showed of it before.
    pub tokens: Tokens,
    /// What a view saves by the line.
    pub saved: Tokens,
    /// A newer message that holds the same result, whole in the view when this one was cleared.
    pub same_as: Option<MessageId>,
}

/// Shows old tool results as a line each, from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearPlan {
    /// The branch it was made for.
    pub conversation: ConversationId,
    /// What views held before.
    pub tokens_before: Tokens,
    /// The results by their rows, old to new; never empty.
    pub results: Vec<(MessageId, Cleared)>,
}

impl ClearPlan {
    /// Returns what a view saves by all of it.
    #[must_use]
    pub fn saved(&self) -> Tokens {
        self.results.iter().map(|(_, cleared)| cleared.saved).sum()
    }

    /// Returns what views hold after.
    #[must_use]
    pub fn tokens_after(&self) -> Tokens {
        self.tokens_before.saturating_sub(self.saved())
    }
}

/// What the store executes in one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearCommit {
    /// The decision.
    pub plan: ClearPlan,
    /// One `snake_case` word for the event: `turn`, `manual`, `until_under`, `stage`.
    pub reason: String,
    /// When.
    pub now: Timestamp,
}

/// What came of a clear.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClearOutcome {
    /// It is stored, with its event.
    Applied(EventId),
    /// Every one of the results was cleared before; nothing was written.
    Stale,
}
