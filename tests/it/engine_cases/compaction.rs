//! Leaves, merges and recovery.

use hippocamp::domain::{
    Depth, EventKind, ExpandRequest, ItemId, NewMessage, Reach, Sources, Tokens, ToolResults,
    ViewItemKind,
};
use hippocamp::engine::{CompactReason, EngineError, ViewBudget};

use super::{bench, turns};
use crate::bench::{Behaviour, Model, Setup, talk};
use crate::support::window;

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
    bench.check().await;
}

#[tokio::test]
async fn nothing_to_do_is_said_and_costs_no_call() {
    let model = Model::behaving(Behaviour::Good);
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

/// The first leaf brings the line before the summaries, the first merge of merges a longer one.
#[tokio::test]
async fn an_event_says_what_the_next_one_begins_with() {
    let bench = bench(None);
    let (engine, session) = (&bench.engine, &bench.session);
    engine.append(session, talk(0, 300, 60)).await.unwrap();
    engine.compact(session).await.unwrap();
    let asked = Tokens::new(150);
    engine.compact_until_under(session, asked).await.unwrap();
    engine.settle().await.unwrap();
    let mut events = engine.events(session).await.unwrap();
    events.retain(|event| matches!(event.kind, EventKind::Leaf | EventKind::Condense));
    let nodes = engine.tree(session).await.unwrap();
    let deepest = nodes.iter().map(|node| node.depth).max().unwrap();
    assert!(deepest >= Depth::new(2), "{deepest}");
    for pair in events.windows(2) {
        assert_eq!(pair[0].tokens_after, pair[1].tokens_before, "{pair:?}");
    }
    let status = engine.status().await.unwrap();
    let last = events.last().unwrap();
    assert_eq!(last.tokens_after, Some(status.sessions[0].pressure));
}

/// The first summary brings a line that costs as much as a few short messages.
#[tokio::test]
async fn a_small_view_that_would_grow_is_left_as_it_is_without_a_call() {
    let model = Model::behaving(Behaviour::Good);
    let bench = Setup::window(100).model(&model).bench();
    let (engine, session) = (&bench.engine, &bench.session);
    let words = |text: &str| vec![NewMessage::user(text), NewMessage::assistant(text)];
    let talk = ["the quay is long", "the pier is grey", "no"];
    let batch = talk.iter().flat_map(|text| words(text)).collect();
    engine.append(session, batch).await.unwrap();
    let by_hand = engine.compact(session).await.unwrap();
    let asked = Tokens::new(50);
    let recovery = engine.compact_until_under(session, asked).await.unwrap();
    for report in [by_hand, recovery] {
        assert_eq!(report.reason, CompactReason::NothingToGain, "{report:?}");
        assert!(report.leaf.is_empty() && report.condensed.is_empty());
        assert_eq!(report.tokens_before, report.tokens_after);
        assert!(report.tokens_after > Tokens::new(80));
    }
    assert_eq!(model.calls(), 0);
}

#[tokio::test]
async fn a_chunk_without_words_makes_no_call_and_no_summary() {
    let model = Model::behaving(Behaviour::Good);
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
        bench.check().await;
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
    bench.check().await;
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
        let request = ExpandRequest::new(vec![id], Reach::Session(bench.session.clone()))
            .tool_results(ToolResults::Include)
            .max_tokens(Tokens::new(1_000_000));
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

/// P20.
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
    bench.check().await;
}

/// P10.
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
    let bench = Setup::window(128_000).deferred().bench();
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
    bench.check().await;
}

#[tokio::test]
async fn two_engines_on_one_file_make_one_set_of_leaves() {
    for _ in 0..10 {
        let model = Model::behaving(Behaviour::Good);
        let bench = bench(Some(&model));
        bench
            .engine
            .append(&bench.session, talk(0, 60, 60))
            .await
            .unwrap();
        let other = bench.another();
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
        bench.check().await;
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
    bench.check().await;
}
