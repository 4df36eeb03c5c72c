//! The measures, as `score_run.py` counts them, and those derived from the same runs.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::{Query, Talk};

/// Ids of a run that recall and the reciprocal rank look at.
pub(crate) const RUN: usize = 50;
/// Characters of a token where evidence is put into a budget.
const TOKEN_CHARS: usize = 4;
/// The budgets, in tokens.
const BUDGETS: [usize; 3] = [1_000, 2_000, 4_000];

/// The measures of one question, or their mean over many.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Measures {
    /// The share of the gold among the first 5, 10, 20 and 50.
    pub(crate) recall: [f64; 4],
    /// Whether any gold is among the first 5.
    pub(crate) any_5: f64,
    /// One by the place of the first gold.
    pub(crate) reciprocal: f64,
    /// Whether the session of the first hit holds gold.
    pub(crate) session_hit: f64,
    /// How well the first five sessions are ordered.
    pub(crate) session_order: f64,
    /// The share of the gold whose text fits 1,000, 2,000 and 4,000 tokens.
    pub(crate) evidence: [f64; 3],
}

/// Measures one answer: ids of the set, best first.
pub(crate) fn measure(talk: &Talk, query: &Query, ranked: &[&str]) -> Measures {
    let gold: BTreeSet<&str> = query.gold.iter().map(String::as_str).collect();
    let is_gold: Vec<bool> = ranked.iter().map(|id| gold.contains(id)).collect();
    let n_gold = real(gold.len().max(1));
    let share = |n: usize| real(is_gold.iter().take(n).filter(|is| **is).count()) / n_gold;
    let first = is_gold.iter().take(RUN).position(|is| *is);
    let docs: BTreeMap<&str, (&str, usize)> = talk
        .docs
        .iter()
        .map(|doc| {
            let about = (doc.session.as_str(), doc.text.chars().count());
            (doc.id.as_str(), about)
        })
        .collect();
    let session_of = |id: &&str| docs.get(*id).map(|(session, _)| *session);
    let gold_sessions: BTreeSet<&str> = gold.iter().filter_map(session_of).collect();
    let mut sessions: Vec<&str> = Vec::new();
    for session in ranked.iter().take(RUN).filter_map(session_of) {
        if !sessions.contains(&session) {
            sessions.push(session);
        }
    }
    let gain = |place: usize| 1.0 / real(place + 2).log2();
    let got: f64 = sessions
        .iter()
        .take(5)
        .enumerate()
        .filter(|(_, session)| gold_sessions.contains(*session))
        .map(|(place, _)| gain(place))
        .sum();
    let best: f64 = (0..gold_sessions.len().min(5)).map(gain).sum();
    let evidence = BUDGETS.map(|budget| {
        let mut n_left = budget * TOKEN_CHARS;
        let fits = ranked.iter().zip(&is_gold).take_while(|(id, _)| {
            let n_chars = docs.get(**id).map_or(0, |(_, n_chars)| *n_chars);
            let is_room = n_chars <= n_left;
            n_left = n_left.saturating_sub(n_chars);
            is_room
        });
        real(fits.filter(|(_, is)| **is).count()) / n_gold
    });
    let hits = sessions
        .first()
        .is_some_and(|one| gold_sessions.contains(one));
    Measures {
        recall: [5, 10, 20, RUN].map(share),
        any_5: f64::from(u8::from(is_gold.iter().take(5).any(|is| *is))),
        reciprocal: first.map_or(0.0, |place| 1.0 / real(place + 1)),
        session_hit: f64::from(u8::from(hits)),
        session_order: if best > 0.0 { got / best } else { 0.0 },
        evidence,
    }
}

/// Returns the mean.
pub(crate) fn mean(all: &[Measures]) -> Measures {
    let n = real(all.len().max(1));
    let of = |pick: &dyn Fn(&Measures) -> f64| all.iter().map(pick).sum::<f64>() / n;
    Measures {
        recall: [0, 1, 2, 3].map(|k: usize| of(&|one| one.recall.get(k).copied().unwrap_or(0.0))),
        any_5: of(&|one| one.any_5),
        reciprocal: of(&|one| one.reciprocal),
        session_hit: of(&|one| one.session_hit),
        session_order: of(&|one| one.session_order),
        evidence: [0, 1, 2].map(|k: usize| of(&|one| one.evidence.get(k).copied().unwrap_or(0.0))),
    }
}

fn real(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}
