//! Commits: what still holds is stored with its event, all else is stale or refused.

use super::kit::{NOW, bench, condense, later, leaf, plan_commit, repair, talk};
use crate::domain::{
    Breaker, BreakerChange, Children, CommitOutcome, CondensePlan, Depth, EventKind, Generation,
    Plan, SummaryId, Tokens, Window,
};
use crate::store::{BreakerOutcome, LeaseOutcome, StoreError, WriteOp, WriteReply};

#[test]
fn a_leaf_must_begin_after_the_last_node_and_end_by_the_head() {
    let mut bench = bench();
    let id = bench.append("main", talk(6)).conversation;
    for (first, last) in [(2, 4), (1, 7), (3, 3)] {
        let outcome = bench.commit(plan_commit(leaf(id, first, last)));
        assert_eq!(outcome, CommitOutcome::Stale, "{first}-{last}");
    }
    bench.applied(plan_commit(leaf(id, 1, 2)));
    for (first, last) in [(1, 2), (2, 4), (4, 5), (1, 4)] {
        let outcome = bench.commit(plan_commit(leaf(id, first, last)));
        assert_eq!(outcome, CommitOutcome::Stale, "{first}-{last}");
    }
    bench.applied(plan_commit(leaf(id, 3, 6)));
    assert_eq!(bench.planner(id), "1-2:0 3-6:0");
}

/// P18.
#[test]
fn a_merge_must_replace_neighbours_of_the_walk() {
    let mut bench = bench();
    let id = bench.append("main", talk(10)).conversation;
    for idx in 0..5 {
        bench.applied(plan_commit(leaf(id, 2 * idx + 1, 2 * idx + 2)));
    }
    let nodes = bench.nodes(id);
    let skips = [nodes[0].clone(), nodes[2].clone()];
    let outcome = bench.commit(plan_commit(condense(id, &skips)));
    assert_eq!(outcome, CommitOutcome::Stale);
    bench.applied(plan_commit(condense(id, &nodes[..2])));
    let outcome = bench.commit(plan_commit(condense(id, &nodes[1..3])));
    assert_eq!(outcome, CommitOutcome::Stale);
    let outcome = bench.commit(plan_commit(condense(id, &nodes[..2])));
    assert_eq!(outcome, CommitOutcome::Stale);
    let Plan::Condense(plan) = condense(id, &nodes[3..]) else {
        panic!("not a merge");
    };
    let unknown = CondensePlan {
        children: Children::new(vec![nodes[3].id, SummaryId::new(9_999)]).unwrap(),
        ..plan
    };
    let outcome = bench.commit(plan_commit(Plan::Condense(unknown)));
    assert_eq!(outcome, CommitOutcome::Stale);
    assert_eq!(bench.planner(id), "1-4:1 5-6:0 7-8:0 9-10:0");
}

