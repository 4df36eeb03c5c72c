//! Times as people read them: how long ago, then the date.

use crate::domain::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Up to here a number of days says more than a date.
const MONTH: i64 = 30 * DAY;

/// Returns how long before `now` a moment is, or its date where that is far or ahead.
pub(crate) fn ago(at: Option<Timestamp>, now: Timestamp) -> String {
    let Some(at) = at else {
        return "at an unknown time".to_owned();
    };
    let seconds = now.millis().saturating_sub(at.millis()).div_euclid(1000);
    match seconds {
        0..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => format!("{} min ago", seconds / MINUTE),
        HOUR..DAY => format!("{} h ago", seconds / HOUR),
        DAY..MONTH if seconds < 2 * DAY => "1 day ago".to_owned(),
        DAY..MONTH => format!("{} days ago", seconds / DAY),
        _ => at.to_string().chars().take(10).collect(),
    }
}

/// Returns a moment to the second, for listings where each counts.
pub(crate) fn moment(at: Timestamp) -> String {
    at.to_string()
        .chars()
        .take(19)
        .collect::<String>()
        .replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_times_are_told_by_distance_and_far_ones_by_date() {
        let now = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        for (text, want) in [
            ("2026-03-01T11:59:30Z", "just now"),
            ("2026-03-01T11:55:00Z", "5 min ago"),
            ("2026-03-01T09:00:00Z", "3 h ago"),
            ("2026-02-28T09:00:00Z", "1 day ago"),
            ("2026-02-20T12:00:00Z", "9 days ago"),
            ("2025-12-24T12:00:00Z", "2025-12-24"),
            ("2099-01-01T00:00:00Z", "2099-01-01"),
        ] {
            assert_eq!(ago(Timestamp::parse(text).ok(), now), want, "{text}");
        }
        assert_eq!(ago(None, now), "at an unknown time");
        assert_eq!(moment(now), "2026-03-01 12:00:00");
    }
}
