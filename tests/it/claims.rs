//! Units that run at once: each call is paid for once, and each failure counts.

use std::sync::Arc;

use async_trait::async_trait;
use hippocamp::domain::SessionKey;
use hippocamp::engine::{CompactReason, CompleteError, CompleteOptions, Completer, Completion};
use hippocamp::policy::limits::Limits;
use hippocamp::policy::prompt::Prompt;
use tokio::sync::{Barrier, Notify};

use crate::bench::{Model, Reply, Setup, good, talk};
use crate::support::{FakeClock, builder, key, window};

/// A model whose calls end in pairs, each with an error.
struct FailsInPairs(Barrier);

#[async_trait]
impl Completer for FailsInPairs {
    async fn complete(
        &self,
        _prompt: &Prompt,
        _options: &CompleteOptions,
    ) -> Result<Completion, CompleteError> {
        self.0.wait().await;
        Err(CompleteError::new("503 overloaded"))
    }
}

#[tokio::test]
async fn two_units_that_fail_at_once_are_two_failures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut limits = Limits::default();
    limits.breaker_failures = 100;
    let engine = builder(&path, FakeClock::new())
        .limits(limits)
        .window(window(100_000))
        .completer(Arc::new(FailsInPairs(Barrier::new(2))))
        .build()
        .unwrap();
    let turn = async |session: SessionKey| {
        engine
            .turn(&session, talk(0, 60, 60), window(100_000))
            .await
            .unwrap()
    };
    let (one, two) = tokio::join!(turn(key("one")), turn(key("two")));
    assert_eq!(one.compacted.reason, CompactReason::ModelFailed);
    assert_eq!(two.compacted.reason, CompactReason::ModelFailed);
    let stored = crate::walk::reader(&path)
        .breaker("model")
        .unwrap()
        .unwrap();
    assert_eq!((stored.failures, stored.calls), (4, 4));
}

/// A model whose first answer waits for the gate.
fn gated() -> (Arc<Notify>, Arc<Model>) {
    let gate = Arc::new(Notify::new());
    let model = {
        let gate = Arc::clone(&gate);
        Model::new(move |call, _| match call {
            0 => Reply::Waits(Arc::clone(&gate), good(call)),
            _ => Reply::Says(good(call)),
        })
    };
    (gate, model)
}

#[tokio::test]
async fn what_two_tasks_of_one_engine_want_at_once_is_paid_for_once() {
    let (gate, model) = gated();
    let bench = Setup::window(100_000).model(&model).patient().bench();
    bench.append(talk(0, 60, 60)).await;
    let by_hand = async || bench.engine.compact(&bench.session).await.unwrap();
    let turn = async {
        while model.calls() == 0 {
            tokio::task::yield_now().await;
        }
        let report = bench.turn(talk(60, 2, 60)).await;
        assert_eq!(model.calls(), 1, "a turn neither pays again nor waits");
        gate.notify_one();
        report
    };
    let (one, two, turn) = tokio::join!(by_hand(), by_hand(), turn);
    assert_eq!(turn.compacted.reason, CompactReason::HeldBack);
    // Who waited finds the leaf written and nothing left to do.
    let mut by_hand = [one, two].map(|report| (report.leaf.len(), report.reason));
    by_hand.sort_by_key(|(n_leaves, _)| *n_leaves);
    assert_eq!(
        by_hand,
        [(0, CompactReason::BelowThreshold), (1, CompactReason::Done)]
    );
    assert_eq!((model.calls(), bench.tree().await.len()), (1, 1));
    bench.check().await;
}

#[tokio::test]
async fn a_caller_that_went_away_frees_its_unit() {
    let (_gate, model) = gated();
    let bench = Setup::window(100_000).model(&model).patient().bench();
    bench.append(talk(0, 60, 60)).await;
    let compact = bench.engine.compact(&bench.session);
    let called = async {
        while model.calls() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        report = compact => panic!("{report:?}"),
        () = called => {}
    }
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert_eq!((report.reason, report.leaf.len()), (CompactReason::Done, 1));
}
