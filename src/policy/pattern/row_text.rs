//! A row made ready. Owns its searchable text, cut once for any number of matchers.
//! May not match.

use std::borrow::Cow;

use crate::domain::{HitKind, Part, SearchRow, Visibility};
use crate::policy::rank::EARLY_WORDS;

use super::about::date_words;
use super::cut::Cut;
use super::part_text::{part_or_thought, part_text};

/// The searchable text of a row with its words.
#[derive(Debug, Clone)]
pub struct RowText<'row> {
    pub(super) row: &'row SearchRow,
    pub(super) parts: Vec<TextPart<'row>>,
    /// The speaker's name.
    pub(super) speaker: Option<Cut>,
    /// The words of the date.
    pub(super) date: Option<Cut>,
    /// Where the early words end: a part and a byte of its folded text.
    early: (usize, usize),
}

/// The searchable text of a part.
#[derive(Debug, Clone)]
pub(super) struct TextPart<'row> {
    pub(super) kind: HitKind,
    pub(super) text: Cow<'row, str>,
    pub(super) cut: Cut,
}

/// Says what is searched of a part.
pub(super) type PartText = fn(&Part) -> Option<(HitKind, Cow<'_, str>)>;

impl<'row> RowText<'row> {
    /// Cuts a row.
    #[must_use]
    pub fn of(row: &'row SearchRow) -> Self {
        Self::new(row, part_text)
    }

    /// Cuts a row, its thoughts too.
    pub(super) fn with_thoughts(row: &'row SearchRow) -> Self {
        Self::new(row, part_or_thought)
    }

    /// Takes the text of a row without cutting it: enough to show where matches are that are known.
    pub(super) fn uncut(row: &'row SearchRow, text_of: PartText) -> Self {
        let whole = |(kind, text)| TextPart {
            kind,
            cut: Cut::default(),
            text,
        };
        Self {
            row,
            parts: row.parts.iter().filter_map(text_of).map(whole).collect(),
            speaker: None,
            date: None,
            early: (0, 0),
        }
    }

    fn new(row: &'row SearchRow, text_of: PartText) -> Self {
        let row_kind = match (row.depth, row.visibility) {
            (Some(_), _) => Some(HitKind::Summary),
            (None, Visibility::Meta) => Some(HitKind::Meta),
            (None, _) => None,
        };
        let parts: Vec<TextPart<'_>> = row
            .parts
            .iter()
            .filter_map(text_of)
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
            row,
            early: early_end(&parts),
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

    /// Says whether a place in a part is among the first words of the row.
    pub(super) fn is_early(&self, part_idx: usize, folded: usize) -> bool {
        (part_idx, folded) < self.early
    }

    /// Returns the searchable text of a part by its place among the searched ones.
    #[must_use]
    pub fn part(&self, part_idx: usize) -> Option<&str> {
        self.parts.get(part_idx).map(|part| part.text.as_ref())
    }
}

/// Finds where the first words end.
fn early_end(parts: &[TextPart<'_>]) -> (usize, usize) {
    let mut n_left = EARLY_WORDS;
    for (part_idx, part) in parts.iter().enumerate() {
        if let Some(next) = part.cut.words.get(n_left) {
            return (part_idx, next.start);
        }
        n_left = n_left.saturating_sub(part.cut.words.len());
    }
    (parts.len(), 0)
}
