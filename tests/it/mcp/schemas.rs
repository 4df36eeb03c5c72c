//! What is listed: schemas that strict clients take, annotations, and answers that are what their
//! schemas say.

use serde_json::{Value, json};

use super::{call, check_clean, greeting, request, speak, with_alpha};
use crate::program::Program;

/// Returns the tools that a server lists.
#[track_caller]
pub(crate) fn listed(program: &Program, words: &[&str]) -> Vec<Value> {
    let input = greeting() + &request(&json!("list"), "tools/list", &json!({}));
    let spoken = speak(program, words, input);
    spoken.to("list")["result"]["tools"]
        .as_array()
        .unwrap()
        .clone()
}

fn tool<'a>(tools: &'a [Value], name: &str) -> &'a Value {
    tools.iter().find(|tool| tool["name"] == name).unwrap()
}

/// Fails on anything in a schema that a strict client refuses.
#[track_caller]
fn check_schema(schema: &Value, where_: &str) {
    let object = schema
        .as_object()
        .unwrap_or_else(|| panic!("{where_}: no object: {schema}"));
    for word in ["oneOf", "allOf", "not", "$ref", "if", "patternProperties"] {
        assert!(!object.contains_key(word), "{where_}: {word}");
    }
    if let Some(choices) = object.get("anyOf") {
        for choice in choices.as_array().unwrap() {
            check_schema(choice, where_);
        }
        return;
    }
    match object["type"]
        .as_str()
        .unwrap_or_else(|| panic!("{where_}: {schema}"))
    {
        "object" => {
            for (name, property) in object["properties"].as_object().unwrap() {
                check_schema(property, &format!("{where_}.{name}"));
            }
        }
        "array" => check_schema(&object["items"], &format!("{where_}[]")),
        "string" | "integer" | "number" | "boolean" | "null" => {}
        other => panic!("{where_}: type {other}"),
    }
}

#[test]
fn b142_schemas_are_those_that_strict_clients_take() {
    let program = with_alpha();
    for words in [
        &["--with", "short_compact,pin"][..],
        &["--session", "main", "--confine"],
    ] {
        let tools = listed(&program, words);
        assert!(tools.len() >= 2);
        for tool in &tools {
            let name = tool["name"].as_str().unwrap();
            for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
                assert_eq!(schema["type"], "object", "{name}");
                assert!(
                    schema.get("anyOf").is_none() && schema.get("enum").is_none(),
                    "{name}"
                );
                check_schema(schema, name);
                assert!(jsonschema::meta::is_valid(schema), "{name}");
            }
            assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        }
    }
}

#[test]
fn a_tool_says_what_it_does_to_the_store() {
    let tools = listed(
        &Program::new(),
        &["--with", "pin", "--with", "short_compact"],
    );
    for (name, is_read_only) in [
        ("short_grep", true),
        ("short_expand", true),
        ("short_compact", false),
        ("pin", false),
    ] {
        let hints = &tool(&tools, name)["annotations"];
        assert_eq!(hints["readOnlyHint"], is_read_only, "{name}");
        assert_eq!(hints["destructiveHint"], false, "{name}");
        assert_eq!(hints["idempotentHint"], true, "{name}");
        assert_eq!(hints["openWorldHint"], false, "{name}");
        assert!(hints["title"].as_str().is_some_and(|title| title.len() > 5));
    }
}

#[test]
fn tools_are_there_by_flag_and_the_argument_session_only_where_nothing_is_bound() {
    let program = with_alpha();
    let names = |words: &[&str]| -> Vec<String> {
        let tools = listed(&program, words);
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&[]), ["short_grep", "short_expand"]);
    assert_eq!(
        names(&["--with", "pin"]),
        ["short_grep", "short_expand", "pin"]
    );
    let arguments = |words: &[&str]| {
        let tools = listed(&program, words);
        tool(&tools, "short_grep")["inputSchema"]["properties"].clone()
    };
    assert!(arguments(&[]).get("session").is_some());
    assert!(arguments(&[]).get("all_conversations").is_some());
    let bound = arguments(&["--session", "main"]);
    assert!(bound.get("session").is_none() && bound.get("all_conversations").is_some());
    let confined = arguments(&["--session", "main", "--confine"]);
    assert!(confined.get("all_conversations").is_none());
}

