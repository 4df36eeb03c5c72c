//! Behaviours of turns and compaction that broke other engines, each with a small input.

use std::sync::Arc;
use std::time::Duration;

use hippocamp::domain::{
    Depth, ExpandRequest, ItemId, NewMessage, Origin, Reach, SessionKey, Sources, Tokens,
    ToolResults, ViewItemKind,
};
use hippocamp::engine::{CompactReason, Completer, Engine, EngineError, LeafMode, ViewBudget};
use hippocamp::policy::limits::Limits;

use crate::support::{Behaviour, FakeClock, Script, assert_clean, builder, key, window};

/// A sentence of about `tokens` tokens that no other sentence equals.
fn sentence(index: usize, tokens: usize) -> String {
    format!("entry {index}: ") + &"the harbour report was filed again ".repeat(tokens / 6)
}

fn talk(from: usize, n_messages: usize, tokens: usize) -> Vec<NewMessage> {
    (from..from + n_messages)
        .map(|index| match index % 2 {
            0 => NewMessage::user(sentence(index, tokens)),
            _ => NewMessage::assistant(sentence(index, tokens)),
        })
        .collect()
}

struct Bench {
    _dir: tempfile::TempDir,
    path: std::path::PathBuf,
    clock: Arc<FakeClock>,
    engine: Engine,
    session: SessionKey,
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.turn_leaf_millis = 60;
    limits.call_millis = 60;
    limits
}

fn bench(model: Option<&Arc<Script>>) -> Bench {
    bench_in(model, LeafMode::EveryTurn)
}

fn bench_in(model: Option<&Arc<Script>>, mode: LeafMode) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let clock = FakeClock::new();
    let engine = open(&path, &clock, model, mode);
    Bench {
        _dir: dir,
        path,
        clock,
        engine,
        session: key("bench"),
    }
}

fn open(
    path: &std::path::Path,
    clock: &Arc<FakeClock>,
    model: Option<&Arc<Script>>,
    mode: LeafMode,
) -> Engine {
    let mut builder = builder(path, Arc::clone(clock))
        .limits(limits())
        .leaf_mode(mode);
    if let Some(model) = model {
        builder = builder.completer(Arc::clone(model) as Arc<dyn Completer>);
    }
    builder.build().unwrap()
}

async fn turns(bench: &Bench, n_turns: usize, tokens: usize, context: u64) {
    for index in 0..n_turns {
        let batch = talk(index * 2, 2, tokens);
        bench
            .engine
            .turn(&bench.session, batch, window(context))
            .await
            .unwrap();
    }
}

async fn clean(bench: &Bench) {
    assert_clean(&bench.engine.doctor().await.unwrap());
}

#[tokio::test]
async fn a_failing_model_never_fails_the_turn() {
    for behaviour in [
        Behaviour::Fails,
        Behaviour::Hangs,
        Behaviour::Panics,
        Behaviour::Echoes,
        Behaviour::Grows,
        Behaviour::Refuses,
        Behaviour::Empty,
    ] {
        let model = Script::new(behaviour);
        let bench = bench(Some(&model));
        for index in 0..30 {
            let batch = talk(index * 2, 2, 60);
            let report = bench
                .engine
                .turn(&bench.session, batch, window(4_000))
                .await
                .unwrap();
            assert_eq!(report.appended.rows.len(), 2);
            assert!(report.view.tokens <= Tokens::new(4_000), "{behaviour:?}");
        }
        assert!(
            model.calls() > 0,
            "{behaviour:?}: the model was never asked"
        );
        clean(&bench).await;
    }
}

#[tokio::test]
async fn a_failing_model_leaves_rows_raw_within_the_budget_and_is_not_asked_for_ever() {
    let model = Script::new(Behaviour::Fails);
    let bench = bench(Some(&model));
    turns(&bench, 40, 60, 100_000).await;
    assert!(
        bench.engine.tree(&bench.session).await.unwrap().is_empty(),
        "rows stay raw"
    );
    assert!(
        model.calls() <= 4,
        "the breaker opens: {} calls",
        model.calls()
    );
    let status = bench.engine.status().await.unwrap();
    assert_eq!(status.breakers[0].state, "open");
    assert!(
        status.breakers[0].until.is_some(),
        "status says when it closes"
    );
    // Back again after its minute: the same rows are offered and covered.
    model.set(Behaviour::Good);
    bench.clock.advance(61_000);
    let report = bench
        .engine
        .turn(&bench.session, talk(80, 2, 60), window(100_000))
        .await
        .unwrap();
    assert_eq!(report.compacted.reason, CompactReason::Done);
    clean(&bench).await;
}

