//! A provider that fails, and comes back: few calls, nothing lost, nothing left half done.

use hippocamp::domain::{NewMessage, Origin, Tokens, Window};
use hippocamp::engine::{CompactReason, EngineError, ViewBudget};

use crate::bench::{Bench, Model, Reply, Setup, good, raw_seqs, talk};
use crate::shared::shared;
use crate::support::window;

/// Six ways to fail, by turns; after `n_failures` calls every answer is good.
fn failing(n_failures: usize) -> std::sync::Arc<Model> {
    Model::new(move |call, _| {
        if call >= n_failures {
            return Reply::Says(good(call));
        }
        match call % 6 {
            0 => Reply::Hangs,
            1 => Reply::Fails("429 too many requests"),
            2 => Reply::Fails("500 internal error"),
            3 => Reply::Fails("401 no such key"),
            4 => Reply::Fails("the answer is no JSON"),
            _ => Reply::Panics,
        }
    })
}

/// Five compactions while the provider fails, a restart, then compactions until nothing is due.
async fn check_outage(messages: Vec<NewMessage>, n_failures: usize, context: u64) {
    let model = failing(n_failures);
    let mut bench = Setup::window(context).model(&model).bench();
    let n_messages = messages.len() as u64;
    bench.append(messages).await;
    let is_over = bench.engine.status().await.unwrap().sessions[0].pressure > Tokens::new(context);

    for round in 0..5 {
        let before = model.calls();
        let report = bench.engine.compact(&bench.session).await.unwrap();
        let n_units = report.leaf.len() + report.condensed.len() + 1;
        let n_calls = model.calls() - before;
        assert!(
            n_calls <= 2 * n_units,
            "round {round}: {n_calls} calls for {n_units} units"
        );
        bench.check().await;
    }
    assert!(
        model.calls() <= n_failures,
        "the outage ended too early to say anything"
    );
    let tree = bench.tree().await;
    if is_over {
        assert!(
            tree.iter().all(|node| node.origin == Origin::Fallback),
            "{tree:?}"
        );
    } else {
        assert!(tree.is_empty(), "within the budget rows stay raw: {tree:?}");
        let view = bench.view(context).await;
        assert_eq!(raw_seqs(&view), (1..=n_messages).collect::<Vec<u64>>());
    }

    bench.restart();
    // Failures that are left to come are spent by hand: the breaker does not hold people back.
    for _ in 0..100 {
        let report = bench.engine.compact(&bench.session).await.unwrap();
        if report.leaf.is_empty() && report.reason != CompactReason::ModelFailed {
            break;
        }
    }
    recover(&bench).await;
    let tree = bench.tree().await;
    assert!(
        tree.iter().any(|node| node.origin == Origin::Model),
        "{tree:?}"
    );
    let live: Vec<_> = tree.iter().filter(|node| node.is_live).collect();
    assert!(
        live.iter().all(|node| node.origin == Origin::Model),
        "{live:?}"
    );
    let candidates = bench.engine.status().await.unwrap().sessions[0].leaf_candidates;
    assert_eq!(candidates, 0, "everything outside the tail is covered");
    bench.check().await;
}

/// Lets the background repair what fallbacks were written.
async fn recover(bench: &Bench) {
    for round in 0..40 {
        bench.clock.advance(31 * 60_000);
        bench
            .turn(vec![NewMessage::user(format!("and again, {round}"))])
            .await;
        bench.engine.settle().await.unwrap();
        let tree = bench.tree().await;
        if tree
            .iter()
            .all(|node| !node.is_live || node.origin == Origin::Model)
        {
            return;
        }
    }
}

#[tokio::test]
async fn b084_b089_an_outage_within_the_budget_costs_few_calls_and_leaves_rows_raw() {
    check_outage(talk(0, 80, 60), 12, 100_000).await;
}

#[tokio::test]
async fn b084_b089_an_outage_beyond_the_budget_writes_fallbacks_that_are_repaired() {
    check_outage(talk(0, 120, 60), 100, 5_000).await;
}

