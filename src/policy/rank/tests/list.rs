//! Tests of what rows are worth beside others.

use super::{place, relaxed_or_not, row};
use crate::domain::{Role, Timestamp};
use crate::policy::pattern::{Match, Matcher, RowText};
use crate::policy::rank::{Entry, Question, Stats, Weights, ranks};

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
    let mut order = ranked(pattern, messages, &Weights::CHOSEN);
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    order.into_iter().map(|(_, seq)| seq).collect()
}

/// Returns the rank of each message with its seq, in the order given.
#[track_caller]
fn ranked(pattern: &str, messages: &[Said<'_>], weights: &Weights) -> Vec<(f64, u64)> {
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
    let ranks = ranks(&entries, &stats, Question::of(&pattern), weights);
    assert!(ranks.iter().all(|rank| *rank < 0.0), "{ranks:?}");
    ranks
        .into_iter()
        .zip(messages.iter().map(|message| message.seq))
        .collect()
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
        said(10, &late),
        said(11, "beside late words"),
        said(30, "oak elm ash"),
        said(31, "beside early words"),
    ];
    let order = best_first("oak elm ash", &messages);
    let at = |seq| order.iter().position(|one| *one == seq);
    assert!(at(31) < at(11), "{order:?}");
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
fn what_follows_a_question_is_given_more_of_its_words() {
    let messages = [
        said(10, "the oak and elm ash, as all of us know."),
        said(11, "a word or two of it"),
        said(50, "the oak and elm ash, does any of us know?"),
        said(51, "a word or two of it"),
    ];
    let order = best_first("oak elm ash", &messages);
    let at = |seq| order.iter().position(|one| *one == seq);
    assert!(at(51) < at(11), "{order:?}");
    // A message is no answer to what is asked after it.
    let messages = [
        said(10, "a word or two of it"),
        said(11, "oak elm ash."),
        said(50, "a word or two of it"),
        said(51, "oak elm ash?"),
    ];
    let order = best_first("oak elm ash", &messages);
    let at = |seq| order.iter().position(|one| *one == seq);
    assert!(at(10) < at(50), "equal: in the order given: {order:?}");
}

#[test]
fn a_question_of_when_is_answered_by_a_row_that_names_a_time() {
    for time in ["yesterday", "last spring", "in July", "in 1999"] {
        let text = format!("oak elm ash {time}");
        let messages = [said(10, "oak elm ash here there"), said(50, &text)];
        assert_eq!(
            best_first("when was oak elm ash", &messages),
            [50, 10],
            "{time}"
        );
        let filler = "here there";
        let text = format!("oak elm ash {filler}");
        let messages = [said(10, &text), said(50, "oak elm ash last spring")];
        assert_eq!(
            best_first("where was oak elm ash when", &messages),
            [10, 50],
            "equal: in the order given"
        );
    }
    for word in ["may", "lasting", "3000", "199"] {
        let text = format!("oak elm ash {word}");
        let messages = [said(10, "oak elm ash here"), said(50, &text)];
        assert_eq!(
            best_first("when was oak elm ash", &messages),
            [10, 50],
            "`{word}` names no time"
        );
    }
}

#[test]
fn a_long_sitting_is_not_lifted_for_being_long() {
    let at = |seq, hour, text| Said {
        hour: Some(hour),
        ..said(seq, text)
    };
    let long = format!("oak {}", "and much else that says nothing of it ".repeat(4));
    let messages = [
        at(10, 0, "oak alone here"),
        at(20, 0, long.as_str()),
        at(30, 0, long.as_str()),
        at(50, 100, "oak alone here"),
        at(60, 200, "elm and ash"),
    ];
    let order = best_first("oak elm ash", &messages);
    let place = |seq| order.iter().position(|one| *one == seq);
    assert!(place(50) < place(10), "{order:?}");
}

#[test]
fn stop_words_count_less_than_other_words() {
    let messages = [said(10, "oak were there"), said(50, "oak elm ivy")];
    assert_eq!(best_first("were there oak elm", &messages), [50, 10]);
    let messages = [said(10, "oak ivy fir"), said(50, "oak were there")];
    assert_eq!(best_first("were there oak elm", &messages), [50, 10]);
}

#[test]
fn a_word_beside_a_message_counts_once_though_it_stands_on_both_sides() {
    let messages = [
        said(10, "yes"),
        said(11, "oak"),
        said(12, "elm"),
        said(13, "oak"),
        said(14, "yes"),
        said(50, "yes"),
        said(51, "oak"),
        said(52, "elm"),
        said(53, "no"),
    ];
    // The share of words counts both sides: it is left out here.
    let weights = Weights {
        coverage: 0.0,
        ..Weights::CHOSEN
    };
    let ranks = ranked("oak elm ash", &messages, &weights);
    let [both, one] = [12, 52].map(|seq| ranks.iter().find(|one| one.1 == seq).unwrap().0);
    assert!((both - one).abs() < 1e-12, "{both} {one}");
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
