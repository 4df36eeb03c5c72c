//! The table of all sentences: their terms, and in how many of them each is.
//! May not order them.

use std::collections::HashMap;

use super::super::cues::{Cue, Cued};
use super::Unit;
use super::shape;
use super::words::{self, Capitals, Class, Label};
use crate::domain::Role;
use crate::policy::carry::constraint;

/// One sentence, as numbers of terms.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) role: Role,
    /// All it names, each once.
    pub(super) terms: Vec<u32>,
    /// What of that is exact.
    pub(super) values: Vec<Value>,
    /// What of that is not.
    pub(super) subject: Vec<u32>,
    /// All its words, in order.
    pub(super) frame: Vec<Slot>,
    /// The message it stands in.
    pub(super) message_idx: usize,
    pub(super) label: Label,
    /// Whether a user demands something.
    pub(super) is_demand: bool,
    /// Whether it tells a choice.
    pub(super) is_decision: bool,
    /// Whether it tells of something done: what is done next does not undo it.
    pub(super) is_done: bool,
    /// How often it was said, this time included; once for facts and demands.
    pub(super) n_said: u32,
}

/// One place in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Exact(u32),
    Telling(u32),
    Joining(u32),
}

/// An exact word of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) term: u32,
    /// Values of one kind can stand in each other's place.
    pub(super) kind: u32,
}

/// All sentences.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) entries: Vec<Entry>,
    /// In how many sentences a term is, every repeat counted.
    n_with: Vec<u32>,
    /// Which entries have it.
    holders: Vec<Vec<usize>>,
    /// How many entries have a value of a kind.
    n_of_kind: Vec<u32>,
    n_sentences: u32,
}

