//! Words for times. Owns which words of a text say when something was.
//! May not read a date: `about` writes those of a row.

use super::cut::Cut;
use super::row_text::RowText;

/// Words of the English calendar and words that count from today, sorted: the days of the week and
/// the months but `may`, which is a verb as often, and what any grammar lists as adverbs of definite
/// time.
const TIME_WORDS: [&str; 27] = [
    "ago",
    "april",
    "august",
    "december",
    "february",
    "friday",
    "january",
    "july",
    "june",
    "last",
    "march",
    "monday",
    "next",
    "november",
    "october",
    "saturday",
    "september",
    "since",
    "sunday",
    "thursday",
    "today",
    "tomorrow",
    "tonight",
    "tuesday",
    "wednesday",
    "weekend",
    "yesterday",
];

/// What a row says besides the words that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mention {
    /// A time: `last week`, `in july`, `2024`.
    Time,
    /// None that was looked for.
    Nothing,
}

/// Tells whether the text of a row names a time.
pub(super) fn mention(row: &RowText<'_>) -> Mention {
    if row.parts.iter().any(|part| names_time(&part.cut)) {
        Mention::Time
    } else {
        Mention::Nothing
    }
}

fn names_time(cut: &Cut) -> bool {
    cut.words.iter().any(|word| {
        let word = cut.text(word);
        TIME_WORDS.binary_search(&word).is_ok() || is_year(word)
    })
}

/// Says whether a word is a year that people speak of.
fn is_year(word: &str) -> bool {
    word.len() == 4
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && (word.starts_with("19") || word.starts_with("20"))
}
