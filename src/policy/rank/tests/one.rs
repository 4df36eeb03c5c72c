//! Tests of what a row is worth by itself.

use super::{check_order, relaxed_or_not, row, scores};
use crate::domain::{SearchRow, Timestamp, Visibility};
use crate::policy::pattern::{Matcher, RowText, parse};
use crate::policy::rank::{Entry, Question, Stats, Weights, ranks, score, take_turns};

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
fn of_rows_with_a_word_once_the_shorter_comes_first() {
    check_order(
        "spruce",
        &[
            "a spruce and a fern",
            "a spruce and a fern and much more that is said besides",
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
    let scores = scores(
        "oak elm ash",
        &["oak elm ash", "oak elm ivy", "oak ash ivy"],
    );
    // By its words alone the second would have two thirds of the first or more: the words that it
    // has are no rarer than the one that it lacks.
    let pattern = relaxed_or_not("oak elm ash");
    let mut stats = Stats::of_matches(100, 3.0, []);
    stats.n_rows_with = vec![5; 3];
    let score_of = |text: &str| {
        let found = Matcher::new(&pattern)
            .matches(&RowText::of(&row(text)))
            .unwrap();
        score(&found, &stats)
    };
    let [whole, part] = ["oak elm ash", "oak elm ivy"].map(score_of);
    assert!(part > whole * 2.0 / 3.0 + 1e-9, "{part} {whole}");
    assert!(scores[0] < scores[1] && scores[0] < scores[2]);
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

/// B035.
#[test]
fn what_a_host_put_in_comes_after_talk_however_often_it_says_the_word() {
    let pattern = parse("birch").unwrap();
    let matcher = Matcher::new(&pattern);
    let score_of = |visibility: Visibility, text: &str| {
        let row = SearchRow {
            visibility,
            ..row(text)
        };
        let found = matcher.matches(&RowText::of(&row)).unwrap();
        let mut stats = Stats::of_matches(100, 6.0, []);
        stats.n_rows_with = vec![4];
        score(&found, &stats)
    };
    let talk = score_of(Visibility::Talk, "so what became of the birch then?");
    let noise = score_of(Visibility::Meta, "<stdout>birch birch birch</stdout>");
    assert!(talk < noise && noise < 0.0, "{talk} {noise}");
}

#[test]
fn what_a_host_put_in_makes_no_way_for_rows_with_some_of_the_words() {
    let matcher = Matcher::new(&parse("birch larch fern").unwrap().relaxed().unwrap());
    let found_in = |visibility: Visibility, text: &str| {
        let row = SearchRow {
            visibility,
            ..row(text)
        };
        matcher.matches(&RowText::of(&row)).unwrap()
    };
    let found = [
        found_in(
            Visibility::Meta,
            "the birch, the larch and the fern by the gate",
        ),
        found_in(Visibility::Talk, "birch and larch, larch and birch"),
    ];
    let entries = found.each_ref().map(|found| Entry {
        place: None,
        at: None,
        role: None,
        found,
    });
    let mut stats = Stats::of_matches(100, 6.0, []);
    stats.n_rows_with = vec![4, 4, 4];
    let ranks = ranks(&entries, &stats, Question::Other, &Weights::CHOSEN);
    assert!(ranks[0] < ranks[1], "{ranks:?}");
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

#[test]
fn irregular_forms_are_the_same_word_and_kin_words_count_where_some_are_enough() {
    check_order("go home soon", &["we went home soon", "we want home soon"]);
    check_order(
        "mother bakes bread",
        &["my mom bakes bread", "my cat bakes bread"],
    );
    let strict = Matcher::new(&parse("mother bread").unwrap());
    assert!(strict.matches(&RowText::of(&row("mom bread"))).is_none());
    let went = Matcher::new(&parse("went").unwrap());
    assert!(went.matches(&RowText::of(&row("they are going"))).is_some());
}

#[test]
fn rows_of_a_named_speaker_come_before_rows_about_them() {
    let by = |name: &str, text: &str| SearchRow {
        name: Some(name.to_owned()),
        ..row(text)
    };
    let rows = [
        by("Bo", "ada and her oak elm, said so"),
        by("Ada", "there and my oak elm, said so"),
    ];
    let matcher = Matcher::new(&relaxed_or_not("ada oak elm"));
    let texts = rows.each_ref().map(RowText::of);
    let found = texts.each_ref().map(|text| matcher.matches(text).unwrap());
    let stats = Stats::of_matches(100, 7.0, &found);
    let [about, own] = found.each_ref().map(|found| score(found, &stats));
    assert!(own < about, "{own} {about}");
}

#[test]
fn a_word_of_the_date_counts_beside_a_word_of_the_text() {
    let on = |day: &str| SearchRow {
        from: Timestamp::parse(day).ok(),
        ..row("the oak is cut")
    };
    let rows = [on("2026-02-02"), on("2026-03-02")];
    let matcher = Matcher::new(&relaxed_or_not("oak elm march"));
    let texts = rows.each_ref().map(RowText::of);
    let found = texts.each_ref().map(|text| matcher.matches(text).unwrap());
    let stats = Stats::of_matches(100, 4.0, &found);
    let [other, asked] = found.each_ref().map(|found| score(found, &stats));
    assert!(asked < other, "{asked} {other}");
}