#[tokio::test]
async fn beyond_the_budget_a_fallback_is_written_and_repaired_when_the_model_is_back() {
    let model = Script::new(Behaviour::Fails);
    let bench = bench(Some(&model));
    turns(&bench, 60, 120, 4_000).await;
    let tree = bench.engine.tree(&bench.session).await.unwrap();
    assert!(
        tree.iter().any(|node| node.origin == Origin::Fallback),
        "{tree:?}"
    );
    model.set(Behaviour::Good);
    bench.clock.advance(31 * 60_000);
    for index in 60..80 {
        let batch = talk(index * 2, 2, 40);
        bench
            .engine
            .turn(&bench.session, batch, window(4_000))
            .await
            .unwrap();
        bench.clock.advance(11 * 60_000);
        bench.engine.settle().await.unwrap();
    }
    let tree = bench.engine.tree(&bench.session).await.unwrap();
    let live_fallbacks = tree
        .iter()
        .filter(|node| node.is_live && node.origin == Origin::Fallback)
        .count();
    assert_eq!(live_fallbacks, 0, "{tree:#?}");
    clean(&bench).await;
}

#[tokio::test]
async fn an_answer_refused_at_both_levels_becomes_floor_for_good() {
    let model = Script::new(Behaviour::Refuses);
    let bench = bench(Some(&model));
    turns(&bench, 24, 60, 100_000).await;
    let tree = bench.engine.tree(&bench.session).await.unwrap();
    assert!(!tree.is_empty());
    assert!(
        tree.iter().all(|node| node.origin == Origin::Floor),
        "{tree:?}"
    );
    let calls = model.calls();
    bench.engine.settle().await.unwrap();
    assert_eq!(model.calls(), calls, "it is not paid for again");
    clean(&bench).await;
}

#[tokio::test]
async fn a_turn_makes_at_most_one_leaf_and_two_calls() {
    let model = Script::new(Behaviour::Good);
    let bench = bench(Some(&model));
    bench
        .engine
        .append(&bench.session, talk(0, 300, 60))
        .await
        .unwrap();
    let report = bench
        .engine
        .turn(&bench.session, talk(300, 2, 60), window(8_000))
        .await
        .unwrap();
    assert_eq!(report.compacted.leaf.len(), 1);
    clean(&bench).await;
}

#[tokio::test]
async fn a_long_backlog_drains_in_the_background() {
    let bench = bench(None);
    bench
        .engine
        .append(&bench.session, talk(0, 400, 60))
        .await
        .unwrap();
    bench
        .engine
        .turn(&bench.session, talk(400, 2, 60), window(8_000))
        .await
        .unwrap();
    bench.engine.settle().await.unwrap();
    let status = bench.engine.status().await.unwrap();
    let state = &status.sessions[0];
    assert!(state.pressure <= state.budget, "{state:?}");
    clean(&bench).await;
}

#[tokio::test]
async fn nothing_to_do_is_said_and_costs_no_call() {
    let model = Script::new(Behaviour::Good);
    let bench = bench(Some(&model));
    bench
        .engine
        .append(&bench.session, talk(0, 6, 400))
        .await
        .unwrap();
    for _ in 0..10 {
        let report = bench.engine.compact(&bench.session).await.unwrap();
        assert!(report.leaf.is_empty() && report.condensed.is_empty());
        assert_eq!(report.tokens_before, report.tokens_after);
        assert_eq!(report.reason, CompactReason::BelowThreshold);
    }
    assert_eq!(model.calls(), 0);
}

#[tokio::test]
async fn a_chunk_without_words_makes_no_call_and_no_summary() {
    let model = Script::new(Behaviour::Good);
    let bench = bench(Some(&model));
    let blank = |index: usize| match index % 2 {
        0 => NewMessage::user(""),
        _ => NewMessage::assistant(" \n"),
    };
    bench
        .engine
        .append(&bench.session, (0..60).map(blank).collect())
        .await
        .unwrap();
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert!(report.leaf.is_empty(), "{report:?}");
    assert_eq!(model.calls(), 0);
}

