//! Repair. Owns which summaries must be written anew, and from what.
//! May not change a span or a depth: a repair is a new generation over exactly the same.

use std::collections::HashMap;

use crate::domain::{
    ConversationId, Depth, Health, Node, Origin, RepairPlan, Seq, Span, SummaryId, Tokens,
};

use super::limits::Limits;
use super::{condense, leaf};

#[cfg(test)]
mod tests;

/// A summary to be written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The newest generation now.
    pub node: Node,
    /// What stands inside its span over smaller depths now, old to new; empty for a leaf.
    pub children: Vec<Node>,
}

/// Finds the summaries to be written anew, the next one first: depth by depth from the leaves
/// up, old to new. `rows` are all summaries a branch sees, of every generation, in any order.
#[must_use]
pub fn find_damage(rows: &[Node]) -> Vec<Damage> {
    let newest = newest_generations(rows);
    let newest_inside = newest_inside(rows);
    let mut damaged: Vec<&Node> = newest
        .values()
        .copied()
        .filter(|node| {
            let is_outdated = newest_inside.get(&node.id).is_some_and(|&id| id > node.id);
            is_outdated || node.origin == Origin::Fallback || node.health != Health::Sound
        })
        .collect();
    damaged.sort_by_key(|node| (node.depth, node.span.first(), node.span.last()));
    let starts = deepest_first(&newest);
    damaged
        .into_iter()
        .map(|node| Damage {
            node: node.clone(),
            children: walk(&starts, node.span, node.depth),
        })
        .collect()
}

/// Plans one repair. `message_tokens` are those of the messages inside the span, as rendered: the
/// source of a leaf. `None` if no summary could be smaller than its source, or if the rows below
/// leave a gap.
#[must_use]
pub fn plan_repair(
    conversation: ConversationId,
    damage: &Damage,
    message_tokens: Tokens,
    limits: &Limits,
    budget: Tokens,
) -> Option<RepairPlan> {
    let Damage { node, children } = damage;
    let (source_tokens, target) = if node.depth == Depth::LEAF {
        let target = leaf::target(limits, budget, message_tokens);
        (message_tokens, target)
    } else {
        let mut spans = children.iter().map(|child| child.span);
        let first = spans.next()?;
        if spans.try_fold(first, Span::join) != Some(node.span) {
            return None;
        }
        let source = children.iter().map(|child| child.tokens).sum();
        (source, condense::target(limits, budget, source))
    };
    leaf::can_shrink(limits, source_tokens).then(|| RepairPlan {
        conversation,
        replaces: node.id,
        span: node.span,
        depth: node.depth,
        generation: node.generation.next(),
        children: children.iter().map(|child| child.id).collect(),
        source_tokens,
        target,
    })
}

type Place = (Span, Depth);

fn newest_generations(rows: &[Node]) -> HashMap<Place, &Node> {
    let mut newest: HashMap<Place, &Node> = HashMap::new();
    for row in rows {
        let best = newest.entry((row.span, row.depth)).or_insert(row);
        if best.generation < row.generation {
            *best = row;
        }
    }
    newest
}

/// Returns, for each row, the greatest id of a smaller depth inside its span.
fn newest_inside(rows: &[Node]) -> HashMap<SummaryId, SummaryId> {
    let mut sorted: Vec<&Node> = rows.iter().collect();
    // Spans nest, so those that enclose a row are the ones still open where it begins.
    sorted.sort_by_key(|row| {
        (
            row.span.first(),
            std::cmp::Reverse(row.span.last()),
            std::cmp::Reverse(row.depth),
        )
    });
    let mut newest = HashMap::new();
    let mut open: Vec<&Node> = Vec::new();
    for row in sorted {
        while open
            .last()
            .is_some_and(|outer| outer.span.last() < row.span.first())
        {
            open.pop();
        }
        for outer in &open {
            if outer.depth > row.depth && outer.span.covers(row.span) {
                let id = newest.entry(outer.id).or_insert(row.id);
                *id = (*id).max(row.id);
            }
        }
        open.push(row);
    }
    newest
}

fn deepest_first<'node>(newest: &HashMap<Place, &'node Node>) -> HashMap<Seq, Vec<&'node Node>> {
    let mut starts: HashMap<Seq, Vec<&Node>> = HashMap::new();
    for node in newest.values().copied() {
        starts.entry(node.span.first()).or_default().push(node);
    }
    for nodes in starts.values_mut() {
        nodes.sort_by_key(|node| std::cmp::Reverse(node.depth));
    }
    starts
}

/// Walks a span over smaller depths: the deepest row that starts here, then on after it.
fn walk(starts: &HashMap<Seq, Vec<&Node>>, span: Span, below: Depth) -> Vec<Node> {
    let mut children = Vec::new();
    let mut at = span.first();
    while at <= span.last() {
        let here = starts.get(&at).map(Vec::as_slice).unwrap_or_default();
        let child = here
            .iter()
            .find(|node| node.depth < below && span.covers(node.span));
        let Some(child) = child else { break };
        at = child.span.last().next();
        children.push((*child).clone());
    }
    children
}
