//! `doctor` names a clear that does not hold; a row that cannot be read shows its body instead.

use hippocamp::domain::{
    ClearCommit, ClearPlan, Cleared, MessageId, MessageMeta, NewMessage, Tokens,
};
use hippocamp::store::{WriteOp, WriteReply};

use super::kit::step;
use crate::doctor::{check_damage_of, sound};
use crate::store_search::kit::{Bench, NOW, bench, span};

/// Three results of which the first is cleared, and another conversation.
fn made() -> Bench {
    let mut bench = bench();
    let messages = (0..3)
        .flat_map(|index| step(index, "Read", "a body"))
        .collect();
    let ids = bench.append("main", messages);
    bench.append("other", vec![NewMessage::user("hello")]);
    let cleared = Cleared {
        nth: 0,
        tool: Some("Read".to_owned()),
        tokens: Tokens::new(8),
        saved: Tokens::new(5),
        same_as: None,
    };
    let commit = ClearCommit {
        plan: ClearPlan {
            conversation: bench.conversation("main"),
            tokens_before: Tokens::new(100),
            results: vec![(MessageId::new(ids[1]), cleared)],
        },
        reason: "turn".to_owned(),
        now: NOW,
    };
    let reply = bench.run(WriteOp::Clear(commit)).unwrap();
    assert!(matches!(reply, WriteReply::Cleared(_)));
    bench
}

#[track_caller]
fn check_named(sql: &str, detail: &str) {
    let bench = made();
    sound(&bench);
    check_damage_of(bench, "clears", sql, detail);
}

#[test]
fn each_damage_of_a_clear_is_named() {
    check_named("UPDATE cleared SET message_id = 99", "message 99");
    check_named(
        "UPDATE cleared SET conversation_id = 2",
        "conversation 2, which does not see it",
    );
    check_named("UPDATE cleared SET nth = 1", "result 1 of message 2");
    check_named("UPDATE cleared SET event_id = 1", "event 1");
    check_named("UPDATE cleared SET saved = 6", "do not add up");
    check_named(
        "UPDATE cleared SET saved = 50, tokens = 60",
        "message 2 do not add up",
    );
    check_named(
        "UPDATE event SET tokens_after = 3 WHERE kind = 'clear'",
        "do not add up",
    );
    check_named("DELETE FROM cleared", "do not add up");
}

#[test]
fn a_clear_never_changes_and_never_vanishes() {
    let bench = made();
    for sql in ["UPDATE cleared SET saved = 1", "DELETE FROM cleared"] {
        assert!(bench.raw().execute_batch(sql).is_err(), "{sql}");
    }
    sound(&bench);
}

#[test]
fn a_clear_that_cannot_be_read_is_passed_over() {
    let bench = made();
    let row = |bench: &Bench| -> MessageMeta {
        let conversation = bench.conversation("main");
        bench
            .reader
            .metas(conversation, span(2, 2))
            .unwrap()
            .remove(0)
    };
    assert_eq!(
        (row(&bench).cleared.len(), row(&bench).view_tokens.get()),
        (1, 4)
    );
    let raw = bench.raw();
    raw.execute_batch("DROP TRIGGER cleared_no_update; PRAGMA ignore_check_constraints = 1")
        .unwrap();
    raw.execute_batch("UPDATE cleared SET tool = x'ff'")
        .unwrap();
    assert_eq!(
        (row(&bench).cleared.len(), row(&bench).view_tokens.get()),
        (0, 9)
    );
}
