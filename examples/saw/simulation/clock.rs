//! The time of the simulated session. Moves only when told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hippocamp::domain::{Clock, Timestamp};

/// A clock that its owner moves.
pub(super) struct SessionClock(AtomicI64);

impl SessionClock {
    /// Starts at 2026-01-01.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_767_225_600_000)))
    }

    /// Moves on.
    pub(super) fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

impl Clock for SessionClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}
