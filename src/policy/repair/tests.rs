//! Which summaries are written anew.

use crate::domain::Generation;

use super::*;

fn node(id: i64, depth: u32, first: u64, last: u64, generation: u32) -> Node {
    Node {
        id: SummaryId::new(id),
        conversation: ConversationId::new(1),
        span: Span::new(Seq::new(first).unwrap(), Seq::new(last).unwrap()).unwrap(),
        depth: Depth::new(depth),
        generation: Generation::new(generation),
        origin: Origin::Model,
        tokens: Tokens::new(200),
        health: Health::Sound,
        from: None,
        to: None,
    }
}

fn fallback(node: &Node) -> Node {
    Node {
        origin: Origin::Fallback,
        ..node.clone()
    }
}

/// Four leaves under one node, and a leaf beside it.
fn tree() -> Vec<Node> {
    vec![
        node(1, 0, 1, 10, 0),
        node(2, 0, 11, 20, 0),
        node(3, 0, 21, 30, 0),
        node(4, 0, 31, 40, 0),
        node(5, 1, 1, 40, 0),
        node(6, 0, 41, 50, 0),
    ]
}

#[track_caller]
fn check_damage(rows: &[Node], want: &[(i64, &[i64])]) {
    let found: Vec<(i64, Vec<i64>)> = find_damage(rows)
        .iter()
        .map(|damage| {
            let children = damage.children.iter().map(|child| child.id.get());
            (damage.node.id.get(), children.collect())
        })
        .collect();
    let want: Vec<(i64, Vec<i64>)> = want.iter().map(|(id, ids)| (*id, ids.to_vec())).collect();
    assert_eq!(found, want);
}

#[test]
fn a_sound_tree_needs_no_repair_in_whatever_order_its_rows_come() {
    check_damage(&[], &[]);
    check_damage(&tree(), &[]);
    let mut rows = tree();
    rows.reverse();
    check_damage(&rows, &[]);
}

#[test]
fn fallbacks_and_broken_rows_are_repaired_from_the_leaves_up() {
    let mut rows = tree();
    rows[4] = fallback(&rows[4]);
    rows[2] = fallback(&rows[2]);
    rows[5].health = Health::Broken;
    check_damage(&rows, &[(3, &[]), (6, &[]), (5, &[1, 2, 3, 4])]);
}

#[test]
fn a_repaired_leaf_makes_its_parents_stale_and_the_newest_generation_counts() {
    let mut rows = tree();
    rows[1] = fallback(&rows[1]);
    rows.push(node(7, 0, 11, 20, 1));
    check_damage(&rows, &[(5, &[1, 7, 3, 4])]);
    // The parent's repair is newer than all below it.
    rows.push(node(8, 1, 1, 40, 1));
    check_damage(&rows, &[]);
    // A grandparent over the old parent is stale in its turn.
    rows.push(node(9, 2, 1, 50, 0));
    check_damage(&rows, &[]);
    rows.push(node(10, 0, 41, 50, 1));
    check_damage(&rows, &[(9, &[8, 10])]);
}

#[test]
fn a_plan_writes_the_next_generation_over_the_same_span_from_the_children_now() {
    let mut rows = tree();
    rows.push(node(7, 0, 11, 20, 1));
    let damage = find_damage(&rows).remove(0);
    let limits = Limits::default();
    let branch = ConversationId::new(9);
    let plan = plan_repair(branch, &damage, Tokens::ZERO, &limits, Tokens::new(128_000)).unwrap();
    assert_eq!(plan.conversation, branch);
    assert_eq!(
        (plan.replaces, plan.span, plan.depth),
        (SummaryId::new(5), rows[4].span, Depth::new(1))
    );
    assert_eq!(plan.generation, Generation::new(1));
    let ids: Vec<i64> = plan.children.iter().map(|id| id.get()).collect();
    assert_eq!(ids, [1, 7, 3, 4]);
    assert_eq!(plan.source_tokens, Tokens::new(800));
    assert!(plan.target < Tokens::new(800 - 64));
}

#[test]
fn what_cannot_shrink_or_has_a_gap_below_is_not_planned() {
    let limits = Limits::default();
    let budget = Tokens::new(128_000);
    let branch = ConversationId::new(1);
    let leaf = find_damage(&[fallback(&node(1, 0, 1, 10, 0))]).remove(0);
    assert_eq!(
        plan_repair(branch, &leaf, Tokens::new(72), &limits, budget),
        None
    );
    let plan = plan_repair(branch, &leaf, Tokens::new(4_000), &limits, budget).unwrap();
    assert_eq!(
        (plan.source_tokens, plan.target),
        (Tokens::new(4_000), Tokens::new(1_200))
    );

    let mut rows = tree();
    rows[4] = fallback(&rows[4]);
    rows.remove(1);
    let damage = find_damage(&rows).remove(0);
    assert_eq!(
        plan_repair(branch, &damage, Tokens::ZERO, &limits, budget),
        None
    );
}