#[test]
fn a_merge_that_no_planner_may_ask_for_is_refused() {
    let mut bench = bench();
    let id = bench.append("main", talk(6)).conversation;
    for idx in 0..3 {
        bench.applied(plan_commit(leaf(id, 2 * idx + 1, 2 * idx + 2)));
    }
    let nodes = bench.nodes(id);
    let rising = plan_commit(condense(id, &nodes[1..]));
    assert!(matches!(
        bench.run(WriteOp::Commit(rising)),
        Err(StoreError::Refused { .. })
    ));
    let Plan::Condense(plan) = condense(id, &nodes) else {
        panic!("not a merge");
    };
    let deep = CondensePlan {
        depth: Depth::new(4),
        ..plan.clone()
    };
    let narrow = CondensePlan {
        span: nodes[0].span,
        ..plan
    };
    for wrong in [deep, narrow] {
        let refused = bench.run(WriteOp::Commit(plan_commit(Plan::Condense(wrong))));
        assert!(
            matches!(refused, Err(StoreError::Refused { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(bench.planner(id), "1-2:0 3-4:0 5-6:0");
}

#[test]
fn a_repair_must_replace_the_newest_generation() {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    bench.applied(plan_commit(leaf(id, 1, 4)));
    let node = bench.nodes(id).remove(0);
    let Plan::Repair(plan) = repair(id, &node, &[]) else {
        panic!("not a repair");
    };
    for wrong in [
        crate::domain::RepairPlan {
            generation: Generation::new(2),
            ..plan.clone()
        },
        crate::domain::RepairPlan {
            replaces: SummaryId::new(node.id.get() + 1),
            ..plan.clone()
        },
        crate::domain::RepairPlan {
            span: super::kit::span(1, 3),
            ..plan.clone()
        },
        crate::domain::RepairPlan {
            children: vec![node.id, node.id],
            ..plan.clone()
        },
    ] {
        let outcome = bench.commit(plan_commit(Plan::Repair(wrong)));
        assert_eq!(outcome, CommitOutcome::Stale);
    }
    bench.applied(plan_commit(Plan::Repair(plan.clone())));
    let again = bench.commit(plan_commit(Plan::Repair(plan)));
    assert_eq!(again, CommitOutcome::Stale);
}

#[test]
fn a_leaf_without_talk_is_refused() {
    let mut bench = bench();
    let meta = crate::domain::NewMessage::user("<injected>").meta();
    let id = bench.append("main", vec![meta.clone(), meta]).conversation;
    let wordless = plan_commit(leaf(id, 1, 2));
    assert!(matches!(
        bench.run(WriteOp::Commit(wordless)),
        Err(StoreError::Refused { .. })
    ));
    bench.append("main", talk(1));
    bench.applied(plan_commit(leaf(id, 1, 3)));
}

#[test]
fn an_empty_summary_is_refused() {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    let mut empty = plan_commit(leaf(id, 1, 4));
    empty.draft.body = " \n".to_owned();
    assert!(matches!(
        bench.run(WriteOp::Commit(empty)),
        Err(StoreError::Refused { .. })
    ));
}

#[test]
fn rows_prepared_beyond_live_id_are_seen_after_a_promotion() {
    let mut bench = bench();
    let id = bench.append("main", talk(8)).conversation;
    bench.applied(later(leaf(id, 1, 3)));
    let second = bench.applied(later(leaf(id, 4, 6)));
    assert_eq!(bench.planner(id), "1-3:0 4-6:0 7 8");
    assert_eq!(bench.view(id), "1 2 3 4 5 6 7 8");
    let promote = WriteOp::Promote {
        conversation: id,
        reason: "threshold".to_owned(),
        tokens_before: Tokens::new(70),
        tokens_after: Tokens::new(40),
        now: NOW,
    };
    let promoted = bench.run(promote.clone()).unwrap();
    assert!(matches!(promoted, WriteReply::Promoted(Some(_))));
    assert_eq!(bench.view(id), "1-3:0 4-6:0 7 8");
    assert_eq!(bench.run(promote).unwrap(), WriteReply::Promoted(None));
    let events = bench.reader.events(id).unwrap();
    let told: Vec<_> = events
        .iter()
        .map(|event| (event.kind, event.live_id))
        .collect();
    assert_eq!(
        told,
        [
            (EventKind::Leaf, None),
            (EventKind::Leaf, None),
            (EventKind::Promote, Some(second.summary)),
        ]
    );
}

#[test]
fn a_commit_for_now_promotes_what_waits() {
    let mut bench = bench();
    let id = bench.append("main", talk(8)).conversation;
    let waiting = bench.applied(later(leaf(id, 1, 3)));
    let now = bench.applied(plan_commit(leaf(id, 4, 6)));
    assert_eq!(bench.view(id), "1-3:0 4-6:0 7 8");
    let events = bench.reader.events(id).unwrap();
    let told: Vec<_> = events
        .iter()
        .map(|event| (event.kind, event.live_id))
        .collect();
    assert_eq!(
        told,
        [
            (EventKind::Leaf, None),
            (EventKind::Promote, Some(waiting.summary)),
            (EventKind::Leaf, Some(now.summary)),
        ]
    );
    assert!(events[2].id.get() > now.summary.get());
}

#[test]
fn a_stale_commit_promotes_nothing() {
    let mut bench = bench();
    let id = bench.append("main", talk(8)).conversation;
    bench.applied(later(leaf(id, 1, 3)));
    let before = bench.reader.last_id().unwrap();
    assert_eq!(
        bench.commit(plan_commit(leaf(id, 1, 3))),
        CommitOutcome::Stale
    );
    assert_eq!(bench.view(id), "1 2 3 4 5 6 7 8");
    assert_eq!(bench.reader.last_id().unwrap(), before);
}

/// P44.
#[test]
fn an_event_tells_what_a_commit_saved() {
    let mut bench = bench();
    let id = bench.append("main", talk(8)).conversation;
    let done = bench.applied(plan_commit(leaf(id, 1, 4)));
    let event = bench.reader.events(id).unwrap().remove(0);
    assert_eq!(event.id, done.event);
    assert_eq!(event.summary, Some(done.summary));
    assert_eq!(event.span.unwrap().to_string(), "1-4");
    assert_eq!(event.tokens_before, Some(Tokens::new(100)));
    // 4 messages of 9 tokens gave way to 5.
    assert_eq!(event.tokens_after, Some(Tokens::new(69)));
    assert_eq!(event.reason.as_deref(), Some("turn"));
    assert_eq!(event.pointer, Some(id));
}

#[test]
fn a_window_is_an_event_only_when_it_changes() {
    let mut bench = bench();
    let id = bench.append("main", talk(1)).conversation;
    let mut set = |context: u64| {
        let window = Window::of(Tokens::new(context)).unwrap();
        bench.run(WriteOp::Window {
            conversation: id,
            window,
            now: NOW,
        })
    };
    assert!(matches!(
        set(8_000).unwrap(),
        WriteReply::WindowSet(Some(_))
    ));
    assert_eq!(set(8_000).unwrap(), WriteReply::WindowSet(None));
    assert!(matches!(
        set(4_000).unwrap(),
        WriteReply::WindowSet(Some(_))
    ));
    let window = bench.reader.conversation_by_id(id).unwrap().unwrap().window;
    assert_eq!(window.unwrap().context(), Tokens::new(4_000));
    let contexts: Vec<_> = bench
        .reader
        .events(id)
        .unwrap()
        .iter()
        .map(|event| event.window.unwrap().context().get())
        .collect();
    assert_eq!(contexts, [8_000, 4_000]);
}

#[test]
fn a_lease_is_one_holders_until_it_runs_out() {
    let mut bench = bench();
    let id = bench.append("main", talk(8)).conversation;
    let mut ask = |holder: &str, now: i64| bench.lease(leaf(id, 1, 4), holder, now);
    assert_eq!(ask("a", 0), LeaseOutcome::Granted);
    assert_eq!(ask("b", 50), LeaseOutcome::Held(NOW.plus_millis(100)));
    assert_eq!(ask("a", 60), LeaseOutcome::Granted);
    assert_eq!(ask("b", 159), LeaseOutcome::Held(NOW.plus_millis(160)));
    assert_eq!(ask("b", 160), LeaseOutcome::Granted);
    let release = |holder: &str| WriteOp::ReleaseLease {
        unit: "unit".to_owned(),
        holder: holder.to_owned(),
    };
    bench.run(release("a")).unwrap();
    assert_eq!(bench.number("SELECT count(*) FROM lease"), 1);
    bench.run(release("b")).unwrap();
    assert_eq!(bench.number("SELECT count(*) FROM lease"), 0);
}

#[test]
fn nobody_gets_a_lease_for_what_is_written_already() {
    let mut bench = bench();
    let id = bench.append("main", talk(8)).conversation;
    bench.applied(plan_commit(leaf(id, 1, 4)));
    let leased = bench.lease(leaf(id, 1, 4), "a", 0);
    assert_eq!(leased, LeaseOutcome::Stale);
    assert_eq!(bench.number("SELECT count(*) FROM lease"), 0);
    let leased = bench.lease(leaf(id, 5, 8), "a", 0);
    assert_eq!(leased, LeaseOutcome::Granted);
}

#[test]
fn a_breaker_changes_only_from_the_state_it_was_decided_from() {
    let mut bench = bench();
    let breaker = |failures| Breaker {
        name: "small".to_owned(),
        failures,
        open_until: Some(NOW),
        next_open_millis: 60_000,
        window_start: None,
        calls: 7,
    };
    let mut change = |before: Option<u32>, after: u32| {
        let reply = bench.run(WriteOp::ChangeBreaker(BreakerChange {
            before: before.map(breaker),
            after: breaker(after),
        }));
        match reply.unwrap() {
            WriteReply::Breaker(outcome) => outcome,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(change(Some(0), 1), BreakerOutcome::Stale, "there is none");
    assert_eq!(change(None, 1), BreakerOutcome::Applied);
    assert_eq!(change(None, 1), BreakerOutcome::Stale, "there is one");
    assert_eq!(change(Some(1), 2), BreakerOutcome::Applied);
    assert_eq!(change(Some(1), 2), BreakerOutcome::Stale);
    assert_eq!(bench.reader.breaker("small").unwrap(), Some(breaker(2)));
    assert_eq!(bench.reader.breakers().unwrap(), [breaker(2)]);
    assert_eq!(bench.reader.breaker("large").unwrap(), None);
}

/// I3.
#[test]
fn stored_rows_refuse_to_change_or_vanish() {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    bench.applied(plan_commit(leaf(id, 1, 4)));
    for table in ["message", "part", "summary", "event", "lineage"] {
        for sql in [
            format!("UPDATE {table} SET rowid = rowid"),
            format!("DELETE FROM {table}"),
        ] {
            let sql = sql.replace("lineage SET rowid = rowid", "lineage SET max_seq = 1");
            let refused = bench.writer.conn().execute(&sql, []);
            let error = refused.unwrap_err();
            let code = error.sqlite_error().map(|failure| failure.extended_code);
            assert_eq!(
                code,
                Some(rusqlite::ffi::SQLITE_CONSTRAINT_TRIGGER),
                "{sql}"
            );
        }
    }
    for sql in [
        "INSERT OR REPLACE INTO message SELECT * FROM message",
        "INSERT INTO summary SELECT 99, conversation_id, 0, 1, 5, 0, origin, tokens, NULL, NULL,
           NULL, body FROM summary",
        "INSERT INTO summary SELECT 99, conversation_id, 0, 1, 4, 2, origin, tokens, NULL, NULL,
           NULL, body FROM summary",
    ] {
        assert!(bench.writer.conn().execute(sql, []).is_err(), "{sql}");
    }
}

/// B155, P23, at the store: of two plans from one frontier one is stored.
#[test]
fn of_two_writers_with_one_plan_one_wins() {
    let mut bench = bench();
    let id = bench.append("main", talk(40)).conversation;
    let mut second = bench.store.writer().unwrap();
    for idx in 0..5 {
        let commit = plan_commit(leaf(id, 8 * idx + 1, 8 * idx + 8));
        let first = bench.commit(commit.clone());
        assert!(matches!(first, CommitOutcome::Applied(_)));
        match second.run(&[WriteOp::Commit(commit)]).remove(0).unwrap() {
            WriteReply::Committed(outcome) => assert_eq!(outcome, CommitOutcome::Stale),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(bench.number("SELECT count(*) FROM summary"), 5);
    assert_eq!(bench.number("SELECT count(*) FROM event"), 5);
}
