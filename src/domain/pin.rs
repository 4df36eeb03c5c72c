//! Pins: facts kept outside all summaries. Owns their kinds and states.

use super::ids::{EventId, MessageId};
use super::time::Timestamp;

/// What a pin holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PinKind {
    /// Something the user forbids or demands.
    Constraint,
    /// Something agreed.
    Decision,
    /// What will be done.
    Plan,
    /// Something true.
    Fact,
}

/// Where a pin stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PinState {
    /// Found, not yet kept in views.
    Proposed,
    /// In every view.
    Live,
    /// No longer true.
    Retired,
}

/// A fact kept verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pin {
    /// The event that made it.
    pub id: EventId,
    /// What it holds.
    pub kind: PinKind,
    /// Where it stands.
    pub state: PinState,
    /// The words, verbatim.
    pub text: String,
    /// The message they come from.
    pub source: Option<MessageId>,
    /// When it was made.
    pub at: Timestamp,
}
