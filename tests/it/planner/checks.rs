//! The rules on plans and trees, checked from their definitions.

use hippocamp::domain::{
    CondensePlan, Depth, Frontier, FrontierItem, Health, LeafPlan, Node, Origin, Seq, Span, Tokens,
    cost,
};
use hippocamp::policy::leaf::{self, NoLeaf};
use hippocamp::policy::limits::Limits;

use super::oracle;
use super::sim::Sim;

pub(super) fn may_merge(node: &Node) -> bool {
    node.origin != Origin::Fallback && node.health == Health::Sound
}

/// I1 and I2 of the design, over all that the sim holds.
pub(super) fn check_tree(sim: &Sim) {
    let frontier = sim.frontier();
    let mut next = Seq::FIRST;
    let mut depth = Depth::new(u32::MAX);
    let mut has_raw = false;
    for item in &frontier.items {
        let span = item.span();
        assert_eq!(span.first(), next, "the frontier has a gap or an overlap");
        next = span.last().next();
        match item {
            FrontierItem::Node(node) => {
                assert!(!has_raw, "a summary after a raw row");
                assert!(node.depth <= depth, "depth rises along the frontier");
                depth = node.depth;
            }
            FrontierItem::Raw(_) => has_raw = true,
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
pub(super) fn check_leaf(
    sim: &Sim,
    plan: &LeafPlan,
    limits: &Limits,
    budget: Tokens,
    demand: leaf::Demand,
) {
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
pub(super) fn check_no_leaf(frontier: &Frontier, reason: NoLeaf, limits: &Limits, budget: Tokens) {
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
        NoLeaf::WaitsForTurn => panic!("only the leaf of a turn waits"),
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

pub(super) fn check_condense(
    sim: &Sim,
    plan: &CondensePlan,
    limits: &Limits,
    budget: Tokens,
    is_over: bool,
) {
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
    check_choice(&nodes, first, ids.len(), limits, is_over);
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

/// The run is the one that section 2 names: four of the shallowest depth that has them, sound ones
/// first; else the newest pair that starts a depth.
fn check_choice(nodes: &[&Node], first: usize, n_children: usize, limits: &Limits, is_over: bool) {
    let starts = |at: usize| at == 0 || nodes[at - 1].depth > nodes[at].depth;
    let shrinks = |at: usize, n: usize| {
        leaf::can_shrink(
            limits,
            nodes[at..at + n].iter().map(|node| node.tokens).sum(),
        )
    };
    let sound = |at: usize, n: usize| nodes[at..at + n].iter().all(|node| may_merge(node));
    let fours = || {
        (0..nodes.len().saturating_sub(3))
            .rev()
            .filter(|&at| starts(at) && nodes[at + 3].depth == nodes[at].depth && shrinks(at, 4))
    };
    let pairs = || {
        (0..nodes.len().saturating_sub(1))
            .rev()
            .filter(|&at| starts(at) && shrinks(at, 2))
    };
    let sound_four = fours().find(|&at| sound(at, 4)).map(|at| (at, 4));
    let sound_pair = pairs().find(|&at| sound(at, 2)).map(|at| (at, 2));
    let any = || {
        fours()
            .next()
            .map(|at| (at, 4))
            .or(sound_pair)
            .or(pairs().next().map(|at| (at, 2)))
    };
    let want = sound_four.or_else(|| any().filter(|_| is_over));
    assert_eq!(want, Some((first, n_children)), "another run was due");
}
