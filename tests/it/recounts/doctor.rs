//! `doctor` names a recount that does not hold, and the store refuses one made too late.

use hippocamp::domain::{
    MessageId, NewMessage, RecountCommit, RecountOutcome, RecountPlan, Recounted, Seq, Tokens,
};
use hippocamp::store::{WriteOp, WriteReply};

use crate::clears::kit::step;
use crate::doctor::{check_damage_of, sound};
use crate::store_search::kit::{Bench, NOW, bench};

fn plan(bench: &Bench, rows: Vec<Recounted>) -> RecountPlan {
    RecountPlan {
        conversation: bench.conversation("main"),
        head: Seq::new(6),
        counted_by: String::new(),
        caps: "500".to_owned(),
        tokens_before: Tokens::new(54),
        rows,
    }
}

fn second(message: i64, before: u64) -> Recounted {
    Recounted {
        message: MessageId::new(message),
        seq: Seq::new(2).unwrap(),
        before: Tokens::new(before),
        after: Tokens::new(5),
        tokens: Tokens::new(5),
    }
}

fn run(bench: &mut Bench, plan: RecountPlan) -> RecountOutcome {
    let commit = RecountCommit { plan, now: NOW };
    match bench.run(WriteOp::Recount(commit)).unwrap() {
        WriteReply::Recounted(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

/// Three calls with their results, and the id of the first result's row.
fn stored() -> (Bench, i64) {
    let mut bench = bench();
    let messages = (0..3)
        .flat_map(|index| step(index, "Read", "a body"))
        .collect();
    let ids = bench.append("main", messages);
    bench.append("other", vec![NewMessage::user("hello")]);
    (bench, ids[1])
}

fn made() -> Bench {
    let (mut bench, id) = stored();
    let plan = plan(&bench, vec![second(id, 9)]);
    assert!(matches!(run(&mut bench, plan), RecountOutcome::Applied(_)));
    bench
}

#[test]
fn a_plan_that_was_outrun_writes_nothing() {
    let (mut bench, id) = stored();
    let holds = plan(&bench, vec![second(id, 9)]);
    let late: [fn(&mut RecountPlan); 4] = [
        |plan| plan.head = Seq::new(5),
        |plan| plan.counted_by = "500".to_owned(),
        |plan| plan.rows[0].before = Tokens::new(8),
        |plan| plan.rows[0].message = MessageId::new(99),
    ];
    for change in late {
        let mut plan = holds.clone();
        change(&mut plan);
        assert_eq!(run(&mut bench, plan), RecountOutcome::Stale);
    }
    assert!(matches!(
        run(&mut bench, holds.clone()),
        RecountOutcome::Applied(_)
    ));
    assert_eq!(run(&mut bench, holds), RecountOutcome::Stale, "twice");
    let mut none = plan(&bench, Vec::new());
    none.counted_by = "500".to_owned();
    none.caps = "600".to_owned();
    assert_eq!(run(&mut bench, none), RecountOutcome::Unchanged);
    let conversation = bench.conversation("main");
    let found = bench.reader.conversation_by_id(conversation).unwrap();
    assert_eq!(found.unwrap().counted_by, "600");
    assert_eq!(bench.reader.events(conversation).unwrap().len(), 1);
    sound(&bench);
}

#[track_caller]
fn check_named(sql: &str, detail: &str) {
    let bench = made();
    sound(&bench);
    check_damage_of(bench, "recounts", sql, detail);
}

#[test]
fn each_damage_of_a_recount_is_named() {
    check_named("UPDATE recounted SET message_id = 99", "message 99");
    check_named(
        "UPDATE recounted SET conversation_id = 2",
        "conversation 2, which does not see it",
    );
    check_named("UPDATE recounted SET event_id = 1", "event 1");
    check_named(
        "UPDATE recounted SET tokens = 5000",
        "more than the message",
    );
    check_named(
        "UPDATE recounted SET tokens = x'ff'",
        "more than the message",
    );
    check_named("DELETE FROM recounted", "a recount of no message");
}

#[test]
fn a_recount_never_changes_and_never_vanishes() {
    let bench = made();
    for sql in ["UPDATE recounted SET tokens = 1", "DELETE FROM recounted"] {
        assert!(bench.raw().execute_batch(sql).is_err(), "{sql}");
    }
    sound(&bench);
}
