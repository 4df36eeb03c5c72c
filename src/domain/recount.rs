//! Recounts: what stored messages hold in a view since a cap changed. Owns what is recorded of one.
//! May not count: policy does.

use super::ids::{ConversationId, EventId, MessageId, Seq};
use super::time::Timestamp;
use super::tokens::Tokens;

/// One message whose tokens in a view have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recounted {
    /// Its row.
    pub message: MessageId,
    /// Its place.
    pub seq: Seq,
    /// What it held as it was read, after clears.
    pub before: Tokens,
    /// What it holds now, after clears.
    pub after: Tokens,
    /// What is recorded: what it holds now, with what its clears save.
    pub tokens: Tokens,
}

/// Counts a branch's raw messages by other caps from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecountPlan {
    /// The branch it was made for.
    pub conversation: ConversationId,
    /// The last message that was looked at.
    pub head: Option<Seq>,
    /// What the messages were counted by as they were read, as the branch's row says it.
    pub counted_by: String,
    /// What they are counted by from now on.
    pub caps: String,
    /// What views held before.
    pub tokens_before: Tokens,
    /// Those that change, old to new; none where the caps cut nothing else than before.
    pub rows: Vec<Recounted>,
}

impl RecountPlan {
    /// Returns what views hold after.
    #[must_use]
    pub fn tokens_after(&self) -> Tokens {
        let before: Tokens = self.rows.iter().map(|row| row.before).sum();
        let after: Tokens = self.rows.iter().map(|row| row.after).sum();
        self.tokens_before.saturating_sub(before) + after
    }

    /// Returns what the event says: how many rows, the caps before, where they are known, and the
    /// caps now.
    #[must_use]
    pub fn reason(&self) -> String {
        let caps = &self.caps;
        let before = self.counted_by.trim_end_matches(" +");
        let n_rows = self.rows.len();
        let rows = if n_rows == 1 { "row" } else { "rows" };
        if before.is_empty() || before == caps {
            format!("{n_rows} {rows} at cap {caps}")
        } else {
            format!("{n_rows} {rows} from cap {before} to cap {caps}")
        }
    }
}

/// What the store executes in one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecountCommit {
    /// The decision.
    pub plan: RecountPlan,
    /// When.
    pub now: Timestamp,
}

/// What came of a recount.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecountOutcome {
    /// It is stored, with its event.
    Applied(EventId),
    /// No message changes; the branch is counted by the new caps, and no event tells of it.
    Unchanged,
    /// Another writer has added messages, cleared or recounted since; nothing was written.
    Stale,
}
