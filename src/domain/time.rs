//! Moments. Owns their form: UTC milliseconds in rows, ISO 8601 for people.
//! May not read a clock; it only says what a clock gives.

use std::fmt;

use chrono::{DateTime, NaiveDate, NaiveDateTime, SecondsFormat, Utc};
use thiserror::Error;

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// A text that is no moment.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` is no time; write 2026-01-02 or 2026-01-02T03:04:05Z (an offset such as +08:00 is allowed)"
)]
pub struct TimeError {
    text: String,
}

impl Timestamp {
    /// Wraps milliseconds since 1970.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns milliseconds since 1970.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Reads ISO 8601: a date (00:00 UTC), a date and time with an offset or `Z`, or one without
    /// (taken as UTC).
    ///
    /// # Errors
    /// [`TimeError`] shows the text and the right form.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let trimmed = text.trim();
        if let Ok(instant) = DateTime::parse_from_rfc3339(trimmed) {
            return Ok(Self(instant.timestamp_millis()));
        }
        for form in [
            "%Y-%m-%dT%H:%M:%S%.f",
            "%Y-%m-%d %H:%M:%S%.f",
            "%Y-%m-%dT%H:%M",
        ] {
            if let Ok(naive) = NaiveDateTime::parse_from_str(trimmed, form) {
                return Ok(Self(naive.and_utc().timestamp_millis()));
            }
        }
        NaiveDate::parse_from_str(trimmed, "%Y-%m-%d")
            .ok()
            .and_then(|date| date.and_hms_opt(0, 0, 0))
            .map(|naive| Self(naive.and_utc().timestamp_millis()))
            .ok_or_else(|| TimeError {
                text: text.to_owned(),
            })
    }

    /// Returns the moment this many milliseconds later, held within what can be stored.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DateTime::<Utc>::from_timestamp_millis(self.0) {
            Some(instant) => {
                formatter.write_str(&instant.to_rfc3339_opts(SecondsFormat::Millis, true))
            }
            None => write!(formatter, "{} ms", self.0),
        }
    }
}

/// Gives the time. The one seam through which the outside's clock comes in.
pub trait Clock: Send + Sync + 'static {
    /// Returns the present moment.
    fn now(&self) -> Timestamp;
}
