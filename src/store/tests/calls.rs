//! Calls of models: their events come back whole, add up, and damage to them is named.

use super::kit::{NOW, bench, leaf, plan_commit, span, talk};
use crate::domain::{CallRecord, ConversationId, EventKind, RedactionCounts, Tokens, Usage};
use crate::store::{Thoroughness, WriteOp, WriteReply};

fn call(conversation: ConversationId, usage: Option<Usage>) -> CallRecord {
    CallRecord {
        conversation,
        span: span(1, 2),
        model: "small".to_owned(),
        usage,
        redactions: [("jwt", 2)].into_iter().collect(),
        outcome: "answered".to_owned(),
        now: NOW,
    }
}

#[test]
fn a_call_comes_back_whole_and_adds_up() {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    let usage = Usage::new(Tokens::new(100), Tokens::new(20)).cached(Tokens::new(60));
    let ops = [
        WriteOp::Call(call(id, Some(usage))),
        WriteOp::Call(call(id, None)),
    ];
    for reply in bench.writer.run(&ops) {
        assert!(
            matches!(reply, Ok(WriteReply::CallRecorded(_))),
            "{reply:?}"
        );
    }
    let events = bench.reader.events(id).unwrap();
    let [first, second] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(
        (first.kind, first.span),
        (EventKind::Call, Some(span(1, 2)))
    );
    assert_eq!(first.model.as_deref(), Some("small"));
    assert_eq!(first.reason.as_deref(), Some("answered"));
    assert_eq!((first.usage, second.usage), (Some(usage), None));
    assert_eq!(first.redactions.iter().collect::<Vec<_>>(), [("jwt", 2)]);
    let stats = bench.reader.store_stats().unwrap();
    assert_eq!((stats.calls, stats.usage), (2, usage));
    let stats = bench.reader.conversation_stats(id).unwrap();
    assert_eq!((stats.calls, stats.usage), (2, usage));
}

#[test]
fn a_call_for_a_branch_that_is_not_there_is_refused() {
    let mut bench = bench();
    let replies = bench
        .writer
        .run(&[WriteOp::Call(call(ConversationId::new(9), None))]);
    assert!(replies[0].is_err());
}

#[test]
fn an_event_without_a_call_has_nothing_of_one() {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    bench.applied(plan_commit(leaf(id, 1, 2)));
    let event = &bench.reader.events(id).unwrap()[0];
    assert_eq!((event.usage, event.model.clone()), (None, None));
    assert_eq!(event.redactions, RedactionCounts::default());
}

#[track_caller]
fn check_damage(sql: &str, words: &str) {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    let replies = bench.writer.run(&[WriteOp::Call(call(id, None))]);
    assert!(replies[0].is_ok());
    bench.damage(sql);
    let checks = bench.reader.integrity(Thoroughness::Full).unwrap();
    let check = checks.iter().find(|check| check.name == "calls").unwrap();
    assert_eq!(check.is_ok, words.is_empty(), "{}", check.detail);
    assert!(check.detail.contains(words), "{}", check.detail);
}

#[test]
fn doctor_names_a_call_that_is_not_whole() {
    check_damage("", "");
    check_damage("UPDATE event SET model = NULL", "does not say all of it");
    check_damage("UPDATE event SET reason = NULL", "does not say all of it");
    check_damage(
        "UPDATE event SET input_tokens = 5",
        "does not say all of it",
    );
    check_damage(
        "UPDATE event SET redactions = '{\"jwt\":-1}'",
        "are no counts",
    );
    check_damage("UPDATE event SET redactions = 'x'", "are no counts");
    check_damage(
        "UPDATE event SET kind = 'leaf'",
        "is no call and holds what one cost",
    );
}
