//! Neighbours. Owns what a message is given of the words beside it.
//! May not find rows: the caller says which there are.

use std::collections::BTreeMap;

use super::list::Entry;
use super::score::saturated;
use super::sitting::Place;
use super::weights::{REACH, Weights};
use crate::domain::Seq;
use crate::policy::pattern::Ending;

/// The rows by their places.
pub(super) struct Neighbours<'entries, 'found> {
    entries: &'entries [Entry<'found>],
    places: BTreeMap<Place, usize>,
}

/// The messages beside one, each with its share.
pub(super) type Beside<'entries, 'found> = Vec<(&'entries Entry<'found>, f64)>;

impl<'entries, 'found> Neighbours<'entries, 'found> {
    pub(super) fn new(entries: &'entries [Entry<'found>]) -> Self {
        let places = entries.iter().enumerate();
        Self {
            places: places
                .filter_map(|(idx, entry)| Some((entry.place?, idx)))
                .collect(),
            entries,
        }
    }

    /// Returns the messages beside an entry; a summary stands beside nothing.
    pub(super) fn of(&self, entry: &Entry<'_>, weights: &Weights) -> Beside<'entries, 'found> {
        let Some(place) = entry.place else {
            return Vec::new();
        };
        let [before, second_before] = weights.before;
        let [after, second_after] = weights.after;
        let shares = [second_before, before, 0.0, after, second_after];
        (-REACH..=REACH)
            .zip(shares)
            .filter_map(|(distance, share)| {
                let seq = place.1.get().checked_add_signed(distance)?;
                let idx = self.places.get(&(place.0, Seq::new(seq)?))?;
                let beside = self.entries.get(*idx)?;
                let is_asked = distance == -1 && beside.found.ending == Ending::Question;
                let share = if is_asked {
                    share + weights.answer
                } else {
                    share
                };
                (share > 0.0).then_some((beside, share))
            })
            .collect()
    }
}

/// Returns what a term gives a message by the best of those beside it: a word said next to it is
/// not said twice by being said on both sides.
pub(super) fn best_beside(beside: &Beside<'_, '_>, term_idx: usize, weights: &Weights) -> f64 {
    early(beside, term_idx)
        .map(|(n_early, share)| share * saturated(n_early, weights.repeats, 1.0))
        .fold(0.0, f64::max)
}

/// Returns for how many places a term counts by those beside a message.
pub(super) fn places_beside(beside: &Beside<'_, '_>, term_idx: usize) -> f64 {
    early(beside, term_idx)
        .map(|(n_early, share)| share * n_early)
        .sum()
}

fn early<'a>(beside: &'a Beside<'_, '_>, term_idx: usize) -> impl Iterator<Item = (f64, f64)> + 'a {
    beside.iter().filter_map(move |(entry, share)| {
        let hit = entry.found.terms.get(term_idx)?;
        Some((f64::from(hit.n_early), *share))
    })
}
