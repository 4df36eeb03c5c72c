//! What holds after every step of every history.

use proptest::prelude::*;
use proptest::test_runner::Config;

use hippocamp::domain::{
    CondensePlan, Depth, Frontier, Health, LeafPlan, Node, Origin, Seq, Span, Tokens, cost,
};
use hippocamp::policy::condense::{self, CondenseDecision, NoCondense, plan_condense};
use hippocamp::policy::cut::{Before, Cuts};
use hippocamp::policy::leaf::{self, LeafDecision, NoLeaf, plan_leaf};
use hippocamp::policy::limits::Limits;
use hippocamp::policy::repair::{find_damage, plan_repair};
use hippocamp::policy::until_under::{EndReason, NextStep, UntilUnder};

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

fn may_merge(node: &Node) -> bool {
    node.origin != Origin::Fallback && node.health == Health::Sound
}

/// I1 and I2 of the design, over all that the sim holds.
fn check_tree(sim: &Sim) {
    let frontier = sim.frontier();
    let mut next = Seq::FIRST;
    let mut depth = Depth::new(u32::MAX);
    let mut has_raw = false;
    for item in &frontier.items {
        let span = item.span();
        assert_eq!(span.first(), next, "the frontier has a gap or an overlap");
        next = span.last().next();
        match item {
            hippocamp::domain::FrontierItem::Node(node) => {
                assert!(!has_raw, "a summary after a raw row");
                assert!(node.depth <= depth, "depth rises along the frontier");
                depth = node.depth;
            }
            hippocamp::domain::FrontierItem::Raw(_) => has_raw = true,
        }
    }
    let head = sim.head().map_or(Seq::FIRST, Seq::next);
    assert_eq!(next, head, "the frontier ends before the head");
    for node in &sim.nodes {
        if node.depth == Depth::LEAF {
            continue;
        }
        let children = sim.walk(node.span, node.depth, Some(node.id));
        assert!(
            children.len() >= 2,
            "{node:?} has {} children",
            children.len()
        );
        let mut at = node.span.first();
        for child in &children {
            assert_eq!(
                child.span.first(),
                at,
                "a gap among the children of {node:?}"
            );
            at = child.span.last().next();
        }
        assert_eq!(at, node.span.last().next(), "children do not fill {node:?}");
        let deepest = children.iter().map(|child| child.depth).max().unwrap();
        assert_eq!(node.depth, deepest.above(), "{node:?}");
    }
}

/// The bounds of section 5 on one leaf, from the definitions.
fn check_leaf(sim: &Sim, plan: &LeafPlan, limits: &Limits, budget: Tokens, demand: leaf::Demand) {
    let frontier = sim.frontier();
    let raw: Vec<_> = frontier.raw().collect();
    let said = oracle::said(raw.iter().copied());
    let legal = oracle::legal(&said);
    assert_eq!(
        plan.span.first(),
        raw[0].seq,
        "a leaf takes the oldest raw row"
    );
    let after = plan.span.last().next();
    let end = said
        .iter()
        .position(|message| message.first >= after)
        .unwrap();
    assert_eq!(said[end].first, after, "a leaf ends before a message");
    assert!(legal.contains(&end), "{plan:?} ends where a call is open");
    let opens = frontier.nodes().next().is_none();
    let tail = match demand {
        leaf::Demand::Routine => oracle::fresh_tail(&said, limits, budget, opens),
        leaf::Demand::Recovery => *legal.last().unwrap(),
    };
    assert!(
        end <= tail,
        "{plan:?} reaches into the tail at {}",
        said[tail].first
    );
    assert!(
        end <= *legal.last().unwrap(),
        "{plan:?} takes the newest group"
    );

    let size = |to: usize| said[..to].iter().map(oracle::Said::tokens).sum::<Tokens>();
    let cap = leaf::chunk_cap(limits, budget);
    assert!(cap <= Tokens::new(20_000) && cap.get() <= budget.get() / 4);
    if demand == leaf::Demand::Routine {
        assert!(tail >= 8 || size(tail) >= cap, "{plan:?} was not due");
    }
    assert_eq!(plan.n_messages, end as u64);
    assert_eq!(plan.source_tokens, size(end));
    let has_words = |to: usize| {
        said[..to]
            .iter()
            .any(|m| m.rows.iter().any(|row| row.has_words))
    };
    let is_worth = |to: usize| has_words(to) && leaf::can_shrink(limits, size(to));
    let is_small = |to: usize| to < 8 && size(to).get() * 2 < cap.get();
    assert!(is_worth(end), "{plan:?} has no words or cannot shrink");
    let ends: Vec<usize> = legal
        .iter()
        .copied()
        .filter(|&cut| 0 < cut && cut <= tail)
        .collect();
    // Where the chunk would end on a legal cut.
    let capped = ends
        .iter()
        .copied()
        .rfind(|&cut| size(cut) <= cap)
        .unwrap_or(ends[0]);
    let mut grown = ends.iter().copied().skip_while(|&cut| cut < capped);
    let mut whole = grown.next().unwrap();
    if is_small(whole) {
        whole = grown.next().unwrap_or(whole);
    }
    while !is_worth(whole) {
        whole = grown.next().unwrap();
    }
    let preferred = (1..=whole).rfind(|&cut| oracle::begins_turn(&said, cut));
    let kept = preferred
        .filter(|&cut| size(cut).get() * 2 >= size(whole).get() && !is_small(cut) && is_worth(cut));
    assert_eq!(
        end,
        kept.unwrap_or(whole),
        "{plan:?} ends elsewhere than the rules say"
    );

    assert!(
        cost::SUMMARY + plan.target < plan.source_tokens,
        "{plan:?} need not shrink"
    );
    let shares = Tokens::new(1_200)
        .min(plan.source_tokens.percent(35))
        .min(budget.percent(5));
    assert!(plan.target <= shares.max(limits.least_summary), "{plan:?}");
}

