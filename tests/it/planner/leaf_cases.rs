//! Inputs that broke other engines' chunks and cuts, in small forms of our own, and the shared
//! files where present.

use std::time::Instant;

use serde_json::Value;

use hippocamp::domain::{FrontierItem, Role, Seq, Span, Tokens};
use hippocamp::policy::cut::{Before, Cuts};
use hippocamp::policy::leaf::{self, Demand, LeafDecision, NoLeaf, plan_leaf};
use hippocamp::policy::limits::Limits;

use super::oracle;
use super::sim::{FRAME, Sim};
use super::talks::{VAST, drain, extend_talk, parts_a_pair, routine_leaf, span, talk};
use crate::shared::shared;

#[track_caller]
fn check_geometry(n_messages: u64, tokens: u64, want: &[(u64, u64)]) {
    let mut sim = talk(n_messages, tokens);
    let want: Vec<Span> = want
        .iter()
        .map(|&(first, last)| span(first, last))
        .collect();
    assert_eq!(drain(&mut sim, VAST), want);
    assert!(
        !matches!(routine_leaf(&sim, VAST), LeafDecision::Plan(_)),
        "a second pass"
    );
}

/// B072, P1.
#[test]
fn a_leaf_needs_eight_messages_or_the_chunk_cap_outside_a_tail_of_thirty_two() {
    check_geometry(0, 0, &[]);
    check_geometry(1, 500_000, &[]);
    check_geometry(32, 9_000, &[]);
    check_geometry(39, 10, &[]);
    check_geometry(40, 10, &[(1, 8)]);
    check_geometry(33, 19_999, &[]);
    check_geometry(33, 20_000, &[(1, 1)]);
    check_geometry(33, 500_000, &[(1, 1)]);
    check_geometry(42, 5_000, &[(1, 4), (5, 8)]);
    // Small rows before a huge one are no leaf of their own, and eight rows of nothing are none.
    check_geometry(40, 9, &[]);
    let mut sim = talk(2, 50);
    extend_talk(&mut sim, 1, 500_000);
    extend_talk(&mut sim, 33, 50);
    assert_eq!(drain(&mut sim, VAST), [span(1, 3)]);
}

#[test]
fn rows_without_words_wait_for_the_next_words() {
    let mut sim = Sim::default();
    for _ in 0..20 {
        sim.push(Role::Assistant, 0, &[], &[]);
    }
    // A tail of its own, past a turn that is too large to stay whole.
    let budget = Tokens::new(1_000);
    assert_eq!(
        routine_leaf(&sim, budget),
        LeafDecision::Nothing(NoLeaf::Empty)
    );
    for _ in 0..40 {
        sim.push(Role::Assistant, 0, &[], &[]);
    }
    assert_eq!(
        routine_leaf(&sim, budget),
        LeafDecision::Nothing(NoLeaf::NothingToGain)
    );
    sim.push(Role::User, 30, &[], &[]);
    extend_talk(&mut sim, 40, 30);
    assert_eq!(drain(&mut sim, budget)[0].last().get(), 61);
}