#[tokio::test]
async fn rows_that_arrive_while_the_model_writes_stay_raw_and_last() {
    let model = Script::new(Behaviour::Hangs);
    let bench = bench(Some(&model));
    bench
        .engine
        .append(&bench.session, talk(0, 60, 60))
        .await
        .unwrap();
    let compact = {
        let (engine, session) = (bench.engine.clone(), bench.session.clone());
        async move { engine.compact(&session).await }
    };
    let append = async {
        while model.calls() == 0 {
            tokio::task::yield_now().await;
        }
        bench
            .engine
            .append(&bench.session, talk(60, 5, 60))
            .await
            .unwrap();
        model.set(Behaviour::Good);
    };
    let (report, ()) = tokio::join!(compact, append);
    let report = report.unwrap();
    let view = bench
        .engine
        .view(&bench.session, ViewBudget::Of(Tokens::new(1_000_000)))
        .await
        .unwrap();
    let last: Vec<u64> = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Message)
        .filter_map(|item| item.span.map(|span| span.first().get()))
        .collect();
    assert!(last.ends_with(&[61, 62, 63, 64, 65]), "{last:?} {report:?}");
    clean(&bench).await;
}

#[tokio::test]
async fn a_hanging_model_holds_up_neither_appends_nor_searches_nor_the_end() {
    let model = Script::new(Behaviour::Hangs);
    let dir = tempfile::tempdir().unwrap();
    let mut limits = limits();
    limits.call_millis = 600_000;
    let engine = builder(&dir.path().join("store.db"), FakeClock::new())
        .limits(limits)
        .completer(Arc::clone(&model) as Arc<dyn Completer>)
        .build()
        .unwrap();
    let session = key("slow");
    engine.append(&session, talk(0, 60, 60)).await.unwrap();
    let compact = {
        let (engine, session) = (engine.clone(), session.clone());
        async move { engine.compact(&session).await }
    };
    let rest = async {
        while model.calls() == 0 {
            tokio::task::yield_now().await;
        }
        engine.append(&session, talk(60, 1, 60)).await.unwrap();
        let request = hippocamp::domain::GrepRequest::new("harbour", Reach::All);
        assert!(engine.grep(&request).await.unwrap().total > 0);
        engine.view(&session, ViewBudget::Configured).await.unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(2), engine.clone().shutdown()).await;
        ended.expect("shutdown joins within 2 s").unwrap();
    };
    let (outcome, ()) = tokio::join!(compact, rest);
    // The call was cancelled: nothing was written in its name.
    assert!(
        matches!(outcome, Err(EngineError::ShutDown) | Ok(_)),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn many_rounds_leave_every_message_under_exactly_one_live_node() {
    let bench = bench(None);
    for round in 0..20 {
        let batch = talk(round * 7, 7, 30 + round * 9);
        bench
            .engine
            .turn(&bench.session, batch, window(4_000))
            .await
            .unwrap();
        bench.engine.settle().await.unwrap();
        clean(&bench).await;
    }
    let tree = bench.engine.tree(&bench.session).await.unwrap();
    assert!(
        tree.iter().any(|node| node.depth >= Depth::new(1)),
        "{tree:?}"
    );
}

#[tokio::test]
async fn under_pressure_leaves_are_merged_by_depth() {
    let bench = bench(None);
    turns(&bench, 150, 60, 4_000).await;
    bench.engine.settle().await.unwrap();
    let tree = bench.engine.tree(&bench.session).await.unwrap();
    assert!(
        tree.iter().any(|node| node.depth >= Depth::new(2)),
        "{tree:#?}"
    );
    let live: Vec<u32> = {
        let mut live: Vec<_> = tree.iter().filter(|node| node.is_live).collect();
        live.sort_by_key(|node| node.span);
        live.iter().map(|node| node.depth.get()).collect()
    };
    assert!(
        live.windows(2).all(|pair| pair[0] >= pair[1]),
        "depth never rises: {live:?}"
    );
    clean(&bench).await;
}

#[tokio::test]
async fn the_way_back_from_the_top_reaches_every_message_once() {
    let bench = bench(None);
    turns(&bench, 150, 60, 4_000).await;
    bench.engine.settle().await.unwrap();
    let tree = bench.engine.tree(&bench.session).await.unwrap();
    let top = tree
        .iter()
        .filter(|node| node.is_live)
        .max_by_key(|node| node.depth)
        .unwrap();
    let mut ids = vec![ItemId::Summary(top.id)];
    let mut seqs = Vec::new();
    while let Some(id) = ids.pop() {
        let request = ExpandRequest {
            ids: vec![id],
            reach: Reach::Session(bench.session.clone()),
            tool_results: ToolResults::Include,
            max_tokens: Tokens::new(1_000_000),
            cursor: None,
        };
        let reply = bench.engine.expand(&request).await.unwrap();
        seqs.extend(reply.messages.iter().map(|row| row.message.seq));
        for summary in reply.summaries {
            if let Sources::Children(children) = summary.sources {
                ids.extend(children.iter().map(|child| ItemId::Summary(child.id())));
            }
        }
    }
    seqs.sort();
    let wanted: Vec<u64> = (top.span.first().get()..=top.span.last().get()).collect();
    assert_eq!(seqs.iter().map(|seq| seq.get()).collect::<Vec<_>>(), wanted);
}

#[tokio::test]
async fn recovery_reaches_its_budget_and_says_so_or_says_why_not() {
    let bench = bench(None);
    bench
        .engine
        .append(&bench.session, talk(0, 200, 60))
        .await
        .unwrap();
    let report = bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(2_000))
        .await
        .unwrap();
    assert!(report.fits, "{report:?}");
    assert_eq!(report.reason, CompactReason::Reached);
    let report = bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(1))
        .await
        .unwrap();
    assert!(!report.fits);
    assert_ne!(report.reason, CompactReason::Reached);
    let error = bench
        .engine
        .compact_until_under(&bench.session, Tokens::ZERO)
        .await
        .unwrap_err();
    assert!(matches!(error, EngineError::Usage { .. }));
    clean(&bench).await;
}

