//! What was found in a row. Owns the values that matching gives.
//! May not match.

use std::ops::Range;

use crate::domain::HitKind;

use super::query::TermUse;
use super::row_text::RowText;
use super::when::Mention;

/// What was found in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// How many of the wanted terms it has.
    pub coverage: Coverage,
    /// What it has of each term, in the order of [`Pattern::terms`](super::Pattern::terms).
    pub terms: Vec<TermHit>,
    /// The words of its text.
    pub length: usize,
    /// Whether its last words ask.
    pub ending: Ending,
    /// What its text names, where the pattern asks for that.
    pub mention: Mention,
    /// What kind of part was hit first.
    pub kind: HitKind,
    /// Whole written forms (`c++`, `foo_bar`) that its text has, of those in the pattern.
    pub whole_forms: Coverage,
    /// Places in its text, in order; at most a few of each term.
    pub positions: Vec<Position>,
}

/// Some of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// How many are there.
    pub found: usize,
    /// How many were asked for.
    pub wanted: usize,
}

impl Coverage {
    /// Says whether all are there.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.found == self.wanted
    }
}

/// What a row has of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TermHit {
    /// What the term is for.
    pub term_use: TermUse,
    /// How often it stands in the text.
    pub count: u32,
    /// How often among the first words: what the messages beside it are given of it.
    pub n_early: u32,
    /// Whether the speaker's name has it.
    pub is_speaker: bool,
    /// What the date has of it.
    pub date: DateHit,
}

/// How the text of a row ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a question mark.
    Question,
    /// In any other way.
    Statement,
}

/// Tells how the text of a row ends.
pub(super) fn ending(row: &RowText<'_>) -> Ending {
    let last = row.parts.last().map(|part| part.text.trim_end());
    if last.is_some_and(|text| text.ends_with(['?', '？', '؟'])) {
        Ending::Question
    } else {
        Ending::Statement
    }
}

/// What the words of a date have of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateHit {
    /// Nothing.
    #[default]
    None,
    /// A word, which counts beside another term only.
    Word,
    /// A whole date.
    Whole,
}

impl TermHit {
    /// Says whether the row has the term at all.
    #[must_use]
    pub fn is_present(self) -> bool {
        self.is_strong() || self.date == DateHit::Word
    }

    /// Says whether it has the term by itself, not only beside another.
    #[must_use]
    pub fn is_strong(self) -> bool {
        self.count > 0 || self.is_speaker || self.date == DateHit::Whole
    }
}

/// A place in the searchable text of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// Which part, counted among those searched.
    pub part_idx: usize,
    /// The bytes.
    pub bytes: Range<usize>,
    /// Which term.
    pub term_idx: usize,
}
