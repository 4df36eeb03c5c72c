//! What was said, in the order in which a summary gives it room. Owns what is said once and what is
//! left out as stale. May not read messages or summaries: it is given sentences.

use std::collections::HashMap;

use crate::domain::Role;

use super::fit::{Candidate, Kind};
use super::salience::{Source, Unit, order};
use super::sentence;

/// One sentence with who said it and what it does.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) kind: Kind,
    pub(super) role: Role,
    /// Where it stood in its source.
    pub(super) place: usize,
    /// The message or summary it is from, by its place among those.
    pub(super) from_idx: usize,
    /// What is written before its words.
    pub(super) label: String,
    pub(super) words: String,
}

/// Orders sentences, given in the order in which they were said: the one that says most first. What
/// was said several times stands at its last place, and what a later sentence replaces is left out.
pub(super) fn weighed(said: &[Said]) -> Vec<Candidate> {
    let keys: Vec<String> = said.iter().map(|said| sentence::key(&said.words)).collect();
    // How often each was said, and which one speaks for all: the last, of a user's if there is one.
    let mut known: HashMap<&str, (u32, usize)> = HashMap::new();
    for (at, (one, key)) in said.iter().zip(&keys).enumerate() {
        let entry = known.entry(key).or_insert((0, at));
        entry.0 = entry.0.saturating_add(1);
        let before = said.get(entry.1).map(|before| before.role);
        if one.role == Role::User || before != Some(Role::User) {
            entry.1 = at;
        }
    }
    let mut spoken: Vec<(u32, &Said)> = known
        .into_values()
        .filter_map(|(n_said, at)| Some((n_said, said.get(at)?)))
        .collect();
    spoken.sort_by_key(|(_, said)| said.place);
    let units: Vec<Unit<'_>> = spoken
        .iter()
        .map(|(n_said, said)| Unit {
            role: said.role,
            text: &said.words,
            message_idx: said.from_idx,
            n_said: *n_said,
            source: Source::Said,
        })
        .collect();
    order(&units)
        .into_iter()
        .filter(|ranked| ranked.standing.is_shown())
        .filter_map(|ranked| spoken.get(ranked.unit_idx))
        .map(|(_, said)| Candidate {
            kind: said.kind,
            place: said.place,
            text: format!("{}{}", said.label, said.words),
        })
        .collect()
}
