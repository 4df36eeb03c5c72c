//! What may be cleared, from counts alone, so that no body is read in vain.
//! May not decide on a body: `plan` does.

use std::collections::{HashMap, HashSet};

use crate::domain::{
    CallKey, ConversationId, Frontier, MessageId, MessageMeta, Role, Tokens, cost,
};
use crate::policy::limits::Limits;

/// One result by its row, and the call it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::policy) struct Found {
    pub(in crate::policy) row: MessageId,
    /// Which result of its row, from 0.
    pub(in crate::policy) nth: usize,
    /// The row of its call and which call of that row it is, where a row before it makes it.
    pub(in crate::policy) call: Option<(MessageId, usize)>,
}

/// What a view may hold, and from where on old results go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    budget: Tokens,
    soft_limit: Tokens,
}

impl Room {
    /// Makes the room of a budget with the share of it that is the soft limit.
    #[must_use]
    pub fn of(budget: Tokens, limits: &Limits) -> Self {
        Self::new(budget, budget.percent(limits.soft_percent))
    }

    /// Makes the room of a budget with a soft limit of its own.
    #[must_use]
    pub const fn new(budget: Tokens, soft_limit: Tokens) -> Self {
        Self { budget, soft_limit }
    }
}

/// Old results that may become lines, before their bodies are read.
#[derive(Debug, Clone)]
pub struct Candidates {
    pub(super) conversation: ConversationId,
    pub(super) pressure: Tokens,
    /// Those that may go, old to new.
    pub(super) old: Vec<Found>,
    /// Those that stay whole whatever they hold, old to new.
    pub(super) kept: Vec<Found>,
}

impl Candidates {
    /// Returns the messages whose bodies decide.
    #[must_use]
    pub fn needs(&self) -> Vec<MessageId> {
        let results = self.old.iter().chain(&self.kept);
        let rows = results.flat_map(|found| [Some(found.row), found.call.map(|(row, _)| row)]);
        let mut seen = HashSet::new();
        rows.flatten().filter(|row| seen.insert(*row)).collect()
    }
}

/// Finds the old results of a frontier whose pressure is past the soft limit of `room`; `None`
/// where they could not be worth a clear.
///
/// Of a long backlog only the rows that a view of the budget could show are looked at: the rest waits
/// for leaves, and no view would be smaller without it.
#[must_use]
pub fn candidates(
    frontier: &Frontier,
    pressure: Tokens,
    limits: &Limits,
    room: Room,
) -> Option<Candidates> {
    if pressure <= room.soft_limit {
        return None;
    }
    let rows: Vec<&MessageMeta> = frontier.raw().filter(|row| row.is_visible()).collect();
    // What comes after the model's newest message it has not read.
    let newest_said = rows
        .iter()
        .rposition(|row| row.cut_role() == Role::Assistant)?;
    let results = results_of(&rows);
    let n_read = results.partition_point(|(row_idx, _)| *row_idx < newest_said);
    let n_old = n_read.saturating_sub(limits.clear_keep);
    let (old, kept) = results.split_at_checked(n_old)?;
    let first = first_shown(&rows, room.budget);
    let is_new = |row_idx: usize, found: &Found| {
        let row = rows.get(row_idx);
        let cleared = row.map_or(&[][..], |row| &row.cleared);
        !cleared.iter().any(|known| known.nth as usize == found.nth)
    };
    let old: Vec<(usize, Found)> = old
        .iter()
        .filter(|(row_idx, found)| *row_idx >= first && is_new(*row_idx, found))
        .copied()
        .collect();
    let distinct: HashSet<usize> = old.iter().map(|(row_idx, _)| *row_idx).collect();
    let at_most: Tokens = distinct
        .into_iter()
        .filter_map(|row_idx| rows.get(row_idx))
        .map(|row| row.view_tokens)
        .sum();
    (at_most >= limits.clear_least).then(|| Candidates {
        conversation: frontier.conversation,
        pressure,
        old: old.into_iter().map(|(_, found)| found).collect(),
        kept: kept.iter().map(|(_, found)| *found).collect(),
    })
}

/// Lists all results with the place of their row, old to new, each with its call.
pub(in crate::policy) fn results_of(rows: &[&MessageMeta]) -> Vec<(usize, Found)> {
    let mut calls: HashMap<&CallKey, (MessageId, usize)> = HashMap::new();
    let mut results = Vec::new();
    let mut in_request = false;
    for (row_idx, row) in rows.iter().enumerate() {
        let is_user = row.cut_role() == Role::User;
        if is_user && !in_request {
            // Occurrences are counted afresh within each turn.
            calls.clear();
        }
        in_request = is_user;
        calls.extend(row.calls.iter().zip((0..).map(|nth| (row.id, nth))));
        for (nth, key) in row.results.iter().enumerate() {
            let call = calls.get(key).copied();
            let row = row.id;
            results.push((row_idx, Found { row, nth, call }));
        }
    }
    results
}

/// Returns the oldest row that a view of `budget` could show if all results were nothing but their
/// frames.
fn first_shown(rows: &[&MessageMeta], budget: Tokens) -> usize {
    let mut held = Tokens::ZERO;
    for (row_idx, row) in rows.iter().enumerate().rev() {
        let frames: Tokens = row.results.iter().map(|_| cost::RESULT).sum();
        held += if row.results.is_empty() {
            row.view_tokens
        } else {
            row.view_tokens.min(frames + cost::MESSAGE)
        };
        if held > budget {
            return row_idx + 1;
        }
    }
    0
}
