//! What a provider counted, and what follows.

use hippocamp::domain::{Event, EventKind, Factor, NewMessage, Tokens, Usage};
use hippocamp::engine::{Calibration, CompactReason, ErrorOutcome, Observed, Silent, StopReason};

use super::{counted, filled, n_events, observe, paused, shown, tokens};
use crate::bench::{Behaviour, Model, Setup, talk};
use crate::support::window;

#[tokio::test]
async fn technique_t17_usage_of_a_view_that_is_gone_is_ignored() {
    let bench = filled(16_000, 50).await;
    let old = shown(&bench).await;
    assert!(matches!(
        observe(&bench, &counted(&old, 1_200)).await.calibration,
        Calibration::Recorded(_)
    ));
    bench.append(talk(1_000, 1, 20)).await;
    let report = observe(&bench, &counted(&old, 2_000)).await;
    assert_eq!(report.calibration, Calibration::Stale);
    let before = shown(&bench).await;
    bench
        .engine
        .compact_until_under(&bench.session, tokens(3_000))
        .await
        .unwrap();
    assert_eq!(
        observe(&bench, &counted(&before, 2_000)).await.calibration,
        Calibration::Stale
    );
    assert_eq!(n_events(&bench, EventKind::Calibrate).await, 1);
    bench.check().await;
}

#[tokio::test]
async fn technique_t16_what_the_model_counts_goes_before_the_estimate() {
    // By the estimate the view is past the trigger, by the model's count it is not.
    let bench = filled(16_000, 80).await;
    let _ = observe(&bench, &counted(&shown(&bench).await, 800)).await;
    for round in 0..3 {
        bench.append(talk(2_000 + round, 1, 20)).await;
        bench.engine.finish_stage(&bench.session).await.unwrap();
    }
    let merges = n_events(&bench, EventKind::Condense).await;
    assert_eq!(merges, 0, "the estimate alone asked for a merge");
    // And the other way round: a view that the model counts larger holds less.
    let bench = filled(16_000, 90).await;
    let view = shown(&bench).await;
    let report = observe(&bench, &counted(&view, 1_500)).await;
    assert_eq!(
        report.calibration,
        Calibration::Recorded(Factor::of(tokens(2), tokens(3)))
    );
    let smaller = bench.turn(vec![NewMessage::user("on")]).await.view;
    assert!(smaller.tokens.get() * 3 / 2 <= 16_000, "{}", smaller.tokens);
    assert_eq!(smaller.budget, tokens(10_666));
    let mut bench = bench;
    bench.restart();
    assert_eq!(shown(&bench).await.budget, tokens(10_666), "it is kept");
    bench.check().await;
}

#[tokio::test]
async fn technique_t16_no_second_compaction_follows_in_the_turn_after_one() {
    let model = Model::behaving(Behaviour::Good);
    let mut setup = Setup::window(8_000).model(&model);
    setup.limits.leaf_from_percent = 50;
    let bench = setup.bench();
    bench.append(talk(0, 60, 110)).await;
    bench
        .engine
        .compact_until_under(&bench.session, tokens(3_000))
        .await
        .unwrap();
    bench.engine.settle().await.unwrap();
    let (n_calls, n_done) = (model.calls(), bench.tree().await.len());
    let view = shown(&bench).await;
    let _ = observe(&bench, &counted(&view, 1_050)).await;
    bench.turn(vec![NewMessage::assistant("Noted.")]).await;
    bench.turn(vec![NewMessage::user("And now?")]).await;
    bench.engine.settle().await.unwrap();
    assert_eq!((model.calls(), bench.tree().await.len()), (n_calls, n_done));
}

#[tokio::test]
async fn measurements_that_say_nothing_change_nothing() {
    let bench = filled(16_000, 50).await;
    let view = shown(&bench).await;
    let cut = observe(&bench, &counted(&view, 300)).await;
    assert_eq!(cut.calibration, Calibration::Unbelievable);
    assert_eq!(
        observe(&bench, &counted(&view, 1_010)).await.calibration,
        Calibration::Unchanged(Factor::ONE)
    );
    bench
        .engine
        .set_model(&bench.session, "a", window(16_000))
        .await
        .unwrap();
    let view = shown(&bench).await;
    let other = counted(&view, 1_500).model("b");
    assert_eq!(
        observe(&bench, &other).await.calibration,
        Calibration::OtherModel
    );
    assert_eq!(n_events(&bench, EventKind::Calibrate).await, 0);
    let small = Setup::window(8_000).bench();
    small.append(vec![NewMessage::user("hello")]).await;
    let report = observe(&small, &counted(&shown(&small).await, 1_500)).await;
    assert_eq!(report.calibration, Calibration::TooSmall);
}

/// A factor is kept in thousandths.
#[track_caller]
fn check_near(budget: Tokens, wanted: u64) {
    assert!(
        budget.get().abs_diff(wanted) < 20,
        "{budget} is not about {wanted}"
    );
}

