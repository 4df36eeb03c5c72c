//! Talks with tools, and a clear of them without a store.

use std::collections::{BTreeMap, BTreeSet};

use hippocamp::domain::{
    ClearPlan, Estimator, FrontierItem, MessageMeta, NewMessage, Part, Role, Tokens,
};
use hippocamp::policy::assemble::{Bodies, pressure};
use hippocamp::policy::clear::{Room, apply, candidates, plan_clear};
use hippocamp::policy::limits::Limits;

use crate::view::world::{Row, World, world};

/// A body of about `tokens` tokens, like no other.
pub(crate) fn body(index: usize, tokens: usize) -> String {
    format!("file {index}\n") + &"the lamp of the old pier was lit again\n".repeat(tokens / 10)
}

/// A call of a tool and what came of it.
pub(crate) fn step(index: usize, tool: &str, body: &str) -> Vec<NewMessage> {
    let id = format!("call-{index}");
    vec![
        NewMessage::tool_use(&id, tool, format!("{{\"path\":\"src/{index}.rs\"}}")),
        NewMessage::tool_result(&id, body),
    ]
}

/// A request, `n` reads of about `tokens` tokens each, and the model's last word.
pub(crate) fn reads(n: usize, tokens: usize) -> Vec<NewMessage> {
    let steps = (0..n).flat_map(|index| step(index, "Read", &body(index, tokens)));
    [NewMessage::user("Read them all.")]
        .into_iter()
        .chain(steps)
        .chain([NewMessage::assistant("I have read them.")])
        .collect()
}

pub(super) fn made(messages: &[NewMessage]) -> World {
    let rows: Vec<Row> = messages.iter().cloned().map(Row::from).collect();
    world(None, &rows, &[])
}

/// Plans a clear of a world as the engine does: with only the bodies that were asked for.
pub(super) fn plan(world: &World, limits: &Limits, budget: u64) -> Option<ClearPlan> {
    let before = pressure(&world.frontier);
    let found = candidates(
        &world.frontier,
        before,
        limits,
        Room::of(Tokens::new(budget), limits),
    )?;
    let messages = found
        .needs()
        .into_iter()
        .map(|id| (id, world.bodies.messages[&id].clone()))
        .collect();
    let bodies = Bodies {
        messages,
        ..Bodies::default()
    };
    plan_clear(&found, &bodies, limits, &Estimator)
}

/// The same world once a plan is recorded.
pub(super) fn cleared(world: &World, plan: &ClearPlan) -> World {
    let mut after = world.clone();
    apply(plan, &mut after.frontier);
    let rows: BTreeMap<_, MessageMeta> = after
        .frontier
        .raw()
        .map(|row| (row.id, row.clone()))
        .collect();
    for row in &mut after.metas {
        if let Some(known) = rows.get(&row.id) {
            *row = known.clone();
        }
    }
    after
}

/// Which result of which row, by place.
pub(super) type Which = (u64, u32);

/// Names what a plan clears, by the places of the rows.
pub(super) fn which(world: &World, plan: Option<&ClearPlan>) -> BTreeSet<Which> {
    let seq = |id| {
        let row = world.metas.iter().find(|row| row.id == id).unwrap();
        row.seq.get()
    };
    let results = plan.iter().flat_map(|plan| &plan.results);
    results
        .map(|(id, cleared)| (seq(*id), cleared.nth))
        .collect()
}

/// Every result that is raw and visible, by place, with the tool that gave it.
pub(super) fn raw_results(world: &World) -> Vec<(Which, Option<String>)> {
    let mut results = Vec::new();
    let mut names: BTreeMap<_, String> = BTreeMap::new();
    let mut in_request = false;
    for item in &world.frontier.items {
        let FrontierItem::Raw(row) = item else {
            continue;
        };
        if !row.is_visible() {
            continue;
        }
        let is_user = row.cut_role() == Role::User;
        if is_user && !in_request {
            names.clear();
        }
        in_request = is_user;
        let parts = &world.bodies.messages[&row.id].parts;
        let called = parts.iter().filter_map(|part| match part {
            Part::ToolUse { name, .. } => Some(name.clone()),
            _ => None,
        });
        names.extend(row.calls.iter().cloned().zip(called));
        for (nth, key) in (0..).zip(&row.results) {
            results.push(((row.seq.get(), nth), names.get(key).cloned()));
        }
    }
    results
}

/// The place of the model's newest raw message.
pub(super) fn newest_said(world: &World) -> Option<u64> {
    let rows = world.frontier.raw().filter(|row| row.is_visible());
    rows.filter(|row| row.cut_role() == Role::Assistant)
        .map(|row| row.seq.get())
        .max()
}
