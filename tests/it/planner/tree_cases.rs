//! Inputs that broke other engines' merges and recoveries, in small forms of our own.

use hippocamp::domain::{Origin, Seq, Tokens};
use hippocamp::policy::condense::{self, CondenseDecision, NoCondense, plan_condense};
use hippocamp::policy::leaf::{self, LeafDecision, NoLeaf};
use hippocamp::policy::limits::Limits;
use hippocamp::policy::until_under::{EndReason, NextStep, UntilUnder};

use super::sim::{Outcome, Sim, rendered};
use super::talks::{VAST, drain, extend_talk, routine_leaf, talk, with_leaves};

#[test]
fn over_budget_by_its_tail_alone_nothing_is_planned_however_often_asked() {
    let budget = Tokens::new(2_000);
    let sim = talk(1, 9_000);
    for _ in 0..10 {
        assert_eq!(
            routine_leaf(&sim, budget),
            LeafDecision::Nothing(NoLeaf::Empty)
        );
        let mut recovery = UntilUnder::new(budget, &Limits::default());
        let step = recovery.next(&sim.frontier(), sim.pressure());
        assert_eq!(step, NextStep::End(EndReason::NothingToGain));
        assert_eq!(recovery.n_passes(), 0);
    }
}

#[test]
fn recovery_that_is_refused_ends_and_says_so() {
    let budget = Tokens::new(1_000);
    let sim = talk(60, 100);
    let mut recovery = UntilUnder::new(budget, &Limits::default());
    let frontier = sim.frontier();
    let first = recovery.next(&frontier, sim.pressure());
    assert!(matches!(first, NextStep::Leaf(_)));
    // Nothing was written: the same frontier again.
    let second = recovery.next(&frontier, sim.pressure());
    assert_eq!(second, NextStep::End(EndReason::NoProgress));
}

#[test]
fn recovery_ends_when_its_passes_run_out() {
    let mut limits = Limits::default();
    limits.recovery_passes = 1;
    let mut sim = talk(60, 100);
    let mut recovery = UntilUnder::new(Tokens::new(200), &limits);
    let end = loop {
        match recovery.next(&sim.frontier(), sim.pressure()) {
            NextStep::Leaf(plan) => {
                let tokens = rendered(plan.target, plan.source_tokens, 100);
                assert_eq!(
                    sim.commit_leaf(&plan, tokens, Origin::Model),
                    Outcome::Applied
                );
            }
            step => break step,
        }
    };
    // The leaf pass covers the whole stretch; the merges would be a second pass.
    assert_eq!(end, NextStep::End(EndReason::NoProgress));
    assert_eq!(recovery.n_passes(), 1);
    assert_eq!(sim.frontier().raw().count(), 1);
    assert!(sim.frontier().nodes().count() > 2);
}

#[test]
fn recovery_within_its_budget_does_nothing() {
    let sim = talk(60, 100);
    let mut recovery = UntilUnder::new(sim.pressure(), &Limits::default());
    let step = recovery.next(&sim.frontier(), sim.pressure());
    assert_eq!(step, NextStep::End(EndReason::Reached));
    assert_eq!(recovery.n_passes(), 0);
}

#[test]
fn kept_rows_are_summarised_in_a_later_round_and_never_lost() {
    let limits = Limits::default();
    let budget = Tokens::new(8_000);
    let mut sim = Sim::default();
    for round in 0..20_u64 {
        extend_talk(&mut sim, 3 + round * 7 % 11, 30 + round * 131 % 900);
        drain(&mut sim, budget);
        let frontier = sim.frontier();
        let mut next = Seq::FIRST;
        for item in &frontier.items {
            assert_eq!(item.span().first(), next, "round {round}");
            next = item.span().last().next();
        }
        assert_eq!(Some(next), sim.head().map(Seq::next));
        assert_eq!(leaf::candidates(&frontier, &limits, budget), 0);
    }
}

