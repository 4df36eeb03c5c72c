//! Constraints: what users demand, forbid, and take back. Owns which sentences say so.
//! May not store one or retire one: it reads words only.

mod clause;
mod pattern;
mod read;
mod sentence;
mod talk;
#[cfg(test)]
mod tests;
mod topic;
mod words;

pub use talk::Voice;

use read::Reach;

use crate::policy::limits::DEMANDED_SENTENCES;

/// A sentence of a user that sets a constraint or takes one back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found<'t> {
    /// The sentence as it stands in the text.
    pub sentence: &'t str,
    /// What it does.
    pub kind: Kind,
    /// Who says it.
    pub voice: Voice,
}

/// What a sentence does to constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// It demands or forbids something from now on.
    Sets,
    /// It takes back what was demanded or forbidden before.
    Lifts,
}

/// Finds the constraints in what a user said, in order.
///
/// A sentence that replaces a value (`use port 9000 instead of 8080 from now on`) is found twice:
/// as what it lifts, then as what it sets. Of a text longer than anybody writes, head and tail are
/// read; of more constraints than anybody sets at once, the first and the last are found.
#[must_use]
pub fn find(text: &str) -> Vec<Found<'_>> {
    let mut found: Vec<Found<'_>> = each(text).collect();
    let half = DEMANDED_SENTENCES / 2;
    if found.len() > DEMANDED_SENTENCES {
        found.drain(half..found.len() - half);
    }
    found
}

/// Says whether anything in what a user said sets or lifts a constraint.
#[must_use]
pub fn is_in(text: &str) -> bool {
    each(text).next().is_some()
}

fn each(text: &str) -> impl Iterator<Item = Found<'_>> {
    sentence::sentences(text).flat_map(|(sentence, voice)| {
        let says = read::read(sentence);
        let kinds = [(says.lifts, Kind::Lifts), (says.sets, Kind::Sets)];
        let said = kinds.into_iter().filter(|(is_said, _)| *is_said);
        said.map(move |(_, kind)| Found {
            sentence,
            kind,
            voice,
        })
    })
}

/// Says whether `found` retires an earlier constraint of these words.
///
/// Conservative: both must speak of the same thing, a duty taken back leaves bans alone, and an
/// identical sentence retires nothing.
#[must_use]
pub fn lifts(found: &Found<'_>, pin_text: &str) -> bool {
    if found.kind != Kind::Lifts || found.sentence.trim() == pin_text.trim() {
        return false;
    }
    let (clauses, reach) = read::lifting(found.sentence);
    // Who need not do a thing any more may still not do another.
    let is_kept = reach == Reach::Duty && read::forbids(pin_text);
    !is_kept && topic::is_same(found.sentence, &clauses, pin_text, reach)
}
