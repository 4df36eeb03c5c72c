//! Tests of the search language.

mod cutting;
mod index;
mod matching;
mod property;
mod reading;
mod sieving;
mod snippets;

use crate::domain::{
    ConversationId, HitKind, ItemId, MessageId, Part, Role, SearchRow, Seq, Span, Timestamp,
    Visibility,
};

use super::{Match, Matcher, Pattern, RowText, parse};

fn text_part(text: &str) -> Part {
    Part::Text {
        text: text.to_owned(),
    }
}

/// A user's message of these parts, without a time.
fn row_of(parts: Vec<Part>) -> SearchRow {
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
        parts,
    }
}

/// A user's message of one text.
pub(in crate::policy) fn row(text: &str) -> SearchRow {
    row_of(vec![text_part(text)])
}

fn dated(text: &str, at: &str, speaker: &str) -> SearchRow {
    let at = Some(Timestamp::parse(at).unwrap());
    SearchRow {
        from: at,
        to: at,
        name: Some(speaker.to_owned()),
        ..row(text)
    }
}

#[track_caller]
fn read(pattern: &str) -> Pattern {
    match parse(pattern) {
        Ok(pattern) => pattern,
        Err(error) => panic!("`{pattern}`: {error}"),
    }
}

#[track_caller]
fn find(pattern: &str, row: &SearchRow) -> Option<Match> {
    Matcher::new(&read(pattern)).matches(&RowText::of(row))
}

/// Checks which texts a pattern finds.
#[track_caller]
fn check_finds(pattern: &str, found: &[&str], missed: &[&str]) {
    for text in found {
        assert!(
            find(pattern, &row(text)).is_some(),
            "`{pattern}` misses `{text}`"
        );
    }
    for text in missed {
        assert!(
            find(pattern, &row(text)).is_none(),
            "`{pattern}` finds `{text}`"
        );
    }
}

#[track_caller]
fn kind_of(pattern: &str, row: &SearchRow) -> Option<HitKind> {
    find(pattern, row).map(|found| found.kind)
}
