//! What code puts into a body whatever a model says.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::{
    ConversationId, Depth, Estimator, Generation, Health, Message, MessageId, NewMessage, Node,
    Origin, Seq, Span, Summary, SummaryId, Tokens, estimate,
};
use crate::policy::prompt::Child;

pub(super) const ROOM: Tokens = Tokens::new(100_000);

pub(super) fn stored(news: Vec<NewMessage>) -> Vec<Message> {
    let numbered = news.into_iter().zip(1_u32..);
    numbered
        .map(|(new, at)| {
            let seq = Seq::new(u64::from(at)).unwrap();
            Message::from_new(
                new,
                MessageId::new(i64::from(at)),
                ConversationId::new(1),
                seq,
            )
        })
        .collect()
}

pub(super) fn summary(number: u32, body: &str) -> Summary {
    let seq = |offset: u64| Seq::new(u64::from(number) * 10 + offset).unwrap();
    Summary {
        node: Node {
            id: SummaryId::new(i64::from(number)),
            conversation: ConversationId::new(1),
            span: Span::new(seq(0), seq(9)).unwrap(),
            depth: Depth::LEAF,
            generation: Generation::FIRST,
            origin: Origin::Model,
            tokens: Tokens::ZERO,
            health: Health::Sound,
            from: None,
            to: None,
        },
        body: body.into(),
        model: None,
    }
}

fn over_messages(body: &str, messages: &[Message]) -> SummaryBody {
    let children: Vec<Child<'_>> = messages.iter().map(Child::Message).collect();
    SummaryBody::parse(&carry(body, &children, &[], ROOM, &Estimator))
}

fn over_bodies(body: &str, bodies: &[&str]) -> SummaryBody {
    let summaries: Vec<Summary> = bodies
        .iter()
        .zip(1..)
        .map(|(one, at)| summary(at, one))
        .collect();
    let children: Vec<Child<'_>> = summaries.iter().map(Child::Summary).collect();
    SummaryBody::parse(&carry(body, &children, &[], ROOM, &Estimator))
}

fn write(id: &str, path: &str) -> NewMessage {
    let arguments = json!({"file_path": path, "content": "fn a() {}"});
    NewMessage::tool_use(id, "Write", arguments.to_string())
}

#[test]
fn technique_s2_files_a_model_forgets_are_stated_all_the_same() {
    let messages = stored(vec![
        write("1", "src/a.rs"),
        write("2", "src/b.rs"),
        NewMessage::tool_use("3", "bash", "{\"command\":\"rm src/b.rs\"}"),
    ]);
    let body = over_messages(
        "Files:\n- a.rs -> parses dates\n- src/b.rs -> edited, tests pass\n- c.rs -> planned",
        &messages,
    );
    let want = [
        ("c.rs", "planned"),
        ("src/a.rs", "written; parses dates"),
        ("src/b.rs", "deleted"),
    ];
    let got: Vec<(&str, &str)> = body
        .files
        .iter()
        .map(|(path, state)| (&**path, &**state))
        .collect();
    assert_eq!(got, want);
    // Once more over its own words nothing is said twice.
    let again = over_bodies(
        "Files:\n- src/a.rs -> written; parses dates",
        &[&body.render()],
    );
    assert!(
        again
            .files
            .contains(&("src/a.rs".into(), "written; parses dates".into()))
    );
}

#[test]
fn a_body_without_room_gives_up_words_and_no_path() {
    let messages = stored(
        (0..20)
            .map(|at| write(&at.to_string(), &format!("src/f{at}.rs")))
            .collect(),
    );
    let children: Vec<Child<'_>> = messages.iter().map(Child::Message).collect();
    let told = format!("State:\n- half\nNarrative:\n- {}", "words ".repeat(300));
    let text = carry(&told, &children, &[], Tokens::new(200), &Estimator);
    let body = SummaryBody::parse(&text);
    assert_eq!(body.files.len(), 20);
    assert!(body.files.iter().all(|(_, state)| state == "written"));
    assert!(body.narrative.is_empty());
    assert_eq!(body.state, ["half"]);
}

#[test]
fn files_that_outgrow_the_room_go_the_oldest_looks_first() {
    let read = |at: usize| format!("- old/r{at}.rs -> read");
    let changed = |at: usize| format!("- new/c{at}.rs -> edited");
    let lines = |files: Vec<String>| format!("Files:\n{}", files.join("\n"));
    let merge = |older: String, newer: String| {
        let children = [summary(1, &older), summary(2, &newer)];
        let children: Vec<Child<'_>> = children.iter().map(Child::Summary).collect();
        let text = carry(
            "State:\n- half",
            &children,
            &[],
            Tokens::new(400),
            &Estimator,
        );
        (SummaryBody::parse(&text), estimate(&text))
    };
    // Looks make room for changes, and the newest of them stay as far as they fit.
    let (body, _) = merge(
        lines((0..300).map(read).collect()),
        lines((0..20).map(changed).collect()),
    );
    let n_changed = body.files.iter().filter(|(_, state)| state == "edited");
    assert_eq!(n_changed.count(), 20);
    assert!(
        (1..300).contains(&(body.files.len() - 20)),
        "{}",
        body.files.len()
    );
    assert!(body.files.iter().any(|(path, _)| path == "old/r299.rs"));
    assert!(body.dropped.iter().any(|line| line.contains("read before")));
    // Changes alone take twice the room, and no more however long the session is.
    let (body, tokens) = merge(
        lines((0..900).map(changed).collect()),
        lines(vec!["- new/last.rs -> deleted".to_owned()]),
    );
    assert!(tokens <= Tokens::new(900), "{tokens}");
    assert_eq!(body.files.last().unwrap().0, "new/last.rs");
    assert!(body.files.len() > 50, "{}", body.files.len());
}

proptest! {
    #[test]
    fn technique_s26_the_files_of_a_parent_are_a_superset_of_its_childrens(
        lists in prop::collection::vec(
            prop::collection::vec(("[a-d]{1,2}", prop::sample::select(vec!["read", "edited: x", "deleted", "moved from a"])), 0..6),
            1..4,
        ),
        said in "(Files:\n(- [a-d]{1,2} -> [a-z]{1,9}\n){0,3})?[a-z]{0,10}",
    ) {
        let bodies: Vec<String> = lists.iter().map(|list| {
            let mut body = SummaryBody::default();
            for (path, state) in list {
                body.set_file(path, state);
            }
            body.render()
        }).collect();
        let refs: Vec<&str> = bodies.iter().map(String::as_str).collect();
        let merged = over_bodies(&said, &refs);
        for (path, _) in lists.iter().flatten() {
            prop_assert!(merged.files.iter().any(|(known, _)| known == path), "{}", path);
        }
        // The newest child that changed a file has the last word.
        let newest = SummaryBody::parse(bodies.last().unwrap());
        for (path, state) in newest.files.iter().filter(|(_, state)| state == "deleted") {
            prop_assert!(merged.files.contains(&(path.clone(), state.clone())));
        }
        let again = over_bodies(&merged.render(), &[&merged.render()]);
        prop_assert_eq!(again.files.len(), merged.files.len());
    }
}
