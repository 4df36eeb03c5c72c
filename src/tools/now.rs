//! The moment that `last` counts back from.

use crate::domain::Timestamp;
use crate::engine::Engine;

/// Returns the present moment by the engine's clock.
#[must_use]
pub fn now(engine: &Engine) -> Timestamp {
    engine.now()
}
