//! The tree of summaries. Owns how nesting spans are drawn: a parent above its children.

use std::collections::BTreeMap;

use super::number::{count, place};
use super::style::{DIM, STRONG, painted};
use crate::domain::{ItemId, TreeNode};

/// How large a drawn tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TreeSize {
    /// Nodes shown.
    pub(crate) nodes: usize,
    /// The greatest depth.
    pub(crate) depth: u32,
}

/// Returns how large the drawn tree is.
pub(crate) fn tree_size(nodes: &[TreeNode]) -> TreeSize {
    let newest = newest_generations(nodes);
    TreeSize {
        nodes: newest.len(),
        depth: newest
            .iter()
            .map(|node| node.depth.get())
            .max()
            .unwrap_or(0),
    }
}

/// Returns the tree, one node a line, old to new; rows that a repair has replaced are left out.
pub(crate) fn tree(nodes: &[TreeNode]) -> String {
    let newest = newest_generations(nodes);
    let parents = parents(&newest);
    let last_children: BTreeMap<Option<usize>, usize> = parents.iter().copied().zip(0..).collect();
    let mut text = String::new();
    let mut open: Vec<Branch> = Vec::new();
    for (node_idx, node) in newest.iter().enumerate() {
        let parent = parents.get(node_idx).copied().flatten();
        let level = parent
            .and_then(|parent| open.iter().position(|branch| branch.node_idx == parent))
            .map_or(0, |position| position + 1);
        open.truncate(level);
        let place = if last_children.get(&parent) == Some(&node_idx) {
            Place::Last
        } else {
            Place::Before
        };
        text.push_str(&painted(DIM, prefix(&open, level, place)));
        text.push_str(&label(node));
        text.push('\n');
        open.push(Branch { node_idx, place });
    }
    text
}

/// Whether more siblings follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Last,
}

struct Branch {
    node_idx: usize,
    place: Place,
}

/// Returns the newest row of each span and depth, parents before their children, old to new.
fn newest_generations(nodes: &[TreeNode]) -> Vec<&TreeNode> {
    let mut sorted: Vec<&TreeNode> = nodes.iter().collect();
    sorted.sort_by_key(|node| {
        (
            node.span.first(),
            std::cmp::Reverse(node.span.last()),
            std::cmp::Reverse(node.depth),
            std::cmp::Reverse(node.generation),
        )
    });
    sorted.dedup_by_key(|node| (node.span, node.depth));
    sorted
}

/// Returns each node's parent: the nearest node before it whose span covers its own.
fn parents(nodes: &[&TreeNode]) -> Vec<Option<usize>> {
    let mut open: Vec<(usize, &TreeNode)> = Vec::new();
    let mut parents = Vec::with_capacity(nodes.len());
    for (node_idx, node) in nodes.iter().enumerate() {
        while open
            .last()
            .is_some_and(|(_, above)| !above.span.covers(node.span))
        {
            open.pop();
        }
        parents.push(open.last().map(|(above_idx, _)| *above_idx));
        open.push((node_idx, node));
    }
    parents
}

fn prefix(open: &[Branch], level: usize, place: Place) -> String {
    if level == 0 {
        return String::new();
    }
    let mut text = String::new();
    // The first branch is a root, which has no line of its own.
    for branch in open.iter().skip(1) {
        text.push_str(match branch.place {
            Place::Before => "│  ",
            Place::Last => "   ",
        });
    }
    text.push_str(match place {
        Place::Before => "├─ ",
        Place::Last => "└─ ",
    });
    text
}

fn label(node: &TreeNode) -> String {
    let id = painted(STRONG, ItemId::Summary(node.id));
    let about = format!(
        "depth {}  {}  {} tokens  {}",
        node.depth,
        place(node.span),
        count(node.tokens.get()),
        node.origin
    );
    format!("{id}  {about}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Depth, Generation, Origin, Seq, Span, SummaryId, Tokens};

    fn node(id: i64, depth: u32, first: u64, last: u64) -> TreeNode {
        TreeNode {
            id: SummaryId::new(id),
            depth: Depth::new(depth),
            span: Span::new(Seq::new(first).unwrap(), Seq::new(last).unwrap()).unwrap(),
            generation: Generation::FIRST,
            tokens: Tokens::new(1200),
            origin: Origin::Floor,
            is_live: true,
        }
    }

    fn plain(nodes: &[TreeNode]) -> String {
        let text = anstream::adapter::strip_str(&tree(nodes)).to_string();
        text.lines()
            .map(|line| line.replace("  1,200 tokens  floor", "") + "\n")
            .collect()
    }

    #[test]
    fn parents_stand_above_their_children() {
        let mut nodes = vec![
            node(1, 0, 1, 4),
            node(2, 0, 5, 8),
            node(3, 1, 1, 8),
            node(4, 0, 9, 12),
            node(5, 0, 13, 16),
            node(6, 1, 9, 16),
            node(7, 2, 1, 16),
            node(8, 0, 17, 20),
        ];
        let want = "\
s7  depth 2  seq 1-16
├─ s3  depth 1  seq 1-8
│  ├─ s1  depth 0  seq 1-4
│  └─ s2  depth 0  seq 5-8
└─ s6  depth 1  seq 9-16
   ├─ s4  depth 0  seq 9-12
   └─ s5  depth 0  seq 13-16
s8  depth 0  seq 17-20
";
        assert_eq!(plain(&nodes), want);
        nodes.reverse();
        assert_eq!(plain(&nodes), want);
        assert_eq!(tree_size(&nodes), TreeSize { nodes: 8, depth: 2 });
    }

    #[test]
    fn a_replaced_row_is_left_out() {
        let mut repaired = node(9, 0, 1, 4);
        repaired.generation = Generation::FIRST.next();
        let nodes = [node(1, 0, 1, 4), repaired];
        assert_eq!(plain(&nodes), "s9  depth 0  seq 1-4\n");
    }

    #[test]
    fn nodes_of_mixed_depth_hang_under_the_nearest_cover() {
        let nodes = [node(1, 1, 1, 8), node(2, 0, 9, 10), node(3, 2, 1, 10)];
        let want = "\
s3  depth 2  seq 1-10
├─ s1  depth 1  seq 1-8
└─ s2  depth 0  seq 9-10
";
        assert_eq!(plain(&nodes), want);
        assert_eq!(plain(&[]), "");
    }
}
