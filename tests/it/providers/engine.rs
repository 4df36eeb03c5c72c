//! The engine with clients of models: what a failure does to a turn.

use std::sync::Arc;

use hippocamp::domain::{EventKind, Origin, Tokens, Usage};
use hippocamp::engine::{CompactReason, Engine, TurnReport};

use super::server::{Answer, Server};
use super::shape::{Shape, clients};
use crate::bench::talk;
use crate::support::{FakeClock, assert_clean, builder, key, window};

async fn turn_with(
    server: &Server,
    shape: Shape,
    context: u64,
    folder: &tempfile::TempDir,
) -> (Engine, TurnReport) {
    let engine = builder(&folder.path().join("a.db"), FakeClock::new())
        .completer(Arc::new(shape.client(server)))
        .build()
        .unwrap();
    let report = engine
        .turn(&key("a"), talk(0, 80, 60), window(context))
        .await
        .unwrap();
    (engine, report)
}

async fn outcomes(engine: &Engine) -> Vec<String> {
    let events = engine.events(&key("a")).await.unwrap();
    let calls = events
        .into_iter()
        .filter(|event| event.kind == EventKind::Call);
    calls.filter_map(|event| event.reason).collect()
}

#[tokio::test]
async fn a_turn_stores_what_the_model_says_with_its_name_and_cost() {
    for shape in super::shape::SHAPES {
        let server = Server::start(move |n_before, _| {
            let body = shape.answer(&format!("State: berth {n_before} is dry."), shape.end());
            // Ollama's count of the prompt says that it was read whole.
            Answer::ok(body.replace("\"prompt_eval_count\":100", "\"prompt_eval_count\":4000"))
        });
        let folder = tempfile::tempdir().unwrap();
        let (engine, report) = turn_with(&server, shape, 100_000, &folder).await;
        assert_eq!(report.compacted.reason, CompactReason::Done, "{shape:?}");
        let tree = engine.tree(&key("a")).await.unwrap();
        assert_eq!(tree[0].origin, Origin::Model, "{shape:?}");
        let events = engine.events(&key("a")).await.unwrap();
        let call = events
            .iter()
            .find(|event| event.kind == EventKind::Call)
            .unwrap();
        assert!(
            call.model.as_deref().unwrap().starts_with(shape.model()),
            "{call:?}"
        );
        let read = if shape == Shape::Ollama { 4_000 } else { 100 };
        let usage = Usage::new(Tokens::new(read), Tokens::new(9)).cached(Tokens::new(40));
        assert_eq!(call.usage, Some(usage));
        assert_clean(&engine.doctor().await.unwrap());
        engine.shutdown().await.unwrap();
    }
}

/// K7: a refused key is asked with once and rows stay raw; what may pass is asked with at both levels.
/// Beyond the budget the floor writes in either case.
#[tokio::test]
async fn technique_k7_what_a_failure_does_depends_on_its_kind() {
    for (status, words, within_budget) in [
        (401, "no such key", vec!["auth"]),
        (402, "insufficient credits", vec!["quota"]),
        (404, "no such model", vec!["rejected", "rejected"]),
        (500, "internal", vec!["overloaded", "overloaded"]),
    ] {
        let server = Server::failing(status, &Shape::OpenAi.error(words));
        let folder = tempfile::tempdir().unwrap();
        let (engine, report) = turn_with(&server, Shape::OpenAi, 100_000, &folder).await;
        assert_eq!(
            report.compacted.reason,
            CompactReason::ModelFailed,
            "{status}"
        );
        assert!(
            engine.tree(&key("a")).await.unwrap().is_empty(),
            "rows stay raw"
        );
        assert_eq!(outcomes(&engine).await, within_budget, "{status}");
        engine.shutdown().await.unwrap();

        let folder = tempfile::tempdir().unwrap();
        let (engine, _) = turn_with(&server, Shape::OpenAi, 3_000, &folder).await;
        let tree = engine.tree(&key("a")).await.unwrap();
        assert!(!tree.is_empty(), "{status}: compaction always progresses");
        assert!(
            tree.iter().all(|node| node.origin == Origin::Fallback),
            "{status}"
        );
        assert_clean(&engine.doctor().await.unwrap());
        engine.shutdown().await.unwrap();
    }
}

#[tokio::test]
async fn technique_s21_a_summary_names_the_fallback_model_that_wrote_it() {
    let down = Server::failing(503, "{}");
    let up = Server::saying(Shape::Anthropic.good());
    let folder = tempfile::tempdir().unwrap();
    let engine = builder(&folder.path().join("a.db"), FakeClock::new())
        .completer(Arc::new(clients(&[
            (Shape::OpenAi, &down),
            (Shape::Anthropic, &up),
        ])))
        .build()
        .unwrap();
    engine
        .turn(&key("a"), talk(0, 80, 60), window(100_000))
        .await
        .unwrap();
    let events = engine.events(&key("a")).await.unwrap();
    let call = events
        .iter()
        .find(|event| event.kind == EventKind::Call)
        .unwrap();
    assert_eq!(call.model.as_deref(), Some("anthropic/small-2026-01-02"));
    engine.shutdown().await.unwrap();
}
