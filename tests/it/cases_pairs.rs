//! Calls and their results, and the budget, before and after compaction by the whole engine.

use std::collections::HashMap;

use hippocamp::domain::{NewMessage, Part, Role, Tokens, View};

use crate::bench::{Bench, Setup, sentence, talk};
use crate::shared::shared;

/// No result without its call, each batch whole, whatever the budget; the count holds.
fn check_pairs(view: &View, budget: u64, name: &str) {
    assert!(
        !view.fits || view.tokens <= Tokens::new(budget),
        "{name} at {budget}"
    );
    assert_eq!(
        view.tokens,
        view.items.iter().map(|item| item.tokens).sum(),
        "{name}"
    );
    let mut open: HashMap<&str, i64> = HashMap::new();
    for part in view.items.iter().flat_map(|item| &item.parts) {
        match part {
            Part::ToolUse { call_id, .. } => *open.entry(call_id).or_default() += 1,
            Part::ToolResult { call_id, .. } => *open.entry(call_id).or_default() -= 1,
            _ => {}
        }
    }
    // A result that came before its call is joined to it by the renderers.
    let orphan = open.iter().find(|(_, count)| **count < 0);
    assert_eq!(
        orphan, None,
        "{name} at {budget}: a result without its call"
    );
}

/// Views at many budgets, as stored, after each leaf, and under ever smaller budgets.
async fn check_tool_talk(name: &str, messages: Vec<NewMessage>) {
    let bench = Setup::window(3_000).bench();
    for chunk in messages.chunks(7) {
        bench.turn(chunk.to_vec()).await;
        check_budgets(&bench, name).await;
    }
    bench.engine.compact(&bench.session).await.unwrap();
    check_budgets(&bench, name).await;
    for budget in [1_000, 300, 60] {
        let budget = Tokens::new(budget);
        bench
            .engine
            .compact_until_under(&bench.session, budget)
            .await
            .unwrap();
        check_budgets(&bench, name).await;
    }
    bench.check().await;
}

async fn check_budgets(bench: &Bench, name: &str) {
    for budget in [1, 100, 200, 500, 2_000, 4_096, 20_000, 200_000] {
        check_pairs(&bench.view(budget).await, budget, name);
    }
}

#[tokio::test]
async fn b060_b066_b094_pairs_and_budgets_hold_before_and_after_compaction() {
    let mut messages = talk(0, 10, 30);
    for index in 0..12_usize {
        let ids: Vec<String> = (0..=index % 3)
            .map(|call| format!("t{index}{call}"))
            .collect();
        let calls = ids.iter().map(|id| Part::ToolUse {
            call_id: id.clone(),
            name: "Lift".to_owned(),
            arguments: format!("{{\"crate\":\"{}\"}}", "x".repeat(index * 40)),
        });
        messages.push(NewMessage::new(Role::Assistant, calls.collect()));
        // Every fourth batch has lost its last result.
        let n_results = ids.len() - usize::from(index % 4 == 3);
        for id in ids.iter().take(n_results) {
            messages.push(NewMessage::tool_result(
                id,
                sentence(index, 10 + index * 30),
            ));
        }
        if index % 5 == 4 {
            messages.extend(talk(100 + index * 2, 2, 30));
        }
    }
    check_tool_talk("ours", messages).await;
}

#[tokio::test]
async fn shared_tool_pairs_hold_before_and_after_compaction() {
    let Some(folder) = shared("shared_tool_pairs_hold_before_and_after_compaction") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("cases/B060_to_B066_tool_pairs.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let conversations = file["conversations"].as_object().unwrap();
    assert!(conversations.len() >= 8);
    for (name, list) in conversations {
        let messages = list
            .as_array()
            .unwrap()
            .iter()
            .map(shared_message)
            .collect();
        check_tool_talk(name, messages).await;
    }
}

pub(crate) fn shared_message(row: &serde_json::Value) -> NewMessage {
    let ids = |name: &str| -> Vec<String> {
        let list = row[name].as_array().unwrap();
        list.iter()
            .map(|id| id.as_str().unwrap().to_owned())
            .collect()
    };
    let text = row["text"].as_str().unwrap_or_default().to_owned();
    let results = ids("results");
    let mut parts = Vec::new();
    if results.is_empty() && !text.is_empty() {
        parts.push(Part::Text { text: text.clone() });
    }
    parts.extend(ids("calls").into_iter().map(|call_id| Part::ToolUse {
        call_id,
        name: "tool".to_owned(),
        arguments: "{}".to_owned(),
    }));
    parts.extend(results.into_iter().map(|call_id| Part::ToolResult {
        call_id,
        content: text.clone(),
        is_error: row["is_error"].as_bool().unwrap_or(false),
    }));
    NewMessage::new(row["role"].as_str().unwrap().parse().unwrap(), parts)
}

#[tokio::test]
async fn b094_a_long_history_is_within_every_budget() {
    let bench = Setup::window(16_000).bench();
    bench.append(talk(0, 1_000, 40)).await;
    check_budgets(&bench, "raw").await;
    bench.engine.compact(&bench.session).await.unwrap();
    check_budgets(&bench, "compacted").await;
    bench.check().await;
}
