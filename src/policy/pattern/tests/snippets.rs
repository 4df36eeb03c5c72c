//! What is shown of a hit.

use unicode_segmentation::UnicodeSegmentation;

use super::super::{Matcher, RowText, SNIPPET_CHARS, beginning, snippet};
use super::{dated, read, row};
use crate::domain::{Part, SearchRow, Snippet};
use proptest::prelude::*;

fn shown(pattern: &str, row: &SearchRow, max_chars: usize) -> Snippet {
    let text = RowText::of(row);
    let found = Matcher::new(&read(pattern)).matches(&text).unwrap();
    snippet(&text, &found, max_chars)
}

fn marked(snippet: &Snippet) -> Vec<&str> {
    snippet
        .highlights
        .iter()
        .map(|(from, to)| &snippet.text[*from..*to])
        .collect()
}

#[test]
fn a_short_text_is_shown_whole_on_one_line() {
    let snippet = shown("kiln", &row("The\n\n\tKiln\r\nis\0hot "), SNIPPET_CHARS);
    assert_eq!(snippet.text, "The Kiln is hot");
    assert_eq!(marked(&snippet), ["Kiln"]);
}

#[test]
fn a_long_text_is_cut_around_the_hit() {
    let text = format!(
        "{} the kiln was hot {}",
        "before ".repeat(100),
        "after ".repeat(100)
    );
    let snippet = shown("kiln", &row(&text), 60);
    assert!(snippet.text.chars().count() <= 60);
    assert!(snippet.text.starts_with("…before"), "{}", snippet.text);
    assert!(snippet.text.ends_with('…'));
    assert_eq!(marked(&snippet), ["kiln"]);
}

#[test]
fn the_place_with_most_terms_is_shown() {
    let text = format!("oak {} oak and elm {}", "x ".repeat(200), "y ".repeat(200));
    let snippet = shown("oak elm", &row(&text), 40);
    assert_eq!(marked(&snippet), ["oak", "elm"]);
}

#[test]
fn words_that_are_far_apart_are_shown_in_two_pieces() {
    let (x, y) = ("x ".repeat(200), "y ".repeat(200));
    let text = format!("{x}the oak grows {y}no elm grows {x}");
    let snippet = shown("elm oak", &row(&text), 80);
    assert_eq!(marked(&snippet), ["oak", "elm"]);
    assert!(snippet.text.starts_with("…x x"), "{}", snippet.text);
    assert!(
        snippet.text.contains("the oak grows y y"),
        "{}",
        snippet.text
    );
    assert!(snippet.text.contains(" … y y"), "{}", snippet.text);
    assert!(
        snippet.text.ends_with("no elm grows x x x x x x x x x…"),
        "{}",
        snippet.text
    );
    // With no room for two pieces the first word is shown well.
    assert_eq!(marked(&shown("elm oak", &row(&text), 40)), ["oak"]);
    // The ends of a text need no marks.
    let ends = shown("elm oak", &row(&format!("elm {x} oak")), 80).text;
    assert!(
        ends.starts_with("elm x") && ends.ends_with("x oak"),
        "{ends}"
    );
}

#[test]
fn two_places_that_are_near_are_one_piece() {
    let text = format!("oak {} elm {}", "x ".repeat(62), "y ".repeat(200));
    let snippet = shown("oak elm", &row(&text), SNIPPET_CHARS);
    assert_eq!(marked(&snippet), ["oak", "elm"]);
    assert!(!snippet.text.contains(" … "), "{}", snippet.text);
    let after = shown("oak elm", &row(&format!("{text}{text}")), SNIPPET_CHARS);
    assert_eq!(marked(&after), ["oak", "elm"]);
}

#[test]
fn what_is_before_hits_leaves_room_for_them() {
    let x = "x ".repeat(200);
    let text = format!("{x}oak {} elm {x}", "y ".repeat(62));
    let snippet = shown("oak elm", &row(&text), SNIPPET_CHARS);
    assert_eq!(marked(&snippet), ["oak", "elm"]);
    assert!(!snippet.text.contains(" … "), "{}", snippet.text);
}

#[test]
fn the_second_piece_shows_what_the_first_does_not() {
    let x = "x ".repeat(200);
    let text = format!("ash oak {x} oak ash {x} oak elm");
    let snippet = shown("oak ash elm", &row(&text), SNIPPET_CHARS);
    assert_eq!(marked(&snippet), ["ash", "oak", "oak", "elm"]);
}

#[test]
fn clusters_stay_whole() {
    let family = "👩\u{200d}👩\u{200d}👧";
    let text = format!("{} kiln {}", family.repeat(30), "e\u{301}".repeat(200));
    for max_chars in 0..60 {
        let snippet = shown("kiln", &row(&text), max_chars);
        assert!(snippet.text.chars().count() <= max_chars, "{max_chars}");
        for cluster in snippet.text.graphemes(true) {
            assert!(
                text.graphemes(true).any(|whole| whole == cluster) || cluster == "…",
                "{cluster:?}"
            );
        }
    }
    let heap = format!("kiln{}", "\u{301}".repeat(2_000));
    assert!(shown("%kil%", &row(&heap), 50).text.chars().count() <= 50);
}

