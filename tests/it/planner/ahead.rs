//! Leaves planned ahead of their turn.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::Config;

use hippocamp::domain::{CallKey, Origin, Role, Tokens};
use hippocamp::policy::leaf::{Demand, LeafDecision, plan_ahead, plan_leaf};
use hippocamp::policy::limits::Limits;
use hippocamp::policy::until_under::{NextStep, UntilUnder};

use super::history::{Step, append, appends};
use super::sim::{Outcome, Sim, rendered};
use super::talks::talk;

proptest! {
    #![proptest_config(Config { cases: 256, ..Config::default() })]

    #[test]
    fn leaves_planned_ahead_are_those_that_later_calls_would_plan(
        history in prop::collection::vec(appends(), 60..240),
        budget in 300..3_000_u64,
        recovery in any::<bool>(),
        percent in 1..=100_u64,
        any_order in any::<bool>(),
    ) {
        let limits = Limits::default();
        let budget = Tokens::new(budget);
        let demand = if recovery { Demand::Recovery } else { Demand::Routine };
        let mut sim = Sim::default();
        for step in history {
            let step = if any_order { Some(step) } else { answered_in_order(step) };
            if let Some(step) = step {
                append(&mut sim, &step);
            }
        }
        prop_assert!(any_order || !has_early_result(&sim));
        // A result that comes before its call is forgotten with the leaf it went into; the call then
        // looks open. A plan that has seen both may cut where a later one would not.
        let is_ordered = !has_early_result(&sim);
        while let Ok(plans) = plan_ahead(&sim.frontier(), &limits, budget, demand) {
            prop_assert!(!plans.is_empty());
            for plan in plans {
                if is_ordered {
                    let now = plan_leaf(&sim.frontier(), &limits, budget, demand);
                    prop_assert_eq!(&now, &LeafDecision::Plan(plan.clone()));
                }
                let tokens = rendered(plan.target, plan.source_tokens, percent);
                prop_assert_eq!(sim.commit_leaf(&plan, tokens, Origin::Model), Outcome::Applied);
            }
        }
        let rest = plan_leaf(&sim.frontier(), &limits, budget, demand);
        prop_assert!(matches!(rest, LeafDecision::Nothing(_)));
    }
}

/// Leaves out results of calls that nobody made.
pub(super) fn answered_in_order(step: Step) -> Option<Step> {
    match step {
        Step::LateResult(_) | Step::UserResult(_) => None,
        Step::Batch(mut batch) => {
            batch.answered.retain(|id| batch.ids.contains(id));
            batch.answered.sort_unstable();
            batch.answered.dedup();
            Some(Step::Batch(batch))
        }
        step => Some(step),
    }
}

/// Says whether a turn holds a result before its call.
pub(super) fn has_early_result(sim: &Sim) -> bool {
    let mut results: HashSet<&CallKey> = HashSet::new();
    sim.rows.iter().filter(|row| row.is_visible()).any(|row| {
        if row.cut_role() == Role::User {
            results.clear();
        }
        let is_early = row.calls.iter().any(|call| results.contains(call));
        results.extend(&row.results);
        is_early
    })
}

/// Drains a backlog by recovery; returns how many leaves it wrote and how often it read.
fn drain(n_messages: u64) -> (usize, usize) {
    let limits = Limits::default();
    let mut sim = talk(n_messages, 60);
    let mut machine = UntilUnder::new(Tokens::new(1_000), &limits);
    let (mut n_leaves, mut n_readings) = (0, 0);
    let mut ahead = None;
    loop {
        let step = ahead.take().unwrap_or_else(|| {
            n_readings += 1;
            machine.next(&sim.frontier(), sim.pressure())
        });
        let NextStep::Leaf(plan) = step else {
            return (n_leaves, n_readings);
        };
        let tokens = rendered(plan.target, plan.source_tokens, 50);
        assert_eq!(
            sim.commit_leaf(&plan, tokens, Origin::Model),
            Outcome::Applied
        );
        n_leaves += 1;
        ahead = machine.next_ahead(sim.pressure());
    }
}

#[test]
fn a_backlog_ten_times_as_long_takes_few_more_readings() {
    let (few, readings) = drain(300);
    let (many, more_readings) = drain(3_000);
    assert!(many > 9 * few, "{few} leaves, then {many}");
    // Each reading plans a 16th of what waits: ln 10 times 16 more, whatever the length.
    assert!(
        more_readings <= readings + 40,
        "{readings} readings, then {more_readings}"
    );
}
