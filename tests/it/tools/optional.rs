//! The tools that a host may register: what a model is told of them, and what `pin` answers.
//!
//! `GOLDEN=renew cargo test --test it tools::` writes the schemas anew.

use std::path::Path;

use hippocamp::domain::{NewMessage, PinFilter, PinKind, Tokens, ViewItemKind, Window};
use hippocamp::engine::Engine;
use hippocamp::tools::{OptionalTool, ToolError, ToolScope, dispatch, dispatch_with, schema};
use serde_json::{Value, json};

use super::{Host, bound, key, with_host};

async fn call(host: &Host, scope: &ToolScope, arguments: Value) -> Result<Value, ToolError> {
    dispatch_with(&host.engine, scope, &[OptionalTool::Pin], "pin", arguments).await
}

/// A pin of `main` that is refused: its answer says why and what to do.
async fn check_refused(host: &Host, arguments: Value, said: &str, todo: &str) {
    let answer = call(host, &bound("main"), arguments).await.unwrap();
    assert_eq!(
        (&answer["status"], &answer["id"]),
        (&json!("refused"), &Value::Null)
    );
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains(said) && reason.contains(todo), "{reason}");
}

#[test]
fn what_a_model_is_told_of_each_tool_is_read_before_it_changes() {
    let optional = OptionalTool::ALL.map(OptionalTool::schema);
    let told: Vec<Value> = schema()
        .iter()
        .chain(&optional)
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description.lines().collect::<Vec<_>>(),
                "parameters": tool.parameters,
            })
        })
        .collect();
    let told = serde_json::to_string_pretty(&told).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tools/schemas.json");
    if std::env::var_os("GOLDEN").is_some_and(|word| word == "renew") {
        std::fs::write(&path, told).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, told, "GOLDEN=renew writes it anew");
}

#[test]
fn every_example_of_pin_runs_and_stands_in_the_next_view() {
    with_host(async |host| {
        // An example names message 42.
        let said = (0..60).map(|n| NewMessage::user(format!("step {n}")));
        host.say("main", said.collect()).await;
        let schema = OptionalTool::Pin.schema();
        let examples: Vec<&str> = schema
            .description
            .lines()
            .filter(|line| line.starts_with('{'))
            .collect();
        assert!(examples.len() >= 3);
        for example in &examples {
            let arguments: Value = serde_json::from_str(example).unwrap();
            let answer = call(host, &bound("main"), arguments.clone()).await.unwrap();
            assert_eq!(answer["status"], "pinned", "{example}: {answer}");
            let again = call(host, &bound("main"), arguments).await.unwrap();
            assert_eq!(again["status"], "unchanged");
            assert_eq!(again["id"], answer["id"]);
            for field in answer.as_object().unwrap().keys() {
                assert!(schema.description.contains(field.as_str()), "{field}");
            }
        }
        let pins = host
            .engine
            .pins(&key("main"), PinFilter::Standing)
            .await
            .unwrap();
        let kinds: Vec<PinKind> = pins.iter().map(|pin| pin.kind).collect();
        assert_eq!(
            kinds,
            [PinKind::Constraint, PinKind::Fact, PinKind::Decision]
        );
        assert_eq!(pins[1].source.unwrap().message.get(), 42);
        let view = host
            .engine
            .view(
                &key("main"),
                hippocamp::engine::ViewBudget::Of(Tokens::new(5_000)),
            )
            .await
            .unwrap();
        assert!(
            view.items
                .iter()
                .any(|item| item.kind == ViewItemKind::Pins)
        );
    });
}

