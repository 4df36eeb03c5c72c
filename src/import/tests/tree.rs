//! Trees of records in the order of their telling.

use proptest::prelude::*;

use crate::import::tree::{Node, told};

/// `b:a` is a record with its parent; one in capitals gives a row.
fn read(tree: &str) -> Vec<Node> {
    let nodes = tree.split_whitespace().map(|word| {
        let (id, parent) = word.split_once(':').unwrap_or((word, ""));
        Node {
            id: id.to_owned(),
            parent: (!parent.is_empty()).then(|| parent.to_owned()),
            has_row: id.chars().all(char::is_uppercase),
        }
    });
    nodes.collect()
}

/// Writes steps as `a>b`: b goes on after the row a.
#[track_caller]
fn check_told(tree: &str, newest: Option<&str>, expected: &str) {
    let nodes = read(tree);
    let steps = told(&nodes, newest);
    let drawn: Vec<String> = steps
        .iter()
        .map(|step| match step.after {
            Some(after) => format!("{}>{}", nodes[after].id, nodes[step.node].id),
            None => nodes[step.node].id.clone(),
        })
        .collect();
    assert_eq!(drawn.join(" "), expected, "{tree}");
}

#[test]
fn the_newest_record_is_told_last() {
    check_told("A B:A C:B", None, "A A>B B>C");
    check_told("A B:A C:B D:B", Some("C"), "A A>B B>D B>C");
    check_told("A B:A C:B D:B", Some("D"), "A A>B B>C B>D");
    check_told("A B:A C:B D:B", Some("unknown"), "A A>B B>C B>D");
    check_told("C:B B:A A", Some("C"), "A A>B B>C");
    check_told("A B:A C:A D:B E:C", Some("D"), "A A>C C>E A>B B>D");
    check_told("A B:A X Y:X", Some("B"), "X X>Y A A>B");
    check_told("", None, "");
}

#[test]
fn what_goes_on_does_so_after_the_nearest_row() {
    check_told("r A:r B:A C:r D:C", Some("B"), "r C C>D A A>B");
    check_told("A h:A B:h C:h", Some("C"), "A A>h A>B A>C");
}

#[test]
fn cycles_are_cut_and_orphans_kept() {
    check_told("A:B B:A", None, "A A>B");
    check_told("A:A B:A", None, "A A>B");
    check_told("A B:gone C:B", Some("A"), "B B>C A");
    check_told("A B:C C:B", Some("A"), "B B>C A");
    check_told("A A:A B:A", None, "A A>A A>B");
}

proptest! {
    #[test]
    fn each_record_is_told_once_and_after_its_parent(
        parents in prop::collection::vec((0_usize..12, any::<bool>()), 1..12),
        newest in 0_usize..12,
    ) {
        let nodes: Vec<Node> = parents
            .iter()
            .enumerate()
            .map(|(at, (parent, has_row))| Node {
                id: at.to_string(),
                parent: Some(parent.to_string()),
                has_row: *has_row,
            })
            .collect();
        let steps = told(&nodes, Some(&newest.to_string()));
        let mut order: Vec<usize> = steps.iter().map(|step| step.node).collect();
        for (at, step) in steps.iter().enumerate() {
            if let Some(after) = step.after {
                prop_assert!(nodes[after].has_row);
                prop_assert!(order[..at].contains(&after));
            }
        }
        order.sort_unstable();
        prop_assert_eq!(order, (0..nodes.len()).collect::<Vec<_>>());
    }
}