#[tokio::test]
async fn recovery_never_covers_the_newest_group() {
    let bench = bench(None);
    bench
        .engine
        .append(&bench.session, talk(0, 7, 900))
        .await
        .unwrap();
    bench
        .engine
        .append(&bench.session, vec![NewMessage::user("what is the plan?")])
        .await
        .unwrap();
    bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(300))
        .await
        .unwrap();
    let view = bench
        .engine
        .view(&bench.session, ViewBudget::Of(Tokens::new(100_000)))
        .await
        .unwrap();
    let last = view.items.last().unwrap();
    assert_eq!(last.kind, ViewItemKind::Message);
    assert!(format!("{:?}", last.parts).contains("what is the plan?"));
}

#[tokio::test]
async fn deferred_leaves_wait_for_one_promotion() {
    let bench = bench_in(None, LeafMode::Deferred);
    let mut n_changes = 0;
    let mut prefix = String::new();
    for index in 0..80 {
        let batch = talk(index * 2, 2, 40);
        bench
            .engine
            .turn(&bench.session, batch, window(6_000))
            .await
            .unwrap();
        bench.engine.settle().await.unwrap();
        let view = bench
            .engine
            .view(&bench.session, ViewBudget::Configured)
            .await
            .unwrap();
        let first = format!("{:?}", view.items.first().map(|item| (item.id, item.span)));
        if first != prefix {
            n_changes += 1;
            prefix = first;
        }
    }
    let events = bench.engine.events(&bench.session).await.unwrap();
    let count = |kind: &str| {
        events
            .iter()
            .filter(|event| event.kind.as_str() == kind)
            .count()
    };
    assert!(count("promote") >= 1, "{events:?}");
    assert!(
        count("leaf") > count("promote"),
        "several leaves share one promotion"
    );
    assert!(
        n_changes <= 2 * count("promote") + 2,
        "{n_changes} changes of the prefix"
    );
    clean(&bench).await;
}

#[tokio::test]
async fn a_restart_changes_no_byte_of_the_view() {
    let bench = bench(None);
    turns(&bench, 60, 60, 4_000).await;
    bench.engine.settle().await.unwrap();
    let before = bench
        .engine
        .view(&bench.session, ViewBudget::Configured)
        .await
        .unwrap();
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert!(report.leaf.is_empty());
    bench.engine.clone().shutdown().await.unwrap();
    let engine = open(&bench.path, &bench.clock, None, LeafMode::EveryTurn);
    let after = engine
        .view(&bench.session, ViewBudget::Configured)
        .await
        .unwrap();
    assert_eq!(before, after);
}

