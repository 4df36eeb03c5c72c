//! What the index is fed and asked.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::cut::Cut;
use super::super::index_tokens;
use super::super::stem::stem;
use super::{read, text_part};
use crate::domain::{IndexQuery, Part, Timestamp};

#[track_caller]
fn check_tokens(text: &str, tokens: &str) {
    assert_eq!(index_tokens(&[text_part(text)], None, None), tokens);
}

#[test]
fn stems_come_in_order_and_everything_else_after() {
    check_tokens("Running two-fold tests", "run two fold test running tests");
    check_tokens(
        "new getUserNames call",
        "new getusernam call get user name getusernames names",
    );
    check_tokens("用户gen", "用 户 gen");
    check_tokens("...", "");
    assert_eq!(
        index_tokens(
            &[text_part("hot")],
            Some("Ada"),
            Some(Timestamp::from_millis(0))
        ),
        "hot ada 1970 01 01 1 januari 1970 thursday"
    );
}

proptest! {
    #[test]
    fn a_row_is_its_stems_in_order_then_each_word_that_is_none_once(
        text in "((run|runs|running|internationalizations|happy|happily|cat|getUserNames|HTTPServers|aé|用户|x1|[a-z]{1,20}|[a-z]{15,18}ing)[ \\n\\t.]{1,2}){0,40}",
    ) {
        let cut = Cut::of(&text);
        let pieces = cut.split.iter().flat_map(|split| &split.pieces);
        let words: Vec<&str> = cut
            .word_texts()
            .chain(pieces.map(|piece| cut.text(piece)))
            .collect();
        let stems: Vec<String> = words.iter().map(|word| stem(word).into_owned()).collect();
        let tokens = index_tokens(&[text_part(&text)], None, None);
        let tokens: Vec<&str> = tokens.split_whitespace().collect();
        let (in_order, after) = tokens.split_at(words.len());
        prop_assert_eq!(in_order, &stems);
        let unstemmed: BTreeSet<&str> = words.iter().copied().filter(|word| stem(word) != *word).collect();
        prop_assert_eq!(after.len(), unstemmed.len());
        prop_assert_eq!(after.iter().copied().collect::<BTreeSet<_>>(), unstemmed);
    }
}

#[test]
fn thoughts_and_data_are_not_indexed() {
    let parts = [
        Part::Reasoning {
            text: "secret".to_owned(),
            signature: None,
        },
        Part::Media {
            uri: "data:image/png;base64,QUJD".to_owned(),
            mime: "image/png".to_owned(),
        },
        text_part(&"QUJD".repeat(200)),
    ];
    assert_eq!(index_tokens(&parts, None, None), "imag png image");
}

#[test]
fn the_index_is_asked_for_less_than_the_pattern_says() {
    let token = |word: &str| IndexQuery::Token(word.to_owned());
    let phrase =
        |words: &[&str]| IndexQuery::Phrase(words.iter().map(|word| (*word).to_owned()).collect());
    let prefix = |word: &str| IndexQuery::Prefix(vec![word.to_owned()]);
    for (pattern, query) in [
        ("planting", token("plant")),
        ("running", IndexQuery::Or(vec![token("run"), token("ran")])),
        ("\"running shoes\"", phrase(&["run", "shoe"])),
        ("runn*", prefix("runn")),
        ("foo-ba*", IndexQuery::And(vec![token("foo"), prefix("ba")])),
        ("oak elm", IndexQuery::And(vec![token("oak"), token("elm")])),
        (
            "oak OR elm",
            IndexQuery::Or(vec![token("oak"), token("elm")]),
        ),
        ("oak NOT elm", token("oak")),
        ("the oak", token("oak")),
        ("%oak%", IndexQuery::Everything),
        ("%oak% elm", token("elm")),
        ("%oak% OR elm", IndexQuery::Everything),
        (
            "%an old oak tree%",
            IndexQuery::And(vec![token("old"), token("oak")]),
        ),
        (
            "GitHub",
            IndexQuery::Or(vec![token("github"), phrase(&["git", "hub"])]),
        ),
    ] {
        assert_eq!(read(pattern).index_query(), query, "`{pattern}`");
    }
}
