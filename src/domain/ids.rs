//! Identifiers. Each is a number of its own kind, so that one cannot stand for another.
//! May not know where a number comes from: the store gives them out.

use std::fmt;

macro_rules! store_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i64);

        impl $name {
            /// Wraps a number given by the store.
            #[must_use]
            pub const fn new(raw: i64) -> Self {
                Self(raw)
            }

            /// Returns the number.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}", self.0)
            }
        }
    };
}

store_id! {
    /// A message. Shares one sequence with summaries and events; order of ids is order of commit.
    MessageId
}
store_id! {
    /// A summary, leaf or condensed. Printed for people and models as `s` and the number.
    SummaryId
}
store_id! {
    /// An event.
    EventId
}
store_id! {
    /// A conversation, one branch of a family.
    ConversationId
}
store_id! {
    /// A file that transcripts were imported from.
    SourceId
}

/// The place of a message in its conversation: 1, 2, 3… without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u64);

impl Seq {
    /// The place of the first message.
    pub const FIRST: Self = Self(1);

    /// Wraps a place; `None` for 0.
    #[must_use]
    pub const fn new(raw: u64) -> Option<Self> {
        if raw == 0 { None } else { Some(Self(raw)) }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the place after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Returns the place before this one, `None` before the first.
    #[must_use]
    pub const fn prev(self) -> Option<Self> {
        Self::new(self.0 - 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// How far a summary stands above the messages: 0 for a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(u32);

impl Depth {
    /// The depth of a leaf summary.
    pub const LEAF: Self = Self(0);

    /// Wraps a depth.
    #[must_use]
    pub const fn new(raw: u32) -> Self {
        Self(raw)
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the depth of a parent of this one.
    #[must_use]
    pub const fn above(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// Which version of a node over one span and depth: 0 is the first, a repair is one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(u32);

impl Generation {
    /// The first version.
    pub const FIRST: Self = Self(0);

    /// Wraps a generation.
    #[must_use]
    pub const fn new(raw: u32) -> Self {
        Self(raw)
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the generation that replaces this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}
