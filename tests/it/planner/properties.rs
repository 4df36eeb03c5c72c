//! What holds after every step of every history.

use proptest::prelude::*;
use proptest::test_runner::Config;

use hippocamp::domain::{
    Depth, FrontierItem, Generation, Health, LeafPlan, Node, Origin, Role, Seq, Span, Tokens, cost,
};
use hippocamp::policy::assemble::pressure;
use hippocamp::policy::condense::{self, CondenseDecision, NoCondense, plan_condense};
use hippocamp::policy::cut::{Before, Cuts};
use hippocamp::policy::leaf::{self, LeafDecision, plan_leaf};
use hippocamp::policy::limits::Limits;
use hippocamp::policy::repair::{find_damage, plan_repair};
use hippocamp::policy::until_under::{EndReason, NextStep, UntilUnder};

use super::ahead::{answered_in_order, has_early_result};
use super::checks::{check_condense, check_leaf, check_no_leaf, check_tree, may_merge};
use super::history::{Step, Writer, append, appends, budgets, steps};
use super::oracle;
use super::sim::{Outcome, Sim, rendered};

fn origin(writer: Writer) -> Origin {
    if writer.fails {
        Origin::Fallback
    } else {
        Origin::Model
    }
}

/// What a view holds, thoughts left out: what a plan says of it is what comes.
fn held(sim: &Sim) -> Tokens {
    let mut frontier = sim.frontier();
    for item in &mut frontier.items {
        if let FrontierItem::Raw(row) = item {
            row.reasoning_tokens = Tokens::ZERO;
        }
    }
    pressure(&frontier)
}

/// What the line before the summaries will cost, if none stands there yet.
fn note_to_come(sim: &Sim) -> Tokens {
    let mut with_leaf = Sim::default();
    let first = with_leaf.push(Role::User, 1, &[], &[]);
    with_leaf.insert(
        Span::single(first),
        Depth::LEAF,
        Generation::FIRST,
        Tokens::ZERO,
        Origin::Model,
    );
    match sim.frontier().nodes().next() {
        Some(_) => Tokens::ZERO,
        None => held(&with_leaf),
    }
}

fn run_leaf(sim: &mut Sim, limits: &Limits, budget: Tokens, writer: Writer) {
    let before = sim.frontier();
    let due = leaf::candidates(&before, limits, budget);
    let n_chunks = leaf::backlog_chunks(&before, limits, budget);
    match plan_leaf(&before, limits, budget, leaf::Demand::Routine) {
        LeafDecision::Plan(plan) => {
            check_leaf(sim, &plan, limits, budget, leaf::Demand::Routine);
            assert!(due >= plan.n_messages && n_chunks >= 1);
            let tokens = rendered(plan.target, plan.source_tokens, writer.percent);
            assert!(tokens < plan.source_tokens, "I8");
            let pressure = sim.pressure();
            let want = held(sim) + plan.note + tokens;
            assert_eq!(
                sim.commit_leaf(&plan, tokens, origin(writer)),
                Outcome::Applied
            );
            assert!(sim.pressure() < pressure, "a leaf that shrinks nothing");
            assert_eq!(held(sim) + plan.source_tokens, want);
            assert_eq!(
                sim.commit_leaf(&plan, tokens, origin(writer)),
                Outcome::Stale
            );
        }
        LeafDecision::Nothing(reason) => {
            assert_eq!((due, n_chunks), (0, 0), "{reason:?} with candidates");
            check_no_leaf(&before, reason, limits, budget);
        }
    }
}

fn run_condense(sim: &mut Sim, limits: &Limits, budget: Tokens, writer: Writer) {
    let frontier = sim.frontier();
    let pressure = sim.pressure();
    let decision = plan_condense(
        &frontier,
        limits,
        budget,
        pressure,
        condense::Demand::Routine,
    );
    let is_due = pressure > budget.percent(75) && frontier.n_visible >= 20;
    let has_leaves = leaf::candidates(&frontier, limits, budget) > 0;
    match decision {
        CondenseDecision::Plan(plan) => {
            assert!(is_due && !has_leaves, "{plan:?} is not due");
            check_condense(sim, &plan, limits, budget, pressure > budget);
            let tokens = rendered(plan.target, plan.source_tokens, writer.percent);
            assert!(tokens < plan.source_tokens, "I8");
            let want = held(sim) + plan.note + tokens;
            assert_eq!(
                sim.commit_condense(&plan, tokens, origin(writer)),
                Outcome::Applied
            );
            assert!(sim.pressure() < pressure);
            assert_eq!(held(sim) + plan.source_tokens, want);
            assert_eq!(
                sim.commit_condense(&plan, tokens, origin(writer)),
                Outcome::Stale
            );
        }
        CondenseDecision::Nothing(NoCondense::BelowThreshold) => assert!(!is_due),
        CondenseDecision::Nothing(NoCondense::LeavesFirst) => assert!(is_due && has_leaves),
        CondenseDecision::Nothing(_) => {
            assert!(is_due && !has_leaves);
            let nodes: Vec<&Node> = frontier.nodes().collect();
            for run in nodes.chunk_by(|a, b| a.depth == b.depth) {
                let is_free = run.len() >= 4 && run[..4].iter().all(|node| may_merge(node));
                assert!(!is_free, "a run of four was passed over");
            }
            assert!(
                pressure <= budget || nodes.len() < 2,
                "over budget, and a pair is left"
            );
        }
    }
}