#[test]
fn the_shared_leaf_geometries_hold_with_a_budget_that_does_not_bind() {
    let Some(folder) = shared("planner::leaf_geometries") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("cases/B072_leaf_geometry.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 9);
    for case in cases {
        let n_messages = case["messages"].as_u64().unwrap();
        let tokens = case["tokens_each"].as_u64().unwrap();
        let mut sim = talk(n_messages, tokens);
        let first = routine_leaf(&sim, VAST);
        if let Some(want) = case["want_leaf"].as_bool() {
            assert_eq!(matches!(first, LeafDecision::Plan(_)), want, "{case}");
        }
        for leaf in drain(&mut sim, VAST) {
            let size = sim.view_tokens(leaf).get();
            assert!(
                size <= 20_000 || leaf.n_rows() == 1,
                "{case}: {leaf} holds {size}"
            );
        }
    }
}

/// P11.
#[test]
fn a_call_and_its_result_stay_on_one_side_of_the_tail() {
    let mut sim = talk(10, 20);
    sim.push(Role::Assistant, 3, &["t1"], &[]);
    sim.push(Role::Tool, 3, &[], &["t1"]);
    extend_talk(&mut sim, 31, 20);
    // Thirty-two messages back stands the result: the tail starts after it.
    assert_eq!(drain(&mut sim, VAST), [span(1, 12)]);
}

#[test]
fn a_parallel_batch_is_whole_and_a_missing_result_blocks_nothing_for_long() {
    let mut sim = Sim::default();
    sim.push(Role::User, 3, &[], &[]);
    sim.push(Role::Assistant, 3, &["p1", "p2", "p3"], &[]);
    sim.push(Role::Tool, 3, &[], &["p1"]);
    sim.push(Role::Tool, 3, &[], &["p3"]);
    let open = Cuts::new(&sim.rows, Before::Nothing);
    assert_eq!((open.legal(), open.has_open_call()), (&[0, 1][..], true));
    sim.push(Role::Assistant, 3, &[], &[]);
    let closed = Cuts::new(&sim.rows, Before::Nothing);
    assert_eq!(
        (closed.legal(), closed.has_open_call()),
        (&[0, 1, 4][..], false)
    );
}

#[test]
fn the_shared_tool_conversations_are_cut_only_where_no_call_is_open() {
    let Some(folder) = shared("planner::tool_conversations") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("cases/B060_to_B066_tool_pairs.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let conversations = file["conversations"].as_object().unwrap();
    assert!(conversations.len() >= 10);
    let mut n_leaves = 0;
    for (name, messages) in conversations {
        for budget in [200, 2_000, 20_000, 200_000].map(Tokens::new) {
            let mut sim = Sim::default();
            for message in messages.as_array().unwrap() {
                let role = message["role"].as_str().unwrap().parse().unwrap();
                let ids = |field: &str| -> Vec<String> {
                    let ids = message[field].as_array().unwrap().iter();
                    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
                };
                let (calls, results) = (ids("calls"), ids("results"));
                let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
                let results: Vec<&str> = results.iter().map(String::as_str).collect();
                let n_bytes = message["text"].as_str().unwrap().len() as u64;
                sim.push(role, n_bytes.div_ceil(4), &calls, &results);
                for leaf in drain(&mut sim, budget) {
                    let after = leaf.last().next();
                    assert!(!parts_a_pair(&sim, after), "{name} at {budget}: {leaf}");
                    n_leaves += 1;
                }
            }
            let newest = Cuts::new(&sim.rows, Before::Nothing).newest_group();
            let uncovered = Cuts::of(&sim.frontier()).units().len();
            let n_said = oracle::said(&sim.rows).len();
            assert!(
                uncovered >= n_said - newest,
                "{name}: the newest group is covered"
            );
        }
    }
    assert!(n_leaves > 50, "looked at {n_leaves} leaves");
}

#[test]
fn one_long_tool_loop_makes_leaves_without_a_second_user_message() {
    let mut sim = Sim::default();
    sim.push(Role::User, 4, &[], &[]);
    for _ in 0..60 {
        sim.push(Role::Assistant, 0, &["loop"], &[]);
        sim.push(Role::Tool, 1, &[], &["loop"]);
    }
    // While the turn fits a quarter of the budget it stays whole.
    assert_eq!(
        routine_leaf(&sim, VAST),
        LeafDecision::Nothing(NoLeaf::Empty)
    );
    let budget = Tokens::new(2_000);
    let leaves = drain(&mut sim, budget);
    assert!(leaves.len() >= 3, "{leaves:?}");
    assert!(
        leaves
            .iter()
            .all(|leaf| !parts_a_pair(&sim, leaf.last().next()))
    );
    let frontier = sim.frontier();
    assert_eq!(
        Cuts::of(&frontier).newest_request(),
        None,
        "the request is covered"
    );
    assert!(frontier.raw().map(|row| row.view_tokens).sum::<Tokens>() <= Tokens::new(1_000));
}

#[test]
fn a_turn_of_three_hundred_parallel_calls_is_one_chunk() {
    let mut sim = talk(2, 40);
    sim.push(Role::User, 5, &[], &[]);
    let ids: Vec<String> = (0..300).map(|call| format!("c{call}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    sim.push(Role::Assistant, 5, &ids, &[]);
    for id in ids.iter().rev() {
        sim.push(Role::Tool, 100, &[], &[id]);
    }
    let batch_end = sim.head().unwrap();
    extend_talk(&mut sim, 40, 400);
    let budget = Tokens::new(40_000);
    let leaves = drain(&mut sim, budget);
    let of_batch = leaves
        .iter()
        .find(|leaf| leaf.contains(Seq::new(4).unwrap()))
        .unwrap();
    assert_eq!(of_batch.last(), batch_end);
    assert!(sim.view_tokens(*of_batch) > leaf::chunk_cap(&Limits::default(), budget));
}

#[test]
fn after_compaction_raw_rows_are_the_tail_and_less_than_a_leaf() {
    let limits = Limits::default();
    let budget = Tokens::new(20_000);
    let mut sim = Sim::default();
    for turn in 0..100 {
        sim.push(Role::User, 20, &[], &[]);
        for _ in 0..3 {
            sim.push(Role::Assistant, 10, &["a", "b"], &[]);
            sim.push(Role::Tool, 30 + turn % 7 * 90, &[], &["a"]);
            sim.push(Role::Tool, 60, &[], &["b"]);
        }
    }
    assert_eq!(sim.rows.len(), 1_000);
    drain(&mut sim, budget);
    let frontier = sim.frontier();
    let is_node = |item: &FrontierItem| matches!(item, FrontierItem::Node(_));
    assert!(
        frontier.items.is_sorted_by_key(|item| !is_node(item)),
        "raw rows among summaries"
    );
    let n_raw = frontier.raw().count() as u64;
    assert!(
        n_raw < limits.tail_messages + limits.leaf_messages + 3,
        "{n_raw} raw rows"
    );
}

#[test]
fn planning_over_a_hundred_thousand_raw_rows_takes_one_pass() {
    let mut sim = Sim::default();
    for row in 0..100_000_u64 {
        // One turn, nothing else: each call is answered in time, each name is used again.
        let name = format!("call-{}", row / 2 % 50);
        if row == 0 {
            sim.rows.reserve(100_000);
            sim.push(Role::User, 5, &[], &[]);
        } else if row % 2 == 1 {
            sim.push(Role::Assistant, 5, &[&name], &[]);
        } else {
            sim.push(Role::Tool, 20, &[], &[&name]);
        }
    }
    let frontier = sim.frontier();
    let limits = Limits::default();
    let budget = Tokens::new(128_000);
    let start = Instant::now();
    let n_chunks = leaf::backlog_chunks(&frontier, &limits, budget);
    let n_waiting = leaf::candidates(&frontier, &limits, budget);
    let plan = plan_leaf(&frontier, &limits, budget, Demand::Routine);
    let elapsed = start.elapsed();
    assert!(matches!(plan, LeafDecision::Plan(_)));
    assert!(
        n_chunks > 100 && n_waiting > 99_000,
        "{n_chunks} chunks of {n_waiting} messages"
    );
    // A debug build takes a few hundred milliseconds; a pass per row would take minutes.
    assert!(elapsed.as_secs() < 20, "{elapsed:?}");
    assert_eq!(sim.row(Seq::FIRST).view_tokens, Tokens::new(FRAME + 5));
}