#[test]
fn a_hit_longer_than_the_room_is_cut() {
    let text = "ab ".repeat(300);
    let snippet = shown(&format!("\"{text}\""), &row(&text), 30);
    assert!(snippet.text.chars().count() <= 30);
    assert_eq!(snippet.highlights.len(), 1);
}

#[test]
fn a_hit_by_the_speaker_shows_the_beginning() {
    let said = dated("the kiln is hot", "2026-01-02", "Ada");
    let snippet = shown("ada", &said, SNIPPET_CHARS);
    assert_eq!(snippet.text, "the kiln is hot");
    assert!(snippet.highlights.is_empty());
}

#[test]
fn a_message_begins_with_its_words_and_calls_on_one_line() {
    let text = |text: &str| Part::Text {
        text: text.to_owned(),
    };
    let call = Part::ToolUse {
        call_id: "c".to_owned(),
        name: "read".to_owned(),
        arguments: r#"{"path":"quay.rs"}"#.to_owned(),
    };
    let thought = Part::Reasoning {
        text: "hm".to_owned(),
        signature: None,
    };
    let parts = [thought, text(" look\n\tthere "), call];
    assert_eq!(beginning(&parts, 100), "look there read path: quay.rs");
    assert_eq!(beginning(&parts, 10), "look the…");
    assert_eq!(beginning(&[], 10), "");
    let long = [text(&"用".repeat(500)), text("never read")];
    assert_eq!(beginning(&long, 5), "用用用用…");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn snippets_are_bounded_and_marks_lie_on_hits(
        before in "[a-zé用🔥\n ]{0,120}",
        after in "[a-zé用🔥\n\u{200d}\u{301} ]{0,120}",
        max_chars in 12..80_usize,
    ) {
        let text = format!("{before} KILN {after} kiln");
        let snippet = shown("kiln", &row(&text), max_chars);
        prop_assert!(snippet.text.chars().count() <= max_chars);
        prop_assert!(!snippet.text.contains(['\n', '\r', '\t']));
        prop_assert!(!snippet.highlights.is_empty());
        for mark in marked(&snippet) {
            prop_assert!("kiln".starts_with(&mark.to_lowercase()), "{}", mark);
        }
    }

    #[test]
    fn two_words_are_both_shown_wherever_they_stand(
        before in "[a-zé用🔥\n ]{0,300}",
        between in "[a-zé用🔥\n\u{200d}\u{301} ]{0,400}",
        after in "[a-zé用🔥\n ]{0,300}",
        max_chars in 60..SNIPPET_CHARS,
    ) {
        let text = format!("{before} KILN {between} OVEN {after}");
        let snippet = shown("kiln oven", &row(&text), max_chars);
        prop_assert!(snippet.text.chars().count() <= max_chars);
        for word in ["KILN", "OVEN"] {
            prop_assert!(marked(&snippet).contains(&word), "{:?}", snippet);
        }
    }
}

#[track_caller]
fn check_styled(pattern: &str, text: &str, want: &str, want_marked: &[&str]) {
    let snippet = shown(pattern, &row(text), SNIPPET_CHARS);
    assert_eq!(snippet.text, want);
    assert_eq!(marked(&snippet), want_marked);
}

#[test]
fn escape_sequences_of_terminals_are_left_out() {
    let kiln = ["kiln"];
    check_styled(
        "kiln",
        "\u{1b}[1mthe \u{1b}[31;1m kiln\u{1b}[39m\u{1b}[22m is hot",
        "the kiln is hot",
        &kiln,
    );
    check_styled(
        "kiln",
        "a\u{1b}[?25l kiln \u{1b}[2K\u{1b}[38:5:9m b",
        "a kiln b",
        &kiln,
    );
    check_styled(
        "kiln",
        "\u{1b}]8;;https://x.test/y\u{1b}\\ the kiln\u{1b}]8;;\u{7} is hot",
        "the kiln is hot",
        &kiln,
    );
    // What does not end or has lost its sign is text.
    check_styled(
        "kiln",
        "kiln [39m is \u{1b}]0;hot",
        "kiln [39m is ]0;hot",
        &kiln,
    );
    check_styled("kiln", "kiln \u{1b}[3\u{e9}", "kiln [3\u{e9}", &kiln);
    assert_eq!(
        beginning(
            &[Part::Text {
                text: "\u{1b}[1mkiln\u{1b}[0m hot".to_owned(),
            }],
            20
        ),
        "kiln hot"
    );
}

proptest! {
    /// Wherever a window begins, no rest of a sequence is shown, and what is marked is the hit.
    #[test]
    fn no_window_shows_the_rest_of_a_sequence(n_before in 0..80_usize, n_after in 0..80_usize, room in 24..90_usize) {
        // A title has blanks, at which windows begin.
        let style = "\u{1b}[38;5;196m\u{1b}]0;title of the window\u{7}";
        let text = format!("{}kiln{}", format!("x{style} ").repeat(n_before), format!(" {style}y").repeat(n_after));
        let snippet = shown("kiln", &row(&text), room);
        prop_assert!(!snippet.text.contains(['[', ';', 'd', 't']), "{}", snippet.text);
        prop_assert_eq!(marked(&snippet), ["kiln"]);
    }
}
