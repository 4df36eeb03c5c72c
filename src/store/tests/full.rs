//! A full disk (B158): half a write never stays, and work goes on when there is room again.

use rusqlite::TransactionBehavior;

use super::kit::{NOW, bench, key, leaf, plan_commit, span, stamp, talk};
use crate::domain::{AppendRequest, ConversationId, NewMessage};
use crate::store::{LogState, Pace, StoreError, WriteOp};

fn big(session: &str) -> WriteOp {
    WriteOp::Append(AppendRequest {
        session: key(session),
        messages: vec![
            stamp(NewMessage::user("small")),
            stamp(NewMessage::user("x".repeat(400_000))),
        ],
        now: NOW,
    })
}

#[test]
fn a_full_disk_refuses_the_write_and_keeps_what_was_there() {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    let pages = bench.number("PRAGMA page_count");
    bench.writer.limit_pages(pages + 2).unwrap();
    assert!(matches!(bench.run(big("main")), Err(StoreError::Full)));
    assert!(matches!(bench.run(big("new")), Err(StoreError::Full)));
    assert!(bench.reader.conversation(&key("new")).unwrap().is_none());
    assert_eq!(bench.planner(id), "1 2 3 4");
    let check: String = bench
        .writer
        .conn()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    bench.writer.limit_pages(1_000_000).unwrap();
    bench.run(big("main")).unwrap();
    assert_eq!(bench.planner(id), "1 2 3 4 5 6");
}

#[test]
fn a_full_disk_during_a_leaf_leaves_the_messages_raw() {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    let pages = bench.number("PRAGMA page_count");
    bench.writer.limit_pages(pages).unwrap();
    let mut commit = plan_commit(leaf(id, 1, 4));
    commit.draft.body = "word ".repeat(20_000);
    let refused = bench.run(WriteOp::Commit(commit.clone()));
    assert!(matches!(refused, Err(StoreError::Full)));
    assert_eq!(bench.view(id), "1 2 3 4");
    assert!(bench.reader.events(id).unwrap().is_empty());
    bench.writer.limit_pages(1_000_000).unwrap();
    bench.applied(commit);
    assert_eq!(bench.view(id), "1-4:0");
}

#[test]
fn nobody_is_told_that_a_write_of_a_lost_transaction_is_stored() {
    let mut bench = bench();
    bench.append("main", talk(1));
    let pages = bench.number("PRAGMA page_count");
    bench.writer.limit_pages(pages + 40).unwrap();
    let small = |name: &str| {
        WriteOp::Append(AppendRequest {
            session: key(name),
            messages: vec![stamp(NewMessage::user("small"))],
            now: NOW,
        })
    };
    let replies = bench.writer.run(&[small("a"), big("b"), small("c")]);
    for (name, reply) in ["a", "b", "c"].into_iter().zip(&replies) {
        let found = bench.reader.conversation(&key(name)).unwrap();
        assert_eq!(found.is_some(), reply.is_ok(), "{name}");
        if let Some(found) = found {
            let id: ConversationId = found.id;
            assert_eq!(bench.reader.messages(id, span(1, 1)).unwrap().len(), 1);
        }
    }
    assert!(matches!(replies[1], Err(StoreError::Full)));
}

#[test]
fn a_process_that_ends_leaves_a_small_log_to_the_next_and_carries_a_large_one() {
    let mut bench = bench();
    let mut n_left = 0;
    loop {
        bench.append("main", vec![NewMessage::user("tide ".repeat(4_000))]);
        let upkeep = bench.writer.maintain(Pace::Parting).unwrap();
        if upkeep.log != LogState::Held {
            // Whoever opens it next, alone, cannot know that it was carried.
            assert_eq!((upkeep.log, upkeep.wal_bytes), (LogState::Truncated, 0));
            break;
        }
        n_left += 1;
        assert!(n_left < 200, "{} bytes are left", upkeep.wal_bytes);
    }
    assert!(n_left > 5, "carried after {n_left} rows");
}

#[test]
fn a_process_that_ends_leaves_a_log_to_the_one_that_writes() {
    let mut bench = bench();
    for _ in 0..40 {
        bench.append("main", vec![NewMessage::user("tide ".repeat(20_000))]);
    }
    let mut other = bench.store.writer().unwrap();
    let lock = TransactionBehavior::Immediate;
    let writing = other.conn().transaction_with_behavior(lock).unwrap();
    let left = bench.writer.maintain(Pace::Parting).unwrap();
    assert_eq!(left.log, LogState::Held);
    assert!(left.wal_bytes > 1 << 20, "{} bytes", left.wal_bytes);
    drop(writing);
    let cut = bench.writer.maintain(Pace::Parting).unwrap();
    assert_eq!((cut.log, cut.wal_bytes), (LogState::Truncated, 0));
}
