//! Records that form a tree. Owns the order in which they are told, so that the talk goes on from
//! where the host stands. Pure. May not know a format or what a record says.

use std::collections::HashMap;

/// One record of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its id.
    pub(crate) id: String,
    /// The record before it.
    pub(crate) parent: Option<String>,
    /// Whether it gives a row, after which others can go on.
    pub(crate) has_row: bool,
}

/// One step of the telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// The record, by its place among the nodes.
    pub(crate) node: usize,
    /// The nearest record above it that has a row.
    pub(crate) after: Option<usize>,
}

/// Orders the records of a tree: each comes after the one above it, what was left behind before what
/// was said in its place, and last the record named as the newest, or the last of the list.
/// Each record is told once: a cycle is cut, and a record without its parent begins anew.
pub(crate) fn told(nodes: &[Node], newest: Option<&str>) -> Vec<Step> {
    let Some(last) = nodes.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut walk = Walk::of(nodes);
    let newest = newest.and_then(|id| walk.places.get(id).copied());
    let live_root = walk.mark_live(newest.unwrap_or(last));
    let roots = (0..nodes.len()).filter(|at| walk.parent(*at).is_none() && *at != live_root);
    for root in roots.collect::<Vec<_>>() {
        walk.tell_from(root);
    }
    // The live part is told last, behind the records of cycles, which no root leads to.
    let begun = walk.steps.len();
    walk.tell_from(live_root);
    let live = walk.steps.split_off(begun);
    for at in 0..nodes.len() {
        walk.tell_from(at);
    }
    walk.steps.extend(live);
    walk.steps
}

struct Walk<'a> {
    nodes: &'a [Node],
    places: HashMap<&'a str, usize>,
    children: HashMap<usize, Vec<usize>>,
    is_live: Vec<bool>,
    is_told: Vec<bool>,
    steps: Vec<Step>,
}

impl<'a> Walk<'a> {
    fn of(nodes: &'a [Node]) -> Self {
        let mut walk = Self {
            nodes,
            places: HashMap::new(),
            children: HashMap::new(),
            is_live: vec![false; nodes.len()],
            is_told: vec![false; nodes.len()],
            steps: Vec::with_capacity(nodes.len()),
        };
        for (at, node) in nodes.iter().enumerate() {
            walk.places.entry(node.id.as_str()).or_insert(at);
        }
        for at in 0..nodes.len() {
            if let Some(parent) = walk.parent(at) {
                walk.children.entry(parent).or_default().push(at);
            }
        }
        walk
    }

    fn parent(&self, at: usize) -> Option<usize> {
        let parent = self.nodes.get(at)?.parent.as_deref()?;
        let place = self.places.get(parent).copied();
        place.filter(|place| *place != at)
    }

    /// Marks the records from this one up to its root, and returns that.
    fn mark_live(&mut self, newest: usize) -> usize {
        let mut root = newest;
        let mut above = Some(newest);
        while let Some(at) = above
            && mark(at, &mut self.is_live)
        {
            root = at;
            above = self.parent(at);
        }
        root
    }

    /// Tells a record and all below it that was not told, without a deep stack.
    fn tell_from(&mut self, root: usize) {
        let mut waiting = vec![Step {
            node: root,
            after: None,
        }];
        while let Some(step) = waiting.pop() {
            if !mark(step.node, &mut self.is_told) {
                continue;
            }
            self.steps.push(step);
            let has_row = self.nodes.get(step.node).is_some_and(|node| node.has_row);
            let after = if has_row { Some(step.node) } else { step.after };
            let children = self.children.get(&step.node);
            let (live, left): (Vec<usize>, Vec<usize>) = children
                .into_iter()
                .flatten()
                .partition(|child| self.is_live.get(**child).is_some_and(|is_live| *is_live));
            // The last one pushed is the next one told.
            let in_order = left.into_iter().chain(live);
            let steps = in_order.map(|node| Step { node, after });
            let mut steps: Vec<Step> = steps.collect();
            steps.reverse();
            waiting.append(&mut steps);
        }
    }
}

/// Marks a record; returns whether it was not marked.
fn mark(at: usize, marks: &mut [bool]) -> bool {
    marks
        .get_mut(at)
        .is_some_and(|is_marked| !std::mem::replace(is_marked, true))
}
