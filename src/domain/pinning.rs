//! Changes of pins: what a planner decided and a commit will check again.
//! May not be made from anything but a board and what users said.

use super::ids::{ConversationId, EventId, Seq};
use super::pin::{Pin, PinBy, PinKind, PinSource, PinState};
use super::time::Timestamp;
use super::tokens::Tokens;

/// One change of pins, as planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinChange {
    /// A pin is made.
    Make(NewPin),
    /// A pin comes to stand elsewhere.
    Move(PinMove),
}

/// A pin that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPin {
    /// What it holds.
    pub kind: PinKind,
    /// Where it stands at first.
    pub state: PinState,
    /// Who makes it.
    pub by: PinBy,
    /// The words, verbatim.
    pub text: String,
    /// What its line costs in a view at most.
    pub tokens: Tokens,
    /// The message they come from.
    pub source: Option<PinSource>,
    /// The event's word.
    pub reason: &'static str,
}

/// A change of where a pin stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinMove {
    /// The pin.
    pub pin: PinRef,
    /// Where it stands from now on.
    pub state: PinState,
    /// Who puts it there.
    pub by: PinBy,
    /// The place of the message that brings the change about.
    pub cause: Option<Seq>,
    /// The event's word.
    pub reason: &'static str,
}

/// A pin that a change speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PinRef {
    /// A stored one.
    Stored(EventId),
    /// The one that this change of the same commit makes, from 0.
    Made(usize),
}

/// Changes of pins, with what must still hold for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinCommit {
    /// The branch.
    pub conversation: ConversationId,
    /// The newest change of pins that the branch saw when they were planned.
    pub newest: Option<EventId>,
    /// How far its words had been looked through then.
    pub mark: Option<Seq>,
    /// How far they are looked through with this.
    pub new_mark: Option<Seq>,
    /// The changes, in order; may be none.
    pub changes: Vec<PinChange>,
    /// When.
    pub now: Timestamp,
}

/// What came of changes of pins.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinOutcome {
    /// They are written; the event of each, in order.
    Applied(Vec<EventId>),
    /// Pins or the mark have moved since the plan; nothing was written.
    Stale,
}

/// What a branch's pins are planned from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinBoard {
    /// Those proposed or live, the oldest first.
    pub standing: Vec<Pin>,
    /// The newest change of pins that the branch sees.
    pub newest: Option<EventId>,
    /// How far its words were looked through.
    pub mark: Option<Seq>,
}

impl PinBoard {
    /// Makes a board of what was read in one state of the store.
    #[must_use]
    pub const fn new(standing: Vec<Pin>, newest: Option<EventId>, mark: Option<Seq>) -> Self {
        Self {
            standing,
            newest,
            mark,
        }
    }
}

/// Words of one visible message of a user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The message.
    pub source: PinSource,
    /// The words of one of its parts.
    pub text: String,
}

/// A stretch of what users said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidPage {
    /// The words, in order.
    pub said: Vec<Said>,
    /// The last row that was looked at; `None` where nothing is left.
    pub last: Option<Seq>,
}
