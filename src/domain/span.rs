//! A stretch of messages. Owns the arithmetic of first and last.
//! May not be empty or run backwards.

use std::fmt;

use super::ids::Seq;

/// Messages `first..=last` of one conversation, never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    first: Seq,
    last: Seq,
}

impl Span {
    /// Makes a span; `None` if `last` is before `first`.
    #[must_use]
    pub fn new(first: Seq, last: Seq) -> Option<Self> {
        (first <= last).then_some(Self { first, last })
    }

    /// Makes the span of one message.
    #[must_use]
    pub const fn single(seq: Seq) -> Self {
        Self {
            first: seq,
            last: seq,
        }
    }

    /// Returns the first place.
    #[must_use]
    pub const fn first(self) -> Seq {
        self.first
    }

    /// Returns the last place.
    #[must_use]
    pub const fn last(self) -> Seq {
        self.last
    }

    /// Returns how many rows the span holds.
    #[must_use]
    pub const fn n_rows(self) -> u64 {
        self.last.get() - self.first.get() + 1
    }

    /// Says whether `seq` lies inside.
    #[must_use]
    pub fn contains(self, seq: Seq) -> bool {
        self.first <= seq && seq <= self.last
    }

    /// Says whether all of `other` lies inside.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// Says whether `next` begins right after this span.
    #[must_use]
    pub fn touches(self, next: Self) -> bool {
        self.last.next() == next.first
    }

    /// Joins two neighbours, this one being the older; `None` if there is a gap or an overlap.
    #[must_use]
    pub fn join(self, next: Self) -> Option<Self> {
        self.touches(next).then_some(Self {
            first: self.first,
            last: next.last,
        })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.first, self.last)
    }
}
