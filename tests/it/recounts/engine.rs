//! When raw rows are counted anew, what is recorded of it, and who inherits it.

use hippocamp::domain::{Event, EventKind, NewMessage, Part, Role, Seq, Tokens};

use super::kit::*;
use crate::bench::Bench;
use crate::clears::kit::{body, reads, step};
use crate::support::key;

const WINDOW: u64 = 100_000;

fn word(text: &str) -> Vec<NewMessage> {
    vec![NewMessage::assistant(text)]
}

/// A talk of three reads of 2,000 tokens and one command of as much, counted at 6,000.
async fn stored() -> Bench {
    let bench = bench(WINDOW, capped(6_000, None));
    bench.append(reads(3, 2_000)).await;
    bench.turn(step(7, "Bash", &body(7, 2_000))).await;
    bench
}

#[track_caller]
fn check_event(event: &Event, reason: &str, span: &str) {
    assert_eq!(event.reason.as_deref(), Some(reason));
    assert_eq!(event.span.unwrap().to_string(), span);
}

#[tokio::test]
async fn the_same_caps_record_nothing() {
    let mut bench = stored().await;
    bench.turn(word("one")).await;
    bench.restart();
    bench.turn(word("two")).await;
    // A cap of its own that is the common one cuts the same.
    bench.restart_with(capped(6_000, Some(6_000)));
    bench.turn(word("three")).await;
    bench.engine.compact(&bench.session).await.unwrap();
    assert!(recounts(&bench).await.is_empty());
    bench.check().await;
}

#[tokio::test]
async fn a_lowered_cap_is_counted_once_and_a_raised_one_again() {
    let mut bench = stored().await;
    let whole = held(&bench);
    bench.restart_with(capped(500, None));
    let report = bench.turn(word("one")).await;
    let small = held(&bench);
    assert!(small < Tokens::new(2_600) && whole > Tokens::new(8_000));
    assert_eq!(small, scratch(&bench, &capped(500, None)).await);
    assert_eq!(report.compacted.tokens_before, small, "before planning");
    bench.turn(word("two")).await;
    let events = recounts(&bench).await;
    assert_eq!(events.len(), 1);
    check_event(&events[0], "4 rows from cap 6000 to cap 500", "3-10");
    assert_eq!(events[0].tokens_after, Some(small));
    // Raised, the rows hold what they did when they were stored.
    bench.restart_with(capped(9_000, None));
    bench.turn(word("three")).await;
    let events = recounts(&bench).await;
    assert_eq!(events.len(), 2);
    check_event(&events[1], "4 rows from cap 500 to cap 9000", "3-10");
    assert_eq!(held(&bench), scratch(&bench, &capped(9_000, None)).await);
    assert!(held(&bench) > whole);
    let curve = bench.engine.curve(&bench.session).await.unwrap();
    assert_eq!(curve.last().unwrap().tokens, held(&bench));
    let step = curve.iter().find(|step| step.event == Some(events[0].id));
    assert_eq!(step.map(|step| step.tokens), events[0].tokens_after);
    bench.check().await;
}

#[tokio::test]
async fn a_cap_of_one_tool_counts_its_results_alone() {
    let mut bench = stored().await;
    let limits = capped(6_000, Some(300));
    bench.restart_with(limits.clone());
    bench.turn(word("one")).await;
    let events = recounts(&bench).await;
    check_event(
        &events[0],
        "3 rows from cap 6000 to cap 6000 \"Read\"=300",
        "3-7",
    );
    assert_eq!(held(&bench), scratch(&bench, &limits).await);
}

#[tokio::test]
async fn reads_record_nothing_and_a_compaction_by_hand_does() {
    let mut bench = stored().await;
    let whole = held(&bench);
    bench.restart_with(capped(500, None));
    bench.view(WINDOW).await;
    bench.engine.status().await.unwrap();
    assert_eq!((recounts(&bench).await.len(), held(&bench)), (0, whole));
    bench.engine.finish_stage(&bench.session).await.unwrap();
    assert_eq!(recounts(&bench).await.len(), 1);
    assert_eq!(held(&bench), scratch(&bench, &capped(500, None)).await);
    bench.restart_with(capped(700, None));
    let budget = Tokens::new(50_000);
    let until = bench.engine.compact_until_under(&bench.session, budget);
    assert_eq!(until.await.unwrap().tokens_before, held(&bench));
    assert_eq!(recounts(&bench).await.len(), 2);
    bench.restart_with(capped(900, None));
    let known: Vec<NewMessage> = bench
        .stored()
        .into_iter()
        .map(|row| NewMessage::new(row.role, row.parts))
        .collect();
    let window = crate::support::window(WINDOW);
    bench
        .engine
        .sync(&bench.session, known, window)
        .await
        .unwrap();
    assert_eq!(recounts(&bench).await.len(), 3);
}

#[tokio::test]
async fn what_is_cleared_stays_a_line_whatever_the_cap() {
    let mut bench = bench(20_000, capped(6_000, None));
    bench.append(reads(8, 1_600)).await;
    let report = bench.turn(vec![NewMessage::user("And now?")]).await;
    assert_eq!(report.compacted.n_cleared, 5);
    for cap in [200, 6_000, 900] {
        bench.restart_with(capped(cap, None));
        bench.turn(word("one")).await;
        assert_eq!(held(&bench), scratch(&bench, &capped(cap, None)).await);
        let rows = bench.reader().planner_frontier(bench.branch()).unwrap();
        let line = rows.raw().find(|row| !row.cleared.is_empty()).unwrap();
        assert!(line.view_tokens > Tokens::ZERO && line.view_tokens < Tokens::new(100));
    }
    // Only the three that are shown whole change.
    let counts = recounts(&bench).await;
    assert!(counts[0].reason.as_deref().unwrap().starts_with("3 rows "));
    bench.check().await;
}