fn run_until_under(sim: &mut Sim, limits: &Limits, budget: Tokens, writer: Writer) {
    let mut recovery = UntilUnder::new(budget, limits);
    let n_items = sim.frontier().items.len();
    for n_steps in 0.. {
        assert!(n_steps <= 2 * n_items, "recovery does not end");
        let pressure = sim.pressure();
        let step = recovery.next(&sim.frontier(), pressure);
        assert!(recovery.n_passes() <= 20);
        match step {
            NextStep::Leaf(plan) => {
                assert!(pressure > budget, "goes on below the budget");
                check_leaf(sim, &plan, limits, budget, leaf::Demand::Recovery);
                let tokens = rendered(plan.target, plan.source_tokens, writer.percent);
                assert_eq!(
                    sim.commit_leaf(&plan, tokens, origin(writer)),
                    Outcome::Applied
                );
            }
            NextStep::Condense(plan) => {
                assert!(pressure > budget, "goes on below the budget");
                check_condense(sim, &plan, limits, budget, true);
                let tokens = rendered(plan.target, plan.source_tokens, writer.percent);
                assert_eq!(
                    sim.commit_condense(&plan, tokens, origin(writer)),
                    Outcome::Applied
                );
            }
            NextStep::End(EndReason::Reached) => return assert!(pressure <= budget),
            NextStep::End(EndReason::NothingToGain) => {
                assert!(pressure > budget);
                assert!(
                    sim.frontier().nodes().count() <= 1,
                    "summaries are left to merge"
                );
                let frontier = sim.frontier();
                let said = oracle::said(frontier.raw());
                let newest = oracle::legal(&said).last().copied().unwrap_or_default();
                let has_words = said[..newest].iter().any(oracle::Said::has_words);
                let size: Tokens = said[..newest].iter().map(oracle::Said::tokens).sum();
                let size = size.saturating_sub(note_to_come(sim));
                let is_worth = has_words && leaf::can_shrink(limits, size);
                return assert!(!is_worth, "messages before the newest group are left");
            }
            NextStep::End(EndReason::NoProgress) => panic!("every plan was written"),
        }
        assert!(sim.pressure() < pressure, "a step that shrinks nothing");
        check_tree(sim);
    }
}

fn run_repair(sim: &mut Sim, limits: &Limits, budget: Tokens, writer: Writer) {
    for node in &mut sim.nodes {
        node.health = Health::Sound;
    }
    let damaged = find_damage(&sim.nodes);
    for pair in damaged.windows(2) {
        assert!(pair[0].node.depth <= pair[1].node.depth, "not bottom-up");
    }
    let Some(next) = damaged.first() else {
        let fallbacks = sim
            .frontier()
            .nodes()
            .filter(|n| n.origin == Origin::Fallback)
            .count();
        return assert_eq!(fallbacks, 0);
    };
    let message_tokens = sim.view_tokens(next.node.span);
    let conversation = next.node.conversation;
    let Some(plan) = plan_repair(conversation, next, message_tokens, limits, budget) else {
        return;
    };
    assert_eq!(plan.generation, next.node.generation.next());
    let tokens = rendered(plan.target, plan.source_tokens, writer.percent);
    assert!(tokens < plan.source_tokens, "I8");
    assert_eq!(
        sim.commit_repair(&plan, tokens, Origin::Model),
        Outcome::Applied
    );
    assert_eq!(
        sim.commit_repair(&plan, tokens, Origin::Model),
        Outcome::Stale
    );
    let rest = find_damage(&sim.nodes);
    assert!(
        rest.iter().all(|damage| damage.node.id != plan.replaces),
        "repaired and still first"
    );
    let is_same = |span: Span, depth: Depth| span == plan.span && depth == plan.depth;
    assert!(
        !rest
            .iter()
            .any(|damage| is_same(damage.node.span, damage.node.depth))
    );
}

