//! Calls and their results in bodies, case by case.

use hippocamp::domain::{Estimator, NewMessage, Part, Role, TokenCounter, View};
use hippocamp::render;
use serde_json::{Value, json};

use super::told::{body, call, check, result, says, text, told};
use super::{Provider, check_bodies, check_rules, parsed};
use crate::shared::shared;
use crate::view::world::{Row, world};

#[test]
fn b061_a_call_without_a_result_gets_one_marked_placeholder() {
    check(
        &[
            NewMessage::user("go"),
            says(vec![call("t1"), call("t2")]),
            NewMessage::tool_result("t2", "two"),
            NewMessage::user("on"),
        ],
        &[
            "user: go",
            "assistant: [Read t1] | [Read t2]",
            "t1: [no result was recorded]",
            "t2: two",
            "user: on",
        ],
        &[
            "user: go",
            "assistant: [Read t1] | [Read t2]",
            "user: t1 = [no result was recorded] | t2 = two | on",
        ],
    );
}

#[test]
fn b062_parallel_calls_of_several_rows_are_one_message_with_all_results_behind_it() {
    check(
        &[
            NewMessage::user("go"),
            says(vec![text("both"), call("t1")]),
            says(vec![call("t2")]),
            NewMessage::tool_result("t2", "two"),
            NewMessage::tool_result("t1", "one"),
            NewMessage::assistant("done"),
        ],
        &[
            "user: go",
            "assistant: both | [Read t1] | [Read t2]",
            "t1: one",
            "t2: two",
            "assistant: done",
        ],
        &[
            "user: go",
            "assistant: both | [Read t1] | [Read t2]",
            "user: t1 = one | t2 = two",
            "assistant: done",
        ],
    );
}

#[test]
fn b063_an_early_and_a_late_result_join_their_calls_unless_a_user_speaks_between() {
    check(
        &[
            NewMessage::user("go"),
            NewMessage::tool_result("t1", "early"),
            says(vec![call("t1"), call("t2")]),
            NewMessage::assistant("wait"),
            NewMessage::tool_result("t2", "late"),
            says(vec![call("t3")]),
            NewMessage::user("stop"),
            NewMessage::tool_result("t3", "too late"),
            NewMessage::user("well"),
        ],
        &[
            "user: go",
            "assistant: wait | [Read t1] | [Read t2]",
            "t1: early",
            "t2: late",
            "assistant: [Read t3]",
            "t3: [no result was recorded]",
            "user: stop\n\n[result, its call is not shown]\ntoo late\n\nwell",
        ],
        &[
            "user: go",
            "assistant: wait | [Read t1] | [Read t2]",
            "user: t1 = early | t2 = late",
            "assistant: [Read t3]",
            "user: t3 = [no result was recorded] | stop | [result, its call is not shown]\ntoo late | well",
        ],
    );
}