/// A reason for no leaf is the right one.
fn check_no_leaf(frontier: &Frontier, reason: NoLeaf, limits: &Limits, budget: Tokens) {
    let said = oracle::said(frontier.raw());
    if said.is_empty() {
        return assert_eq!(reason, NoLeaf::Empty);
    }
    let opens = frontier.nodes().next().is_none();
    let tail = oracle::fresh_tail(&said, limits, budget, opens);
    let size: Tokens = said[..tail].iter().map(oracle::Said::tokens).sum();
    let is_due = tail >= 8 || size >= leaf::chunk_cap(limits, budget);
    let has_words = said[..tail]
        .iter()
        .any(|m| m.rows.iter().any(|row| row.has_words));
    match reason {
        NoLeaf::Empty => assert_eq!(tail, 0),
        NoLeaf::BelowThreshold => assert!(tail > 0 && !is_due, "{tail} messages were due"),
        NoLeaf::NothingToGain => {
            assert!(
                is_due && !(has_words && leaf::can_shrink(limits, size)),
                "{size} would do"
            );
        }
    }
}

fn check_condense(sim: &Sim, plan: &CondensePlan, limits: &Limits, budget: Tokens, is_over: bool) {
    let frontier = sim.frontier();
    let nodes: Vec<&Node> = frontier.nodes().collect();
    let ids = plan.children.ids();
    let first = nodes.iter().position(|node| node.id == ids[0]).unwrap();
    let children = &nodes[first..first + ids.len()];
    assert!(
        children.iter().map(|node| node.id).eq(ids.iter().copied()),
        "not adjacent"
    );
    let older = first.checked_sub(1).map(|older| nodes[older].depth);
    assert_ne!(
        older,
        Some(children[0].depth),
        "does not start at the first of its depth"
    );
    let is_even = children.iter().all(|node| node.depth == children[0].depth);
    let is_pair = ids.len() == 2;
    assert!(ids.len() == 4 && is_even || is_over && is_pair, "{plan:?}");
    if !is_over {
        assert!(
            children.iter().all(|node| may_merge(node)),
            "{plan:?} holds a fallback"
        );
    }
    assert_eq!(plan.depth, children[0].depth.above());
    let union = Span::new(
        children[0].span.first(),
        children[ids.len() - 1].span.last(),
    );
    assert_eq!(Some(plan.span), union);
    let source = children.iter().map(|node| node.tokens).sum();
    assert_eq!(plan.source_tokens, source);
    assert!(
        cost::SUMMARY + plan.target < source,
        "{plan:?} need not shrink"
    );
    let shares = Tokens::new(2_000)
        .min(budget.percent(8))
        .max(limits.least_summary);
    assert!(plan.target <= shares, "{plan:?}");
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
            assert_eq!(
                sim.commit_leaf(&plan, tokens, origin(writer)),
                Outcome::Applied
            );
            assert!(sim.pressure() < pressure, "a leaf that shrinks nothing");
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
            assert_eq!(
                sim.commit_condense(&plan, tokens, origin(writer)),
                Outcome::Applied
            );
            assert!(sim.pressure() < pressure);
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
                let demand = leaf::Demand::Recovery;
                let rest = plan_leaf(&frontier, limits, budget, demand);
                return assert!(!matches!(rest, LeafDecision::Plan(_)), "leaves are left");
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
        _ => assert!(append(sim, step), "a step that does nothing"),
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
            run(&mut sim, step, &limits, budget);
            check_tree(&sim);
        }
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