#[tokio::test]
async fn of_a_message_cleared_in_part_the_results_that_are_whole_are_counted() {
    let mut bench = bench(15_000, capped(6_000, None));
    let ids = ["a", "b", "c", "d", "e"];
    let calls = ids.map(|id| Part::ToolUse {
        call_id: id.into(),
        name: "Read".into(),
        arguments: "{}".into(),
    });
    let results = ids.iter().zip(0..).map(|(id, index)| Part::ToolResult {
        call_id: (*id).into(),
        content: body(index, 2_500),
        is_error: false,
    });
    bench
        .append(vec![
            NewMessage::user("Read five files."),
            NewMessage::new(Role::Assistant, calls.to_vec()),
            NewMessage::new(Role::User, results.collect()),
        ])
        .await;
    assert_eq!(bench.turn(word("Done.")).await.compacted.n_cleared, 2);
    for cap in [300, 6_000, 1_000] {
        bench.restart_with(capped(cap, None));
        bench.turn(word("one")).await;
        assert_eq!(held(&bench), scratch(&bench, &capped(cap, None)).await);
        assert!(held(&bench) > Tokens::new(3 * cap.min(2_000)));
    }
    assert_eq!(recounts(&bench).await.len(), 3);
    bench.check().await;
}

#[tokio::test]
async fn a_result_stored_small_is_cleared_at_what_it_holds_since() {
    // Cut to 100 tokens each when stored, so that a clear saves more than the rows ever said.
    let mut bench = bench(20_000, capped(100, None));
    bench.append(reads(8, 1_600)).await;
    bench.restart_with(capped(6_000, None));
    let report = bench.turn(vec![NewMessage::user("And now?")]).await;
    assert_eq!(report.compacted.n_cleared, 5);
    assert_eq!(held(&bench), report.compacted.tokens_after);
    assert_eq!(held(&bench), scratch(&bench, &capped(6_000, None)).await);
    bench.check().await;
}

#[tokio::test]
async fn a_fork_inherits_the_recounts_of_its_moment_and_none_later() {
    let mut bench = stored().await;
    let main = bench.session.clone();
    let fork = async |bench: &Bench, name: &str| {
        let at = Seq::new(9).unwrap();
        let forked = bench.engine.fork(&main, at, Some(key(name)));
        forked.await.unwrap();
    };
    fork(&bench, "before").await;
    bench.restart_with(capped(500, None));
    bench.turn(word("one")).await;
    fork(&bench, "after").await;
    bench.session = key("before");
    let before = held(&bench);
    bench.session = key("after");
    let after = held(&bench);
    assert!(before > Tokens::new(6_000) && after < Tokens::new(2_500));
    // The fork's own turn finds nothing to change, the other one's does.
    bench.turn(word("two")).await;
    assert!(recounts(&bench).await.is_empty());
    bench.session = key("before");
    bench.turn(word("two")).await;
    let events = recounts(&bench).await;
    check_event(&events[0], "3 rows at cap 500", "3-7");
    assert_eq!(held(&bench), scratch(&bench, &capped(500, None)).await);
    // What the parent counts later is the parent's.
    bench.session = main.clone();
    bench.restart_with(capped(1_000, None));
    bench.turn(word("three")).await;
    bench.session = key("after");
    assert!(held(&bench) < Tokens::new(2_500));
    bench.check().await;
}

#[tokio::test]
async fn two_processes_with_different_caps_count_once_in_each_of_their_turns() {
    let mut bench = stored().await;
    let other = bench.another();
    bench.restart_with(capped(500, None));
    let window = crate::support::window(WINDOW);
    for round in 1..=3 {
        bench.turn(word("here")).await;
        assert_eq!(held(&bench), scratch(&bench, &capped(500, None)).await);
        assert_eq!(recounts(&bench).await.len(), 2 * round - 1);
        let turn = other.turn(&bench.session, word("there"), window);
        let _ = turn.await.unwrap();
        assert_eq!(held(&bench), scratch(&bench, &capped(6_000, None)).await);
        assert_eq!(recounts(&bench).await.len(), 2 * round);
    }
    // What another process stores between two turns is counted by the next one's caps.
    bench.turn(word("here")).await;
    let rows = step(20, "Bash", &body(20, 2_000));
    let _ = other.append(&bench.session, rows).await.unwrap();
    bench.turn(word("here again")).await;
    assert_eq!(held(&bench), scratch(&bench, &capped(500, None)).await);
    let events = recounts(&bench).await;
    assert_eq!(events.len(), 8);
    assert_eq!(events[7].reason.as_deref(), Some("1 row at cap 500"));
    bench.check().await;
}

#[tokio::test]
async fn a_store_of_schema_10_opens_and_is_counted_at_its_next_turn() {
    let mut bench = stored().await;
    bench.engine.clone().shutdown().await.unwrap();
    let raw = rusqlite::Connection::open(&bench.path).unwrap();
    raw.execute_batch(
        "DROP TABLE recounted; ALTER TABLE conversation DROP COLUMN counted_by;
         PRAGMA user_version = 10;",
    )
    .unwrap();
    drop(raw);
    bench.restart_with(capped(500, None));
    bench.turn(word("one")).await;
    assert_eq!(held(&bench), scratch(&bench, &capped(500, None)).await);
    let events = bench.engine.events(&bench.session).await.unwrap();
    let kinds = events.iter().filter(|one| one.kind == EventKind::Recount);
    assert_eq!(kinds.count(), 1);
    bench.check().await;
}
