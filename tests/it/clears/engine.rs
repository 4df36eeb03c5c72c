//! Rung 2 in the engine: when it is recorded, that it stays, and who inherits it.

use hippocamp::domain::{
    Event, EventKind, ExpandRequest, ItemId, MessageId, NewMessage, Part, Reach, Seq, Tokens,
    ToolResults, View,
};
use hippocamp::engine::{CompactReason, ViewBudget};

use super::kit::*;
use crate::bench::{Bench, Model, Setup, talk};
use crate::support::{key, window};

const WINDOW: u64 = 20_000;

/// The bodies of the results that a view shows, in order.
fn bodies(view: &View) -> Vec<String> {
    let parts = view.items.iter().flat_map(|item| &item.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolResult { content, .. } => Some(content.clone()),
            _ => None,
        })
        .collect()
}

fn n_lines(view: &View) -> usize {
    let is_line = |body: &String| body.contains(" result cleared: ");
    bodies(view).iter().filter(|body| is_line(body)).count()
}

async fn clears(bench: &Bench) -> Vec<Event> {
    let mut events = bench.engine.events(&bench.session).await.unwrap();
    events.retain(|event| event.kind == EventKind::Clear);
    events
}

/// A bench where no turn makes a leaf, so that all clears stay to be seen.
fn quiet(window: u64) -> Setup {
    let mut setup = Setup::window(window);
    setup.limits.leaf_messages = 1_000;
    setup.limits.chunk_tokens = Tokens::new(1_000_000);
    setup.limits.chunk_percent = 100;
    setup
}

/// A bench whose talk of eight reads has been appended and not looked at: some 13,000 tokens.
async fn unread() -> Bench {
    let bench = quiet(WINDOW).bench();
    bench.append(reads(8, 1_600)).await;
    bench
}

#[tokio::test]
async fn a_turn_records_what_it_clears_and_a_read_records_nothing() {
    let bench = unread().await;
    let before = bench.view(WINDOW).await;
    assert_eq!(n_lines(&before), 0, "an append clears nothing");
    assert!(clears(&bench).await.is_empty());
    let report = bench.turn(vec![NewMessage::user("And now?")]).await;
    assert_eq!(report.compacted.n_cleared, 5);
    assert_eq!(n_lines(&report.view), 5);
    let events = clears(&bench).await;
    assert_eq!(events.len(), 1);
    let event = &events[0];
    assert_eq!(event.reason.as_deref(), Some("turn"));
    assert_eq!(event.span.unwrap().to_string(), "3-11");
    assert_eq!(event.tokens_before, Some(report.compacted.tokens_before));
    assert_eq!(event.tokens_after, Some(report.compacted.tokens_after));
    let status = bench.engine.status().await.unwrap();
    assert_eq!(Some(status.sessions[0].pressure), event.tokens_after);
    let curve = bench.engine.curve(&bench.session).await.unwrap();
    let last = curve.last().unwrap();
    assert_eq!(
        (last.event, Some(last.tokens)),
        (Some(event.id), event.tokens_after)
    );
    bench.check().await;
}

#[tokio::test]
async fn technique_c2_what_a_line_names_is_expanded_whole() {
    let bench = unread().await;
    let view = bench.turn(vec![NewMessage::user("And now?")]).await.view;
    let line = bodies(&view).into_iter().next().unwrap();
    let (_, after) = line.split_once("short_expand message ").unwrap();
    let id: i64 = after.split(' ').next().unwrap().parse().unwrap();
    let reach = Reach::Session(bench.session.clone());
    let request = ExpandRequest::new(vec![ItemId::Message(MessageId::new(id))], reach)
        .tool_results(ToolResults::Include);
    let reply = bench.engine.expand(&request).await.unwrap();
    let want = NewMessage::tool_result("call-0", body(0, 1_600)).parts;
    assert_eq!(reply.messages[0].message.parts, want);
}

#[tokio::test]
async fn technique_q1_a_view_keeps_its_bytes_until_something_happens_and_after_a_restart() {
    let mut bench = unread().await;
    let first = bench.turn(vec![NewMessage::user("And now?")]).await.view;
    assert_eq!(bench.view(WINDOW).await, first);
    bench.restart();
    assert_eq!(bench.view(WINDOW).await, first);
    // The next turn only adds: all before it is the same, item by item.
    let next = bench.turn(vec![NewMessage::assistant("Now this.")]).await;
    assert_eq!(next.compacted.n_cleared, 0);
    assert!(next.view.items.starts_with(&first.items));
    assert_eq!(clears(&bench).await.len(), 1);
}

