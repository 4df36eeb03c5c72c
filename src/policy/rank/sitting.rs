//! Sittings. Owns which matches were said together, and what that is worth.
//! May not look at rows that do not match.

use std::collections::BTreeMap;

use super::list::Entry;
use super::score::{rarity, real, saturated, worth};
use super::weights::{SITTING_MILLIS, Weights};
use crate::domain::{ConversationId, Seq};

/// Where a message stands.
pub type Place = (ConversationId, Seq);

/// What its sitting gives each row, in the order of the rows; nothing where there is only one
/// sitting, or no time.
pub(super) fn sittings(entries: &[Entry<'_>], weights: &Weights) -> Vec<f64> {
    let mut given = vec![0.0; entries.len()];
    let sittings = of_times(entries);
    if sittings.len() < 2 || weights.sitting <= 0.0 {
        return given;
    }
    let lengths = lengths(entries, &sittings, weights);
    let n_terms = entries
        .iter()
        .map(|entry| entry.found.terms.len())
        .max()
        .unwrap_or(0);
    for term_idx in 0..n_terms {
        let counts: Vec<f64> = sittings
            .iter()
            .map(|rows| rows.iter().map(|idx| count(entries, *idx, term_idx)).sum())
            .collect();
        let term_use = entries
            .iter()
            .find_map(|entry| entry.found.terms.get(term_idx))
            .and_then(|hit| worth(hit.term_use, weights));
        let Some(worth) = term_use else {
            continue;
        };
        let n_with = counts.iter().filter(|count| **count > 0.0).count();
        let rarity = rarity(sittings.len() as u64, n_with as u64);
        for ((rows, count), length) in sittings.iter().zip(&counts).zip(&lengths) {
            let gain = worth * rarity * saturated(*count, weights.sitting_repeats, *length);
            for idx in rows {
                if let Some(given) = given.get_mut(*idx) {
                    *given += weights.sitting * gain;
                }
            }
        }
    }
    given
}

/// Returns how long each sitting is held to be, an average one being 1.
fn lengths(entries: &[Entry<'_>], sittings: &[Vec<usize>], weights: &Weights) -> Vec<f64> {
    let n_words: Vec<f64> = sittings
        .iter()
        .map(|rows| {
            let rows = rows.iter().filter_map(|idx| entries.get(*idx));
            rows.map(|entry| real(entry.found.length)).sum()
        })
        .collect();
    let average = n_words.iter().sum::<f64>() / real(n_words.len().max(1));
    let share = |n_words: f64| {
        if average > 0.0 {
            n_words / average
        } else {
            1.0
        }
    };
    n_words
        .into_iter()
        .map(|n_words| 1.0 - weights.sitting_length + weights.sitting_length * share(n_words))
        .collect()
}

fn count(entries: &[Entry<'_>], idx: usize, term_idx: usize) -> f64 {
    let hit = entries
        .get(idx)
        .and_then(|entry| entry.found.terms.get(term_idx));
    hit.map_or(0.0, |hit| f64::from(hit.count))
}

/// Groups the messages that have a time: a group ends where none follows within an hour.
fn of_times(entries: &[Entry<'_>]) -> Vec<Vec<usize>> {
    let mut times: BTreeMap<ConversationId, Vec<(i64, usize)>> = BTreeMap::new();
    for (idx, entry) in entries.iter().enumerate() {
        if let (Some((conversation, _)), Some(at)) = (entry.place, entry.at) {
            let of_conversation = times.entry(conversation).or_default();
            of_conversation.push((at.millis(), idx));
        }
    }
    let mut sittings: Vec<Vec<usize>> = Vec::new();
    for mut of_conversation in times.into_values() {
        of_conversation.sort_unstable();
        let mut last: Option<i64> = None;
        for (at, idx) in of_conversation {
            let goes_on = last.is_some_and(|last| at.saturating_sub(last) <= SITTING_MILLIS);
            match sittings.last_mut() {
                Some(sitting) if goes_on => sitting.push(idx),
                _ => sittings.push(vec![idx]),
            }
            last = Some(at);
        }
    }
    sittings
}
