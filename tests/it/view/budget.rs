//! I5: what a view may cost, counted on its own.

use std::collections::HashSet;

use hippocamp::domain::{
    Estimator, ItemId, MessageMeta, Part, Seq, TokenCounter, Tokens, View, ViewItemKind, cost,
};

use super::check::raw_groups;
use super::pins::pins_tokens;
use super::world::World;

fn tokens_of(text: &str) -> u64 {
    Estimator.count(text).get()
}

/// I5: the sum is the sum, within the budget where cutting can do it.
#[track_caller]
pub(super) fn check_budget(world: &World, view: &View) {
    let sum: Tokens = view.items.iter().map(|item| item.tokens).sum();
    assert_eq!(sum, view.tokens);
    let leaves: u64 = view
        .items
        .iter()
        .flat_map(|item| &item.parts)
        .map(|part| match part {
            Part::Text { text } | Part::Reasoning { text, .. } => tokens_of(text),
            Part::ToolUse {
                name, arguments, ..
            } => tokens_of(name) + tokens_of(arguments),
            Part::ToolResult { content, .. } => tokens_of(content),
            Part::Media { .. } => cost::MEDIA.get(),
            _ => 0,
        })
        .sum();
    assert!(leaves <= view.tokens.get(), "text leaves are not counted");
    let budget = view.budget.get();
    if view.fits {
        assert!(view.tokens <= view.budget, "{} > {budget}", view.tokens);
        assert_eq!(view.excess, None);
    }
    let prompt = prompt_tokens(view) + pins_tokens(world);
    let request = request_tokens(world);
    let least = prompt + request + least_batch(world);
    if least <= budget {
        assert!(view.fits, "needs {least} of {budget} and does not fit");
    }
    if !view.fits {
        let excess = view.excess.unwrap().get();
        assert!(
            excess > 0 && excess <= least - budget,
            "excess {excess}: prompt {prompt}, request {request}, least {least} of {budget}"
        );
        // Each part of the request can be as short as a marker in its wrapper.
        let n_parts: usize = world
            .request
            .iter()
            .map(|row| 1 + world.bodies.messages[&row.id].parts.len())
            .sum();
        let shortest = prompt + 96 * n_parts as u64;
        if shortest <= budget {
            assert!(view.tokens <= view.budget, "{} > {budget}", view.tokens);
        }
    }
}

pub(super) fn prompt_tokens(view: &View) -> u64 {
    view.items
        .iter()
        .filter(|item| item.kind == ViewItemKind::System)
        .map(|item| item.tokens.get())
        .sum()
}

/// Returns what the whole request costs, as a view without limit shows it.
pub(super) fn request_tokens(world: &World) -> u64 {
    let asked: HashSet<ItemId> = world
        .request
        .iter()
        .map(|row| ItemId::Message(row.id))
        .collect();
    let view = world.view(1_000_000_000);
    view.items
        .iter()
        .filter(|item| item.id.is_some_and(|id| asked.contains(&id)))
        .map(|item| item.tokens.get())
        .sum()
}

/// Returns an upper bound on the least form of the newest batch, counted on its own.
fn least_batch(world: &World) -> u64 {
    let groups = raw_groups(world);
    let turn_first = world.request.first().map(|row| row.seq);
    let asked: HashSet<Seq> = world.request.iter().map(|row| row.seq).collect();
    // A group that says nothing is no batch; take the dearest of those it could be.
    groups
        .iter()
        .filter(|rows| turn_first.is_none_or(|first| rows[0].seq >= first))
        .filter(|rows| !asked.contains(&rows[0].seq))
        .map(|rows| rows.iter().map(|row| least_row(world, row)).sum())
        .max()
        .unwrap_or(0)
}

fn least_row(world: &World, row: &MessageMeta) -> u64 {
    let message = &world.bodies.messages[&row.id];
    let parts = message.parts.iter().map(|part| match part {
        Part::Text { text } => 4 + tokens_of(text).min(50),
        Part::ToolUse {
            call_id,
            name,
            arguments,
        } => {
            // Strings of one level are cut to 50; what is around them is not.
            let body = tokens_of(arguments);
            24.max(tokens_of(call_id) + 4) + tokens_of(name) + body.min(120)
        }
        Part::ToolResult {
            call_id, content, ..
        } => 24.max(tokens_of(call_id) + 4) + tokens_of(content).min(50),
        Part::Media { .. } | Part::Opaque { .. } => 4 + 40,
        _ => 0,
    });
    8 + message.name.as_deref().map_or(0, tokens_of) + parts.sum::<u64>()
}
