//! Random histories: what hosts send, and what they should not.

use proptest::prelude::*;

use hippocamp::domain::{Role, Tokens, Visibility};

use super::sim::Sim;

/// One thing that happens to a conversation.
#[derive(Debug, Clone)]
pub(super) enum Step {
    User(u64),
    Assistant(u64),
    Reasoning(u64),
    Continuation {
        tokens: u64,
        calls: bool,
    },
    System(u64),
    Meta,
    Prompt,
    Empty(Role, u8),
    Batch(Batch),
    LateResult(u8),
    /// An Anthropic host's message: a user's row that carries a result.
    UserResult(u8),
    Loop(u16),
    Leaf(Writer),
    Condense(Writer),
    Repair(Writer),
    UntilUnder {
        percent: u64,
        writer: Writer,
    },
    StaleLeaf,
    StaleCondense,
    Break(u8),
}

/// Who writes a summary, and how much of what it may.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer {
    pub(super) percent: u64,
    pub(super) fails: bool,
}

/// Calls at once, with their results in some order.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) ids: Vec<u8>,
    pub(super) answered: Vec<u8>,
    pub(super) one_message: bool,
    pub(super) tokens: u64,
}

fn tokens() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 1..40_u64, 2 => 40..400_u64, 1 => 400..6_000_u64, 1 => Just(30_000)]
}

fn writer() -> impl Strategy<Value = Writer> {
    (1..=100_u64, prop::bool::weighted(0.2)).prop_map(|(percent, fails)| Writer { percent, fails })
}

fn batch() -> impl Strategy<Value = Batch> {
    let ids = prop::collection::vec(0..4_u8, 1..4);
    let answered = prop::collection::vec(0..4_u8, 0..4);
    (ids, answered, any::<[bool; 2]>(), tokens()).prop_map(
        |(ids, random, [is_whole, one_message], tokens)| Batch {
            answered: if is_whole { ids.clone() } else { random },
            ids,
            one_message,
            tokens,
        },
    )
}

/// Steps that only append.
pub(super) fn appends() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => tokens().prop_map(Step::User),
        6 => tokens().prop_map(Step::Assistant),
        1 => tokens().prop_map(Step::Reasoning),
        2 => (tokens(), any::<bool>())
            .prop_map(|(tokens, calls)| Step::Continuation { tokens, calls }),
        1 => tokens().prop_map(Step::System),
        2 => Just(Step::Meta),
        1 => Just(Step::Prompt),
        2 => (prop_oneof![Just(Role::User), Just(Role::Assistant)], 1..14_u8)
            .prop_map(|(role, n_rows)| Step::Empty(role, n_rows)),
        6 => batch().prop_map(Step::Batch),
        1 => (0..4_u8).prop_map(Step::LateResult),
        1 => (0..4_u8).prop_map(Step::UserResult),
        2 => (1..12_u16).prop_map(Step::Loop),
    ]
}

/// Steps of every kind.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => appends(),
        8 => writer().prop_map(Step::Leaf),
        5 => writer().prop_map(Step::Condense),
        2 => writer().prop_map(Step::Repair),
        1 => (1..=120_u64, writer())
            .prop_map(|(percent, writer)| Step::UntilUnder { percent, writer }),
        1 => Just(Step::StaleLeaf),
        1 => Just(Step::StaleCondense),
        1 => any::<u8>().prop_map(Step::Break),
    ]
}

pub(super) fn budgets() -> impl Strategy<Value = Tokens> {
    prop_oneof![
        Just(100_u64),
        Just(400),
        Just(1_500),
        Just(6_000),
        Just(24_000),
        Just(128_000),
        Just(64_000_000)
    ]
    .prop_map(Tokens::new)
}

/// Appends what a step says; says whether it is one that appends.
pub(super) fn append(sim: &mut Sim, step: &Step) -> bool {
    let name = |id: u8| format!("c{id}");
    match step {
        Step::User(tokens) => _ = sim.push(Role::User, *tokens, &[], &[]),
        Step::Assistant(tokens) => _ = sim.push(Role::Assistant, *tokens, &[], &[]),
        Step::Reasoning(tokens) => {
            sim.push(Role::Assistant, 1, &[], &[]);
            sim.rows.last_mut().unwrap().reasoning_tokens = Tokens::new(*tokens);
        }
        Step::Continuation { tokens, calls } => {
            let calls: &[&str] = if *calls { &["c0"] } else { &[] };
            sim.push(Role::Assistant, *tokens, calls, &[]);
            sim.join_newest();
        }
        Step::System(tokens) => _ = sim.push(Role::System, *tokens, &[], &[]),
        Step::Meta => sim.push_hidden(Visibility::Meta),
        Step::Prompt => sim.push_hidden(Visibility::Prompt),
        Step::Empty(role, n_rows) => {
            for _ in 0..*n_rows {
                sim.push(*role, 0, &[], &[]);
            }
        }
        Step::Batch(batch) => append_batch(sim, batch),
        Step::LateResult(id) => _ = sim.push(Role::Tool, 9, &[], &[&name(*id)]),
        Step::UserResult(id) => _ = sim.push(Role::User, 9, &[], &[&name(*id)]),
        Step::Loop(n_pairs) => {
            for _ in 0..*n_pairs {
                sim.push(Role::Assistant, 5, &["loop"], &[]);
                sim.push(Role::Tool, 25, &[], &["loop"]);
            }
        }
        _ => return false,
    }
    true
}

fn append_batch(sim: &mut Sim, batch: &Batch) {
    let ids: Vec<String> = batch.ids.iter().map(|id| format!("c{id}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    if batch.one_message {
        sim.push(Role::Assistant, 5, &ids, &[]);
    } else {
        for id in ids {
            sim.push(Role::Assistant, 5, &[id], &[]);
        }
    }
    for id in &batch.answered {
        sim.push(Role::Tool, batch.tokens, &[], &[&format!("c{id}")]);
    }
}
