//! Words about a row that are not in its text. Owns how its date reads in words.
//! May not know time zones: dates are UTC.

use crate::domain::Timestamp;

use super::stem::stem;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// From the day of 1970-01-01 on.
const WEEKDAYS: [&str; 7] = [
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
];

const DAY_MILLIS: i64 = 86_400_000;

/// Returns the words of a date: `2026-01-02 2 january 2026 friday`. None for years that have not
/// four digits.
pub(super) fn date_words(at: Timestamp) -> Option<String> {
    let printed = at.to_string();
    let date = printed.get(..10)?;
    let mut fields = date.split('-');
    let (year, month, day) = (fields.next()?, fields.next()?, fields.next()?);
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let day: u32 = day.parse().ok()?;
    let days = at.millis().div_euclid(DAY_MILLIS).rem_euclid(7);
    let weekday = WEEKDAYS.get(usize::try_from(days).ok()?)?;
    Some(format!("{date} {day} {month} {year} {weekday}"))
}

/// Says whether the words of some date have a stem.
pub(super) fn is_stem_of_dates(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let mut names = MONTHS.iter().chain(&WEEKDAYS);
    is_number || names.any(|name| stem(name) == word)
}

/// Says whether the words of some date hold a piece of a word.
pub(super) fn is_of_dates(piece: &str) -> bool {
    let is_number = piece.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        || MONTHS
            .iter()
            .chain(&WEEKDAYS)
            .any(|word| word.contains(piece))
}
