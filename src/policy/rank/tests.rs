//! Tests of the order.

use super::{Entry, Place, Question, Stats, Weights, ranks, score, take_turns};
use crate::domain::{
    ConversationId, ItemId, MessageId, Part, Role, SearchRow, Seq, Span, Timestamp, Visibility,
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
        model: None,
        answers: Vec::new(),
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

/// A message to be ranked: its place, its hour, its role and its words.
struct Said<'a> {
    seq: u64,
    hour: Option<i64>,
    role: Role,
    text: &'a str,
}

fn said(seq: u64, text: &str) -> Said<'_> {
    Said {
        seq,
        hour: None,
        role: Role::User,
        text,
    }
}

/// Ranks messages, those without a word of the pattern too, and returns their seqs, best first.
#[track_caller]
fn best_first(pattern: &str, messages: &[Said<'_>]) -> Vec<u64> {
    let pattern = relaxed_or_not(pattern);
    let matcher = Matcher::new(&pattern);
    let found: Vec<Match> = messages
        .iter()
        .map(|message| {
            let row = row(message.text);
            let text = RowText::of(&row);
            matcher
                .matches(&text)
                .unwrap_or_else(|| matcher.nothing_of(&text))
        })
        .collect();
    let entries: Vec<Entry<'_>> = messages
        .iter()
        .zip(&found)
        .map(|(message, found)| Entry {
            place: Some(place(message.seq)),
            at: message
                .hour
                .map(|hour| Timestamp::from_millis(hour * 3_600_000)),
            role: Some(message.role),
            found,
        })
        .collect();
    let stats = Stats::of_matches(100, 4.0, &found);
    let ranks = ranks(&entries, &stats, Question::of(&pattern), &Weights::CHOSEN);
    assert!(ranks.iter().all(|rank| *rank < 0.0), "{ranks:?}");
    let mut order: Vec<(f64, u64)> = ranks
        .into_iter()
        .zip(messages.iter().map(|message| message.seq))
        .collect();
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    order.into_iter().map(|(_, seq)| seq).collect()
}

#[test]
fn a_message_beside_the_words_comes_before_one_far_away() {
    let messages = [
        said(10, "oak elm ash"),
        said(11, "yes indeed"),
        said(12, "and so on"),
        said(50, "nothing here"),
    ];
    assert_eq!(best_first("oak elm ash", &messages), [10, 11, 12, 50]);
}

#[test]
fn words_spread_over_neighbours_come_together() {
    let messages = [
        said(10, "oak here"),
        said(11, "elm there"),
        said(50, "oak alone"),
    ];
    let order = best_first("oak elm ash", &messages);
    assert_eq!(order.last(), Some(&50), "{order:?}");
}

#[test]
fn only_the_first_words_of_a_message_reach_those_beside_it() {
    let late = format!("{}oak elm ash", "x ".repeat(200));
    let messages = [
        said(10, "oak elm ash"),
        said(11, "beside early words"),
        said(30, &late),
        said(31, "beside late words"),
    ];
    let order = best_first("oak elm ash", &messages);
    let at = |seq| order.iter().position(|one| *one == seq);
    assert!(at(11) < at(31), "{order:?}");
}

#[test]
fn a_short_question_comes_after_a_statement() {
    let messages = [
        said(10, "the oak and elm ash?"),
        said(50, "the oak and elm ash."),
    ];
    assert_eq!(best_first("oak elm ash", &messages), [50, 10]);
    let long = format!("the oak and elm ash {}", "and ".repeat(60));
    let asks = format!("{long}?");
    let told = [said(10, &asks), said(50, &long)];
    assert_eq!(
        best_first("oak elm ash", &told),
        [10, 50],
        "equal: in the order given"
    );
}

#[test]
fn a_question_in_the_first_person_is_about_what_the_user_said() {
    let answer = Said {
        role: Role::Assistant,
        ..said(10, "oak elm ash")
    };
    let messages = [answer, said(50, "oak elm ash")];
    assert_eq!(
        best_first("where did i plant oak elm ash", &messages),
        [50, 10]
    );
    assert_eq!(
        best_first("where to plant oak elm ash", &messages),
        [10, 50]
    );
}

#[test]
fn a_sitting_with_more_of_the_words_lifts_its_rows() {
    let at = |seq, hour, text| Said {
        hour: Some(hour),
        ..said(seq, text)
    };
    let messages = [
        at(10, 0, "oak one"),
        at(20, 100, "oak two"),
        at(30, 100, "elm ash"),
    ];
    let order = best_first("oak elm ash", &messages);
    assert_eq!(order.last(), Some(&10), "{order:?}");
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

    /// A row is never ranked worse for having a match beside it.
    #[test]
    fn a_match_beside_a_row_never_lowers_it(n_words in 1..6_usize, distance in 1..4_u64, is_before in any::<bool>()) {
        let pattern = relaxed_or_not("oak elm ash");
        let matcher = Matcher::new(&pattern);
        let rows = [row("oak and more"), row(&"elm ".repeat(n_words))];
        let found = rows.each_ref().map(|row| matcher.matches(&RowText::of(row)).unwrap());
        let stats = Stats::of_matches(100, 4.0, &found);
        let other = if is_before { 20 - distance } else { 20 + distance };
        let places = [place(20), place(other)];
        let entries: Vec<Entry<'_>> = places.iter().zip(&found).map(|(place, found)| Entry {
            place: Some(*place), at: None, role: None, found,
        }).collect();
        let rank = |entries: &[Entry<'_>]| ranks(entries, &stats, Question::Other, &Weights::CHOSEN)[0];
        prop_assert!(rank(&entries) <= rank(&entries[..1]));
        prop_assert_eq!(rank(&entries) < rank(&entries[..1]), distance <= 2);
    }
}