impl Table {
    /// Reads sentences in the order in which they were said.
    pub(super) fn new(units: &[Unit<'_>]) -> Self {
        let capitals = Capitals::of(units.iter().map(|unit| unit.text));
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut kinds: HashMap<String, u32> = HashMap::new();
        let mut table = Self {
            entries: Vec::with_capacity(units.len()),
            n_with: Vec::new(),
            holders: Vec::new(),
            n_of_kind: Vec::new(),
            n_sentences: 0,
        };
        for (unit_idx, unit) in units.iter().enumerate() {
            let read = words::read(unit.text, capitals);
            let cued = Cued::new(unit.text);
            let is_demand = unit.role == Role::User && demands(unit.text);
            let is_exact = read
                .words
                .iter()
                .any(|word| matches!(word.class, Class::Exact(..)));
            // Chatter that comes again is worth less for it; a fact or a demand is not.
            let n_said = if is_demand || is_exact {
                1
            } else {
                unit.n_said
            };
            let mut entry = Entry {
                role: unit.role,
                terms: Vec::new(),
                values: Vec::new(),
                subject: Vec::new(),
                frame: Vec::new(),
                message_idx: unit.message_idx,
                label: read.label,
                is_demand,
                is_decision: cued.shows(Cue::Decision),
                is_done: cued.shows(Cue::Done),
                n_said,
            };
            for word in read.words {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(word.stem).or_insert(next);
                entry.frame.push(match word.class {
                    Class::Exact(..) => Slot::Exact(number),
                    Class::Telling => Slot::Telling(number),
                    Class::Joining => Slot::Joining(number),
                });
                if word.class == Class::Joining || entry.terms.contains(&number) {
                    continue;
                }
                entry.terms.push(number);
                match word.class {
                    Class::Exact(written, shape) => {
                        let next = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
                        let kind = *kinds.entry(shape::kind(&written, shape)).or_insert(next);
                        table.note_kind(kind, &entry);
                        entry.values.push(Value { term: number, kind });
                    }
                    _ => entry.subject.push(number),
                }
                table.note(number, unit_idx, n_said);
            }
            table.n_sentences = table.n_sentences.saturating_add(n_said);
            table.entries.push(entry);
        }
        table
    }

    /// Counts a kind once for each sentence.
    fn note_kind(&mut self, kind: u32, entry: &Entry) {
        let place = index(kind);
        if self.n_of_kind.len() <= place {
            self.n_of_kind.resize(place + 1, 0);
        }
        let is_known = entry.values.iter().any(|value| value.kind == kind);
        if let (Some(n_of_kind), false) = (self.n_of_kind.get_mut(place), is_known) {
            *n_of_kind += 1;
        }
    }

    fn note(&mut self, number: u32, unit_idx: usize, n_said: u32) {
        let place = index(number);
        if self.n_with.len() <= place {
            self.n_with.resize(place + 1, 0);
            self.holders.resize(place + 1, Vec::new());
        }
        if let Some(n_with) = self.n_with.get_mut(place) {
            *n_with = n_with.saturating_add(n_said);
        }
        if let Some(holders) = self.holders.get_mut(place) {
            holders.push(unit_idx);
        }
    }

    /// Returns how many terms there are.
    pub(super) fn n_terms(&self) -> usize {
        self.n_with.len()
    }

    /// Returns how much a term says, for being rare.
    pub(super) fn rarity(&self, term: u32) -> f64 {
        let n_with = self.n_with.get(index(term)).copied().unwrap_or(1);
        (f64::from(self.n_sentences) / f64::from(n_with.max(1))).ln_1p()
    }

    /// Returns the entries before one that share a word with it that at most `most` have.
    pub(super) fn neighbours(&self, entry_idx: usize, most: usize) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .entries
            .get(entry_idx)
            .into_iter()
            .flat_map(|entry| &entry.subject)
            .filter_map(|term| self.holders.get(index(*term)))
            .filter(|holders| holders.len() <= most)
            .flatten()
            .copied()
            .filter(|other| *other < entry_idx)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns how like two sentences are without their values, from 0 to 1. A word counts for less
    /// the more other sentences have it.
    pub(super) fn likeness(&self, left: &Entry, right: &Entry) -> f64 {
        let (mut shared, mut all) = (0.0, 0.0);
        for term in &left.subject {
            let is_shared = right.subject.contains(term);
            let weight = self.rarity_beside(*term, if is_shared { 2 } else { 1 });
            all += weight;
            if is_shared {
                shared += weight;
                all += weight;
            }
        }
        let only_right = right
            .subject
            .iter()
            .filter(|term| !left.subject.contains(term));
        all += only_right
            .map(|term| self.rarity_beside(*term, 1))
            .sum::<f64>();
        if all > 0.0 { 2.0 * shared / all } else { 0.0 }
    }

    /// Says whether two sentences share a word that no other has.
    pub(super) fn share_alone(&self, left: &Entry, right: &Entry) -> bool {
        left.subject.iter().any(|term| {
            right.subject.contains(term)
                && self
                    .holders
                    .get(index(*term))
                    .is_some_and(|holders| holders.len() == 2)
        })
    }

    /// Says whether no sentence but two has a value of a kind that both have.
    pub(super) fn is_alone_in_kind(&self, left: &Entry, right: &Entry) -> bool {
        left.values.iter().any(|value| {
            right.values.iter().any(|other| other.kind == value.kind)
                && self.n_of_kind.get(index(value.kind)) == Some(&2)
        })
    }

    /// Returns 1 for a term that no sentence has but `n_own`, less for others.
    fn rarity_beside(&self, term: u32, n_own: usize) -> f64 {
        let n_holders = self.holders.get(index(term)).map_or(0, Vec::len);
        let n_others = u32::try_from(n_holders.saturating_sub(n_own)).unwrap_or(u32::MAX);
        (f64::from(n_others) + 1.0).recip()
    }
}

fn demands(text: &str) -> bool {
    constraint::find(text)
        .iter()
        .any(|found| found.kind == constraint::Kind::Sets)
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
