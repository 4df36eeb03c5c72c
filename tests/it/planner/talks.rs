//! Small talks to plan over.

use hippocamp::domain::{Origin, Role, Seq, Span, Tokens};
use hippocamp::policy::leaf::{Demand, LeafDecision, plan_leaf};
use hippocamp::policy::limits::Limits;

use super::oracle;
use super::sim::{Outcome, Sim, rendered};

/// So large that no share of it binds.
pub(super) const VAST: Tokens = Tokens::new(64_000_000);

pub(super) fn span(first: u64, last: u64) -> Span {
    Span::new(Seq::new(first).unwrap(), Seq::new(last).unwrap()).unwrap()
}

/// A talk of alternating messages that cost `tokens` each in a view.
pub(super) fn talk(n_messages: u64, tokens: u64) -> Sim {
    let mut sim = Sim::default();
    extend_talk(&mut sim, n_messages, tokens);
    sim
}

pub(super) fn extend_talk(sim: &mut Sim, n_messages: u64, tokens: u64) {
    for _ in 0..n_messages {
        let role = if sim.rows.len().is_multiple_of(2) {
            Role::User
        } else {
            Role::Assistant
        };
        let seq = sim.push(role, 1, &[], &[]);
        let row = sim.rows.iter_mut().find(|row| row.seq == seq).unwrap();
        row.view_tokens = Tokens::new(tokens);
    }
}

pub(super) fn routine_leaf(sim: &Sim, budget: Tokens) -> LeafDecision {
    plan_leaf(&sim.frontier(), &Limits::default(), budget, Demand::Routine)
}

/// Makes leaves until there is none to make; returns their spans.
pub(super) fn drain(sim: &mut Sim, budget: Tokens) -> Vec<Span> {
    let mut spans = Vec::new();
    while let LeafDecision::Plan(plan) = routine_leaf(sim, budget) {
        let tokens = rendered(plan.target, plan.source_tokens, 100);
        assert_eq!(
            sim.commit_leaf(&plan, tokens, Origin::Model),
            Outcome::Applied
        );
        spans.push(plan.span);
    }
    spans
}

/// Fills a sim with `n_leaves` leaves of `tokens` each over eight messages, and a short tail.
pub(super) fn with_leaves(n_leaves: u64, tokens: u64) -> Sim {
    let mut sim = talk(n_leaves * 8 + 32, 40);
    for _ in 0..n_leaves {
        let LeafDecision::Plan(mut plan) = plan_leaf(
            &sim.frontier(),
            &Limits::default(),
            Tokens::new(1_280),
            Demand::Recovery,
        ) else {
            panic!("no leaf");
        };
        assert_eq!(plan.n_messages, 8);
        plan.target = Tokens::new(tokens);
        assert_eq!(
            sim.commit_leaf(&plan, Tokens::new(tokens), Origin::Model),
            Outcome::Applied
        );
    }
    sim
}

/// Says whether a boundary before `after` parts a call from a result that closes it.
pub(super) fn parts_a_pair(sim: &Sim, after: Seq) -> bool {
    let said = oracle::said(&sim.rows);
    let cut = said.iter().position(|message| message.first >= after);
    !oracle::is_legal(&said, cut.unwrap_or(said.len()))
}
