//! The ranks of a list of rows. Owns how the parts of a score are put together.
//! May not add rows or leave any out.

use super::beside::{Beside, Neighbours, best_beside, places_beside};
use super::score::{Stats, places, real, saturated, worth};
use super::sitting::{Place, sittings};
use super::weights::{SHORT_QUESTION_WORDS, Weights};
use crate::domain::{HitKind, Role, Timestamp};
use crate::policy::pattern::{Ending, Match, Mention, Pattern, TermUse};

/// The score nearest to zero: a match always has a rank.
const LEAST: f64 = 1e-6;

/// One row to be ranked.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'found> {
    /// Where it stands; none for a summary, which stands beside nothing.
    pub place: Option<Place>,
    /// When it was said.
    pub at: Option<Timestamp>,
    /// Who speaks.
    pub role: Option<Role>,
    /// What it has of the pattern; of a row beside a match that may be nothing.
    pub found: &'found Match,
}

/// Who asks, as far as the order goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Someone who speaks of themselves.
    FirstPerson,
    /// Anyone else.
    Other,
}

impl Question {
    /// Tells it by the pattern.
    #[must_use]
    pub fn of(pattern: &Pattern) -> Self {
        if pattern.is_first_person() {
            Self::FirstPerson
        } else {
            Self::Other
        }
    }
}

/// Which rows make up a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filled {
    /// Rows that all have what is asked for.
    WithEqualRows,
    /// Rows with only some of the words, or beside such, fill it up.
    WithLesserRows,
}

impl Filled {
    fn of(entries: &[Entry<'_>]) -> Self {
        if entries.iter().all(|entry| entry.found.coverage.is_whole()) {
            Self::WithEqualRows
        } else {
            Self::WithLesserRows
        }
    }
}

/// Returns how well each row matches, in the order given; more negative is better, and it is
/// always below zero.
///
/// A row's score takes in what stands beside it and what its sitting holds, of the rows given.
#[must_use]
pub fn ranks(
    entries: &[Entry<'_>],
    stats: &Stats,
    question: Question,
    weights: &Weights,
) -> Vec<f64> {
    let neighbours = Neighbours::new(entries);
    let filled = Filled::of(entries);
    entries
        .iter()
        .zip(sittings(entries, weights))
        .map(|(entry, of_sitting)| {
            let own = own(entry, &neighbours.of(entry, weights), stats, weights);
            let lifted = own * lift(entry, filled, question, weights);
            -(lifted + of_sitting).max(LEAST)
        })
        .collect()
}

/// Returns how well a row matches by itself.
#[must_use]
pub fn score(found: &Match, stats: &Stats) -> f64 {
    let entry = Entry {
        place: None,
        at: None,
        role: None,
        found,
    };
    let own = own(&entry, &Vec::new(), stats, &Weights::CHOSEN);
    let lift = lift(
        &entry,
        Filled::WithEqualRows,
        Question::Other,
        &Weights::CHOSEN,
    );
    -(own * lift).max(LEAST)
}

/// Sums over the terms what each gives: by the row itself, or by the best beside it.
fn own(entry: &Entry<'_>, beside: &Beside<'_, '_>, stats: &Stats, weights: &Weights) -> f64 {
    let length = 1.0 - weights.length + weights.length * stats.length(entry.found.length);
    let (mut sum, mut had, mut wanted) = (0.0, 0.0, 0.0);
    for (term_idx, hit) in entry.found.terms.iter().enumerate() {
        let Some(worth) = worth(hit.term_use, weights) else {
            continue;
        };
        let rarity = stats.rarity(term_idx);
        let places = places(*hit, weights);
        let in_row = saturated(places, weights.repeats, length);
        sum += worth * rarity * in_row.max(best_beside(beside, term_idx, weights));
        if hit.term_use == TermUse::Wanted {
            wanted += rarity;
            had += rarity * (places + places_beside(beside, term_idx)).min(1.0);
        }
    }
    if wanted > 0.0 {
        sum * (had / wanted).powf(weights.coverage)
    } else {
        sum
    }
}

/// Returns the factor that a row's kind gives it.
fn lift(entry: &Entry<'_>, filled: Filled, question: Question, weights: &Weights) -> f64 {
    let found = entry.found;
    let mut lift = 1.0;
    if found.whole_forms.wanted > 0 {
        // One written form among many words says as little as any of them.
        let n_terms = found.coverage.wanted.max(found.whole_forms.wanted);
        lift += weights.whole_forms * real(found.whole_forms.found) / real(n_terms);
    }
    let is_named = |term_use: TermUse, is_speaker: bool| is_speaker && term_use == TermUse::Wanted;
    if found
        .terms
        .iter()
        .any(|hit| is_named(hit.term_use, hit.is_speaker))
    {
        lift *= weights.named_speaker;
    }
    if found.ending == Ending::Question && found.length <= SHORT_QUESTION_WORDS {
        lift *= weights.question;
    }
    // One that has all that is asked for never makes way for rows that only have some of it.
    let is_rare_find = filled == Filled::WithLesserRows && found.coverage.is_whole();
    if found.kind == HitKind::Meta && !is_rare_find {
        lift *= weights.note;
    }
    if found.mention == Mention::Time {
        lift *= weights.time;
    }
    if question == Question::FirstPerson && entry.role == Some(Role::User) {
        lift *= weights.first_person;
    }
    lift
}
