//! How long bodies are shortened, and what is never touched.

use hippocamp::domain::{
    Estimator, ExpandRequest, ItemId, NewMessage, Part, Reach, TokenCounter, Tokens, ToolResults,
    View, ViewItemKind,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::bench::{Setup, raw_seqs, sentence, talk};
use crate::view::world::{Row, world};

fn results(view: &View) -> Vec<&str> {
    let parts = view.items.iter().flat_map(|item| &item.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolResult { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn technique_c1_a_long_result_shows_head_and_tail_and_the_whole_is_expanded() {
    let lines: Vec<String> = (0..9_000).map(|line| format!("line {line} 界\n")).collect();
    let body = lines.concat();
    let bench = Setup::window(200_000).bench();
    let messages = vec![
        NewMessage::user("Read it."),
        NewMessage::tool_use("c1", "Read", "{}"),
        NewMessage::tool_result("c1", &body),
    ];
    let view = bench.turn(messages).await.view;
    let shown = results(&view)[0];
    assert!(Estimator.count(shown) <= Tokens::new(6_000));
    let (head, rest) = shown.split_once("\n[… cut: ").unwrap();
    let (marker, tail) = rest.split_once(" …]\n").unwrap();
    assert!(!head.is_empty() && body.starts_with(head));
    assert!(!tail.is_empty() && body.ends_with(tail));
    let (_, id) = marker.split_once("short_expand message ").unwrap();
    let id: ItemId = id.split(' ').next().unwrap().parse().unwrap();
    let request = ExpandRequest::new(vec![id], Reach::Session(bench.session.clone()))
        .tool_results(ToolResults::Include)
        .max_tokens(Tokens::new(1_000_000));
    let reply = bench.engine.expand(&request).await.unwrap();
    assert_eq!(reply.messages[0].message.parts[0].body(), body);
}

#[tokio::test]
async fn technique_t7_a_tool_may_have_a_cap_of_its_own() {
    let mut setup = Setup::window(200_000);
    let caps = &mut setup.limits.tool_result_caps;
    caps.insert("Bash".to_owned(), Tokens::new(500));
    caps.insert("Read".to_owned(), Tokens::new(20_000));
    let bench = setup.bench();
    let body = "the tide table of the old harbour\n".repeat(2_000);
    let own = Estimator.count(&body);
    assert!(own > Tokens::new(6_000) && own < Tokens::new(20_000));
    bench.append(vec![NewMessage::user("Look around.")]).await;
    // Each result is stored in a call of its own, after its call: the tool is looked up.
    for (id, tool) in [("a", "Bash"), ("b", "Read"), ("c", "Fetch")] {
        bench
            .append(vec![NewMessage::tool_use(id, tool, "{}")])
            .await;
        bench.append(vec![NewMessage::tool_result(id, &body)]).await;
    }
    // A result without its call has no tool that is known.
    bench
        .append(vec![NewMessage::tool_result("d", &body)])
        .await;
    let view = bench.view(200_000).await;
    let shown: Vec<u64> = results(&view)
        .iter()
        .map(|body| Estimator.count(body).get())
        .collect();
    assert!(shown[0] <= 500 && shown[0] > 400, "{shown:?}");
    assert_eq!(shown[1], own.get());
    assert!(shown[2] <= 6_000 && shown[2] > 5_500, "{shown:?}");
    let status = bench.engine.status().await.unwrap();
    let held = status.sessions[0].pressure;
    assert!(view.tokens <= held, "{} {held}", view.tokens);
    assert!(
        held < view.tokens + Tokens::new(1_000),
        "{} {held}",
        view.tokens
    );
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z \"\\\\界\n]{0,40}".prop_map(Value::from),
        "[a-z ]{400,2000}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Two values of one shape: the same keys in the same order, the same types, no longer strings.
fn same_shape(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::String(old), Value::String(new)) => Estimator.count(new) <= Estimator.count(old),
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same_shape(old, new))
        }
        (Value::Object(old), Value::Object(new)) => {
            old.keys().eq(new.keys())
                && old
                    .values()
                    .zip(new.values())
                    .all(|(old, new)| same_shape(old, new))
        }
        _ => old == new,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn technique_c11_arguments_that_are_cut_stay_the_same_json(
        fields in prop::collection::btree_map("[a-z]{1,6}", json(), 1..5), budget in 100..2_000_u64,
    ) {
        let arguments = Value::Object(fields.into_iter().collect());
        let messages = [
            NewMessage::user("Write it."),
            NewMessage::tool_use("c1", "Write", arguments.to_string()),
            NewMessage::tool_result("c1", "written"),
        ];
        let rows: Vec<Row> = messages.into_iter().map(Row::from).collect();
        let view = world(None, &rows, &[]).view(budget);
        for part in view.items.iter().flat_map(|item| &item.parts) {
            if let Part::ToolUse { arguments: shown, .. } = part {
                let shown: Value = serde_json::from_str(shown).unwrap();
                prop_assert!(same_shape(&arguments, &shown), "{arguments} {shown}");
            }
        }
    }
}

#[tokio::test]
async fn technique_v3_the_fresh_tail_is_the_end_of_every_view_that_fits_it() {
    let bench = Setup::window(20_000).bench();
    for round in 0..60 {
        let view = bench.turn(talk(2 * round, 2, 60)).await.view;
        let last = 2 * round as u64 + 2;
        let tail: Vec<u64> = (last.saturating_sub(32) + 1..=last).collect();
        // 32 messages of 70 tokens are less than a quarter of the budget.
        assert!(raw_seqs(&view).ends_with(&tail), "{:?}", raw_seqs(&view));
    }
    assert!(!bench.tree().await.is_empty());
}

#[tokio::test]
async fn technique_v5_the_newest_request_is_in_every_view_word_for_word() {
    let bench = Setup::window(6_000).bench();
    let asked = format!("Fix <b>{}</b> & tell me.", sentence(7, 100));
    bench.turn(talk(0, 20, 60)).await;
    bench.turn(vec![NewMessage::user(&asked)]).await;
    let mut was_quoted = false;
    for index in 0..80 {
        let id = format!("c{index}");
        let view = bench
            .turn(vec![
                NewMessage::tool_use(&id, "Read", "{\"path\":\"a\"}"),
                NewMessage::tool_result(&id, sentence(index, 200)),
            ])
            .await
            .view;
        for budget in [view.budget.get(), 3_000, 1_000] {
            let view = bench.view(budget).await;
            let found = view.items.iter().find(|item| match item.parts.first() {
                Some(Part::Text { text }) => match item.kind {
                    ViewItemKind::Message => *text == asked,
                    ViewItemKind::Request => {
                        hippocamp::policy::assemble::unescape(text).contains(&asked)
                    }
                    _ => false,
                },
                _ => false,
            });
            let found = found.unwrap_or_else(|| panic!("step {index}, budget {budget}"));
            was_quoted |= found.kind == ViewItemKind::Request;
        }
    }
    assert!(was_quoted, "the loop was long enough to cover its request");
}
