//! The score of one row. Owns BM25 with constants of ours.
//! May not depend on how the row was found.

use crate::policy::pattern::{Coverage, DateHit, Match, TermHit, TermUse};

/// How slowly repeats of a word stop counting. Measured on questions over conversations: 0.4 to
/// 0.8 beat the usual 1.2, since messages are short.
const K1: f64 = 0.6;

/// How much a long row is held against it. 0.3 beat the usual 0.75.
const B: f64 = 0.3;

/// What a stop word beside other words counts.
const OPTIONAL_WEIGHT: f64 = 0.1;

/// How much a row falls behind for each word it lacks: the share of words it has, to this power.
const COVERAGE_POWER: i32 = 1;

/// How much a whole written form lifts a row: more than repeats and length can make up for.
const WHOLE_FORM_WEIGHT: f64 = 4.0;

/// The score nearest to zero: a match always has a rank.
const LEAST: f64 = 1e-6;

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
    pub fn of_matches(n_rows: u64, average_length: f64, matches: &[Match]) -> Self {
        let n_terms = matches.first().map_or(0, |found| found.terms.len());
        let has = |found: &&Match, term_idx: usize| {
            found
                .terms
                .get(term_idx)
                .is_some_and(|hit| hit.is_present())
        };
        let n_rows_with = (0..n_terms)
            .map(|term_idx| {
                let n = matches.iter().filter(|found| has(found, term_idx)).count();
                u64::try_from(n).unwrap_or(u64::MAX)
            })
            .collect();
        Self {
            n_rows,
            n_rows_with,
            average_length,
        }
    }
}

/// Returns how well a row matches; more negative is better, and it is always below zero.
///
/// Terms that take rows away count for nothing, stop words little. The share of the wanted terms
/// that the row has is a weight, and so are the whole written forms (`c++`) it has.
#[must_use]
pub fn score(found: &Match, stats: &Stats) -> f64 {
    let length = if stats.average_length > 0.0 {
        real(found.length) / stats.average_length
    } else {
        1.0
    };
    let mut sum = 0.0;
    for (term_idx, hit) in found.terms.iter().enumerate() {
        let weight = match hit.term_use {
            TermUse::Wanted => 1.0,
            TermUse::Optional => OPTIONAL_WEIGHT,
            TermUse::Unwanted => continue,
        };
        let n_with = stats.n_rows_with.get(term_idx).copied().unwrap_or(1);
        sum += weight * rarity(stats.n_rows, n_with) * saturation(frequency(*hit), length);
    }
    let coverage = share(found.coverage).powi(COVERAGE_POWER);
    let whole_forms = if found.whole_forms.wanted == 0 {
        1.0
    } else {
        1.0 + WHOLE_FORM_WEIGHT * share(found.whole_forms)
    };
    -(sum * coverage * whole_forms).max(LEAST)
}

/// A term that every row has still counts a little, so that repeats order such rows.
fn rarity(n_rows: u64, n_with: u64) -> f64 {
    let n_with = n_with.min(n_rows);
    let (n_rows, n_with) = (wide(n_rows), wide(n_with));
    ((n_rows - n_with + 0.5) / (n_with + 0.5)).ln_1p()
}

fn saturation(frequency: f64, length: f64) -> f64 {
    if frequency <= 0.0 {
        return 0.0;
    }
    frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * length))
}

/// The speaker and the date count as one more place each.
fn frequency(hit: TermHit) -> f64 {
    let about = u32::from(hit.is_speaker) + u32::from(hit.date != DateHit::None);
    f64::from(hit.count) + f64::from(about)
}

fn share(coverage: Coverage) -> f64 {
    if coverage.wanted == 0 {
        1.0
    } else {
        real(coverage.found) / real(coverage.wanted)
    }
}

fn real(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn wide(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