#[tokio::test]
async fn two_engines_on_one_file_make_one_set_of_leaves() {
    for _ in 0..10 {
        let model = Script::new(Behaviour::Good);
        let bench = bench(Some(&model));
        bench
            .engine
            .append(&bench.session, talk(0, 60, 60))
            .await
            .unwrap();
        let other = open(&bench.path, &bench.clock, Some(&model), LeafMode::EveryTurn);
        let (one, two) = tokio::join!(
            bench.engine.compact(&bench.session),
            other.compact(&bench.session)
        );
        one.unwrap();
        two.unwrap();
        let mut tree = bench.engine.tree(&bench.session).await.unwrap();
        tree.sort_by_key(|node| node.span);
        assert!(
            tree.windows(2)
                .all(|pair| pair[0].span.last() < pair[1].span.first()),
            "{tree:?}"
        );
        clean(&bench).await;
    }
}

#[tokio::test]
async fn many_tasks_compacting_one_conversation_give_each_node_one_parent() {
    let bench = bench(None);
    bench
        .engine
        .append(&bench.session, talk(0, 300, 60))
        .await
        .unwrap();
    let run = || {
        let (engine, session) = (bench.engine.clone(), bench.session.clone());
        async move {
            engine
                .compact_until_under(&session, Tokens::new(1_500))
                .await
                .unwrap()
        }
    };
    tokio::join!(run(), run(), run(), run(), run(), run(), run(), run());
    clean(&bench).await;
}

#[tokio::test]
async fn a_window_of_nothing_is_refused_by_name() {
    let error = hippocamp::domain::Window::new(Tokens::new(100), Tokens::new(60), Tokens::new(40))
        .unwrap_err();
    assert!(error.to_string().contains("100"), "{error}");
}

#[test]
fn building_outside_a_runtime_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = Engine::builder(dir.path().join("store.db")).build();
    assert!(matches!(outcome.err(), Some(EngineError::NoRuntime)));
    assert!(
        !dir.path().join("store.db").exists(),
        "a failed start leaves nothing behind"
    );
}

#[test]
fn the_blocking_mirror_runs_a_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hippocamp::engine::blocking::Engine::build(
        hippocamp::engine::blocking::Engine::builder(dir.path().join("store.db")),
    )
    .unwrap();
    let session = key("blocking");
    for index in 0..30 {
        engine
            .turn(&session, talk(index * 2, 2, 60), window(4_000))
            .unwrap();
    }
    engine.settle().unwrap();
    assert!(!engine.tree(&session).unwrap().is_empty());
    assert_clean(&engine.doctor().unwrap());
    engine.shutdown().unwrap();
}

#[tokio::test]
async fn an_edited_list_forks_and_old_ids_still_expand() {
    let bench = bench(None);
    let list = |texts: &[&str]| -> Vec<NewMessage> {
        texts
            .iter()
            .enumerate()
            .map(|(index, text)| match index % 2 {
                0 => NewMessage::user(*text),
                _ => NewMessage::assistant(*text),
            })
            .collect()
    };
    let first = bench
        .engine
        .sync(&bench.session, list(&["a", "b", "c", "d"]), window(8_000))
        .await
        .unwrap();
    let old: Vec<ItemId> = first
        .appended
        .rows
        .iter()
        .map(|row| ItemId::Message(row.id))
        .collect();
    let second = bench
        .engine
        .sync(
            &bench.session,
            list(&["a", "b edited", "c2"]),
            window(8_000),
        )
        .await
        .unwrap();
    assert_eq!(second.fork_seq, Some(1));
    let third = bench
        .engine
        .sync(
            &bench.session,
            list(&["something else entirely"]),
            window(8_000),
        )
        .await
        .unwrap();
    assert_eq!(third.view.items.len(), 1);
    let request = ExpandRequest {
        ids: old,
        reach: Reach::All,
        tool_results: ToolResults::Include,
        max_tokens: Tokens::new(4_000),
        cursor: None,
    };
    let reply = bench.engine.expand(&request).await.unwrap();
    assert_eq!(reply.messages.len(), 4);
    assert!(reply.missing.is_empty());
    // The first list again: its branch is still there, and nothing is stored twice.
    let back = bench
        .engine
        .sync(&bench.session, list(&["a", "b", "c", "d"]), window(8_000))
        .await
        .unwrap();
    assert!(back.appended.rows.is_empty());
    assert_eq!(back.known, 4);
    clean(&bench).await;
}
