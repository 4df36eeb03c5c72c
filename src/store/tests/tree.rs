//! The walk: what stands on the frontier, and what is under a node.

use super::kit::{bench, condense, leaf, plan_commit, repair, span, talk};
use crate::domain::{CommitOutcome, Health, Origin, SummaryId};
use crate::store::error::is_unique_conflict;

#[test]
fn a_leaf_covers_the_oldest_messages_and_the_rest_is_raw() {
    let mut bench = bench();
    let id = bench.append("main", talk(6)).conversation;
    let done = bench.applied(plan_commit(leaf(id, 1, 4)));
    assert_eq!(bench.planner(id), "1-4:0 5 6");
    assert_eq!(bench.view(id), "1-4:0 5 6");
    let node = &bench.nodes(id)[0];
    assert_eq!(
        (node.id, node.health, node.origin),
        (done.summary, Health::Sound, Origin::Floor)
    );
    assert_eq!(
        bench.commit(plan_commit(leaf(id, 1, 4))),
        CommitOutcome::Stale
    );
}

#[test]
fn the_leading_prompt_is_in_no_span() {
    let mut bench = bench();
    let mut messages = vec![crate::domain::NewMessage::system("be brief")];
    messages.extend(talk(4));
    let id = bench.append("main", messages).conversation;
    assert_eq!(
        bench.commit(plan_commit(leaf(id, 1, 3))),
        CommitOutcome::Stale
    );
    bench.applied(plan_commit(leaf(id, 2, 3)));
    assert_eq!(bench.planner(id), "2-3:0 4 5");
}

#[test]
fn children_follow_from_spans_depths_and_ids() {
    let mut bench = bench();
    let id = bench.append("main", talk(12)).conversation;
    let leaves: Vec<SummaryId> = (0..4)
        .map(|idx| {
            bench
                .applied(plan_commit(leaf(id, 3 * idx + 1, 3 * idx + 3)))
                .summary
        })
        .collect();
    let nodes = bench.nodes(id);
    let left = bench.applied(plan_commit(condense(id, &nodes[..2])));
    assert_eq!(bench.planner(id), "1-6:1 7-9:0 10-12:0");
    // A merge of mixed depths.
    let nodes = bench.nodes(id);
    let top = bench.applied(plan_commit(condense(id, &nodes[..2])));
    assert_eq!(bench.planner(id), "1-9:2 10-12:0");
    let ids = |parent| -> Vec<SummaryId> {
        let found = bench.reader.children(parent).unwrap();
        found.iter().map(|node| node.id).collect()
    };
    assert_eq!(ids(top.summary), [left.summary, leaves[2]]);
    assert_eq!(ids(left.summary), leaves[..2]);
    assert!(ids(leaves[0]).is_empty());
    assert!(ids(SummaryId::new(10_000)).is_empty());
    assert!(
        bench
            .nodes(id)
            .iter()
            .all(|node| node.health == Health::Sound)
    );
}

#[test]
fn a_repair_takes_the_place_and_makes_what_is_above_stale() {
    let mut bench = bench();
    let id = bench.append("main", talk(8)).conversation;
    bench.applied(plan_commit(leaf(id, 1, 4)));
    bench.applied(plan_commit(leaf(id, 5, 8)));
    let leaves = bench.nodes(id);
    let top = bench.applied(plan_commit(condense(id, &leaves)));
    let better = bench.applied(plan_commit(repair(id, &leaves[1], &[])));
    let node = &bench.nodes(id)[0];
    assert_eq!((node.id, node.health), (top.summary, Health::Stale));
    // The old parent keeps the children it was made from.
    let old = bench.reader.children(top.summary).unwrap();
    assert_eq!(old[1].id, leaves[1].id);
    assert_eq!(
        bench.commit(plan_commit(repair(id, node, &[leaves[0].id, leaves[1].id]))),
        CommitOutcome::Stale
    );
    let plan = repair(id, node, &[leaves[0].id, better.summary]);
    let repaired = bench.applied(plan_commit(plan));
    let node = &bench.nodes(id)[0];
    assert_eq!((node.id, node.health), (repaired.summary, Health::Sound));
    let new = bench.reader.children(repaired.summary).unwrap();
    assert_eq!(new[1].id, better.summary);
    assert_eq!(node.generation.get(), 1);
    let rows = bench.reader.tree_rows(id).unwrap();
    let listed: Vec<_> = rows.iter().map(|row| (row.depth.get(), row.id)).collect();
    assert_eq!(
        listed,
        [
            (0, leaves[0].id),
            (0, better.summary),
            (1, repaired.summary)
        ]
    );
}

#[test]
fn earlier_context_is_what_ends_before_the_chunk() {
    let mut bench = bench();
    let id = bench.append("main", talk(10)).conversation;
    for idx in 0..3 {
        bench.applied(plan_commit(leaf(id, 2 * idx + 1, 2 * idx + 2)));
    }
    let spans = |seq, n| -> Vec<String> {
        let found = bench
            .reader
            .summaries_before(id, super::kit::seq(seq), n)
            .unwrap();
        found
            .iter()
            .map(|summary| summary.node.span.to_string())
            .collect()
    };
    assert_eq!(spans(7, 2), ["3-4", "5-6"]);
    assert_eq!(spans(5, 2), ["1-2", "3-4"]);
    assert_eq!(spans(7, 9), ["1-2", "3-4", "5-6"]);
    assert!(spans(2, 2).is_empty());
}

#[test]
fn the_times_of_a_node_are_those_of_what_it_covers() {
    let mut bench = bench();
    let mut messages = talk(6);
    for (message, at) in messages.iter_mut().zip([50, 10, 40, 30, 20, 60]) {
        message.at = Some(crate::domain::Timestamp::from_millis(at));
    }
    messages[4].at = None;
    let id = bench.append("main", messages).conversation;
    for idx in 0..3 {
        bench.applied(plan_commit(leaf(id, 2 * idx + 1, 2 * idx + 2)));
    }
    let nodes = bench.nodes(id);
    bench.applied(plan_commit(condense(id, &nodes)));
    let times =
        |node: &crate::domain::Node| (node.from.unwrap().millis(), node.to.unwrap().millis());
    assert_eq!(
        nodes.iter().map(times).collect::<Vec<_>>(),
        [(10, 50), (30, 40), (60, 60)]
    );
    assert_eq!(times(&bench.nodes(id)[0]), (10, 60));
    let range = bench.reader.time_range(id, span(4, 5)).unwrap();
    assert_eq!(range.0.unwrap().millis(), 30);
}

/// P42: only a row that is there already is a conflict; every other refusal is an error.
#[test]
fn a_value_that_the_schema_refuses_is_not_taken_for_a_row_that_is_there() {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    bench.applied(plan_commit(leaf(id, 1, 4)));
    let columns = "conversation_id, depth, first_seq, last_seq";
    let rest = "origin, tokens, NULL, NULL, NULL, body FROM summary";
    let mut insert = |values: &str| {
        let sql = format!("INSERT INTO summary SELECT {values}, {rest}");
        bench.writer.conn().execute(&sql, []).unwrap_err()
    };
    let again = insert(&format!("99, {columns}, generation"));
    assert!(is_unique_conflict(&again), "{again}");
    for broken in [
        "99, conversation_id, -1, first_seq, last_seq, 7",
        "99, conversation_id, depth, 5, 2, 7",
        "99, NULL, depth, 1, 2, 7",
    ] {
        let refused = insert(broken);
        assert!(!is_unique_conflict(&refused), "{broken}: {refused}");
    }
}