#[test]
fn ids_that_are_repeated_or_unlawful_are_rewritten_for_call_and_result_alike() {
    let one =
        |id: &str, content: &str| [says(vec![call(id)]), NewMessage::tool_result(id, content)];
    let messages: Vec<NewMessage> = [
        vec![NewMessage::user("go")],
        one("call_1", "first").to_vec(),
        vec![NewMessage::user("again")],
        one("call_1", "second").to_vec(),
        one("functions.read:0", "third").to_vec(),
        one("", "fourth").to_vec(),
    ]
    .concat();
    let found = told(&body(Provider::Anthropic, None, messages, &[]));
    let wanted = [
        "user: go",
        "assistant: [Read call_1]",
        "user: call_1 = first | again",
        "assistant: [Read call_50_0]",
        "user: call_50_0 = second",
        "assistant: [Read call_70_0]",
        "user: call_70_0 = third",
        "assistant: [Read call_90_0]",
        "user: call_90_0 = fourth",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn arguments_are_sent_as_they_are_or_wrapped_and_counted_so() {
    let quotes = "\"".repeat(3_000);
    let of = |arguments: &str| {
        let messages = [
            NewMessage::user("go"),
            NewMessage::tool_use("t1", "Write", arguments),
            NewMessage::tool_result("t1", "ok"),
        ];
        let rows: Vec<Row> = messages.into_iter().map(Row::from).collect();
        world(None, &rows, &[]).view(1_000_000)
    };
    let big = "{ \"n\":\n 123456789012345678901234567890, \"s\": \"a  \\\" {\" }";
    let view = of(big);
    check_bodies(&view);
    let anthropic = render::anthropic::render(&view).unwrap().to_string();
    assert!(
        anthropic.contains(r#""input":{"n":123456789012345678901234567890,"s":"a  \" {"}"#),
        "{anthropic}"
    );
    let openai = parsed(&render::openai_chat::render(&view).unwrap().to_string());
    assert_eq!(
        openai["messages"][1]["tool_calls"][0]["function"]["arguments"],
        big
    );
    for (arguments, wanted) in [
        ("", json!({})),
        ("[1, 2]", json!({"arguments": "[1, 2]"})),
        ("{\"a\":", json!({"arguments": "{\"a\":"})),
        (
            "{\"a\":\"\\ud800\"}",
            json!({"arguments": "{\"a\":\"\\ud800\"}"}),
        ),
        (quotes.as_str(), json!({ "arguments": quotes })),
    ] {
        let view = of(arguments);
        check_bodies(&view);
        let anthropic = parsed(&render::anthropic::render(&view).unwrap().to_string());
        assert_eq!(anthropic["messages"][1]["content"][0]["input"], wanted);
        let openai = parsed(&render::openai_chat::render(&view).unwrap().to_string());
        let sent = &openai["messages"][1]["tool_calls"][0]["function"]["arguments"];
        let tokens = Estimator.count(sent.as_str().unwrap());
        assert!(
            tokens <= view.tokens,
            "{tokens} tokens in a view of {}",
            view.tokens
        );
    }
}

#[test]
fn b066_a_failed_result_keeps_its_mark_and_an_empty_one_says_so() {
    let failed = Part::ToolResult {
        call_id: "t1".into(),
        content: "denied".into(),
        is_error: true,
    };
    check(
        &[
            NewMessage::user("go"),
            says(vec![call("t1"), call("t2")]),
            NewMessage::new(Role::Tool, vec![failed, result("t2", " \n")]),
        ],
        &[
            "user: go",
            "assistant: [Read t1] | [Read t2]",
            "t1: [failed]\ndenied",
            "t2: [empty]",
        ],
        &[
            "user: go",
            "assistant: [Read t1] | [Read t2]",
            "user: t1 ! denied | t2 = [empty]",
        ],
    );
}

#[test]
fn b023_the_records_of_one_answer_are_one_message() {
    let continues = |message: NewMessage| Row {
        message,
        continues: true,
    };
    let rows = [
        NewMessage::user("go").into(),
        NewMessage::assistant("both").into(),
        continues(says(vec![call("t1")])),
        continues(says(vec![call("t2")])),
        NewMessage::tool_result("t1", "one").into(),
        NewMessage::tool_result("t2", "two").into(),
    ];
    let view = world(None, &rows, &[]).view(1_000_000);
    check_bodies(&view);
    let body = parsed(&Provider::Anthropic.body(&view).unwrap());
    let wanted = [
        "user: go",
        "assistant: both | [Read t1] | [Read t2]",
        "user: t1 = one | t2 = two",
    ];
    assert_eq!(told(&body), wanted);
}

#[test]
fn a_view_that_its_host_has_changed_still_loses_no_result_and_breaks_no_rule() {
    let messages = [
        NewMessage::user("go"),
        says(vec![call("t1")]),
        NewMessage::tool_result("t1", "one"),
    ];
    let rows: Vec<Row> = messages.into_iter().map(Row::from).collect();
    let whole = world(None, &rows, &[]).view(1_000_000);
    let told_of = |view: &View| {
        check_rules(view);
        told(&parsed(&Provider::Anthropic.body(view).unwrap()))
    };
    let words = "[result, its call is not shown]\none";

    let mut without_call = whole.clone();
    without_call.items.remove(1);
    assert_eq!(told_of(&without_call), [format!("user: go | {words}")]);

    let mut without_keys = whole.clone();
    for item in &mut without_keys.items {
        item.keys.clear();
    }
    let wanted = [
        "user: go".to_owned(),
        "assistant: [Read t1]".to_owned(),
        format!("user: t1 = [no result was recorded] | {words}"),
    ];
    assert_eq!(told_of(&without_keys), wanted);

    let mut twice = whole.clone();
    twice.items.push(whole.items[2].clone());
    let wanted = [
        "user: go".to_owned(),
        "assistant: [Read t1]".to_owned(),
        format!("user: t1 = one | {words}"),
    ];
    assert_eq!(told_of(&twice), wanted);
}

#[test]
fn shared_tool_pairs_make_lawful_bodies_at_every_budget() {
    let Some(folder) = shared("shared_tool_pairs_make_lawful_bodies_at_every_budget") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("cases/B060_to_B066_tool_pairs.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let conversations = file["conversations"].as_object().unwrap();
    assert!(conversations.len() >= 8);
    for list in conversations.values() {
        let messages = list
            .as_array()
            .unwrap()
            .iter()
            .map(crate::cases_pairs::shared_message);
        let rows: Vec<Row> = messages.map(Row::from).collect();
        let world = world(None, &rows, &[]);
        for budget in [1, 100, 200, 500, 2_000, 4_096, 200_000] {
            check_bodies(&world.view(budget));
        }
    }
}
