//! Where words begin and end, and how they fold.

use super::super::cut::Cut;
use super::super::searchable;
use super::super::stem::{beginning, stem};
use proptest::prelude::*;

#[track_caller]
fn check_words(text: &str, words: &str, parted: &str) {
    let cut = Cut::of(text);
    let parts: Vec<String> = cut
        .split
        .iter()
        .map(|split| {
            let pieces: Vec<&str> = split.pieces.iter().map(|piece| cut.text(piece)).collect();
            pieces.join("+")
        })
        .collect();
    assert_eq!(
        cut.word_texts().collect::<Vec<_>>().join(" "),
        words,
        "`{text}`"
    );
    assert_eq!(parts.join(" "), parted, "`{text}`");
}

#[test]
fn capitals_part_words() {
    check_words("getUserName", "getusername", "get+user+name");
    check_words(
        "HTTPServer XMLHttpRequest",
        "httpserver xmlhttprequest",
        "http+server xml+http+request",
    );
    check_words("GB/s URLs PRs IDs", "gb s urls prs ids", "");
    check_words(
        "sha256Sum 3D B105 utf8",
        "sha256sum 3d b105 utf8",
        "sha256+sum",
    );
    check_words("CONSTANT_NAME Title", "constant name title", "");
    check_words("éclatÉtat", "éclatétat", "éclat+état");
}

#[test]
fn each_unspaced_character_is_a_word() {
    check_words("用gen户", "用 gen 户", "");
    check_words("カタカナ語", "カ タ カ ナ 語", "");
    check_words("ไทย", "ไ ท ย", "");
    check_words("서울API를", "서울 api 를", "");
    check_words("नमस्ते", "नमस्ते", "");
    check_words("a🔥b", "a 🔥 b", "");
    check_words("「用」、。", "用", "");
}

#[test]
fn sources_lead_back_to_the_text() {
    for (text, word, source) in [
        ("die Straße hier", "strasse", "Straße"),
        ("x cafe\u{301}s y", "cafés", "cafe\u{301}s"),
        ("x wi\u{200d}dth y", "width", "wi\u{200d}dth"),
        ("Ｆｕｌｌ", "full", "Ｆｕｌｌ"),
        ("İstanbul ve", "istanbul", "İstanbul"),
        ("a ﬁne day", "fine", "ﬁne"),
    ] {
        let cut = Cut::of(text);
        let range = cut
            .words
            .iter()
            .find(|range| cut.text(range) == word)
            .unwrap();
        assert_eq!(&text[cut.source(range)], source);
    }
}

#[test]
fn long_runs_of_base64_are_left_out() {
    let run = "A1+/".repeat(128);
    assert_eq!(searchable(&format!("a {run} b")), "a   b");
    assert_eq!(searchable(&run), " ");
    assert_eq!(searchable(&format!("用{run}户")), "用 户");
    let short = &run[1..];
    assert_eq!(searchable(short), short);
    assert_eq!(
        searchable(&format!("{short} {short}")),
        format!("{short} {short}")
    );
    assert_eq!(
        searchable("data:image/png;base64,QUJD end"),
        "data:image/png;base64,  end"
    );
    let twice = format!("{run}-{run}-{short}-{run}");
    assert_eq!(searchable(&twice), format!(" - -{short}- "));
}

#[test]
fn escape_sequences_of_terminals_are_no_part_of_words() {
    for (text, want) in [
        ("the \u{1b}[31;1mkiln\u{1b}[0m is hot", "the kiln is hot"),
        ("k\u{1b}[1mil\u{1b}[22mn", "kiln"),
        (
            "\u{1b}]8;;https://x.test/y\u{1b}\\link\u{1b}]8;;\u{7}",
            "link",
        ),
        (
            "\u{1b}[3\u{e9} \u{1b}]0;no end",
            "\u{1b}[3\u{e9} \u{1b}]0;no end",
        ),
    ] {
        assert_eq!(searchable(text), want);
    }
}

/// A plain reading of the same rule.
fn slow_searchable(text: &str) -> String {
    let mut out = String::new();
    let mut run = String::new();
    for c in text.chars().chain(std::iter::once('\n')) {
        if c.is_ascii_alphanumeric() || "+/=".contains(c) {
            run.push(c);
            continue;
        }
        out.push_str(if run.len() >= 512 { " " } else { &run });
        run.clear();
        out.push(c);
    }
    out.pop();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn runs_are_found_wherever_they_stand(parts in prop::collection::vec((0..1_200_usize, "[ .é-]{0,3}"), 1..8)) {
        let text: String = parts
            .iter()
            .flat_map(|(length, between)| ["a".repeat(*length), between.clone()])
            .collect();
        prop_assert_eq!(searchable(&text).into_owned(), slow_searchable(&text));
    }

    #[test]
    fn every_word_begins_as_its_stem_says(
        root in "[a-z]{1,9}",
        end in prop::sample::select(vec![
            "", "s", "es", "ies", "ied", "ed", "eed", "ing", "ingly", "y", "ying", "ational",
            "ization", "izer", "ator", "biliti", "ability", "iveness", "fully", "ously", "ogist",
            "ement", "ion", "nning", "ly", "li", "ence", "ency", "ate", "ative", "e", "ll",
        ]),
    ) {
        let word = format!("{root}{end}");
        let stem = stem(&word).into_owned();
        prop_assert!(word.starts_with(beginning(&stem)), "{} {}", word, stem);
    }

    #[test]
    fn cutting_is_total_and_in_order(text in "\\PC{0,40}|[a-zA-Zé\u{301}\u{200d}用ß🔥 ._\u{0}]{0,40}") {
        let cut = Cut::of(&text);
        let mut last = 0;
        for word in &cut.words {
            prop_assert!(word.start >= last && word.end > word.start);
            last = word.end;
            let source = cut.source(word);
            prop_assert!(text.get(source.clone()).is_some_and(|part| !part.is_empty()), "{:?}", source);
            for c in cut.text(word).chars().filter(char::is_ascii) {
                prop_assert!(c.is_ascii_digit() || c.is_ascii_lowercase());
            }
        }
        for split in &cut.split {
            let joined: String = split.pieces.iter().map(|piece| cut.text(piece)).collect();
            prop_assert_eq!(joined.as_str(), cut.text(&cut.words[split.word_idx]));
        }
    }
}

#[test]
fn short_words_that_change_keep_their_first_letter() {
    for word in [
        "dying", "lying", "tying", "skies", "ties", "cries", "early", "ugly", "only",
    ] {
        let stem = stem(word).into_owned();
        assert!(word.starts_with(beginning(&stem)), "{word} {stem}");
    }
}

/// Feeds each character by itself, as text beyond ASCII is fed.
fn cut_slowly(text: &str) -> Vec<String> {
    // A mark that folds away behind each letter keeps runs of ASCII from being taken as such.
    let marked: String = text.chars().flat_map(|c| [c, '\u{200d}']).collect();
    let cut = Cut::of(&marked);
    cut.word_texts().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn runs_of_ascii_are_cut_like_single_characters(text in "[a-zA-Z0-9 ._\u{1}é가用]{0,24}") {
        let cut = Cut::of(&text);
        prop_assert_eq!(cut.word_texts().collect::<Vec<_>>(), cut_slowly(&text));
        prop_assert_eq!(cut.folded.chars().count(), text.chars().count());
    }
}
