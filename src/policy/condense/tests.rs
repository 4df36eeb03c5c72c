//! Which nodes merge, case by case.

use crate::domain::{ConversationId, Depth, FrontierItem, Generation, Seq, SummaryId};

use super::*;

/// Makes a frontier from depths, old to new, each node over ten rows and 200 tokens; `f` marks a
/// fallback and `b` a broken row.
fn frontier(words: &str) -> Frontier {
    let nodes = words.split_whitespace().zip(1_i64..).map(|(word, id)| {
        let digits = word.trim_end_matches(['f', 'b']);
        let first = id.unsigned_abs() * 10 - 9;
        FrontierItem::Node(Node {
            id: SummaryId::new(id),
            conversation: ConversationId::new(1),
            span: Span::new(Seq::new(first).unwrap(), Seq::new(first + 9).unwrap()).unwrap(),
            depth: Depth::new(digits.parse().unwrap()),
            generation: Generation::FIRST,
            origin: if word.ends_with('f') {
                Origin::Fallback
            } else {
                Origin::Model
            },
            tokens: Tokens::new(200),
            health: if word.ends_with('b') {
                Health::Broken
            } else {
                Health::Sound
            },
            from: None,
            to: None,
        })
    });
    let items: Vec<FrontierItem> = nodes.collect();
    Frontier {
        conversation: ConversationId::new(1),
        prompt: None,
        prompt_last: None,
        head: items.last().map(|item| item.span().last()),
        items,
        n_visible: 20,
        pins: Vec::new(),
    }
}

fn decided(frontier: &Frontier, pressure: u64, demand: Demand) -> CondenseDecision {
    let budget = Tokens::new(1_000);
    plan_condense(
        frontier,
        &Limits::default(),
        budget,
        Tokens::new(pressure),
        demand,
    )
}

/// Says which children merge and how deep, as `1 2 3 4 -> 1`, or why nothing does.
#[track_caller]
fn check_merge(words: &str, pressure: u64, demand: Demand, want: &str) {
    let drawn = match decided(&frontier(words), pressure, demand) {
        CondenseDecision::Plan(plan) => {
            let ids: Vec<String> = plan
                .children
                .ids()
                .iter()
                .map(ToString::to_string)
                .collect();
            format!("{} -> {}", ids.join(" "), plan.depth)
        }
        CondenseDecision::Nothing(reason) => format!("{reason:?}"),
    };
    assert_eq!(drawn, want, "{words}");
}

#[test]
fn under_pressure_the_first_four_of_the_shallowest_depth_merge() {
    let check = |words, want| check_merge(words, 751, Demand::Routine, want);
    check("", "NothingToGain");
    check("0 0 0", "NothingToGain");
    check("0 0 0 0", "1 2 3 4 -> 1");
    check("0 0 0 0 0 0", "1 2 3 4 -> 1");
    check("1 0 0 0 0 0", "2 3 4 5 -> 1");
    check("1 1 1 1 0 0 0 0", "5 6 7 8 -> 1");
    check("1 1 1 1 0 0 0", "1 2 3 4 -> 2");
    check("2 1 1 1 0 0 0", "NothingToGain");
}

#[test]
fn a_run_that_waits_for_its_repair_is_passed_over_for_the_next_depth() {
    let check = |words, want| check_merge(words, 1_000, Demand::Routine, want);
    check("0 0f 0 0", "WaitsForRepair");
    check("0 0 0 0b", "WaitsForRepair");
    check("0 0 0 0 0f", "1 2 3 4 -> 1");
    check("1 1 1 1 0f 0 0 0", "1 2 3 4 -> 2");
    check_merge("0 0f 0 0", 1_001, Demand::Routine, "1 2 3 4 -> 1");
    // Above the budget too a sound run goes first.
    check_merge("1 1 1 1 0f 0 0 0", 1_001, Demand::Routine, "1 2 3 4 -> 2");
}

#[test]
fn above_the_budget_the_newest_pair_that_begins_a_depth_merges() {
    let check = |words, want| check_merge(words, 1_001, Demand::Routine, want);
    check("0", "NothingToGain");
    check("0 0", "1 2 -> 1");
    check("0 0 0", "1 2 -> 1");
    check("1 0", "1 2 -> 2");
    check("1 0 0", "2 3 -> 1");
    check("2 1 0", "2 3 -> 2");
    check("3 2 2 1", "2 3 -> 3");
    check("1 1 0", "1 2 -> 2");
    check("1 1 1 1 0 0", "1 2 3 4 -> 2");
    check_merge("1 0", 1_000, Demand::Routine, "NothingToGain");
}

#[test]
fn each_demand_has_its_threshold() {
    check_merge("0 0 0 0", 750, Demand::Routine, "BelowThreshold");
    check_merge("0 0 0 0", 500, Demand::Promotion, "BelowThreshold");
    check_merge("0 0", 501, Demand::Promotion, "1 2 -> 1");
    check_merge("0 0f", 501, Demand::Promotion, "NothingToGain");
    check_merge("0 0f", 1, Demand::Recovery, "1 2 -> 1");
    let mut short = frontier("0 0 0 0");
    short.n_visible = 19;
    let waits = CondenseDecision::Nothing(NoCondense::BelowThreshold);
    assert_eq!(decided(&short, 900, Demand::Routine), waits);
}

#[test]
fn nodes_that_cannot_shrink_do_not_merge() {
    let mut tiny = frontier("0 0 0 0");
    for item in &mut tiny.items {
        if let FrontierItem::Node(node) = item {
            node.tokens = Tokens::new(18);
        }
    }
    let nothing = CondenseDecision::Nothing(NoCondense::NothingToGain);
    assert_eq!(decided(&tiny, 2_000, Demand::Routine), nothing);
}
