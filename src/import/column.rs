//! Values of other programs' databases. Owns what a column of one says in the import's words.
//! May not read a row.

use super::entry::{Location, time};
use crate::domain::Timestamp;
use crate::store::{ForeignRow, ForeignValue};

/// Reads a time: a number of seconds, milliseconds or microseconds, or a text.
pub(super) fn time_of(value: &ForeignValue) -> Option<Timestamp> {
    match value {
        ForeignValue::Integer(number) => time(&number.to_string()),
        ForeignValue::Real(number) => time(&format!("{number:.3}")),
        ForeignValue::Text(text) => Timestamp::parse(text).ok().or_else(|| time(text)),
        _ => None,
    }
}

/// Returns a text that is not blank.
pub(super) fn words_of(row: &ForeignRow, idx: usize) -> Option<&str> {
    row.text(idx).filter(|text| !text.trim().is_empty())
}

/// Returns the place of the row with this number; texts that number rows give none.
pub(super) fn place_of(number: &ForeignValue) -> Location {
    let offset = match number {
        ForeignValue::Integer(id) => u64::try_from(*id).unwrap_or_default(),
        _ => 0,
    };
    Location {
        offset,
        length: 0,
        line: 0,
    }
}
