//! Time filters as people and models write them. Owns which go together.
//! May not read a clock: the caller says what now is.

use thiserror::Error;

pub use crate::domain::{Last, LastError};
use crate::domain::{TimeError, TimeRange, Timestamp};
use crate::policy::pattern::parse;

/// Which times to look in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// All.
    #[default]
    Any,
    /// A stretch up to now.
    Last(Last),
    /// From one moment (inclusive) to another (exclusive), either open.
    Range(TimeRange),
}

/// Why three filters make no time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WhenError {
    /// `last` is no stretch.
    #[error("last: {0}")]
    Last(LastError),
    /// `since` is no moment.
    #[error("since: {0}")]
    Since(TimeError),
    /// `before` is no moment.
    #[error("before: {0}")]
    Before(TimeError),
    /// `last` came with another filter.
    #[error("`last` already says since when; use it alone, or use `since` (`after:`) and `before`")]
    LastAndRange,
}

impl When {
    /// Makes one filter of three texts.
    ///
    /// # Errors
    /// [`WhenError`] names the filter and the right form; `last` with either other one is refused.
    pub fn parse(
        last: Option<&str>,
        since: Option<&str>,
        before: Option<&str>,
    ) -> Result<Self, WhenError> {
        if last.is_some() && (since.is_some() || before.is_some()) {
            return Err(WhenError::LastAndRange);
        }
        if let Some(last) = last {
            return last.parse().map(Self::Last).map_err(WhenError::Last);
        }
        let moment = |text: Option<&str>| text.map(Timestamp::parse).transpose();
        let range = TimeRange {
            since: moment(since).map_err(WhenError::Since)?,
            before: moment(before).map_err(WhenError::Before)?,
        };
        Ok(if range.is_open() {
            Self::Any
        } else {
            Self::Range(range)
        })
    }

    /// Refuses a stretch up to now beside a pattern with times of its own.
    ///
    /// # Errors
    /// [`WhenError::LastAndRange`]. What is wrong with the pattern itself the search says.
    pub fn beside(self, pattern: &str) -> Result<Self, WhenError> {
        let has_times = || parse(pattern).is_ok_and(|pattern| pattern.has_times());
        if matches!(self, Self::Last(_)) && has_times() {
            return Err(WhenError::LastAndRange);
        }
        Ok(self)
    }

    /// Returns the range of moments meant at `now`.
    #[must_use]
    pub fn range(self, now: Timestamp) -> TimeRange {
        match self {
            Self::Any => TimeRange::default(),
            Self::Last(last) => TimeRange {
                since: Some(last.since(now)),
                before: None,
            },
            Self::Range(range) => range,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MILLIS: i64 = 60 * 60 * 1000;
    const NOW: Timestamp = Timestamp::from_millis(1_770_000_000_000);

    #[track_caller]
    fn check_last(text: &str, want_hours: Option<i64>) {
        let got = text.parse::<Last>().ok().map(Last::millis);
        assert_eq!(got, want_hours.map(|hours| hours * HOUR_MILLIS), "{text}");
    }

    #[test]
    fn last_reads_hours_days_weeks_and_months_of_thirty_days() {
        check_last("6h", Some(6));
        check_last("7d", Some(7 * 24));
        check_last("2w", Some(14 * 24));
        check_last("1m", Some(30 * 24));
        check_last("120m", Some(3600 * 24));
    }

    /// B050.
    #[test]
    fn last_refuses_what_is_no_number_and_unit() {
        let bad = [
            "",
            "h",
            "0.5d",
            "-1d",
            "+1d",
            "7 d",
            "1y",
            "10s",
            "1M",
            "7D",
            "d7",
            "7d ",
            "0h",
            "99999999999999999999d",
            "9223372036854775807w",
            "١d",
            "7d; DROP TABLE messages",
            "100000000m",
        ];
        for text in bad {
            check_last(text, None);
        }
    }

    #[test]
    fn a_refused_last_lists_the_units_and_says_that_m_is_a_month() {
        let error = "10s".parse::<Last>().unwrap_err().to_string();
        for part in [
            "`10s`",
            "h hours",
            "d days",
            "w weeks",
            "m months",
            "m is a month",
        ] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn last_counts_back_from_now() {
        let when = When::parse(Some("6h"), None, None).unwrap();
        let range = when.range(NOW);
        assert_eq!(range.since, Some(NOW.plus_millis(-6 * HOUR_MILLIS)));
        assert_eq!(range.before, None);
    }

    #[test]
    fn last_goes_with_no_other_filter() {
        for (since, before) in [(Some("2026-01-01"), None), (None, Some("2026-01-01"))] {
            let error = When::parse(Some("1d"), since, before).unwrap_err();
            assert_eq!(error, WhenError::LastAndRange);
        }
    }

    #[test]
    fn since_and_before_are_instants_whatever_their_offset() {
        let when = When::parse(None, Some("2026-01-02T09:00:00+09:00"), Some("2026-01-03"));
        let range = when.unwrap().range(NOW);
        assert_eq!(range.since, Some(Timestamp::parse("2026-01-02").unwrap()));
        assert_eq!(
            range.before,
            Some(Timestamp::parse("2026-01-03T00:00:00Z").unwrap())
        );
    }

    #[test]
    fn a_bad_moment_names_its_filter_and_the_right_form() {
        let error = When::parse(None, Some("yesterday-ish"), None)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("since: `yesterday-ish`"), "{error}");
        assert!(error.contains("2026-01-02"), "{error}");
        let error = When::parse(None, None, Some("2026-13-40T00:00:00Z")).unwrap_err();
        assert!(matches!(error, WhenError::Before(_)));
    }
}
