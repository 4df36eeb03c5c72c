//! Events: what the engine did, in order. Owns the kinds and their fields.
//! May not hold bodies.

use super::ids::{ConversationId, EventId, SummaryId};
use super::redact::RedactionCounts;
use super::span::Span;
use super::time::Timestamp;
use super::tokens::Tokens;
use super::usage::Usage;
use super::window::Window;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A leaf was written.
    Leaf,
    /// Nodes were merged.
    Condense,
    /// Prepared rows became live.
    Promote,
    /// The configured window changed.
    Window,
    /// A branch began.
    Fork,
    /// The session key's pointer moved.
    Switch,
    /// A model was called.
    Call,
    /// A node was written anew.
    Repair,
    /// A provider's own count was set beside the estimate.
    Calibrate,
    /// Old tool results became a line each.
    Clear,
    /// A pin was made, or came to stand elsewhere.
    Pin,
    /// Raw messages were counted anew, by changed caps on tool results.
    Recount,
}

impl EventKind {
    /// Returns the word stored and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Condense => "condense",
            Self::Promote => "promote",
            Self::Window => "window",
            Self::Fork => "fork",
            Self::Switch => "switch",
            Self::Call => "call",
            Self::Repair => "repair",
            Self::Calibrate => "calibrate",
            Self::Clear => "clear",
            Self::Pin => "pin",
            Self::Recount => "recount",
        }
    }

    /// Reads the stored word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [
            Self::Leaf,
            Self::Condense,
            Self::Promote,
            Self::Window,
            Self::Fork,
            Self::Switch,
            Self::Call,
            Self::Repair,
            Self::Calibrate,
            Self::Clear,
            Self::Pin,
            Self::Recount,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == word)
    }
}

/// A new configured window, as an event carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WindowChange {
    /// The window from now on.
    pub window: Window,
}

/// One record of what the engine did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Its id, from the one sequence.
    pub id: EventId,
    /// What happened.
    pub kind: EventKind,
    /// The branch it happened to.
    pub conversation: ConversationId,
    /// When.
    pub at: Timestamp,
    /// The messages concerned.
    pub span: Option<Span>,
    /// The summary written.
    pub summary: Option<SummaryId>,
    /// Pressure before.
    pub tokens_before: Option<Tokens>,
    /// Pressure after.
    pub tokens_after: Option<Tokens>,
    /// One `snake_case` word; of a recount how many rows and the caps.
    pub reason: Option<String>,
    /// The greatest summary id views may use after this.
    pub live_id: Option<SummaryId>,
    /// The branch the session key points at after this.
    pub pointer: Option<ConversationId>,
    /// The configured window, for a window event.
    pub window: Option<Window>,
    /// The model, for a call.
    pub model: Option<String>,
    /// What it cost, for a call of a model whose provider says so.
    pub usage: Option<Usage>,
    /// What was replaced in the prompt and the answer, for a call.
    pub redactions: RedactionCounts,
}

impl Event {
    /// Makes an event with nothing but its identity; rows fill in the rest.
    #[must_use]
    pub fn new(id: EventId, kind: EventKind, conversation: ConversationId, at: Timestamp) -> Self {
        Self {
            id,
            kind,
            conversation,
            at,
            span: None,
            summary: None,
            tokens_before: None,
            tokens_after: None,
            reason: None,
            live_id: None,
            pointer: None,
            window: None,
            model: None,
            usage: None,
            redactions: RedactionCounts::default(),
        }
    }
}
