//! When something is done: counts, shares, turns that end, and how much must have grown.

use hippocamp::domain::{EventKind, Frontier, NewMessage, Role, Tokens};
use hippocamp::engine::CompactReason;
use hippocamp::policy::assemble::pressure;
use hippocamp::policy::condense::{self, CondenseDecision, NoCondense, plan_condense};
use hippocamp::policy::leaf::{
    Demand, LeafDecision, NoLeaf, Trigger, plan_leaf, plan_leaf_of_turn,
};
use hippocamp::policy::limits::Limits;

use crate::bench::{Model, Setup, sentence, talk};
use crate::planner::sim::Sim;

/// One request and `n` answers, of `tokens` tokens each.
fn one_turn(n: u64, tokens: u64) -> Sim {
    let mut sim = Sim::default();
    sim.push(Role::User, tokens, &[], &[]);
    for _ in 0..n {
        sim.push(Role::Assistant, tokens, &[], &[]);
    }
    sim
}

fn planned(sim: &Sim, trigger: Trigger, budget: u64) -> Result<u64, NoLeaf> {
    let limits = Limits::default();
    match plan_leaf_of_turn(&sim.frontier(), &limits, Tokens::new(budget), trigger) {
        LeafDecision::Plan(plan) => Ok(plan.span.last().get()),
        LeafDecision::Nothing(nothing) => Err(nothing),
    }
}

/// The first part of a long turn lies outside the tail, and a second turn follows.
fn long_then_short(tokens: u64) -> Sim {
    let mut sim = one_turn(43, tokens);
    sim.push(Role::User, tokens, &[], &[]);
    sim.push(Role::Assistant, tokens, &[], &[]);
    sim
}

#[test]
fn technique_t18_a_soft_trigger_waits_for_a_turn_to_end_and_a_hard_one_parts_it() {
    // 46 messages with 32 in the tail: 14 of the first turn are outside, and it ends at 44.
    let mut sim = long_then_short(40);
    assert_eq!(
        planned(&sim, Trigger::Soft, 100_000),
        Err(NoLeaf::WaitsForTurn)
    );
    assert_eq!(planned(&sim, Trigger::Hard, 100_000), Ok(14));
    // Once the turn's end is outside the tail the leaf ends there.
    for _ in 0..31 {
        sim.push(Role::Assistant, 40, &[], &[]);
    }
    assert_eq!(planned(&sim, Trigger::Soft, 100_000), Ok(44));
    assert_eq!(planned(&sim, Trigger::Hard, 100_000), Ok(44));
}

#[test]
fn technique_t18_a_stretch_at_the_chunk_cap_waits_for_nothing() {
    // A quarter of 40,000 tokens is the cap; 14 messages of 900 tokens are more.
    let sim = long_then_short(900);
    let (soft, hard) = (
        planned(&sim, Trigger::Soft, 40_000),
        planned(&sim, Trigger::Hard, 40_000),
    );
    assert!(soft.is_ok());
    assert_eq!(soft, hard);
}

#[test]
fn technique_t18_what_is_soft_and_impossible_changes_nothing_and_what_is_hard_says_why() {
    // Nothing outside the tail: neither trigger has anything to do, and no call is made.
    let sim = one_turn(5, 40);
    for trigger in [Trigger::Soft, Trigger::Hard] {
        assert_eq!(planned(&sim, trigger, 100_000), Err(NoLeaf::Empty));
    }
    // Asked for by a recovery, any number of messages will do, but for what cannot shrink.
    let budget = Tokens::new(1_000);
    let recovery = |sim: &Sim| {
        plan_leaf(
            &sim.frontier(),
            &Limits::default(),
            budget,
            Demand::Recovery,
        )
    };
    assert!(matches!(recovery(&sim), LeafDecision::Plan(_)));
    let tiny = one_turn(2, 1);
    assert_eq!(
        recovery(&tiny),
        LeafDecision::Nothing(NoLeaf::NothingToGain)
    );
}

