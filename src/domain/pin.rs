//! Pins: facts kept outside all summaries. Owns their kinds and states.
//! May not decide which facts are worth one.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::ids::{ConversationId, EventId, MessageId, Seq};
use super::time::Timestamp;
use super::tokens::Tokens;

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

impl PinKind {
    /// All kinds, in the order they are told of.
    pub const ALL: [Self; 4] = [Self::Constraint, Self::Decision, Self::Plan, Self::Fact];

    /// Returns the word stored and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Constraint => "constraint",
            Self::Decision => "decision",
            Self::Plan => "plan",
            Self::Fact => "fact",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
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

impl PinState {
    /// Returns the word stored and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Live => "live",
            Self::Retired => "retired",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Proposed, Self::Live, Self::Retired]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

/// Who put a pin where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PinBy {
    /// It was found in what a user said.
    Auto,
    /// Somebody asked for it.
    Hand,
}

impl PinBy {
    /// Returns the word stored and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Hand => "hand",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Auto, Self::Hand]
            .into_iter()
            .find(|by| by.as_str() == word)
    }
}

/// The message that a pin comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PinSource {
    /// Its id.
    pub message: MessageId,
    /// Its place.
    pub seq: Seq,
}

impl PinSource {
    /// Names a message by id and place.
    #[must_use]
    pub const fn new(message: MessageId, seq: Seq) -> Self {
        Self { message, seq }
    }
}

/// A live pin as planners see it: everything but its words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinMeta {
    /// The event that made it.
    pub id: EventId,
    /// What it holds.
    pub kind: PinKind,
    /// Who made it live.
    pub by: PinBy,
    /// What its line costs in a view at most.
    pub tokens: Tokens,
    /// The message it comes from.
    pub source: Option<PinSource>,
}

impl PinMeta {
    /// Makes the account of a live pin.
    #[must_use]
    pub const fn new(
        id: EventId,
        kind: PinKind,
        by: PinBy,
        tokens: Tokens,
        source: Option<PinSource>,
    ) -> Self {
        Self {
            id,
            kind,
            by,
            tokens,
            source,
        }
    }
}

/// A fact kept verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pin {
    /// The event that made it.
    pub id: EventId,
    /// The branch that made it.
    pub conversation: ConversationId,
    /// What it holds.
    pub kind: PinKind,
    /// Where it stands.
    pub state: PinState,
    /// Who put it there.
    pub by: PinBy,
    /// The words, verbatim.
    pub text: String,
    /// What its line costs in a view at most.
    pub tokens: Tokens,
    /// The message they come from.
    pub source: Option<PinSource>,
    /// When it was made.
    pub at: Timestamp,
}

impl Pin {
    /// Makes a pin that is live by hand and has no source; rows and tests fill in the rest.
    #[must_use]
    pub const fn new(
        id: EventId,
        conversation: ConversationId,
        kind: PinKind,
        text: String,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            conversation,
            kind,
            state: PinState::Live,
            by: PinBy::Hand,
            text,
            tokens: Tokens::ZERO,
            source: None,
            at,
        }
    }

    /// Returns what planners see of it.
    #[must_use]
    pub const fn meta(&self) -> PinMeta {
        PinMeta::new(self.id, self.kind, self.by, self.tokens, self.source)
    }
}

/// A pin asked for by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinRequest {
    /// What it holds.
    pub kind: PinKind,
    /// The words, verbatim.
    pub text: String,
    /// The message they come from.
    pub source: Option<MessageId>,
}

impl PinRequest {
    /// Asks for a pin that comes from no message.
    #[must_use]
    pub fn new(kind: PinKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            source: None,
        }
    }

    /// Names the message that the words come from.
    #[must_use]
    pub const fn from_message(mut self, message: MessageId) -> Self {
        self.source = Some(message);
        self
    }
}

/// Which pins are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PinFilter {
    /// Those that are proposed or live.
    #[default]
    Standing,
    /// Retired ones too.
    All,
}

/// A pin's id as people write it: `p57`, or the number alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PinId(pub EventId);

/// A text that is no id of a pin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is no pin's id; it is p and a number such as p57")]
pub struct PinIdError {
    text: String,
}

impl fmt::Display for PinId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "p{}", self.0)
    }
}

impl FromStr for PinId {
    type Err = PinIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('p').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number {
            return Err(PinIdError {
                text: text.to_owned(),
            });
        }
        // A number past 64 bits is well formed; no row can have it.
        Ok(Self(EventId::new(digits.parse().unwrap_or(i64::MAX))))
    }
}
