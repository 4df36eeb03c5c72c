//! Recounts: which raw rows hold something else by the caps on tool results as they are now.
//! May not read a row, and changes no view: those are cut by the caps of their own moment.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use crate::domain::{Frontier, MessageId, MessageMeta, Recounted, TokenCounter, Tokens};
use crate::policy::assemble::{Bodies, row_tokens};
use crate::policy::clear::{Found, results_of, tool_of};
use crate::policy::limits::Limits;

/// Writes the caps as one text, the same for limits that cut the same.
#[must_use]
pub fn caps_text(limits: &Limits) -> String {
    let mut text = limits.tool_result_cap.to_string();
    let own = limits.tool_result_caps.iter();
    for (tool, cap) in own.filter(|(_, cap)| **cap != limits.tool_result_cap) {
        // Quoted, so that no name of a tool reads as another list. Writing to a string cannot fail.
        let _ = write!(text, " {tool:?}={cap}");
    }
    text
}

/// A raw row that the caps may cut otherwise than it was counted, before its body is read.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    row: &'a MessageMeta,
    results: Vec<Found>,
}

impl Candidate<'_> {
    /// Returns the messages whose bodies decide: its own, and those of its calls.
    pub fn needs(&self) -> impl Iterator<Item = MessageId> {
        let calls = self.results.iter().filter_map(|found| found.call);
        std::iter::once(self.row.id).chain(calls.map(|(row, _)| row))
    }
}

/// Finds the rows of a frontier that are cut now or hold more than the smallest cap, old to new.
#[must_use]
pub fn candidates<'a>(frontier: &'a Frontier, limits: &Limits) -> Vec<Candidate<'a>> {
    let caps = limits.tool_result_caps.values().copied();
    let least = caps.fold(limits.tool_result_cap, Tokens::min);
    let rows: Vec<&MessageMeta> = frontier.raw().filter(|row| row.is_visible()).collect();
    let may_change = |row: &MessageMeta| {
        row.tokens > least || row.tokens != row.view_tokens + row.reasoning_tokens
    };
    let changing: HashSet<MessageId> = rows
        .iter()
        .filter(|row| may_change(row))
        .map(|row| row.id)
        .collect();
    let mut results: HashMap<MessageId, Vec<Found>> = HashMap::new();
    for (_, found) in results_of(&rows) {
        if changing.contains(&found.row) {
            results.entry(found.row).or_default().push(found);
        }
    }
    rows.into_iter()
        .filter(|row| changing.contains(&row.id))
        .map(|row| Candidate {
            row,
            results: results.remove(&row.id).unwrap_or_default(),
        })
        .collect()
}

/// Counts candidates whose bodies were read, and returns those that hold something else now.
#[must_use]
pub fn plan_recount(
    candidates: &[Candidate<'_>],
    bodies: &Bodies,
    limits: &Limits,
    counter: &dyn TokenCounter,
) -> Vec<Recounted> {
    let recounted = |candidate: &Candidate<'_>| {
        let row = candidate.row;
        let message = bodies.messages.get(&row.id)?;
        let results = candidate.results.iter();
        let tools: Vec<Option<&str>> = results.map(|found| tool_of(found, bodies)).collect();
        // No more than all of it, by whatever it was counted when it was stored.
        let tokens = row_tokens(message, &row.cleared, &tools, counter, limits).min(row.tokens);
        let saved: Tokens = row.cleared.iter().map(|cleared| cleared.saved).sum();
        let after = tokens.saturating_sub(saved);
        (after != row.view_tokens).then_some(Recounted {
            message: row.id,
            seq: row.seq,
            before: row.view_tokens,
            after,
            tokens,
        })
    };
    candidates.iter().filter_map(recounted).collect()
}
