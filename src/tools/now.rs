//! The moment that `last` counts back from.

use crate::domain::Timestamp;
use crate::engine::Engine;

/// Returns the present moment.
#[must_use]
pub fn now(_engine: &Engine) -> Timestamp {
    let since_1970 = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}