#[tokio::test]
async fn each_model_has_a_factor_of_its_own_and_a_branch_begins_with_them() {
    let bench = filled(16_000, 60).await;
    for (model, thousandths) in [("a", 1_250), ("b", 1_600)] {
        bench
            .engine
            .set_model(&bench.session, model, window(16_000))
            .await
            .unwrap();
        let observed = counted(&shown(&bench).await, thousandths).model(model);
        let _ = observe(&bench, &observed).await;
    }
    check_near(shown(&bench).await.budget, 10_000);
    bench
        .engine
        .set_model(&bench.session, "a", window(16_000))
        .await
        .unwrap();
    check_near(shown(&bench).await.budget, 12_800);
    let at = hippocamp::domain::Seq::new(20).unwrap();
    bench.engine.fork(&bench.session, at, None).await.unwrap();
    check_near(shown(&bench).await.budget, 12_800);
    bench
        .engine
        .set_model(&bench.session, "b", window(16_000))
        .await
        .unwrap();
    check_near(shown(&bench).await.budget, 10_000);
    bench.check().await;
}

#[tokio::test]
async fn an_overflow_without_an_error_is_seen_by_its_usage() {
    let bench = filled(16_000, 95).await;
    let view = shown(&bench).await;
    let report = observe(&bench, &counted(&view, 1_300)).await;
    let (sign, outcome) = report.overflow.unwrap();
    assert_eq!(sign, Silent::OverWindow);
    let ErrorOutcome::Retry { view: smaller, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert!(smaller.tokens.get() * 13 / 10 <= 16_000);
    let bench = filled(16_000, 95).await;
    let view = shown(&bench).await;
    let full = Observed::new(view.version.unwrap(), Usage::new(tokens(15_950), tokens(0)))
        .stop(StopReason::MaxTokens);
    let report = observe(&bench, &full).await;
    assert!(
        matches!(
            report.overflow,
            Some((Silent::NoRoom, ErrorOutcome::Retry { .. }))
        ),
        "{report:?}"
    );
    let answered = Observed::new(
        shown(&bench).await.version.unwrap(),
        Usage::new(tokens(9_000), tokens(9)),
    )
    .stop(StopReason::MaxTokens);
    assert!(observe(&bench, &answered).await.overflow.is_none());
    // More than any model can have counted is no count of the view.
    for input in [64_001, i64::MAX.unsigned_abs(), u64::MAX] {
        let version = shown(&bench).await.version.unwrap();
        let absurd = Observed::new(version, Usage::new(tokens(input), tokens(1)));
        let report = observe(&bench, &absurd).await;
        assert_eq!(report.calibration, Calibration::Unbelievable);
        assert!(report.overflow.is_none(), "{report:?}");
    }
}

/// K2 and K1: what does not help pauses, durably; what is asked for goes on.
#[tokio::test]
async fn technique_k2_compactions_that_do_not_help_pause_and_forced_ones_go_on() {
    let mut bench = Setup::window(8_000).bench();
    let until = paused(&bench.engine, &bench.session).await;
    bench.restart();
    let status = bench.engine.status().await.unwrap();
    assert_eq!(status.sessions[0].pause.unwrap().until, until);
    let held = bench.turn(talk(5_000, 20, 60)).await;
    if held.compacted.tokens_before <= held.view.budget {
        assert_eq!(held.compacted.reason, CompactReason::Paused);
    }
    let n_before = bench.tree().await.len();
    bench.engine.compact(&bench.session).await.unwrap();
    assert!(bench.tree().await.len() > n_before, "a forced one is made");
    bench.clock.advance(30 * 60_000);
    assert_eq!(bench.engine.status().await.unwrap().sessions[0].pause, None);
    bench.check().await;
}

/// O1: an event of a compaction says what views held before and after it.
#[tokio::test]
async fn technique_o1_events_carry_tokens_before_and_after() {
    for deferred in [false, true] {
        let setup = Setup::window(4_000);
        let bench = if deferred { setup.deferred() } else { setup }.bench();
        for round in 0..12 {
            bench.turn(talk(round * 10, 10, 60)).await;
            bench.engine.settle().await.unwrap();
        }
        let events = bench.engine.events(&bench.session).await.unwrap();
        let kinds = [EventKind::Leaf, EventKind::Condense, EventKind::Promote];
        let told: Vec<&Event> = events
            .iter()
            .filter(|event| kinds.contains(&event.kind))
            .collect();
        assert!(told.len() > 3);
        for event in &told {
            let before = event.tokens_before.unwrap();
            // What a commit promotes on its way is told by the commit's own event.
            let after = event
                .tokens_after
                .or((event.kind == EventKind::Promote).then_some(before));
            assert!(after.unwrap() <= before, "{event:?}");
        }
        let promotions = told
            .iter()
            .filter(|event| event.kind == EventKind::Promote && event.tokens_after.is_some());
        assert_eq!(promotions.count() > 0, deferred);
    }
}
