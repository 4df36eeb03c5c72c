//! What one word gives a row. Owns BM25.
//! May not depend on how the row was found.

use super::weights::Weights;
use crate::policy::pattern::{DateHit, Match, TermHit, TermUse};

/// What is known of all rows that were searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Stats {
    /// How many rows there are.
    pub n_rows: u64,
    /// In how many of them each term is, in the order of
    /// [`Pattern::terms`](crate::policy::pattern::Pattern::terms).
    pub n_rows_with: Vec<u64>,
    /// Their mean number of words.
    pub average_length: f64,
}

impl Stats {
    /// Counts terms over matches alone, for a scan that saw all rows.
    #[must_use]
    pub fn of_matches<'a>(
        n_rows: u64,
        average_length: f64,
        matches: impl IntoIterator<Item = &'a Match>,
    ) -> Self {
        let mut n_rows_with: Vec<u64> = Vec::new();
        for found in matches {
            n_rows_with.resize(n_rows_with.len().max(found.terms.len()), 0);
            for (n_with, hit) in n_rows_with.iter_mut().zip(&found.terms) {
                *n_with += u64::from(hit.is_present());
            }
        }
        Self {
            n_rows,
            n_rows_with,
            average_length,
        }
    }

    /// Returns how much a term counts for being rare. One that every row has still counts a
    /// little, so that repeats order such rows.
    pub(super) fn rarity(&self, term_idx: usize) -> f64 {
        let n_with = self.n_rows_with.get(term_idx).copied().unwrap_or(1);
        rarity(self.n_rows, n_with)
    }

    /// Returns how long a row is, an average one being 1.
    pub(super) fn length(&self, n_words: usize) -> f64 {
        if self.average_length > 0.0 {
            real(n_words) / self.average_length
        } else {
            1.0
        }
    }
}

pub(super) fn rarity(n_rows: u64, n_with: u64) -> f64 {
    let n_with = n_with.min(n_rows);
    let (n_rows, n_with) = (wide(n_rows), wide(n_with));
    ((n_rows - n_with + 0.5) / (n_with + 0.5)).ln_1p()
}

/// Returns what a number of places is worth: repeats count less and less, in long rows sooner.
pub(super) fn saturated(frequency: f64, repeats: f64, length: f64) -> f64 {
    if frequency <= 0.0 {
        return 0.0;
    }
    frequency * (repeats + 1.0) / (frequency + repeats * length)
}

/// What a term is worth beside others; none for those that only take rows away or filter.
pub(super) fn worth(term_use: TermUse, weights: &Weights) -> Option<f64> {
    match term_use {
        TermUse::Wanted => Some(1.0),
        TermUse::Optional => Some(weights.optional),
        TermUse::Unwanted | TermUse::Filter => None,
    }
}

/// For how many places in its text a row has a term.
pub(super) fn places(hit: TermHit, weights: &Weights) -> f64 {
    let mut places = f64::from(hit.count);
    if hit.is_speaker {
        places += weights.speaker;
    }
    if hit.date != DateHit::None {
        places += weights.date;
    }
    places
}

pub(super) fn real(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn wide(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