#[test]
fn a_trigger_is_hard_from_one_token_past_the_soft_limit() {
    let of = |pressure| Trigger::of(Tokens::new(pressure), Tokens::new(60));
    assert_eq!(
        [of(0), of(60), of(61)],
        [Trigger::Soft, Trigger::Soft, Trigger::Hard]
    );
}

#[tokio::test]
async fn technique_t18_a_turn_says_what_it_waits_for() {
    let model = Model::good();
    let bench = Setup::window(100_000).model(&model).patient().bench();
    let mut messages = vec![NewMessage::user(sentence(0, 60))];
    messages.extend((1..60).map(|index| NewMessage::assistant(sentence(index, 60))));
    bench.append(messages).await;
    let report = bench.turn(vec![NewMessage::user("And then?")]).await;
    assert_eq!(report.compacted.reason, CompactReason::WaitsForTurn);
    assert_eq!(model.calls(), 0);
    // By hand it is not waited for.
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert_eq!(report.leaf.len(), 1);
    bench.check().await;
}

#[test]
fn technique_t4_counts_are_bounds_of_their_own() {
    // Eight messages outside the tail of 32 make a leaf, seven do not, whatever they hold.
    let made = |n: u64| {
        let mut sim = Sim::default();
        for index in 0..n {
            let role = if index % 2 == 0 {
                Role::User
            } else {
                Role::Assistant
            };
            sim.push(role, 40, &[], &[]);
        }
        planned(&sim, Trigger::Soft, 1_000_000)
    };
    assert_eq!(made(39), Err(NoLeaf::BelowThreshold));
    assert_eq!(made(40), Ok(8));
    // Twenty messages must be stored before anything merges, however full the view is.
    let decide = |n_visible: u64| {
        let frontier = Frontier {
            n_visible,
            ..Sim::default().frontier()
        };
        let (limits, budget) = (Limits::default(), Tokens::new(100));
        plan_condense(
            &frontier,
            &limits,
            budget,
            budget,
            condense::Demand::Routine,
        )
    };
    let nothing = |reason| CondenseDecision::Nothing(reason);
    assert_eq!(decide(19), nothing(NoCondense::BelowThreshold));
    assert_eq!(decide(20), nothing(NoCondense::NothingToGain));
}

#[test]
fn technique_t1_merging_begins_one_token_past_its_share_of_the_budget() {
    let frontier = Frontier {
        n_visible: 50,
        ..Sim::default().frontier()
    };
    let decide = |pressure: u64| {
        let (limits, budget) = (Limits::default(), Tokens::new(1_000));
        let (pressure, demand) = (Tokens::new(pressure), condense::Demand::Routine);
        plan_condense(&frontier, &limits, budget, pressure, demand)
    };
    let below = CondenseDecision::Nothing(NoCondense::BelowThreshold);
    assert_eq!((decide(749) == below, decide(750) == below), (true, true));
    assert_ne!(decide(751), below);
}

#[tokio::test]
async fn technique_t6_after_a_promotion_the_view_must_grow_again_before_the_next() {
    // Elsewhere growth since the last window is counted; here a promotion goes on to 50 percent of
    // the budget, so that the beginning of the prompt stays for a quarter of it.
    let model = Model::good();
    let bench = Setup::window(6_000)
        .model(&model)
        .patient()
        .deferred()
        .bench();
    let mut rounds = Vec::new();
    let mut n_before = 0;
    for round in 0..80 {
        bench.turn(talk(2 * round, 2, 60)).await;
        bench.engine.settle().await.unwrap();
        let events = bench.engine.events(&bench.session).await.unwrap();
        let promotions = events
            .iter()
            .filter(|event| event.kind == EventKind::Promote);
        let n_promotions = promotions.count();
        if n_promotions > n_before {
            rounds.push(round);
        }
        n_before = n_promotions;
    }
    let gaps: Vec<usize> = rounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // A round holds about 150 tokens: a quarter of the budget is ten of them.
    assert!(
        gaps.len() >= 2 && gaps.iter().all(|gap| *gap >= 5),
        "{rounds:?}"
    );
    let held = pressure(&bench.reader().planner_frontier(bench.branch()).unwrap());
    assert!(held <= Tokens::new(6_000));
}
