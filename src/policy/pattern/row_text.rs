//! A row made ready. Owns its searchable text, cut once for any number of matchers.
//! May not match.

use std::borrow::Cow;

use crate::domain::{HitKind, SearchRow, Visibility};

use super::about::date_words;
use super::cut::Cut;
use super::part_text::part_text;

/// The searchable text of a row with its words.
#[derive(Debug, Clone)]
pub struct RowText<'row> {
    pub(super) parts: Vec<TextPart<'row>>,
    /// The speaker's name.
    pub(super) speaker: Option<Cut>,
    /// The words of the date.
    pub(super) date: Option<Cut>,
}

/// The searchable text of a part.
#[derive(Debug, Clone)]
pub(super) struct TextPart<'row> {
    pub(super) kind: HitKind,
    pub(super) text: Cow<'row, str>,
    pub(super) cut: Cut,
}

impl<'row> RowText<'row> {
    /// Cuts a row.
    #[must_use]
    pub fn of(row: &'row SearchRow) -> Self {
        let row_kind = match (row.depth, row.visibility) {
            (Some(_), _) => Some(HitKind::Summary),
            (None, Visibility::Meta) => Some(HitKind::Meta),
            (None, _) => None,
        };
        let parts = row
            .parts
            .iter()
            .filter_map(part_text)
            .map(|(kind, text)| TextPart {
                kind: row_kind.unwrap_or(kind),
                cut: Cut::of(&text),
                text,
            })
            .collect();
        // A summary covers many speakers and many days.
        let is_message = row.depth.is_none();
        let date = row.from.filter(|_| is_message).and_then(date_words);
        Self {
            parts,
            speaker: row.name.as_deref().filter(|_| is_message).map(Cut::of),
            date: date.as_deref().map(Cut::of),
        }
    }

    /// Returns the number of words of the text.
    #[must_use]
    pub fn length(&self) -> usize {
        self.parts.iter().map(|part| part.cut.words.len()).sum()
    }

    /// Returns the searchable text of a part by its place among the searched ones.
    #[must_use]
    pub fn part(&self, part_idx: usize) -> Option<&str> {
        self.parts.get(part_idx).map(|part| part.text.as_ref())
    }
}