#[test]
fn a_bound_server_stays_with_its_conversation() {
    let program = with_alpha();
    let input = greeting()
        + &call("own", "short_grep", &json!({"pattern": "alpha"}))
        + &call(
            "named",
            "short_grep",
            &json!({"pattern": "alpha", "session": "other"}),
        )
        + &call(
            "all",
            "short_grep",
            &json!({"pattern": "alpha", "all_conversations": true}),
        )
        + &call("pin", "pin", &json!({"text": "never", "session": "other"}));
    let spoken = speak(
        &program,
        &["--session", "main", "--with", "pin"],
        input.clone(),
    );
    assert_eq!(spoken.result("own")["total"], 2);
    assert!(spoken.refusal("named").contains("`session`"));
    assert!(spoken.refusal("pin").contains("`session`"));
    // A store is one agent's: looking through all of it is part of the tool.
    assert_eq!(spoken.result("all")["total"], 3);
    let confined = speak(
        &program,
        &["--session", "main", "--confine", "--with", "pin"],
        input,
    );
    assert_eq!(confined.result("own")["total"], 2);
    assert!(confined.refusal("all").contains("`all_conversations`"));
    assert_eq!(
        program.json(&["pins", "--session", "other"])["pins"],
        json!([])
    );

    // A conversation that has not begun: no other is named.
    let input = greeting() + &call("new", "short_grep", &json!({"pattern": "alpha"}));
    let spoken = speak(&program, &["--session", "mian"], input);
    let hint = spoken.result("new")["hint"].as_str().unwrap();
    assert_eq!(hint, "nothing is stored yet in the conversation `mian`");
    check_clean(&program);
}

#[test]
fn an_unbound_call_names_its_conversation() {
    let program = with_alpha();
    let input = greeting()
        + &call("none", "short_grep", &json!({"pattern": "alpha"}))
        + &call(
            "main",
            "short_grep",
            &json!({"pattern": "alpha", "session": "main"}),
        )
        + &call(
            "all",
            "short_grep",
            &json!({"pattern": "alpha", "all_conversations": true}),
        );
    let spoken = speak(&program, &[], input);
    assert!(spoken.refusal("none").contains("all_conversations"));
    assert!(spoken.refusal("none").contains("session"));
    assert_eq!(spoken.result("main")["total"], 2);
    assert_eq!(spoken.result("all")["total"], 3);
}

/// Fails unless a result is what its tool's schema says, and says nothing else.
#[track_caller]
pub(crate) fn check_result(tools: &[Value], name: &str, result: &Value) {
    let schema = &tool(tools, name)["outputSchema"];
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(result)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:?} in {result}");
    let named: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let said: Vec<&String> = result.as_object().unwrap().keys().collect();
    assert_eq!(named, said, "{name}");
}