#[tokio::test]
async fn technique_t19_after_a_clear_the_next_one_waits_for_as_much_again() {
    let bench = unread().await;
    bench.turn(vec![NewMessage::user("And now?")]).await;
    let mut n_clears = Vec::new();
    for index in 20..32 {
        let mut report = bench.turn(step(index, "Read", &body(index, 1_300))).await;
        report.compacted.leaf.clear();
        n_clears.push(report.compacted.n_cleared);
    }
    let (idle, busy): (Vec<usize>, Vec<usize>) = n_clears.iter().partition(|n| **n == 0);
    // Four results of 1,300 tokens are worth a change of the prompt, three are not.
    assert!(
        !busy.is_empty() && busy.iter().all(|n| *n >= 3),
        "{n_clears:?}"
    );
    assert!(idle.len() > busy.len(), "{n_clears:?}");
    for event in clears(&bench).await {
        let saved = event
            .tokens_before
            .unwrap()
            .saturating_sub(event.tokens_after.unwrap());
        assert!(saved >= Tokens::new(4_096));
    }
    bench.check().await;
}

#[tokio::test]
async fn a_read_below_the_configured_budget_clears_for_itself() {
    let bench = quiet(100_000).bench();
    bench.turn(reads(8, 1_600)).await;
    let whole = bench.view(100_000).await;
    assert_eq!(n_lines(&whole), 0);
    let small = bench.view(15_000).await;
    assert_eq!(n_lines(&small), 5);
    assert!(small.left_out.is_empty() && small.fits);
    assert_eq!(bench.view(15_000).await, small);
    assert_eq!(
        bench.view(100_000).await,
        whole,
        "a read changes no later one"
    );
    // A greater budget than the configured one adds nothing.
    assert_eq!(n_lines(&bench.view(200_000).await), 0);
    assert!(clears(&bench).await.is_empty());
}

#[tokio::test]
async fn a_smaller_configured_window_adds_clears_and_a_larger_one_keeps_them() {
    let bench = quiet(100_000).bench();
    let turn = async |tokens: u64, text: &str| {
        let messages = vec![NewMessage::user(text)];
        let turn = bench.engine.turn(&bench.session, messages, window(tokens));
        turn.await.unwrap()
    };
    bench.append(reads(8, 1_600)).await;
    assert_eq!(n_lines(&turn(100_000, "one").await.view), 0);
    let small = turn(20_000, "two").await;
    assert_eq!(n_lines(&small.view), 5);
    let large = turn(1_000_000, "three").await;
    assert_eq!((large.compacted.n_cleared, n_lines(&large.view)), (0, 5));
    let huge = bench
        .engine
        .view(&bench.session, ViewBudget::Of(Tokens::new(9_000_000)));
    assert_eq!(n_lines(&huge.await.unwrap()), 5);
    assert_eq!(clears(&bench).await.len(), 1);
    bench.check().await;
}

#[tokio::test]
async fn a_fork_inherits_the_clears_of_its_moment_and_none_later() {
    let bench = unread().await;
    let fork = async |at: u64, name: &str| {
        let at = Seq::new(at).unwrap();
        let forked = bench.engine.fork(&bench.session, at, Some(key(name)));
        forked.await.unwrap();
    };
    let lines = async |name: &str| {
        let budget = ViewBudget::Of(Tokens::new(1_000_000));
        n_lines(&bench.engine.view(&key(name), budget).await.unwrap())
    };
    fork(18, "before").await;
    bench.turn(vec![NewMessage::user("And now?")]).await;
    fork(18, "after").await;
    fork(9, "shorter").await;
    assert_eq!(lines("before").await, 0);
    assert_eq!(lines("after").await, 5);
    assert_eq!(lines("shorter").await, 4, "of the messages it inherits");
    // What the parent clears later is the parent's.
    for index in 20..26 {
        bench.turn(step(index, "Read", &body(index, 1_600))).await;
    }
    assert!(clears(&bench).await.len() > 1);
    assert_eq!((lines("before").await, lines("after").await), (0, 5));
    // A fork of a fork, and its own clears, which its parent does not see.
    let at = Seq::new(18).unwrap();
    bench
        .engine
        .fork(&key("after"), at, Some(key("grandchild")))
        .await
        .unwrap();
    assert_eq!(lines("grandchild").await, 5);
    let messages = (30..34).flat_map(|index| step(index, "Read", &body(index, 4_000)));
    let messages = messages.chain([NewMessage::assistant("Well.")]).collect();
    let grandchild = key("grandchild");
    let turn = bench.engine.turn(&grandchild, messages, window(WINDOW));
    assert!(turn.await.unwrap().compacted.n_cleared > 0);
    assert_eq!(lines("after").await, 5);
    bench.check().await;
}