/// B087, P17.
#[test]
fn leaves_are_merged_under_pressure_by_fours_and_not_below_it() {
    let limits = Limits::default();
    let mut sim = with_leaves(40, 100);
    let pressure = sim.pressure();
    let demand = condense::Demand::Routine;
    let easy = plan_condense(&sim.frontier(), &limits, VAST, pressure, demand);
    assert_eq!(easy, CondenseDecision::Nothing(NoCondense::BelowThreshold));
    let budget = pressure;
    let mut shapes = Vec::new();
    loop {
        let plan = plan_condense(&sim.frontier(), &limits, budget, sim.pressure(), demand);
        let CondenseDecision::Plan(plan) = plan else {
            break;
        };
        assert_eq!(plan.children.ids().len(), 4);
        sim.commit_condense(&plan, Tokens::new(150), Origin::Model);
        shapes.push((plan.depth.get(), plan.span.first().get()));
    }
    assert!(sim.pressure() <= budget.percent(75));
    // Oldest first, one run after another, so that order by place is order by depth.
    let starts: Vec<(u32, u64)> = (0..shapes.len() as u64)
        .map(|at| (1, at * 32 + 1))
        .collect();
    assert_eq!(shapes, starts);
    let spans: Vec<Seq> = sim
        .frontier()
        .items
        .iter()
        .map(|item| item.span().first())
        .collect();
    assert!(
        spans.is_sorted(),
        "order is by place, not by the time of writing"
    );
}

#[test]
fn a_fallback_blocks_its_run_until_the_budget_is_passed() {
    let limits = Limits::default();
    let mut sim = with_leaves(4, 1_500);
    sim.nodes[2].origin = Origin::Fallback;
    let pressure = sim.pressure();
    let plan = |budget: Tokens| {
        let demand = condense::Demand::Routine;
        plan_condense(&sim.frontier(), &limits, budget, pressure, demand)
    };
    let waits = CondenseDecision::Nothing(NoCondense::WaitsForRepair);
    assert_eq!(plan(pressure), waits);
    let over = plan(pressure.saturating_sub(Tokens::new(1)));
    assert!(matches!(over, CondenseDecision::Plan(plan) if plan.children.ids().len() == 4));
}

#[test]
fn of_the_pairs_at_the_beginning_of_a_depth_the_latest_merges() {
    let limits = Limits::default();
    let mut sim = with_leaves(6, 100);
    let recovery = condense::Demand::Recovery;
    let mut spans = Vec::new();
    for _ in 0..4 {
        let plan = plan_condense(
            &sim.frontier(),
            &limits,
            Tokens::new(1),
            sim.pressure(),
            recovery,
        );
        let CondenseDecision::Plan(plan) = plan else {
            break;
        };
        spans.push((
            plan.depth.get(),
            plan.span.first().get(),
            plan.span.last().get(),
        ));
        sim.commit_condense(&plan, Tokens::new(90), Origin::Model);
    }
    // Four leaves, then the two left, then both parents.
    assert_eq!(spans, [(1, 1, 32), (1, 33, 48), (2, 1, 48)]);
}

#[test]
fn summaries_do_not_grow_with_each_round() {
    let limits = Limits::default();
    let budget = Tokens::new(16_000);
    let mut sim = Sim::default();
    for _ in 0..20 {
        extend_talk(&mut sim, 60, 200);
        drain(&mut sim, budget);
        let demand = condense::Demand::Routine;
        while let CondenseDecision::Plan(plan) =
            plan_condense(&sim.frontier(), &limits, budget, sim.pressure(), demand)
        {
            let tokens = rendered(plan.target, plan.source_tokens, 100);
            sim.commit_condense(&plan, tokens, Origin::Model);
        }
    }
    let wrapper = Tokens::new(64);
    let leaf_most = budget.percent(5).percent(150) + wrapper;
    let condensed_most = budget.percent(8).percent(150) + wrapper;
    assert!(
        sim.nodes.iter().any(|node| node.depth.get() >= 2),
        "the history is too short"
    );
    for node in &sim.nodes {
        let most = if node.depth.get() == 0 {
            leaf_most
        } else {
            condensed_most
        };
        assert!(node.tokens <= most, "{node:?}");
    }
}
