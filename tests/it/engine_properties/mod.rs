//! Random histories, random operations, a model that misbehaves: the invariants after every step.

mod look;
mod pins;
mod steer;
mod story;
mod world;

use story::*;
use world::*;

use hippocamp::engine::LeafMode;
use proptest::prelude::*;

/// Runs a story and checks after each step; returns the world at its end.
fn run_story(has_model: bool, mode: LeafMode, steps: &[Step]) -> World {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut world = World::new(has_model, mode);
        for (index, step) in steps.iter().enumerate() {
            world.run(step).await;
            world.check(index % 4 == 3).await;
        }
        world.engine.settle().await.unwrap();
        world.check(true).await;
        world
    })
}

#[test]
fn results_are_cleared_in_a_story_of_tools() {
    let tools = |n: usize| {
        let body = "lorem ipsum dolor ".repeat(n);
        Step::Turn(vec![
            Said::Tools(vec![Some(body), Some("short".to_owned())]),
            Said::Assistant("so it is".to_owned()),
        ])
    };
    let mut steps = vec![Step::Turn(vec![Said::User("go on".to_owned())])];
    steps.extend((0..8).map(|index| tools(60 + 20 * index)));
    steps.extend([
        Step::Fork(60),
        tools(90),
        Step::Restart,
        tools(90),
        Step::Compact,
    ]);
    for mode in [LeafMode::EveryTurn, LeafMode::Deferred] {
        for has_model in [false, true] {
            assert!(
                run_story(has_model, mode, &steps).n_cleared > 0,
                "{mode:?} {has_model}"
            );
        }
    }
}

#[test]
fn what_providers_say_is_answered_in_a_story_of_errors_and_counts() {
    let words = |n: usize| "lorem ipsum dolor ".repeat(n);
    let turn = |n: usize| {
        Step::Turn(vec![
            Said::User(words(n)),
            Said::Tools(vec![Some(words(n))]),
            Said::Assistant(words(n)),
        ])
    };
    let mut steps: Vec<Step> = (0..8).map(|n| turn(40 + 10 * n)).collect();
    steps.extend([
        Step::Counted(1_400),
        Step::Refused(Refusal::TooLong),
        Step::Refused(Refusal::Busy),
        Step::Restart,
        Step::Refused(Refusal::Over(1_500)),
        Step::Refused(Refusal::TooLong),
        turn(60),
        Step::Refused(Refusal::Unpaired),
        Step::Counted(3_900),
        Step::Fork(70),
        turn(50),
        Step::Counted(700),
    ]);
    for mode in [LeafMode::EveryTurn, LeafMode::Deferred] {
        for has_model in [false, true] {
            let answered = run_story(has_model, mode, &steps).answered;
            assert!(
                answered.smaller_views > 0 && answered.plain_views > 0 && answered.calibrations > 0,
                "{mode:?} {has_model}: {answered:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_invariants_hold_after_every_step_without_a_model(
        steps in prop::collection::vec(step(), 1..24),
    ) {
        run_story(false, LeafMode::EveryTurn, &steps);
    }

    #[test]
    fn the_invariants_hold_after_every_step_whatever_the_model_does(
        steps in prop::collection::vec(step(), 1..24),
    ) {
        run_story(true, LeafMode::EveryTurn, &steps);
    }

    #[test]
    fn the_invariants_hold_after_every_step_in_deferred_mode(
        steps in prop::collection::vec(step(), 1..24),
    ) {
        run_story(true, LeafMode::Deferred, &steps);
    }
}