#[test]
fn every_result_is_what_its_schema_says() {
    let program = crate::mcp::schemas::with_tree();
    let calls = [
        ("short_grep", json!({"pattern": "harbour0"})),
        ("short_grep", json!({"pattern": "nothing like this"})),
        ("short_grep", json!({"pattern": "look OR done", "limit": 2})),
        (
            "short_grep",
            json!({"pattern": "harbour*", "scope": "summary"}),
        ),
        // Neither has ranks.
        ("short_grep", json!({"pattern": "/harb/"})),
        ("short_grep", json!({"pattern": "harbour*", "sort": "time"})),
        (
            "short_expand",
            json!({"message_ids": ["1", "2", "3", "999999"], "max_tokens": 50}),
        ),
        ("short_expand", json!({"message_ids": ["1", "2", "3"]})),
        ("short_compact", json!({})),
        ("pin", json!({"text": "Never write to production."})),
        ("pin", json!({"text": " "})),
    ];
    let mut input = greeting();
    for (number, (name, arguments)) in calls.iter().enumerate() {
        input += &call(number, name, arguments);
    }
    let words = ["--session", "main", "--with", "short_compact,pin"];
    let spoken = speak(&program, &words, input);
    let tools = listed(&program, &words);
    for (number, (name, _)) in calls.iter().enumerate() {
        let result = spoken.result(number);
        check_result(&tools, name, result);
        let text = spoken.to(number)["result"]["content"][0]["text"]
            .as_str()
            .unwrap();
        assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), result);
    }
    // The summary that a search has found, and what it was made from.
    let found = &spoken.result(3)["results"][0]["id"];
    let input = greeting() + &call("s", "short_expand", &json!({"summary_ids": [found]}));
    let spoken = speak(&program, &words, input);
    assert_eq!(spoken.result("s")["summaries"].as_array().unwrap().len(), 1);
    check_result(&tools, "short_expand", spoken.result("s"));
    check_clean(&program);
}

/// A home whose conversation `main` has summaries, calls and results.
pub(crate) fn with_tree() -> Program {
    let program = Program::new();
    let call = json!({"role": "assistant", "content": [
        {"type": "reasoning", "text": "look first"},
        {"type": "tool_use", "call_id": "c1", "name": "Bash", "arguments": {"command": "ls"}},
    ]});
    let result = json!({"role": "tool", "name": "Bash", "content": [
        {"type": "tool_result", "call_id": "c1", "content": "a.txt", "is_error": false},
    ]});
    let said = format!("{call}\n{result}\n") + &crate::program::talk(40, 40);
    let ended = program.feed(
        &["turn", "--session", "main", "--window", "3000", "--json"],
        said,
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    program.json(&["compact", "--session", "main"]);
    program
}

#[test]
fn a_conversation_that_is_bound_and_new_has_nothing_in_it_and_that_is_no_error() {
    let program = with_alpha();
    let tools = ["--with", "context", "--with", "pin"];
    let input = |session: Option<&str>| {
        let with = |mut arguments: Value| {
            if let Some(session) = session {
                arguments["session"] = session.into();
            }
            arguments
        };
        greeting()
            + &call(
                "grep",
                "short_grep",
                &with(json!({"pattern": "alpha Beta", "limit": 500})),
            )
            + &call("bad", "short_grep", &with(json!({"pattern": "(("})))
            + &call(
                "expand",
                "short_expand",
                &with(json!({"message_ids": ["1"]})),
            )
            + &call(
                "body",
                "context",
                &with(json!({"format": "anthropic", "budget": 70})),
            )
            + &call("text", "context", &with(json!({})))
            + &call("pin", "pin", &with(json!({"text": "keep", "kind": "fact"})))
    };
    let bound = speak(
        &program,
        &[&["--session", "new"], &tools[..]].concat(),
        input(None),
    );
    let found = bound.result("grep");
    assert_eq!(
        (&found["total"], &found["results"]),
        (&json!(0), &json!([]))
    );
    assert_eq!(found["read_as"], "alpha AND beta");
    assert!(
        found["hint"]
            .as_str()
            .unwrap()
            .contains("nothing is stored yet"),
        "{found}"
    );
    assert!(bound.refusal("bad").contains("hint"));
    assert_eq!(bound.result("expand")["missing"], json!(["1"]));
    let body = bound.result("body");
    assert_eq!((&body["budget"], &body["tokens"]), (&json!(70), &json!(0)));
    assert_eq!(
        (&body["request"], &body["fits"]),
        (&Value::Null, &json!(true))
    );
    assert_eq!(bound.result("text")["budget"], 128_000);
    assert!(bound.refusal("pin").contains("nothing is stored yet"));
    // Who names a conversation may have named another than is meant.
    let unbound = speak(&program, &tools, input(Some("new")));
    for id in ["grep", "expand", "body", "text", "pin"] {
        assert!(unbound.refusal(id).contains("`new`"), "{id}");
    }
    check_clean(&program);
}
