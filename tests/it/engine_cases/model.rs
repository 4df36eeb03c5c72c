//! What a model does to turns, and what it must not.

use std::time::Duration;

use hippocamp::domain::{Origin, Reach, Tokens, ViewItemKind};
use hippocamp::engine::{CompactReason, EngineError, ViewBudget};

use super::{bench, turns};
use crate::bench::{Behaviour, Model, Setup, talk};
use crate::support::window;

#[tokio::test]
async fn a_failing_model_never_fails_the_turn() {
    for behaviour in [
        Behaviour::Fails,
        Behaviour::Hangs,
        Behaviour::Panics,
        Behaviour::Echoes,
        Behaviour::Grows,
        Behaviour::Refuses,
        Behaviour::IsCutOff,
        Behaviour::Empty,
    ] {
        let model = Model::behaving(behaviour);
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
        bench.check().await;
    }
}

/// P15.
#[tokio::test]
async fn a_failing_model_leaves_rows_raw_within_the_budget_and_is_not_asked_for_ever() {
    let model = Model::behaving(Behaviour::Fails);
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
    bench.check().await;
}

#[tokio::test]
async fn beyond_the_budget_a_fallback_is_written_and_repaired_when_the_model_is_back() {
    let model = Model::behaving(Behaviour::Fails);
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
    bench.check().await;
}

#[tokio::test]
async fn an_answer_refused_at_both_levels_becomes_floor_for_good() {
    let model = Model::behaving(Behaviour::Refuses);
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
    bench.check().await;
}

#[tokio::test]
async fn a_turn_makes_at_most_one_leaf_and_two_calls() {
    let model = Model::behaving(Behaviour::Good);
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
    bench.check().await;
}

#[tokio::test]
async fn rows_that_arrive_while_the_model_writes_stay_raw_and_last() {
    let model = Model::behaving(Behaviour::Hangs);
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
    bench.check().await;
}

#[tokio::test]
async fn a_hanging_model_holds_up_neither_appends_nor_searches_nor_the_end() {
    let model = Model::behaving(Behaviour::Hangs);
    let bench = Setup::window(128_000).model(&model).patient().bench();
    let (engine, session) = (bench.engine, bench.session);
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
