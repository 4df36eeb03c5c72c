//! When a call is made again. Pure: what failed in, how long to wait out.
//! May not wait itself.

use std::time::Duration;

/// How often and how soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    attempts: u32,
    base: Duration,
    most: Duration,
}

impl Default for RetryPolicy {
    /// Three attempts, half a second and then a second between them at most, by chance less: a turn
    /// waits for its leaf, and a rate limit is not helped by all callers coming back at once.
    fn default() -> Self {
        Self::new(3, Duration::from_millis(500), Duration::from_secs(20))
    }
}

impl RetryPolicy {
    /// Makes a policy: attempts in all, the first wait at most, and any wait at most.
    #[must_use]
    pub const fn new(attempts: u32, base: Duration, most: Duration) -> Self {
        Self {
            attempts,
            base,
            most,
        }
    }

    /// Returns how long to wait after `n_failed` failed attempts, or that it was the last. `chance` is
    /// from 0 to 1. The provider's own word is kept, with a little by chance on top.
    #[must_use]
    pub fn wait(
        &self,
        n_failed: u32,
        retry_after: Option<Duration>,
        chance: f64,
    ) -> Option<Duration> {
        if n_failed == 0 || n_failed >= self.attempts {
            return None;
        }
        let doubled = self
            .base
            .saturating_mul(1_u32.checked_shl(n_failed - 1).unwrap_or(u32::MAX))
            .min(self.most);
        let chance = chance.clamp(0.0, 1.0);
        Some(match retry_after {
            Some(told) => told.saturating_add(self.base.mul_f64(chance)),
            None => doubled.mul_f64(chance),
        })
    }
}
