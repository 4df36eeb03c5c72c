//! The order of sentences, the one that says most for its length first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::super::cues::{Cue, Cued};
use super::table::{Entry, Table};
use super::update::{Standing, standings};
use super::words::Label;
use super::{Ranked, Source, Unit};
use crate::domain::Role;

/// Words of one sentence that count: what has more says it at greater length.
const COUNTED_WORDS: usize = 8;

/// What a word is still worth, from 0 to 1, when another sentence has said it.
const SAID_BEFORE: f64 = 0.4;

/// Characters that every sentence costs beside its own, so that short ones do not win by shortness.
const OVERHEAD_CHARS: f64 = 40.0;

/// What an exact word is worth beside its rarity, in units of it; the first two of a sentence.
const EXACT: f64 = 2.0;

/// What a sentence is still worth, from 0 to 1, whose place a later one may have taken.
const DOUBTED: f64 = 0.2;

/// How much more a sentence is worth that gives something a new value: the old one is gone.
const NEW: f64 = 4.0;

/// How much more the last sentence is worth than the first, which most has happened since.
const RECENT: f64 = 0.2;

/// Orders sentences given in the order in which they were said. Those that are replaced come
/// last.
pub(in crate::policy::extract) fn order(units: &[Unit<'_>]) -> Vec<Ranked> {
    let table = Table::new(units);
    let standings = standings(&table);
    let factors: Vec<f64> = units
        .iter()
        .zip(&table.entries)
        .zip(&standings)
        .enumerate()
        .map(|(at, ((unit, entry), standing))| {
            let stands = match standing {
                Standing::Doubtful => DOUBTED,
                Standing::New => NEW,
                Standing::Current | Standing::Replaced | Standing::Habit => 1.0,
            };
            let recent = 1.0 + RECENT * real(at) / real(units.len());
            factor(unit, entry) * stands * recent
        })
        .collect();
    let mut said = vec![false; table.n_terms()];
    let mut ranked = Vec::with_capacity(units.len());
    for is_wanted in [Standing::is_shown, Standing::is_gone] {
        let gain = |unit_idx: usize, said: &[bool]| -> f64 {
            let factor = factors.get(unit_idx).copied().unwrap_or(0.0);
            let length = units
                .get(unit_idx)
                .map_or(0, |unit| unit.text.chars().count());
            let entry = table.entries.get(unit_idx);
            entry.map_or(0.0, |entry| says(entry, &table, said)) * factor
                / (real(length) + OVERHEAD_CHARS)
        };
        let mut heap: BinaryHeap<Waiting> = standings
            .iter()
            .enumerate()
            .filter(|(_, standing)| is_wanted(**standing))
            .map(|(unit_idx, _)| Waiting {
                gain: gain(unit_idx, &said),
                unit_idx,
            })
            .collect();
        // What a sentence adds only shrinks as others are taken, so that the best is the one that
        // is still best when it is looked at again.
        while let Some(first) = heap.pop() {
            let now = Waiting {
                gain: gain(first.unit_idx, &said),
                ..first
            };
            if heap.peek().is_some_and(|next| *next > now) {
                heap.push(now);
                continue;
            }
            let terms = table.entries.get(now.unit_idx).map(|entry| &entry.terms);
            for term in terms.into_iter().flatten() {
                let place = usize::try_from(*term).unwrap_or(usize::MAX);
                if let Some(is_said) = said.get_mut(place) {
                    *is_said = true;
                }
            }
            if let Some(standing) = standings.get(now.unit_idx) {
                ranked.push(Ranked {
                    unit_idx: now.unit_idx,
                    standing: *standing,
                });
            }
        }
    }
    ranked
}

/// Returns what the words of a sentence say beyond what was said.
fn says(entry: &Entry, table: &Table, said: &[bool]) -> f64 {
    let worth = |term: u32| {
        let place = usize::try_from(term).unwrap_or(usize::MAX);
        let is_said = said.get(place).copied().unwrap_or(false);
        table.rarity(term) * if is_said { SAID_BEFORE } else { 1.0 }
    };
    let mut words: Vec<f64> = entry.terms.iter().map(|term| worth(*term)).collect();
    words.sort_by(|left, right| right.total_cmp(left));
    let exact: f64 = entry
        .values
        .iter()
        .take(2)
        .map(|value| EXACT * worth(value.term))
        .sum();
    words.iter().take(COUNTED_WORDS).sum::<f64>() + exact
}

/// Returns how much more, or less, a sentence counts for what it does and who says it.
fn factor(unit: &Unit<'_>, entry: &Entry) -> f64 {
    let cued = Cued::new(unit.text);
    let is_question = unit.text.ends_with(['?', '？', '؟']);
    let act = if entry.is_demand {
        4.0
    } else if is_question {
        0.6
    } else if entry.is_decision {
        2.0
    } else if cued.shows(Cue::Next) || cued.shows(Cue::Error) {
        1.5
    } else {
        1.0
    };
    let label = match entry.label {
        Label::None => 1.0,
        Label::Spoken => 1.1,
        Label::Shouted => 1.6,
    };
    let exact = if entry.values.is_empty() { 1.0 } else { 1.6 };
    let speaker = match unit.role {
        Role::User => 3.0,
        Role::Assistant | Role::System => 1.0,
        Role::Tool => 0.5,
    };
    let source = match unit.source {
        Source::Said => 1.0,
        Source::Pasted => 0.6,
    };
    // What is said again and again is talk by habit, less so a user's.
    let n_said = f64::from(entry.n_said.max(1));
    let repeats = match unit.role {
        Role::User => n_said.sqrt().sqrt().recip(),
        _ => n_said.sqrt().recip(),
    };
    act * label * exact * speaker * source * repeats
}

/// A sentence that waits for its place.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    gain: f64,
    unit_idx: usize,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equals the one said first.
        self.gain
            .total_cmp(&other.gain)
            .then(other.unit_idx.cmp(&self.unit_idx))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

fn real(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
