//! What hosts and providers say of a conversation beside the record. Owns its one changing row.
//! May not hold anything a view is made of: that is messages, summaries and events.

use super::ids::{ConversationId, EventId, MessageId, Seq};
use super::time::Timestamp;
use super::tokens::Tokens;

/// The state beside the record, of one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Steering {
    /// The model it is with.
    pub model: Option<CurrentModel>,
    /// The provider that compacts in our place.
    pub managed_by: Option<String>,
    /// A compaction that the agent asked for at the end of its turn.
    pub request: Option<CompactRequest>,
    /// What was tried after a provider's error in a turn.
    pub attempts: Option<Attempts>,
    /// The last view that a provider measured.
    pub seen: Option<Seen>,
    /// Compactions in a row that the next measurement did not confirm.
    pub ineffective: u32,
    /// Why and how long nothing is compacted unasked.
    pub pause: Option<Pause>,
}

/// The model a conversation is with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentModel {
    /// Its name.
    pub name: String,
    /// Who says so.
    pub known_by: KnownBy,
}

/// Who says which model a conversation is with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownBy {
    /// The host: an error of another model is of no concern.
    Host,
    /// The last measurement: another model may have taken its place unsaid.
    Usage,
}

/// A compaction that waits for the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactRequest {
    /// What the summaries should keep to.
    pub focus: Option<String>,
    /// The newest message when it was asked for.
    pub after: Option<Seq>,
}

/// Attempts to get under a provider's limit in one turn of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempts {
    /// The message that opens the turn; none before any.
    pub turn: Option<MessageId>,
    /// How many.
    pub count: u32,
    /// The view that the last one gave.
    pub tokens: Tokens,
}

/// A view that a provider measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The newest event that it showed.
    pub event: Option<EventId>,
    /// Its tokens, as estimated.
    pub estimated: Tokens,
    /// Its tokens, as the provider counted.
    pub measured: Tokens,
}

/// A stretch of time in which nothing is compacted unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// When it began.
    pub since: Timestamp,
    /// When it ends by itself.
    pub until: Timestamp,
}

/// A change of the state, if it still is what the change was decided from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteeringChange {
    /// The branch.
    pub conversation: ConversationId,
    /// The state that the change was decided from.
    pub before: Steering,
    /// The state from now on.
    pub after: Steering,
}
