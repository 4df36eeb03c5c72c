//! Whether a completer may be called. Pure: a breaker's state in, the next state out.
//! May not read the clock or the store.

use crate::domain::{Breaker, Timestamp};
use crate::policy::limits::Limits;

/// Whether a call is allowed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// It is.
    Closed,
    /// Too many failures in a row: not before this time.
    Open(Timestamp),
    /// Too many calls in the spend guard's window: not before this time.
    Spent(Timestamp),
}

/// What came of a unit's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    /// An answer was taken, or refused for what it said.
    Answered,
    /// No answer came.
    Failed,
}

/// Returns the state of a completer that was never called.
pub(super) fn fresh(name: &str, limits: &Limits) -> Breaker {
    Breaker {
        name: name.to_owned(),
        failures: 0,
        open_until: None,
        next_open_millis: limits.breaker_open_millis,
        window_start: None,
        calls: 0,
    }
}

/// Says whether a call is allowed.
pub(super) fn gate(breaker: &Breaker, limits: &Limits, now: Timestamp) -> Gate {
    if let Some(until) = breaker.open_until
        && now < until
    {
        return Gate::Open(until);
    }
    if let Some(start) = breaker.window_start {
        let end = start.plus_millis(limits.spend_window_millis);
        if now < end && breaker.calls >= limits.spend_calls {
            return Gate::Spent(end);
        }
    }
    Gate::Closed
}

/// Returns the state after a unit made `calls` calls.
pub(super) fn after(
    mut breaker: Breaker,
    called: Called,
    calls: u32,
    limits: &Limits,
    now: Timestamp,
) -> Breaker {
    let in_window = breaker
        .window_start
        .is_some_and(|start| now < start.plus_millis(limits.spend_window_millis));
    if !in_window {
        breaker.window_start = Some(now);
        breaker.calls = 0;
    }
    breaker.calls = breaker.calls.saturating_add(calls);
    match called {
        Called::Answered => {
            breaker.failures = 0;
            breaker.open_until = None;
            breaker.next_open_millis = limits.breaker_open_millis;
        }
        Called::Failed => {
            breaker.failures = breaker.failures.saturating_add(1);
            if breaker.failures >= limits.breaker_failures {
                breaker.open_until = Some(now.plus_millis(breaker.next_open_millis));
                breaker.next_open_millis = breaker
                    .next_open_millis
                    .saturating_mul(2)
                    .min(limits.breaker_open_max_millis);
            }
        }
    }
    breaker
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn three_failures_open_it_for_a_minute_then_for_twice_as_long() {
        let limits = Limits::default();
        let mut breaker = fresh("model", &limits);
        for _ in 0..2 {
            breaker = after(breaker, Called::Failed, 1, &limits, at(0));
            assert_eq!(gate(&breaker, &limits, at(0)), Gate::Closed);
        }
        breaker = after(breaker, Called::Failed, 1, &limits, at(0));
        assert_eq!(gate(&breaker, &limits, at(59_999)), Gate::Open(at(60_000)));
        assert_eq!(gate(&breaker, &limits, at(60_000)), Gate::Closed);
        breaker = after(breaker, Called::Failed, 1, &limits, at(60_000));
        assert_eq!(gate(&breaker, &limits, at(60_000)), Gate::Open(at(180_000)));
    }

    #[test]
    fn the_opening_doubles_to_half_an_hour_and_an_answer_resets_it() {
        let limits = Limits::default();
        let mut breaker = fresh("model", &limits);
        for _ in 0..20 {
            breaker = after(breaker, Called::Failed, 1, &limits, at(0));
        }
        assert_eq!(breaker.open_until, Some(at(30 * 60_000)));
        breaker = after(breaker, Called::Answered, 1, &limits, at(0));
        assert_eq!(gate(&breaker, &limits, at(0)), Gate::Closed);
        assert_eq!(breaker.next_open_millis, limits.breaker_open_millis);
    }

    #[test]
    fn the_spend_guard_bounds_calls_in_a_window() {
        let limits = Limits::default();
        let mut breaker = fresh("model", &limits);
        breaker = after(
            breaker,
            Called::Answered,
            limits.spend_calls,
            &limits,
            at(5),
        );
        let end = at(5 + limits.spend_window_millis);
        assert_eq!(gate(&breaker, &limits, at(6)), Gate::Spent(end));
        assert_eq!(gate(&breaker, &limits, end), Gate::Closed);
    }
}
