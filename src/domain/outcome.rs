//! What came of a commit. Owns the expected outcomes; errors are the store's.

use super::ids::{EventId, SummaryId};
use super::tokens::Tokens;

/// A summary and the event that tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Committed {
    /// The new row.
    pub summary: SummaryId,
    /// Its event.
    pub event: EventId,
    /// What the view holds since, if it held what the commit was told.
    pub pressure: Tokens,
}

/// What came of a commit.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The plan still held and is stored.
    Applied(Committed),
    /// The frontier has moved on; nothing was written.
    Stale,
}