fn run(sim: &mut Sim, step: &Step, limits: &Limits, budget: Tokens) {
    match step {
        Step::Leaf(writer) => run_leaf(sim, limits, budget, *writer),
        Step::Condense(writer) => run_condense(sim, limits, budget, *writer),
        Step::Repair(writer) => run_repair(sim, limits, budget, *writer),
        Step::UntilUnder { percent, writer } => {
            let asked = budget.min(Tokens::new(200_000)).percent(*percent);
            run_until_under(sim, limits, asked, *writer);
        }
        Step::Break(at) => {
            let n_nodes = sim.nodes.len().max(1);
            if let Some(node) = sim.nodes.get_mut(usize::from(*at) % n_nodes) {
                node.health = Health::Broken;
            }
        }
        Step::StaleLeaf => {
            let frontier = sim.frontier();
            let decision = plan_leaf(&frontier, limits, budget, leaf::Demand::Recovery);
            let other = plan_leaf(&frontier, limits, Tokens::new(100), leaf::Demand::Recovery);
            if let (LeafDecision::Plan(plan), LeafDecision::Plan(other)) = (decision, other) {
                let size = |plan: &LeafPlan| rendered(plan.target, plan.source_tokens, 50);
                assert_eq!(
                    sim.commit_leaf(&other, size(&other), Origin::Model),
                    Outcome::Applied
                );
                assert_eq!(
                    sim.commit_leaf(&plan, size(&plan), Origin::Model),
                    Outcome::Stale
                );
            }
        }
        Step::StaleCondense => {
            let frontier = sim.frontier();
            let demand = condense::Demand::Recovery;
            let plan = plan_condense(&frontier, limits, budget, sim.pressure(), demand);
            if let CondenseDecision::Plan(plan) = plan {
                let size = rendered(plan.target, plan.source_tokens, 50);
                assert_eq!(
                    sim.commit_condense(&plan, size, Origin::Model),
                    Outcome::Applied
                );
                assert_eq!(
                    sim.commit_condense(&plan, size, Origin::Model),
                    Outcome::Stale
                );
            }
        }
        _ => panic!("{step:?} does nothing"),
    }
}

proptest! {
    #![proptest_config(Config { cases: 10_000, ..Config::default() })]

    #[test]
    fn every_history_keeps_the_tree_and_the_tail(
        history in prop::collection::vec(steps(), 1..28),
        start in prop::collection::vec(appends(), 0..12),
        budget in budgets(),
    ) {
        let limits = Limits::default();
        let mut sim = Sim::default();
        for step in start.iter().chain(&history) {
            // What only appends is checked with the next step that does more, and at the end.
            if !append(&mut sim, step) {
                run(&mut sim, step, &limits, budget);
                check_tree(&sim);
            }
        }
        check_tree(&sim);
    }

    #[test]
    fn leaves_asked_for_by_hand_pay_if_a_view_with_all_of_them_is_smaller(
        history in prop::collection::vec(appends(), 0..60),
        budget in budgets(),
    ) {
        let limits = Limits::default();
        let mut sim = Sim::default();
        // With a result before its call, plans of one reading are not those of later ones.
        for step in history.into_iter().filter_map(answered_in_order) {
            append(&mut sim, &step);
        }
        prop_assume!(!has_early_result(&sim));
        let demand = leaf::Demand::Routine;
        let pays = leaf::pays(&sim.frontier(), &limits, budget, demand);
        let before = held(&sim);
        let mut n_leaves = 0;
        while let LeafDecision::Plan(plan) = plan_leaf(&sim.frontier(), &limits, budget, demand) {
            let tokens = cost::SUMMARY + plan.target;
            prop_assert_eq!(sim.commit_leaf(&plan, tokens, Origin::Model), Outcome::Applied);
            prop_assert!(leaf::pays(&sim.frontier(), &limits, budget, demand));
            n_leaves += 1;
        }
        prop_assert_eq!(pays, n_leaves > 0 && held(&sim) < before);
    }

    #[test]
    fn cuts_and_tails_are_what_their_definitions_say(
        history in prop::collection::vec(appends(), 0..16),
        budget in budgets(),
        opens in any::<bool>(),
    ) {
        let limits = Limits::default();
        let mut sim = Sim::default();
        for step in &history {
            append(&mut sim, step);
        }
        let said = oracle::said(&sim.rows);
        let before = if opens { Before::Nothing } else { Before::Summary };
        let cuts = Cuts::new(&sim.rows, before);
        prop_assert_eq!(cuts.units().len(), said.len());
        prop_assert_eq!(cuts.legal(), oracle::legal(&said));
        let turns: Vec<usize> = (0..said.len()).filter(|&at| oracle::begins_turn(&said, at)).collect();
        prop_assert_eq!(cuts.preferred(), turns);
        prop_assert_eq!(cuts.has_open_call(), !oracle::is_legal(&said, said.len().max(1) - usize::from(said.is_empty())));
        if !said.is_empty() {
            let want = oracle::fresh_tail(&said, &limits, budget, opens);
            prop_assert_eq!(cuts.fresh_tail(&limits, budget), want);
        }
        let mut next = Seq::FIRST;
        for unit in cuts.units() {
            prop_assert_eq!(unit.span.first(), next);
            next = unit.span.last().next();
        }
    }
}
