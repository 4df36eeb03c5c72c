//! Tier 2. Owns which summaries merge, and under what pressure.
//! May not skip the first node of a depth: order along the frontier hangs on it.

use crate::domain::{Children, CondensePlan, Frontier, Health, Node, Origin, Span, Tokens};

use super::assemble::note_growth;
use super::leaf;
use super::limits::Limits;

#[cfg(test)]
mod tests;

/// What asks for a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// The condenser: above the threshold, four of one depth. Above the budget it takes pairs too.
    Routine,
    /// A promotion of prepared rows: on to a lower mark, pairs allowed.
    Promotion,
    /// A recovery: any pair, until the caller says stop.
    Recovery,
}

/// What came of asking for a merge.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CondenseDecision {
    /// These nodes.
    Plan(CondensePlan),
    /// None, and why.
    Nothing(NoCondense),
}

/// Why nothing merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCondense {
    /// Pressure is not above the threshold, or the conversation is short.
    BelowThreshold,
    /// Messages wait for leaves: merging now would make chains.
    LeavesFirst,
    /// Enough nodes stand in a run, but one of them waits for its repair.
    WaitsForRepair,
    /// No run is long enough, or none could shrink.
    NothingToGain,
}

/// Decides on the next merge. `pressure` is what the view would hold now.
pub fn plan_condense(
    frontier: &Frontier,
    limits: &Limits,
    budget: Tokens,
    pressure: Tokens,
    demand: Demand,
) -> CondenseDecision {
    let threshold = match demand {
        Demand::Routine => limits.summarize_token_percent,
        Demand::Promotion => limits.promote_percent,
        Demand::Recovery => 0,
    };
    if demand != Demand::Recovery {
        let is_short = frontier.n_visible < limits.summarize_message_threshold;
        if is_short || pressure <= budget.percent(threshold) {
            return CondenseDecision::Nothing(NoCondense::BelowThreshold);
        }
        if leaf::candidates(frontier, limits, budget) > 0 {
            return CondenseDecision::Nothing(NoCondense::LeavesFirst);
        }
    }
    let nodes: Vec<&Node> = frontier.nodes().collect();
    let is_over = pressure > budget || demand == Demand::Recovery;
    let sound = |run: &[&Node]| run.iter().copied().all(is_sound);
    let any = |_: &[&Node]| true;
    let mut run = routine_run(&nodes, limits, sound);
    if run.is_none() && is_over {
        run = routine_run(&nodes, limits, any);
    }
    if run.is_none() && (is_over || demand == Demand::Promotion) {
        run = pair(&nodes, limits, sound);
    }
    if run.is_none() && is_over {
        run = pair(&nodes, limits, any);
    }
    if let Some(plan) = run.and_then(|run| merge(frontier, run, limits, budget)) {
        return CondenseDecision::Plan(plan);
    }
    let is_blocked = routine_run(&nodes, limits, any).is_some();
    CondenseDecision::Nothing(if is_blocked {
        NoCondense::WaitsForRepair
    } else {
        NoCondense::NothingToGain
    })
}

/// Returns what a merge of `source` tokens should hold at most.
#[must_use]
pub fn target(limits: &Limits, budget: Tokens, source: Tokens) -> Tokens {
    let share = budget.percent(limits.condense_target_budget_percent);
    leaf::within(limits, limits.condense_target.min(share), source)
}

/// Says whether a node may be merged without pressing need.
#[must_use]
pub fn is_sound(node: &Node) -> bool {
    node.origin != Origin::Fallback && node.health == Health::Sound
}

/// Returns the first nodes of the shallowest depth that has enough of them.
fn routine_run<'run, 'node>(
    nodes: &'run [&'node Node],
    limits: &Limits,
    allows: impl Fn(&[&'node Node]) -> bool,
) -> Option<&'run [&'node Node]> {
    // Depth never rises from old to new, so each depth is one chunk and the last is shallowest.
    nodes
        .chunk_by(|older, newer| older.depth == newer.depth)
        .rev()
        .filter_map(|depth| depth.get(..limits.fanout))
        .find(|run| allows(run) && shrinks(run, limits))
}

/// Returns the newest pair that starts at the first node of its depth.
fn pair<'run, 'node>(
    nodes: &'run [&'node Node],
    limits: &Limits,
    allows: impl Fn(&[&'node Node]) -> bool,
) -> Option<&'run [&'node Node]> {
    let is_first = |node_idx: usize| {
        let older = node_idx.checked_sub(1).and_then(|older| nodes.get(older));
        older.map(|node| node.depth) != nodes.get(node_idx).map(|node| node.depth)
    };
    let pairs = nodes.windows(2).enumerate().rev();
    pairs
        .filter(|&(node_idx, _)| is_first(node_idx))
        .map(|(_, pair)| pair)
        .find(|pair| allows(pair) && shrinks(pair, limits))
}

fn shrinks(run: &[&Node], limits: &Limits) -> bool {
    leaf::can_shrink(limits, run.iter().map(|node| node.tokens).sum())
}

fn merge(
    frontier: &Frontier,
    run: &[&Node],
    limits: &Limits,
    budget: Tokens,
) -> Option<CondensePlan> {
    let source_tokens = run.iter().map(|node| node.tokens).sum();
    let mut spans = run.iter().map(|node| node.span);
    let first = spans.next()?;
    let depth = run.iter().map(|node| node.depth).max()?.above();
    let deepest = frontier.nodes().map(|node| node.depth).max();
    Some(CondensePlan {
        conversation: frontier.conversation,
        children: Children::new(run.iter().map(|node| node.id).collect())?,
        span: spans.try_fold(first, Span::join)?,
        depth,
        note: note_growth(deepest, depth),
        source_tokens,
        target: target(limits, budget, source_tokens),
    })
}
