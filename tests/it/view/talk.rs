//! Small talks to make stores of, and what one asks of a view.

use hippocamp::domain::{NewMessage, Part, Role, View};

use super::check::check_view;
use super::world::{Row, World, world};

pub(super) const BUDGETS: [u64; 7] = [1, 100, 200, 500, 2_000, 4_096, 200_000];

pub(super) fn rows(messages: Vec<NewMessage>) -> Vec<Row> {
    messages.into_iter().map(Row::from).collect()
}

pub(super) fn fillers(count: usize, word: &str) -> Vec<NewMessage> {
    (0..count)
        .map(|at| {
            let role = [Role::User, Role::Assistant][at % 2];
            NewMessage::text(role, format!("filler {word} {at}"))
        })
        .collect()
}

pub(super) fn pair(id: &str, body: &str) -> Vec<NewMessage> {
    vec![
        NewMessage::tool_use(id, "Read", "{\"path\":\"a\"}"),
        NewMessage::tool_result(id, body),
    ]
}

pub(super) fn calls(ids: &[&str]) -> NewMessage {
    let parts = ids.iter().map(|id| Part::ToolUse {
        call_id: (*id).into(),
        name: "Read".into(),
        arguments: "{}".into(),
    });
    NewMessage::new(Role::Assistant, parts.collect())
}

#[track_caller]
pub(super) fn check_all_budgets(messages: Vec<NewMessage>) -> World {
    let world = world(Some("Be brief."), &rows(messages), &[]);
    for budget in BUDGETS {
        check_view(&world, budget);
    }
    world
}

pub(super) fn parts(view: &View) -> Vec<&Part> {
    view.items.iter().flat_map(|item| &item.parts).collect()
}

pub(super) fn call_ids(view: &View) -> Vec<&str> {
    parts(view)
        .into_iter()
        .filter_map(|part| match part {
            Part::ToolUse { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect()
}

pub(super) fn result_ids(view: &View) -> Vec<&str> {
    parts(view)
        .into_iter()
        .filter_map(|part| match part {
            Part::ToolResult { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect()
}
