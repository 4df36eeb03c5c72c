//! Random histories, random operations, a model that misbehaves: the invariants after every step.

mod look;
mod pins;
mod story;
mod world;

use story::*;
use world::*;

use hippocamp::engine::LeafMode;
use proptest::prelude::*;

fn run_story(has_model: bool, mode: LeafMode, steps: &[Step]) {
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
    });
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