#[tokio::test]
async fn a_clear_rides_with_the_leaf_of_its_turn() {
    let model = Model::good();
    let bench = Setup::window(WINDOW).model(&model).patient().bench();
    bench.append(talk(0, 12, 200)).await;
    bench.append(reads(8, 1_600)).await;
    let report = bench.turn(vec![NewMessage::user("And now?")]).await;
    assert_eq!(report.compacted.leaf.len(), 1, "{:?}", report.compacted);
    let events = bench.engine.events(&bench.session).await.unwrap();
    let leaf = events
        .iter()
        .find(|event| event.kind == EventKind::Leaf)
        .unwrap();
    let clear = events
        .iter()
        .find(|event| event.kind == EventKind::Clear)
        .unwrap();
    // One transaction gives its ids in a row: the clear's event, the summary, the leaf's event.
    assert_eq!(leaf.id.get(), clear.id.get() + 2);
    assert_eq!(leaf.tokens_before, clear.tokens_after);
    assert_eq!(clear.tokens_before, Some(report.compacted.tokens_before));
    assert_eq!(leaf.tokens_after, Some(report.compacted.tokens_after));
    bench.check().await;
}

#[tokio::test]
async fn a_clear_is_recorded_where_the_model_fails() {
    let model = Model::behaving(crate::bench::Behaviour::Fails);
    let bench = Setup::window(WINDOW).model(&model).patient().bench();
    bench.append(talk(0, 12, 200)).await;
    bench.append(reads(8, 1_600)).await;
    let report = bench.turn(vec![NewMessage::user("And now?")]).await;
    assert_eq!(report.compacted.reason, CompactReason::ModelFailed);
    assert_eq!(
        (report.compacted.n_cleared, clears(&bench).await.len()),
        (5, 1)
    );
    assert_eq!(n_lines(&report.view), 5);
    bench.check().await;
}

#[tokio::test]
async fn a_leaf_over_cleared_rows_is_made_from_their_bodies_and_measured_by_their_lines() {
    let model = Model::good();
    // So small a window that the leaf may part the turn after the clear too.
    let bench = Setup::window(8_000).model(&model).patient().bench();
    bench.append(reads(8, 1_600)).await;
    let report = bench.turn(vec![NewMessage::user("And now?")]).await;
    assert_eq!(
        (report.compacted.n_cleared, report.compacted.leaf.len()),
        (5, 1)
    );
    let prompts = model.prompts();
    assert!(
        prompts[0]
            .text
            .contains("the lamp of the old pier was lit again")
    );
    let events = bench.engine.events(&bench.session).await.unwrap();
    let leaf = events
        .iter()
        .find(|event| event.kind == EventKind::Leaf)
        .unwrap();
    let saved = leaf
        .tokens_before
        .unwrap()
        .saturating_sub(leaf.tokens_after.unwrap());
    assert!(
        saved < Tokens::new(4_000),
        "lines were replaced, not bodies: {saved}"
    );
    bench.check().await;
}

#[tokio::test]
async fn compaction_by_hand_clears_what_no_leaf_takes_and_recovery_clears_first() {
    let model = Model::good();
    let bench = quiet(WINDOW).model(&model).bench();
    bench.append(reads(8, 1_600)).await;
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert_eq!((report.n_cleared, report.leaf.len()), (5, 0));
    assert_eq!(report.reason, CompactReason::Done);
    assert!(report.tokens_after < report.tokens_before);
    assert_eq!(clears(&bench).await[0].reason.as_deref(), Some("manual"));
    assert_eq!(model.calls(), 0);

    let bench = quiet(200_000).model(&model).bench();
    bench.append(reads(8, 1_600)).await;
    let budget = Tokens::new(8_000);
    let report = bench
        .engine
        .compact_until_under(&bench.session, budget)
        .await
        .unwrap();
    assert_eq!((report.n_cleared, report.leaf.len()), (5, 0));
    assert_eq!((report.fits, report.reason), (true, CompactReason::Reached));
    assert_eq!(model.calls(), 0, "what costs no call comes first");
    bench.check().await;
}

#[tokio::test]
async fn a_sync_clears_as_a_turn_does() {
    let bench = quiet(WINDOW).bench();
    let sync = bench
        .engine
        .sync(&bench.session, reads(8, 1_600), window(WINDOW));
    let report = sync.await.unwrap();
    assert_eq!((report.compacted.n_cleared, n_lines(&report.view)), (5, 5));
    let again = bench
        .engine
        .sync(&bench.session, reads(8, 1_600), window(WINDOW));
    let again = again.await.unwrap();
    assert_eq!((again.compacted.n_cleared, again.view), (0, report.view));
}

#[tokio::test]
async fn rows_that_wait_for_a_promotion_are_cleared_where_views_show_them() {
    let model = Model::good();
    let bench = Setup::window(WINDOW)
        .model(&model)
        .patient()
        .deferred()
        .bench();
    bench.append(talk(0, 40, 60)).await;
    bench.turn(talk(40, 2, 60)).await;
    bench.engine.settle().await.unwrap();
    assert!(!bench.tree().await.is_empty(), "a leaf is prepared");
    bench.append(reads(8, 1_600)).await;
    let report = bench.turn(vec![NewMessage::user("And now?")]).await;
    assert_eq!(n_lines(&report.view), report.compacted.n_cleared);
    assert!(report.compacted.n_cleared >= 5);
    bench.engine.settle().await.unwrap();
    bench.check().await;
}