#[test]
fn what_cannot_be_pinned_is_answered_with_what_to_do() {
    with_host(async |host| {
        host.say("main", vec![NewMessage::user("Hello.")]).await;
        let elsewhere = host.say("other", vec![NewMessage::user("Hello?")]).await[0];
        for text in ["", " \n\t"] {
            check_refused(
                host,
                json!({"text": text}),
                "without words",
                "give the words",
            )
            .await;
        }
        for id in [
            json!(9_999_999),
            json!("99999999999999999999"),
            json!(elsewhere),
        ] {
            let arguments = json!({"text": "x", "message_id": id});
            check_refused(host, arguments, "has no message", "of this conversation").await;
        }
        let none = host
            .engine
            .pins(&key("main"), PinFilter::All)
            .await
            .unwrap();
        assert!(none.is_empty(), "{none:?}");
    });
}

#[test]
fn past_a_tenth_of_the_budget_the_answer_names_what_to_retire_and_that_makes_room() {
    with_host(async |host| {
        let folder = tempfile::tempdir().unwrap();
        let window = Window::new(Tokens::new(4_000), Tokens::ZERO, Tokens::ZERO).unwrap();
        let engine = Engine::builder(folder.path().join("small.db"))
            .window(window)
            .build()
            .unwrap();
        let small = Host {
            engine,
            _folder: folder,
        };
        small.say("main", vec![NewMessage::user("Hello.")]).await;
        let long = "berth seventeen stays free ".repeat(400);
        check_refused(
            &small,
            json!({"text": long}),
            "all pins may take",
            "shorten",
        )
        .await;
        let words = |n: usize| json!({"text": format!("berth {n}: {}", "kept free ".repeat(20))});
        let mut ids = Vec::new();
        let refused = loop {
            let answer = call(&small, &bound("main"), words(ids.len()))
                .await
                .unwrap();
            match answer["id"].as_str() {
                Some(id) => ids.push(id.to_owned()),
                None => break answer["reason"].as_str().unwrap().to_owned(),
            }
            assert!(ids.len() < 100, "nothing is ever refused");
        };
        assert!(refused.contains("10 %"), "{refused}");
        assert!(refused.contains(&format!("retire {}", ids[0])), "{refused}");
        let first: hippocamp::domain::PinId = ids[0].parse().unwrap();
        small
            .engine
            .unpin(Some(&key("main")), first.0)
            .await
            .unwrap();
        let answer = call(&small, &bound("main"), words(ids.len()))
            .await
            .unwrap();
        assert_eq!(answer["status"], "pinned");
        small.engine.shutdown().await.unwrap();
        assert!(
            host.engine
                .pins(&key("main"), PinFilter::All)
                .await
                .is_err()
        );
    });
}

#[test]
fn a_call_of_pin_that_cannot_be_read_is_refused_by_name() {
    with_host(async |host| {
        host.say("main", vec![NewMessage::user("Hello.")]).await;
        for (arguments, part) in [
            (json!({}), "`text`: is missing"),
            (json!({"text": 5}), "`text`: must be text"),
            (json!({"text": "x", "kind": "wish"}), "`wish` is no kind"),
            (
                json!({"text": "x", "message_id": "s12"}),
                "\"s12\" is no message id",
            ),
            (json!({"text": "x", "message_id": [1]}), "`message_id`: [1]"),
            (
                json!({"text": "x", "id": 1}),
                "it takes text, kind, message_id",
            ),
            (json!(["x"]), "one JSON object"),
        ] {
            let error = call(host, &bound("main"), arguments)
                .await
                .unwrap_err()
                .to_string();
            assert!(error.contains(part), "{error}");
        }
        for scope in [ToolScope::All, ToolScope::Unbound] {
            let error = call(host, &scope, json!({"text": "x"})).await.unwrap_err();
            assert!(matches!(error, ToolError::NotOne { tool: "pin" }));
        }
        let error = call(host, &bound("mian"), json!({"text": "x"}))
            .await
            .unwrap_err();
        assert!(error.to_string().contains("mian"), "{error}");
        let unregistered = dispatch(&host.engine, &bound("main"), "pin", json!({"text": "x"}))
            .await
            .unwrap_err();
        assert!(
            unregistered.to_string().contains("no tool `pin`"),
            "{unregistered}"
        );
    });
}
