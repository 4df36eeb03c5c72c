//! Tests of the order.

use super::{Place, Spread, Stats, score, smooth, take_turns};
use crate::domain::{
    ConversationId, ItemId, MessageId, Part, Role, SearchRow, Seq, Span, Visibility,
};
use crate::policy::pattern::{Match, Matcher, Pattern, RowText, parse};
use proptest::prelude::*;

fn row(text: &str) -> SearchRow {
    SearchRow {
        id: ItemId::Message(MessageId::new(1)),
        conversation: ConversationId::new(1),
        span: Span::new(Seq::FIRST, Seq::FIRST).unwrap(),
        role: Some(Role::User),
        visibility: Visibility::Talk,
        depth: None,
        from: None,
        to: None,
        name: None,
        parts: vec![Part::Text {
            text: text.to_owned(),
        }],
    }
}

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

#[test]
fn repeats_in_short_texts_come_first() {
    let long = "a very long text in which one spruce stands among other words ".repeat(3);
    check_order(
        "spruce",
        &[
            "spruce spruce spruce and fern",
            &long.replacen("spruce", "x", 2),
        ],
    );
}

#[test]
fn whole_forms_come_first() {
    check_order("C++", &["long words about some C++ here", "c c c c"]);
    check_order(
        "multi-agent",
        &["the set-up is a multi-agent one", "multi agent multi agent"],
    );
    check_order("gen后5", &["a long story: gen后5个", "gen-x后5 gen后x5"]);
}

#[test]
fn rows_with_more_of_the_words_come_first() {
    check_order(
        "oak elm ash",
        &["oak elm ash", "oak elm and", "oak oak oak"],
    );
}

#[test]
fn the_share_of_words_is_a_weight_of_its_own() {
    let pattern = parse("oak elm ash").unwrap();
    let whole = Matcher::new(&pattern)
        .matches(&RowText::of(&row("oak elm ash")))
        .unwrap();
    let mut part = whole.clone();
    part.coverage.found = 2;
    let stats = Stats::of_matches(10, 3.0, std::slice::from_ref(&whole));
    assert!(score(&whole, &stats) < score(&part, &stats));
}

#[test]
fn what_takes_rows_away_counts_for_nothing() {
    let scores = scores("(oak NOT elm) OR ash", &["ash elm", "ash fir"]);
    assert!((scores[0] - scores[1]).abs() < 1e-12, "{scores:?}");
}

#[test]
fn rare_words_count_more() {
    let scores = scores("oak elm", &["elm tree", "oak tree", "oak bush"]);
    assert!(scores[0] < scores[1]);
}

#[test]
fn every_match_has_a_rank_though_all_rows_have_the_word() {
    let matches = scores("common", &["common word", "common word", "common word"]);
    assert!(matches.iter().all(|score| *score < 0.0));
    let found = Matcher::new(&parse("common").unwrap())
        .matches(&RowText::of(&row("common")))
        .unwrap();
    let stats = Stats {
        n_rows: 1_000_000,
        n_rows_with: vec![1_000_000],
        average_length: 0.0,
    };
    assert!(score(&found, &stats) < 0.0);
}

#[test]
fn only_substrings_have_no_rank() {
    for (pattern, is_fuzzy_only) in [
        ("%larch%", true),
        ("%larch% NOT fern", true),
        ("%larch% fern", false),
        ("larch", false),
    ] {
        assert_eq!(
            parse(pattern).unwrap().is_fuzzy_only(),
            is_fuzzy_only,
            "`{pattern}`"
        );
    }
}

#[test]
fn kinds_take_turns_until_one_runs_out() {
    assert_eq!(
        take_turns(vec![1, 2], vec![9, 8, 7, 6], 10),
        [1, 9, 2, 8, 7, 6]
    );
    assert_eq!(take_turns(vec![1, 2, 3], vec![9], 3), [1, 9, 2]);
    assert_eq!(take_turns(vec![1], (10..50).collect(), 10).len(), 10);
    assert!(take_turns(Vec::<i32>::new(), Vec::new(), 5).is_empty());
    assert!(take_turns(vec![1], vec![2], 0).is_empty());
}

fn place(seq: u64) -> Place {
    (ConversationId::new(1), Seq::new(seq).unwrap())
}

#[test]
fn neighbours_lift_each_other() {
    let lone = (place(50), -1.0);
    let pair = [(place(10), -0.9), (place(11), -0.9)];
    let order = smooth(&[lone, pair[0], pair[1]], Spread::Matching);
    let places: Vec<Place> = order.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [place(11), place(10), place(50)]);
    let with_neighbours = smooth(&[(place(1), -1.0)], Spread::Neighbours);
    let places: Vec<Place> = with_neighbours.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [place(1), place(2), place(3)]);
    let elsewhere = (ConversationId::new(2), Seq::new(11).unwrap());
    let apart = smooth(&[(place(10), -1.0), (elsewhere, -1.0)], Spread::Matching);
    assert!(apart.iter().all(|(_, score)| (*score + 1.0).abs() < 1e-9));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// More of a word never ranks lower, and no score reaches zero.
    #[test]
    fn scores_fall_with_repeats(n_words in 1..20_usize, n_other in 0..40_usize, n_rows in 1..1_000_u64) {
        let matcher = Matcher::new(&parse("oak").unwrap());
        let stats = Stats { n_rows, n_rows_with: vec![n_rows.div_ceil(2)], average_length: 10.0 };
        let length = n_words + n_other + 1;
        let score_of = |n: usize| {
            let text = format!("{}{}", "oak ".repeat(n), "x ".repeat(length - n));
            score(&matcher.matches(&RowText::of(&row(&text))).unwrap(), &stats)
        };
        prop_assert!(score_of(n_words) < 0.0);
        prop_assert!(score_of(n_words + 1) <= score_of(n_words));
    }

    #[test]
    fn smoothing_keeps_the_rows(seqs in prop::collection::btree_set(1..40_u64, 0..12)) {
        let scores: Vec<(Place, f64)> = seqs.iter().map(|seq| (place(*seq), -1.0)).collect();
        let smoothed = smooth(&scores, Spread::Matching);
        let kept: std::collections::BTreeSet<u64> =
            smoothed.iter().map(|(place, _)| place.1.get()).collect();
        prop_assert_eq!(kept, seqs);
        prop_assert!(smoothed.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    }
}
