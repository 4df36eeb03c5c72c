//! Limits with caps, and a count from scratch of what a view would hold.

use std::collections::HashMap;

use hippocamp::domain::{
    Estimator, Event, EventKind, FrontierItem, ItemId, MessageId, NewMessage, Part, Tokens,
};
use hippocamp::policy::assemble::{pressure, stamp_costs_of};
use hippocamp::policy::limits::Limits;

use crate::bench::{Bench, Setup};

/// More than any talk of these tests holds.
const ALL: u64 = 50_000_000;

/// Limits with a cap, another one for `Read` where one is given, and no leaf.
pub(super) fn capped(cap: u64, of_read: Option<u64>) -> Limits {
    let mut limits = Setup::window(1).limits;
    limits.leaf_messages = 1_000;
    limits.chunk_tokens = Tokens::new(1_000_000);
    limits.chunk_percent = 100;
    set_caps(&mut limits, cap, of_read);
    limits
}

pub(super) fn set_caps(limits: &mut Limits, cap: u64, of_read: Option<u64>) {
    limits.tool_result_cap = Tokens::new(cap);
    limits.tool_result_caps = of_read
        .map(|cap| ("Read".to_owned(), Tokens::new(cap)))
        .into_iter()
        .collect();
}

pub(super) fn bench(window: u64, limits: Limits) -> Bench {
    let mut setup = Setup::window(window);
    setup.limits = limits;
    setup.bench()
}

/// What a view without a limit holds, as the store says.
pub(super) fn held(bench: &Bench) -> Tokens {
    let (frontier, _) = bench.reader().view_frontier(bench.branch()).unwrap();
    pressure(&frontier)
}

/// The same, with each raw row counted anew by `limits`: what is stored of it, and the line of a
/// cleared result as the view shows it.
pub(super) async fn scratch(bench: &Bench, limits: &Limits) -> Tokens {
    let reader = bench.reader();
    let (mut frontier, _) = reader.view_frontier(bench.branch()).unwrap();
    let mut shown: HashMap<MessageId, Vec<String>> = HashMap::new();
    for item in bench.view(ALL).await.items {
        let Some(ItemId::Message(id)) = item.id else {
            continue;
        };
        let results = item.parts.into_iter().filter_map(|part| match part {
            Part::ToolResult { content, .. } => Some(content),
            _ => None,
        });
        shown.entry(id).or_default().extend(results);
    }
    let mut tools: HashMap<String, String> = HashMap::new();
    for item in &mut frontier.items {
        let FrontierItem::Raw(row) = item else {
            continue;
        };
        let message = reader.messages_by_id(&[row.id]).unwrap().remove(0);
        let mut lines = shown.remove(&row.id).unwrap_or_default().into_iter();
        let mut parts = Vec::new();
        let mut is_line = false;
        for mut part in message.parts {
            match &mut part {
                Part::ToolUse { call_id, name, .. } => {
                    tools.insert(call_id.clone(), name.clone());
                }
                Part::ToolResult { content, .. } => {
                    let line = lines.next().unwrap();
                    is_line = line.contains(" result cleared: ");
                    if is_line {
                        *content = line;
                    }
                }
                // The pictures of a result go with it.
                Part::Media { .. } if is_line => continue,
                _ => {}
            }
            parts.push(part);
        }
        let tool_of = |call: &str| tools.get(call).map(String::as_str);
        let new = NewMessage::new(message.role, parts);
        row.view_tokens = stamp_costs_of(&new, tool_of, &Estimator, limits).view_tokens;
    }
    pressure(&frontier)
}

pub(super) async fn recounts(bench: &Bench) -> Vec<Event> {
    let mut events = bench.engine.events(&bench.session).await.unwrap();
    events.retain(|event| event.kind == EventKind::Recount);
    events
}
