//! Updates: what a later sentence says anew. Owns which of two sentences on one subject is stale.
//! May not take one away: it says what stands, and how surely.

use super::table::{Entry, Slot, Table, Value};
use crate::domain::Role;

/// Whether what a sentence says still stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::policy::extract) enum Standing {
    /// Nothing later speaks against it.
    Current,
    /// The same, and it gives something a new value.
    New,
    /// Something later is so like it that it may have taken its place.
    Doubtful,
    /// A later sentence gives the same thing another value.
    Replaced,
    /// It says nothing: an agent says it again and again.
    Habit,
}

impl Standing {
    /// Says whether the sentence may be shown.
    pub(in crate::policy::extract) fn is_shown(self) -> bool {
        self < Self::Replaced
    }

    /// Says whether another has its place.
    pub(super) fn is_gone(self) -> bool {
        !self.is_shown()
    }
}

/// Sentences that share a word at most, so that they are compared at all: a word of many sentences
/// names no subject.
const SHARING: usize = 24;

/// How like two sentences must be without their values, from 0 to 1, for a new value to replace the
/// old one.
const SURE: f64 = 0.6;

/// The same where a word of their subject is in no other sentence.
const ALONE: f64 = 0.38;

/// The same where, besides, both decide, or no other sentence has a value of that kind.
const ALONE_IN_KIND: f64 = 0.2;

/// The same for the old one to be doubted.
const LIKELY: f64 = 0.3;

/// Times an agent says a sentence from which on it is habit.
const HABIT: u32 = 3;

/// How like two sentences without anything exact must be for the older to be doubted.
const REWORDED: f64 = 0.4;

/// Says of each sentence whether it stands. They come in the order in which they were said.
pub(super) fn standings(table: &Table) -> Vec<Standing> {
    let mut standings: Vec<Standing> = table.entries.iter().map(by_repeats).collect();
    for (newer_idx, newer) in table.entries.iter().enumerate() {
        if newer.role == Role::Tool {
            continue;
        }
        for older_idx in table.neighbours(newer_idx, SHARING) {
            let Some(older) = table.entries.get(older_idx) else {
                continue;
            };
            let found = compare(older, newer, table);
            let made = match found {
                Standing::Current => Standing::Current,
                _ => Standing::New,
            };
            for (at, standing) in [(older_idx, found), (newer_idx, made)] {
                if let Some(known) = standings.get_mut(at) {
                    *known = standing.max(*known);
                }
            }
        }
    }
    standings
}

fn by_repeats(entry: &Entry) -> Standing {
    let is_habit =
        entry.role == Role::Assistant && entry.n_said >= HABIT && entry.values.is_empty();
    if is_habit {
        Standing::Habit
    } else {
        Standing::Current
    }
}

/// Says what the newer of two sentences makes of the older.
fn compare(older: &Entry, newer: &Entry, table: &Table) -> Standing {
    if older.role == Role::Tool || older.message_idx == newer.message_idx {
        return Standing::Current;
    }
    let found = match values(older, newer) {
        Values::Other if contrast(older, newer) || (older.is_done && newer.is_done) => {
            Standing::Current
        }
        Values::Other => by_value(older, newer, table),
        Values::Same => Standing::Current,
        Values::None => by_words(older, newer, table),
    };
    // What an assistant says does not overrule a user.
    if older.role == Role::User && newer.role != Role::User {
        found.min(Standing::Doubtful)
    } else {
        found
    }
}

/// How the exact things of two sentences lie to each other.
enum Values {
    /// One of a kind in the older, another of that kind in the newer.
    Other,
    /// Nothing speaks for another value: all are the same, or of other kinds; or so much differs
    /// that it is about another thing.
    Same,
    /// Neither names anything exact that the other does not.
    None,
}

fn values(older: &Entry, newer: &Entry) -> Values {
    let gone = lacking(older, newer);
    let come = lacking(newer, older);
    if gone.is_empty() && come.is_empty() {
        return Values::None;
    }
    // A newer sentence that names the old value beside another tells of the change itself.
    let before: Vec<&Value> = if gone.is_empty() {
        older.values.iter().collect()
    } else {
        gone
    };
    let mut kinds: Vec<u32> = before
        .iter()
        .map(|value| value.kind)
        .filter(|kind| come.iter().any(|other| other.kind == *kind))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [_] => Values::Other,
        _ => Values::Same,
    }
}

/// Says whether two sentences say the same of two things: word for word alike but for a value and
/// for the one word that tells what has it.
fn contrast(older: &Entry, newer: &Entry) -> bool {
    let is_value = |pair: &(&Slot, &Slot)| matches!(pair, (Slot::Exact(_), Slot::Exact(_)));
    let other: Vec<(&Slot, &Slot)> = older
        .frame
        .iter()
        .zip(&newer.frame)
        .filter(|pair| pair.0 != pair.1 && !is_value(pair))
        .collect();
    older.frame.len() == newer.frame.len()
        && matches!(other.as_slice(), [(Slot::Telling(_), Slot::Telling(_))])
}

/// Returns the values of one sentence that another does not have.
fn lacking<'e>(one: &'e Entry, other: &Entry) -> Vec<&'e Value> {
    let has = |value: &Value| other.values.iter().any(|known| known.term == value.term);
    one.values.iter().filter(|value| !has(value)).collect()
}

fn by_value(older: &Entry, newer: &Entry, table: &Table) -> Standing {
    let likeness = table.likeness(older, newer);
    let both_decide = older.is_decision && newer.is_decision;
    let enough = if !table.share_alone(older, newer) || is_modified(older, newer) {
        SURE
    } else if both_decide || table.is_alone_in_kind(older, newer) {
        ALONE_IN_KIND
    } else {
        ALONE
    };
    if likeness >= enough {
        Standing::Replaced
    } else if likeness >= LIKELY {
        Standing::Doubtful
    } else {
        Standing::Current
    }
}

/// Says whether a word that both have follows right on another in each: the staging port is not the
/// port of production.
fn is_modified(older: &Entry, newer: &Entry) -> bool {
    let before = |entry: &Entry, wanted: u32| {
        entry.frame.windows(2).find_map(|pair| match pair {
            [Slot::Telling(before), Slot::Telling(word)] if *word == wanted => Some(*before),
            _ => None,
        })
    };
    older
        .subject
        .iter()
        .any(|term| match (before(older, *term), before(newer, *term)) {
            (Some(left), Some(right)) => left != right,
            _ => false,
        })
}

/// Two sentences that name nothing exact may say two things as well as one anew.
fn by_words(older: &Entry, newer: &Entry, table: &Table) -> Standing {
    let n_shared = older
        .subject
        .iter()
        .filter(|term| newer.subject.contains(term))
        .count();
    let is_reworded = older.role == Role::User
        && (n_shared > 1 || have_one_gap(older, newer))
        && table.share_alone(older, newer)
        && table.likeness(older, newer) >= REWORDED;
    if is_reworded {
        Standing::Doubtful
    } else {
        Standing::Current
    }
}

/// Says whether other words follow on the same joining word: what is handed to one, and to another.
fn have_one_gap(older: &Entry, newer: &Entry) -> bool {
    let gaps = |entry: &Entry| -> Vec<(u32, u32)> {
        entry
            .frame
            .windows(2)
            .filter_map(|pair| match pair {
                [Slot::Joining(before), Slot::Telling(word)] => Some((*before, *word)),
                _ => None,
            })
            .collect()
    };
    let newer_gaps = gaps(newer);
    gaps(older).iter().any(|(before, word)| {
        newer_gaps
            .iter()
            .any(|(other_before, other)| before == other_before && word != other)
    })
}
