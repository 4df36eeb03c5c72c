//! Stretches of time up to now. Owns their units.
//! May not read a clock: the caller says what now is.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::time::Timestamp;

const HOUR_MILLIS: i64 = 60 * 60 * 1000;
const DAY_MILLIS: i64 = 24 * HOUR_MILLIS;
/// Nothing is older than ten thousand years; more would leave the calendar.
const MAX_MILLIS: i64 = 10_000 * 365 * DAY_MILLIS;

/// A stretch of time up to now: hours, days, weeks or months of 30 days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Last {
    millis: i64,
}

/// A text that is no such stretch.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` {reason}; write a whole number and a unit without a blank: h hours, d days, w weeks, \
     m months of 30 days (m is a month, not a minute), such as 6h, 7d, 2w or 1m"
)]
pub struct LastError {
    text: String,
    reason: &'static str,
}

impl Last {
    /// Returns the moment that many milliseconds before `now`.
    #[must_use]
    pub const fn since(self, now: Timestamp) -> Timestamp {
        now.plus_millis(-self.millis)
    }

    /// Returns the stretch in milliseconds.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.millis
    }
}

impl fmt::Display for Last {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.millis % DAY_MILLIS == 0 {
            write!(formatter, "{}d", self.millis / DAY_MILLIS)
        } else {
            write!(formatter, "{}h", self.millis / HOUR_MILLIS)
        }
    }
}

impl FromStr for Last {
    type Err = LastError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = |reason| LastError {
            text: text.to_owned(),
            reason,
        };
        let not_a_stretch = || refused("is no stretch of time");
        let (digits, unit_millis) = [
            ('h', HOUR_MILLIS),
            ('d', DAY_MILLIS),
            ('w', 7 * DAY_MILLIS),
            ('m', 30 * DAY_MILLIS),
        ]
        .into_iter()
        .find_map(|(unit, millis)| text.strip_suffix(unit).map(|digits| (digits, millis)))
        .ok_or_else(not_a_stretch)?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(not_a_stretch());
        }
        let millis = digits
            .parse::<i64>()
            .ok()
            .and_then(|count| count.checked_mul(unit_millis))
            .filter(|millis| *millis <= MAX_MILLIS)
            .ok_or_else(|| refused("is longer than 10000 years"))?;
        if millis == 0 {
            return Err(refused("is no time at all"));
        }
        Ok(Self { millis })
    }
}
