//! When a model is no longer called, and when it is again.

use hippocamp::engine::CompactReason;

use crate::bench::{Behaviour, Bench, Model, Setup, talk};

/// One more turn, and what came of its leaf.
async fn next(bench: &Bench, turn: &mut usize) -> CompactReason {
    *turn += 1;
    let report = bench.turn(talk(1_000 + *turn * 10, 10, 60)).await;
    report.compacted.reason
}

async fn check_breaker(bench: &Bench, state: &str, closes_in_millis: Option<i64>) {
    let status = bench.engine.status().await.unwrap();
    let [breaker] = &status.breakers[..] else {
        panic!("{status:?}");
    };
    let until = closes_in_millis.map(|millis| bench.engine.now().plus_millis(millis));
    assert_eq!((breaker.state, breaker.until), (state, until));
}

#[tokio::test]
async fn technique_k1_three_failures_in_a_row_open_the_breaker_over_a_restart_until_its_time() {
    let model = Model::behaving(Behaviour::Fails);
    let mut bench = Setup::window(100_000).model(&model).bench();
    bench.append(talk(0, 60, 60)).await;
    let mut turn = 0;
    // A turn asks at two levels.
    assert_eq!(next(&bench, &mut turn).await, CompactReason::ModelFailed);
    assert_eq!(model.calls(), 2);
    check_breaker(&bench, "closed", None).await;
    assert_eq!(next(&bench, &mut turn).await, CompactReason::ModelFailed);
    assert_eq!(model.calls(), 3);
    check_breaker(&bench, "open", Some(60_000)).await;

    // Another program finds it open, and the clock alone closes it.
    bench.restart();
    check_breaker(&bench, "open", Some(60_000)).await;
    assert_eq!(next(&bench, &mut turn).await, CompactReason::HeldBack);
    bench.clock.advance(59_999);
    assert_eq!(next(&bench, &mut turn).await, CompactReason::HeldBack);
    assert_eq!(model.calls(), 3, "a held call was made");
    bench.clock.advance(1);
    check_breaker(&bench, "closed", None).await;
    model.set(Behaviour::Good);
    assert_eq!(next(&bench, &mut turn).await, CompactReason::Done);
    bench.engine.settle().await.unwrap();
    bench.check().await;
}

#[tokio::test]
async fn technique_k1_an_answer_between_failures_begins_the_count_anew() {
    let model = Model::behaving(Behaviour::Fails);
    let bench = Setup::window(100_000).model(&model).bench();
    bench.append(talk(0, 60, 60)).await;
    let mut turn = 0;
    for _ in 0..3 {
        // At two levels: one failure fewer than open it.
        assert_eq!(next(&bench, &mut turn).await, CompactReason::ModelFailed);
        model.set(Behaviour::Good);
        assert_eq!(next(&bench, &mut turn).await, CompactReason::Done);
        bench.engine.settle().await.unwrap();
        model.set(Behaviour::Fails);
        check_breaker(&bench, "closed", None).await;
    }
}
