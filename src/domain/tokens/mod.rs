//! Token counts. Owns the estimator and the fixed costs of a view's frame.
//! May not call a tokenizer of a provider: it estimates, and says how well.

mod estimate;
#[cfg(test)]
mod tests;

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

pub use estimate::{Estimator, MONOTONE_TOLERANCE, estimate};

/// A count of model tokens, as estimated here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tokens(u64);

impl Tokens {
    /// No tokens.
    pub const ZERO: Self = Self(0);

    /// Wraps a count.
    #[must_use]
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// Returns the count.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns `percent` hundredths of this count, rounded down.
    #[must_use]
    pub const fn percent(self, percent: u64) -> Self {
        Self(self.0 / 100 * percent + self.0 % 100 * percent / 100)
    }

    /// Returns the difference, never below zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Tokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// Counts the tokens of a text. The default is [`estimate`]; a host may bring its model's own.
pub trait TokenCounter: Send + Sync + 'static {
    /// Returns the tokens of `text`, without any frame around it.
    fn count(&self, text: &str) -> Tokens;
}

/// Fixed costs of what providers put around a text, in tokens.
pub mod cost {
    use super::Tokens;

    /// Role and separators of one message.
    pub const MESSAGE: Tokens = Tokens::new(8);
    /// The frame of one part.
    pub const PART: Tokens = Tokens::new(4);
    /// The frame of one call beside its name and arguments, ids included.
    pub const CALL: Tokens = Tokens::new(24);
    /// The frame of one result beside its body, ids included.
    pub const RESULT: Tokens = Tokens::new(24);
    /// One picture or other media, whatever its size.
    pub const MEDIA: Tokens = Tokens::new(1_600);
    /// The wrapper of one summary beside its body.
    pub const SUMMARY: Tokens = Tokens::new(64);
}
