//! The leaf of a turn while the view is within its soft limit.

use proptest::prelude::*;

use hippocamp::domain::{Role, Tokens};
use hippocamp::policy::leaf::{
    self, Demand, LeafDecision, NoLeaf, Trigger, plan_leaf, plan_leaf_of_turn,
};
use hippocamp::policy::limits::Limits;

use super::history::{append, appends, budgets};
use super::oracle;
use super::sim::Sim;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn technique_t18_only_a_stretch_below_the_cap_waits_and_only_for_a_turn_to_end(
        history in prop::collection::vec(appends(), 0..24),
        budget in budgets(),
    ) {
        let limits = Limits::default();
        let mut sim = Sim::default();
        for step in &history {
            append(&mut sim, step);
        }
        let frontier = sim.frontier();
        let of_turn = |trigger| plan_leaf_of_turn(&frontier, &limits, budget, trigger);
        let hard = of_turn(Trigger::Hard);
        prop_assert_eq!(&hard, &plan_leaf(&frontier, &limits, budget, Demand::Routine));
        let soft = of_turn(Trigger::Soft);
        let LeafDecision::Plan(plan) = hard else {
            prop_assert_eq!(soft, hard);
            return Ok(());
        };
        let said = oracle::said(&sim.rows);
        let after = plan.span.last().next();
        let end = said.iter().position(|message| message.first >= after).unwrap();
        let tail = oracle::fresh_tail(&said, &limits, budget, true);
        let stretch: Tokens = said[..tail].iter().map(oracle::Said::tokens).sum();
        let parts_a_turn = !(said[end].role() == Role::User && oracle::begins_turn(&said, end));
        let waits = parts_a_turn && stretch < leaf::chunk_cap(&limits, budget);
        let want = if waits {
            LeafDecision::Nothing(NoLeaf::WaitsForTurn)
        } else {
            LeafDecision::Plan(plan)
        };
        prop_assert_eq!(soft, want);
    }
}