#[tokio::test]
async fn shared_failing_provider_leaves_full_coverage_behind() {
    let Some(folder) = shared("shared_failing_provider_leaves_full_coverage_behind") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("cases/B089_failing_provider.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let number = |name: &str| usize::try_from(file[name].as_u64().unwrap()).unwrap();
    let stub = file["stub"].as_array().unwrap();
    let n_failures = stub.iter().filter(|word| *word == "fail").count();
    assert!(n_failures > 0 && file["fail_kinds"].as_array().unwrap().len() == 6);
    let messages = talk(0, number("messages"), number("tokens_each"));
    check_outage(messages, n_failures, 400_000).await;
}

#[tokio::test]
async fn b076_b089_automatic_calls_stop_at_the_breaker_and_it_survives_a_restart() {
    let model = Model::new(|_, _| Reply::Fails("429 too many requests"));
    let mut bench = Setup::window(100_000).model(&model).bench();
    for round in 0..40 {
        bench.turn(talk(round * 2, 2, 60)).await;
        bench.engine.settle().await.unwrap();
        if round % 10 == 9 {
            bench.restart();
        }
    }
    assert!((3..=4).contains(&model.calls()), "{} calls", model.calls());
    let status = bench.engine.status().await.unwrap();
    let breaker = &status.breakers[0];
    assert_eq!(breaker.state, "open");
    let until = breaker.until.expect("it says when it closes");
    assert_eq!(until, bench.engine.now().plus_millis(60_000));
    assert!(
        status.sessions[0].leaf_candidates > 0,
        "and what waits: {status:?}"
    );
    // Each later opening is twice as long, so an hour of turns costs a handful of calls.
    for minute in 0..60 {
        bench.clock.advance(60_000);
        bench.turn(talk(80 + minute * 2, 2, 60)).await;
    }
    assert!(model.calls() <= 12, "{} calls in an hour", model.calls());
}

#[tokio::test]
async fn b076_status_says_why_nothing_ran_and_when_it_will() {
    // No budget was given: the default window applies, and status says so.
    let folder = tempfile::tempdir().unwrap();
    let engine = hippocamp::engine::Engine::builder(folder.path().join("store.db"))
        .build()
        .unwrap();
    let session = crate::support::key("no budget");
    engine.append(&session, talk(0, 200, 60)).await.unwrap();
    let status = engine.status().await.unwrap();
    assert_eq!(status.sessions[0].budget, Tokens::new(128_000));
    assert!(status.sessions[0].pressure > Tokens::ZERO && status.breakers.is_empty());
    assert!(
        status.sessions[0].leaf_candidates > 0,
        "what would make leaves: {status:?}"
    );
    let report = engine
        .turn(&session, talk(200, 2, 60), window(128_000))
        .await
        .unwrap();
    assert_eq!(
        (report.compacted.leaf.len(), report.compacted.reason),
        (1, CompactReason::Done)
    );

    // A budget of 0 is no budget.
    let none = Window::new(Tokens::new(8), Tokens::new(8), Tokens::ZERO).unwrap_err();
    assert!(none.to_string().contains("leaves no budget"), "{none}");
    let error = engine
        .view(&session, ViewBudget::Of(Tokens::ZERO))
        .await
        .unwrap_err();
    assert!(matches!(error, EngineError::Usage { .. }));

    // A share that is not reached is the reason given.
    let mut setup = Setup::window(100_000);
    setup.limits.leaf_from_percent = 50;
    let bench = setup.bench();
    let report = bench.turn(talk(0, 60, 60)).await;
    assert_eq!(report.compacted.reason, CompactReason::BelowLeafPercent);
}

#[tokio::test]
async fn b076_after_its_pause_the_breaker_lets_the_next_turn_try() {
    let model = Model::new(|call, _| match call {
        0..=3 => Reply::Fails("500"),
        _ => Reply::Says(good(call)),
    });
    let bench = Setup::window(100_000).model(&model).patient().bench();
    bench.append(talk(0, 60, 60)).await;
    let mut reasons = Vec::new();
    for round in 0..4 {
        reasons.push(
            bench
                .turn(talk(60 + round * 2, 2, 60))
                .await
                .compacted
                .reason,
        );
    }
    assert_eq!(reasons[0], CompactReason::ModelFailed);
    assert_eq!(reasons[3], CompactReason::HeldBack);
    let until = bench.engine.status().await.unwrap().breakers[0]
        .until
        .unwrap();
    let wait = until.millis() - bench.engine.now().millis();
    bench.clock.advance(wait - 1);
    let held = bench.turn(talk(68, 2, 60)).await.compacted.reason;
    assert_eq!(held, CompactReason::HeldBack, "not a moment before {until}");
    bench.clock.advance(1);
    // The fourth call fails as well; the fifth, half an hour later, is answered.
    let tried = bench.turn(talk(70, 2, 60)).await.compacted.reason;
    assert_eq!(tried, CompactReason::ModelFailed);
    bench.clock.advance(30 * 60_000);
    assert_eq!(
        bench.turn(talk(72, 2, 60)).await.compacted.reason,
        CompactReason::Done
    );
    assert_eq!(
        bench.engine.status().await.unwrap().breakers[0].state,
        "closed"
    );
    bench.check().await;
}
