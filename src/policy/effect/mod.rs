//! Whether compactions help. Owns how the next measurement judges them, and the pause that comes
//! of many that did not. Pure: may not read a clock or an event.

use super::limits::Limits;
use crate::domain::{Pause, Seen, Steering, Timestamp, Tokens};

#[cfg(test)]
mod tests;

/// What a measurement says of the compactions since the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// There were none, or what they saved is too little to be seen.
    NotJudged,
    /// The model counts fewer tokens, as it should.
    Effective,
    /// The model counts about as many as it would have without them.
    Ineffective,
}

/// Judges by two measurements and what compactions between them say that they saved, in estimated
/// tokens.
///
/// Without them the view would now hold what it holds and what they saved, counted as before. What
/// the model counts less than that is what they really saved; a quarter of the promise is enough.
#[must_use]
pub fn judge(before: Seen, now: Seen, saved: Tokens, limits: &Limits) -> Effect {
    let uncompacted = now.estimated + saved;
    let is_seen = saved > uncompacted.percent(limits.effect_seen_percent);
    if !is_seen || before.estimated < limits.least_measured {
        return Effect::NotJudged;
    }
    let as_before = |estimated: Tokens| {
        let scaled = u128::from(estimated.get()) * u128::from(before.measured.get())
            / u128::from(before.estimated.get().max(1));
        Tokens::new(u64::try_from(scaled).unwrap_or(u64::MAX))
    };
    let really = as_before(uncompacted).saturating_sub(now.measured);
    if really >= as_before(saved).percent(limits.effect_percent) {
        Effect::Effective
    } else {
        Effect::Ineffective
    }
}

/// Notes an effect: one that helped ends a pause and what led to it, too many in a row that did not
/// begin one.
pub fn note(state: &mut Steering, effect: Effect, limits: &Limits, now: Timestamp) {
    match effect {
        Effect::NotJudged => {}
        Effect::Effective => {
            state.ineffective = 0;
            state.pause = None;
        }
        Effect::Ineffective => {
            state.ineffective = state.ineffective.saturating_add(1);
            if state.ineffective >= limits.ineffective_limit {
                state.pause = Some(Pause {
                    since: now,
                    until: now.plus_millis(limits.ineffective_pause_millis),
                });
            }
        }
    }
}

/// Returns the pause that holds now.
#[must_use]
pub fn pause_at(state: &Steering, now: Timestamp) -> Option<Pause> {
    state.pause.filter(|pause| now < pause.until)
}
