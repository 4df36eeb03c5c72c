//! What a sentence does, by its form and its words. Owns the order in which they are asked.
//! May not hold a word: each language's list does.

use crate::policy::language::{self, Language};

use super::clause;
use super::pattern::{Clause, Sign, Signs};
use super::words::{self, Words};

/// What a sentence shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Says {
    pub(super) sets: bool,
    pub(super) lifts: bool,
}

/// Reads what a sentence does. A question does nothing.
pub(super) fn read(sentence: &str) -> Says {
    let bare = sentence.trim_end_matches(|end: char| {
        end.is_whitespace() || matches!(end, '"' | '”' | '»' | '」' | ')' | '*' | '_' | '!' | '！')
    });
    if bare.ends_with(['?', '？', '؟']) || sentence.starts_with('¿') {
        return Says::default();
    }
    let clauses = clause::clauses(sentence);
    let lists = lists(language::candidates(sentence));
    let mut says = Says::default();
    let mut is_reported = false;
    for spoken in &clauses {
        let signs = signs(spoken, &lists);
        let begins_anew = spoken
            .first()
            .is_some_and(|word| lists.iter().any(|words| words.resumes(word)));
        is_reported = (is_reported && !begins_anew) || signs.has(Sign::Report);
        // Where a sentence may be in two languages, what tells in either of them demands nothing.
        if is_reported || signs.has(Sign::Veto) {
            continue;
        }
        if signs.has(Sign::Replace) {
            says = Says {
                sets: true,
                lifts: true,
            };
        } else if signs.has(Sign::Lift) || signs.has(Sign::Relief) {
            says.lifts = true;
        } else if signs.has(Sign::Demand) {
            says.sets = true;
        }
    }
    says
}

/// How a sentence takes something back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Only a duty: bans stay.
    Duty,
    /// A duty or a ban.
    Any,
    /// An old value, for a new one that the sentence names too.
    Value,
}

/// Returns the clauses of a sentence that take something back, and how.
pub(super) fn lifting(sentence: &str) -> (Vec<Vec<String>>, Reach) {
    let lists = lists(language::candidates(sentence));
    let mut reach = Reach::Duty;
    let mut lifting = Vec::new();
    for spoken in clause::clauses(sentence) {
        let signs = signs(&spoken, &lists);
        let found = if signs.has(Sign::Replace) {
            Reach::Value
        } else if signs.has(Sign::Lift) {
            Reach::Any
        } else if signs.has(Sign::Relief) {
            Reach::Duty
        } else {
            continue;
        };
        reach = reach.max(found);
        lifting.push(spoken);
    }
    (lifting, reach)
}

/// Says whether a sentence tells what somebody else says.
pub(super) fn reports(sentence: &str) -> bool {
    let lists = lists(language::candidates(sentence));
    let clauses = clause::clauses(sentence);
    clauses
        .iter()
        .any(|spoken| signs(spoken, &lists).has(Sign::Report))
}

/// Says whether a sentence forbids.
pub(super) fn forbids(sentence: &str) -> bool {
    let lists = lists(language::candidates(sentence));
    let clauses = clause::clauses(sentence);
    clauses
        .iter()
        .any(|spoken| signs(spoken, &lists).has(Sign::Ban))
}

fn lists(candidates: Vec<Language>) -> Vec<&'static Words> {
    candidates.into_iter().map(words::of).collect()
}

/// Returns what a clause shows in any of the languages it may be in.
fn signs(spoken: &[String], lists: &[&Words]) -> Signs {
    lists.iter().fold(Signs::default(), |signs, words| {
        let clause = Clause {
            words: spoken,
            starts: starts(spoken, words),
        };
        signs.and(words.patterns.signs(&clause))
    })
}

/// Returns where a clause may be said to begin: behind words that open one, and behind a joint
/// where nobody is spoken of before it, since `write it and never …` commands twice and `I did it
/// and never …` tells.
fn starts(spoken: &[String], words: &Words) -> Vec<usize> {
    let mut starts = vec![0];
    let mut at = 0;
    while spoken.get(at).is_some_and(|word| words.opens(word)) {
        at += 1;
        starts.push(at);
    }
    let has_subject = spoken.get(at).is_some_and(|word| words.is_subject(word));
    if !has_subject {
        let joints = spoken.iter().enumerate().skip(at);
        starts.extend(
            joints
                .filter(|(_, word)| words.joins(word))
                .map(|(at, _)| at + 1),
        );
    }
    starts
}
