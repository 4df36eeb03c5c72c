//! How a model's own counts compare with the estimates, and how much it takes. Owns the factor.
//! May not estimate: it relates what was estimated to what a provider measured.

use super::ids::{ConversationId, EventId, Seq};
use super::span::Span;
use super::time::Timestamp;
use super::tokens::Tokens;
use super::window::Window;

/// How many of a model's tokens one estimated token is, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(u32);

impl Factor {
    /// The estimate is right, or nothing is known.
    pub const ONE: Self = Self(1_000);
    /// No estimate is further above the truth than twice: less is a measurement of something else.
    pub const LEAST: Self = Self(500);
    /// No estimate is further below the truth than a fourth.
    pub const MOST: Self = Self(4_000);

    /// Relates a measurement to the estimate of the same text, within the bounds.
    #[must_use]
    pub fn of(estimated: Tokens, measured: Tokens) -> Self {
        let ratio = u128::from(measured.get()) * 1_000 / u128::from(estimated.get().max(1));
        Self::from_thousandths(u32::try_from(ratio).unwrap_or(u32::MAX))
    }

    /// Reads a stored factor, within the bounds.
    #[must_use]
    pub fn from_thousandths(thousandths: u32) -> Self {
        Self(thousandths.clamp(Self::LEAST.0, Self::MOST.0))
    }

    /// Returns the factor in thousandths.
    #[must_use]
    pub const fn thousandths(self) -> u32 {
        self.0
    }

    /// Returns how many of the model's tokens an estimate stands for, rounded up.
    #[must_use]
    pub fn measured(self, estimated: Tokens) -> Tokens {
        scale(estimated, u128::from(self.0), 1_000, 999)
    }

    /// Returns how many estimated tokens fit into `room` of the model's own, at least 1.
    #[must_use]
    pub fn room(self, room: Tokens) -> Tokens {
        scale(room, 1_000, u128::from(self.0), 0).max(Tokens::new(1))
    }

    /// Says whether two factors are far enough apart to be worth a record: 2 %.
    #[must_use]
    pub const fn differs(self, other: Self) -> bool {
        self.0.abs_diff(other.0) * 50 > other.0
    }
}

impl Default for Factor {
    fn default() -> Self {
        Self::ONE
    }
}

fn scale(tokens: Tokens, by: u128, per: u128, slack: u128) -> Tokens {
    let scaled = (u128::from(tokens.get()) * by + slack) / per.max(1);
    Tokens::new(u64::try_from(scaled).unwrap_or(u64::MAX))
}

/// What is known of a conversation's model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Gauge {
    /// How its counts compare with the estimates.
    pub factor: Factor,
    /// What it takes at most, if an error of it said so.
    pub limit: Option<Tokens>,
}

impl Gauge {
    /// Makes a gauge of what was measured.
    #[must_use]
    pub const fn new(factor: Factor, limit: Option<Tokens>) -> Self {
        Self { factor, limit }
    }

    /// Returns what a view may hold, in estimated tokens: never more than the window leaves, and
    /// less where the model counts more tokens than the estimate.
    #[must_use]
    pub fn budget(self, window: Window) -> Tokens {
        self.factor.room(window.budget()).min(window.budget())
    }

    /// Returns a share of the window's room, in estimated tokens, as a trigger: later where the
    /// model counts fewer tokens than the estimate, but never past what a view may hold.
    #[must_use]
    pub fn share(self, window: Window, percent: u64) -> Tokens {
        let share = self.factor.room(window.budget().percent(percent));
        let share = if percent == 0 { Tokens::ZERO } else { share };
        share.min(self.budget(window))
    }
}

/// Which state of a conversation a view shows: a measurement of another one says nothing of this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ViewVersion {
    /// The branch.
    pub conversation: ConversationId,
    /// Its newest message.
    pub head: Option<Seq>,
    /// The newest event that views depend on.
    pub event: Option<EventId>,
    /// The view's tokens, as estimated.
    pub tokens: Tokens,
}

impl ViewVersion {
    /// Makes a version; the engine does.
    #[must_use]
    pub const fn new(
        conversation: ConversationId,
        head: Option<Seq>,
        event: Option<EventId>,
        tokens: Tokens,
    ) -> Self {
        Self {
            conversation,
            head,
            event,
            tokens,
        }
    }

    /// Says whether two views show the same state, whatever their budgets.
    #[must_use]
    pub fn is_same_state(self, other: Self) -> bool {
        (self.conversation, self.head, self.event) == (other.conversation, other.head, other.event)
    }

    /// Returns the messages that the view stands for.
    #[must_use]
    pub fn span(self) -> Option<Span> {
        self.head.and_then(|head| Span::new(Seq::FIRST, head))
    }
}

/// What was learned of a model, to be written with its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurement {
    /// The branch.
    pub conversation: ConversationId,
    /// The model, empty where nobody named it.
    pub model: String,
    /// What is known of it from now on.
    pub gauge: Gauge,
    /// What was learned.
    pub learned: Learned,
    /// The event's word: `usage`, `overflow`.
    pub reason: String,
    /// When.
    pub now: Timestamp,
}

/// What a measurement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learned {
    /// How many of the model's tokens a text has.
    Factor {
        /// As estimated.
        estimated: Tokens,
        /// As the provider counted.
        measured: Tokens,
    },
    /// How much the model takes: the window from now on.
    Limit(Window),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Mutants seen to fail: a budget that a factor below one makes larger than the window's,
        /// a share that is not scaled, a room that is rounded up.
        #[test]
        fn a_factor_keeps_views_within_the_window_and_triggers_within_views(
            estimated in any::<u64>(),
            measured in any::<u64>(),
            context in 1_u64..10_000_000,
            spoken_for in 0_u64..10_000_000,
            percent in 0_u64..=100,
        ) {
            let tokens = Tokens::new;
            let Ok(window) = Window::new(tokens(context), tokens(spoken_for), Tokens::ZERO) else {
                return Ok(());
            };
            let factor = Factor::of(tokens(estimated), tokens(measured));
            prop_assert!((Factor::LEAST..=Factor::MOST).contains(&factor));
            let gauge = Gauge::new(factor, None);
            let budget = gauge.budget(window);
            prop_assert!(Tokens::ZERO < budget && budget <= window.budget());
            let fits = factor.measured(budget) <= window.budget();
            prop_assert!(fits || budget == tokens(1));
            let share = gauge.share(window, percent);
            prop_assert!(share <= budget);
            let room = window.budget().percent(percent);
            prop_assert!(factor.measured(share) <= room || share == tokens(1));
            // Not much is left unused, unless the budget of the view holds it down.
            let next = factor.measured(share + tokens(1));
            prop_assert!(share == budget || next > room || percent == 0);
        }
    }

    #[test]
    fn small_differences_are_no_news() {
        let factor = Factor::from_thousandths;
        assert!(!factor(1_000).differs(factor(1_019)));
        assert!(factor(1_000).differs(factor(1_021)));
        assert_eq!(Factor::of(Tokens::ZERO, Tokens::ZERO), Factor::LEAST);
    }
}
