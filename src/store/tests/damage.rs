//! Damaged rows: summaries are passed over, everything else is named, nothing panics.

use super::kit::{Bench, bench, condense, leaf, plan_commit, repair, span, talk};
use crate::domain::{ConversationId, Health, Node, SummaryId};
use crate::store::StoreError;

/// 12 messages, leaves of 2, the first two pairs of leaves merged, and those merged again:
/// `1-8:2 9-10:0 11-12:0`.
fn grown() -> (Bench, ConversationId, Vec<Node>) {
    let mut bench = bench();
    let id = bench.append("main", talk(12)).conversation;
    for idx in 0..6 {
        bench.applied(plan_commit(leaf(id, 2 * idx + 1, 2 * idx + 2)));
    }
    let leaves = bench.nodes(id);
    bench.applied(plan_commit(condense(id, &leaves[..2])));
    bench.applied(plan_commit(condense(id, &leaves[2..4])));
    let pairs = bench.nodes(id);
    bench.applied(plan_commit(condense(id, &pairs[..2])));
    let mut all = bench.reader.tree_rows(id).unwrap();
    all.sort_by_key(|node| node.id);
    (bench, id, all)
}

/// Damages the grown tree and compares what views and planners see.
#[track_caller]
fn check_damage(sql: &str, view: &str, planner: &str, named: usize) {
    let (mut bench, id, _) = grown();
    bench.damage(sql);
    assert_eq!(bench.view(id), view, "{sql}");
    assert_eq!(bench.planner(id), planner, "{sql}");
    let warnings = bench.reader.view_frontier(id).unwrap().1;
    assert_eq!(warnings.len(), named, "{sql}: {warnings:?}");
    let broken = bench
        .nodes(id)
        .iter()
        .filter(|node| node.health == Health::Broken)
        .count();
    assert!(broken <= named, "{sql}");
}

const WHOLE: &str = "1-8:2 9-10:0 11-12:0";

/// P29.
#[test]
fn a_broken_node_gives_way_to_what_it_was_made_from() {
    check_damage("", WHOLE, WHOLE, 0);
    for set in [
        "body = ''",
        "body = CAST(x'00ff' AS TEXT)",
        "body = x'41'",
        "body = '   '",
        "tokens = 0",
        "tokens = 'many'",
        "origin = 'someone'",
    ] {
        let sql = format!("UPDATE summary SET {set} WHERE depth = 2");
        check_damage(&sql, "1-4:1 5-8:1 9-10:0 11-12:0", WHOLE, 1);
    }
    check_damage(
        "UPDATE summary SET body = '' WHERE depth > 0",
        "1-2:0 3-4:0 5-6:0 7-8:0 9-10:0 11-12:0",
        WHOLE,
        3,
    );
    check_damage(
        "UPDATE summary SET body = '' WHERE last_seq <= 4 OR depth = 2",
        "1 2 3 4 5-8:1 9-10:0 11-12:0",
        WHOLE,
        4,
    );
    check_damage(
        "UPDATE summary SET body = '' WHERE first_seq = 9",
        "1-8:2 9 10 11-12:0",
        WHOLE,
        1,
    );
}

#[test]
fn a_node_without_its_children_is_broken() {
    check_damage(
        "DELETE FROM summary WHERE depth = 1",
        "1-2:0 3-4:0 5-6:0 7-8:0 9-10:0 11-12:0",
        WHOLE,
        1,
    );
    check_damage(
        "UPDATE summary SET depth = 5 WHERE depth = 2",
        "1-4:1 5-8:1 9-10:0 11-12:0",
        "1-8:5 9-10:0 11-12:0",
        1,
    );
    // What is left under it still makes a tree.
    check_damage(
        "DELETE FROM summary WHERE first_seq = 5 AND depth = 1",
        WHOLE,
        WHOLE,
        0,
    );
    check_damage(
        "DELETE FROM summary WHERE first_seq = 5",
        "1-4:1 5 6 7-8:0 9-10:0 11-12:0",
        WHOLE,
        1,
    );
}

#[test]
fn a_row_whose_span_makes_no_sense_is_not_walked() {
    for set in [
        "last_seq = 99",
        "last_seq = 0",
        "first_seq = 'x'",
        "last_seq = -5",
    ] {
        let (mut bench, id, _) = grown();
        bench.damage(&format!("UPDATE summary SET {set} WHERE depth = 2"));
        assert_eq!(bench.view(id), "1-4:1 5-8:1 9-10:0 11-12:0", "{set}");
        assert_eq!(bench.planner(id), "1-4:1 5-8:1 9-10:0 11-12:0", "{set}");
    }
}

