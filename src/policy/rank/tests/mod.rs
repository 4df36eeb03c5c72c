//! Tests of the order.

mod list;
mod one;
mod property;

use super::{Place, Stats, score};
use crate::domain::{ConversationId, SearchRow, Seq};
use crate::policy::pattern::tests::row;
use crate::policy::pattern::{Match, Matcher, Pattern, RowText, parse};

fn relaxed_or_not(pattern: &str) -> Pattern {
    let pattern = parse(pattern).unwrap();
    pattern.relaxed().unwrap_or(pattern)
}

/// Scores texts that all match, some of the words being enough.
#[track_caller]
fn scores(pattern: &str, texts: &[&str]) -> Vec<f64> {
    let decider = Matcher::new(&relaxed_or_not(pattern));
    let rows: Vec<SearchRow> = texts.iter().map(|text| row(text)).collect();
    let texts: Vec<RowText> = rows.iter().map(RowText::of).collect();
    let matches: Vec<Match> = texts
        .iter()
        .map(|text| decider.matches(text).unwrap())
        .collect();
    let n_words: usize = texts.iter().map(RowText::length).sum();
    let average =
        f64::from(u32::try_from(n_words).unwrap()) / f64::from(u32::try_from(texts.len()).unwrap());
    let stats = Stats::of_matches(100, average, &matches);
    matches.iter().map(|found| score(found, &stats)).collect()
}

/// Checks that texts are given best first.
#[track_caller]
fn check_order(pattern: &str, texts: &[&str]) {
    let scores = scores(pattern, texts);
    assert!(
        scores.windows(2).all(|pair| pair[0] < pair[1]),
        "`{pattern}`: {scores:?}"
    );
}

fn place(seq: u64) -> Place {
    (ConversationId::new(1), Seq::new(seq).unwrap())
}