#[test]
fn an_older_generation_stands_in_for_a_broken_newer_one() {
    let (mut bench, id, all) = grown();
    let leaf = all.iter().find(|node| node.span == span(9, 10)).unwrap();
    let better = bench.applied(plan_commit(repair(id, leaf, &[])));
    bench.damage(&format!(
        "UPDATE summary SET body = '' WHERE id = {}",
        better.summary
    ));
    let (frontier, warnings) = bench.reader.view_frontier(id).unwrap();
    assert!(frontier.nodes().any(|node| node.id == leaf.id));
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains(&format!("s{}", better.summary)),
        "{warnings:?}"
    );
    // The planner sees the newest row, to be repaired.
    let node = bench.nodes(id).remove(1);
    assert_eq!((node.id, node.health), (better.summary, Health::Broken));
    let mended = bench.applied(plan_commit(repair(id, &node, &[])));
    let (frontier, warnings) = bench.reader.view_frontier(id).unwrap();
    assert!(frontier.nodes().any(|node| node.id == mended.summary));
    assert!(warnings.is_empty());
}

#[test]
fn a_broken_body_is_named_when_it_is_asked_for() {
    let (mut bench, _, all) = grown();
    bench.damage("UPDATE summary SET body = x'ff' WHERE depth = 2");
    let top = all.iter().find(|node| node.depth.get() == 2).unwrap();
    match bench.reader.summaries_by_id(&[top.id]) {
        Err(StoreError::Corrupt { detail }) => {
            assert!(detail.contains(&format!("summary {}", top.id)), "{detail}");
        }
        other => panic!("{other:?}"),
    }
    let missing = bench.reader.summaries_by_id(&[SummaryId::new(9_999)]);
    assert!(missing.unwrap().is_empty());
}

/// Damages messages and looks for the word that names the row.
#[track_caller]
fn check_named(sql: &str, word: &str) {
    let mut bench = bench();
    let id = bench.append("main", talk(4)).conversation;
    bench.damage(sql);
    let found = bench.reader.messages(id, span(1, 4));
    match found {
        Err(StoreError::Corrupt { detail }) => assert!(detail.contains(word), "{sql}: {detail}"),
        other => panic!("{sql}: {other:?}"),
    }
}

#[test]
fn a_damaged_message_is_named() {
    check_named(
        "UPDATE message SET role = 'ghost' WHERE seq = 2",
        "message 2",
    );
    check_named(
        "UPDATE message SET visibility = 'x' WHERE seq = 2",
        "message 2",
    );
    check_named("UPDATE message SET at = 'noon' WHERE seq = 3", "message 3");
    check_named(
        "UPDATE part SET body = x'ff' WHERE message_id = 4",
        "message 4",
    );
    check_named(
        "UPDATE part SET kind = 'smell' WHERE message_id = 4",
        "message 4",
    );
    check_named(
        "DELETE FROM part WHERE message_id = 1",
        "message 1 has 0 of its 1",
    );
    check_named(
        "DELETE FROM message WHERE seq = 2",
        "conversation 1 has no message 2",
    );
    check_named("UPDATE message SET seq = -4 WHERE seq = 2", "no message 2");
}

#[test]
fn a_gap_on_the_frontier_is_named_and_not_skipped() {
    for (seq, named) in [(2, "no message 2"), (4, "no message 4")] {
        let mut bench = bench();
        let id = bench.append("main", talk(4)).conversation;
        bench.damage(&format!("DELETE FROM message WHERE seq = {seq}"));
        for frontier in [
            bench.reader.planner_frontier(id),
            bench.reader.view_frontier(id).map(|found| found.0),
        ] {
            match frontier {
                Err(StoreError::Corrupt { detail }) => assert!(detail.contains(named), "{detail}"),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn damage_anywhere_is_an_error_and_no_panic() {
    for sql in [
        "DELETE FROM lineage",
        "UPDATE conversation SET head = 99",
        "UPDATE conversation SET head = -1",
        "UPDATE conversation SET turn_first = -3",
        "UPDATE conversation SET live_id = 'x'",
        "UPDATE event SET kind = 'party'",
        "DELETE FROM message",
        "DELETE FROM conversation",
        "UPDATE conversation SET session_key = ''",
        "UPDATE message SET chain_hash = 'short'",
        "UPDATE sequence SET last_id = 'x'",
    ] {
        let (mut bench, id, all) = grown();
        bench.damage(sql);
        let _ = bench.reader.conversation_by_id(id);
        let _ = bench.reader.planner_frontier(id);
        let _ = bench.reader.view_frontier(id);
        let _ = bench.reader.newest_request(id);
        let _ = bench.reader.messages(id, span(1, 12));
        let _ = bench.reader.events(id);
        let _ = bench.reader.marks(id);
        let _ = bench.reader.tree_rows(id);
        let _ = bench.reader.last_id();
        for node in &all {
            let _ = bench.reader.children(node.id);
        }
        let _ = bench
            .writer
            .run(&[crate::store::WriteOp::Commit(plan_commit(leaf(id, 1, 2)))]);
    }
}
