//! Arguments and schemas, without an engine.

use serde_json::{Value, json};

use super::dispatch::reach_of;
use super::*;
use crate::domain::*;

#[track_caller]
fn grep_args(json: Value) -> GrepArgs {
    GrepArgs::try_from(json).unwrap()
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads as a call does")]
fn check_grep_refused(json: Value, part: &str) {
    let error = GrepArgs::try_from(json.clone()).unwrap_err().to_string();
    assert!(error.contains(part), "{json}: {error}");
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads as a call does")]
fn check_expand_refused(json: Value, part: &str) {
    let error = ExpandArgs::try_from(json.clone()).unwrap_err().to_string();
    assert!(error.contains(part), "{json}: {error}");
}

#[track_caller]
fn check_expand_ids(json: Value, want: &[&str]) {
    let args = ExpandArgs::try_from(json).unwrap();
    let ids: Vec<String> = args.ids.iter().map(|asked| asked.text.clone()).collect();
    assert_eq!(ids, want);
}

#[test]
fn a_pattern_alone_takes_every_default() {
    assert_eq!(grep_args(json!({"pattern": "x"})), GrepArgs::new("x"));
    let args = ExpandArgs::try_from(json!({"message_ids": [1]})).unwrap();
    assert_eq!(args.max_tokens, PAGE_TOKENS);
    assert_eq!(args.tool_results, ToolResults::Omit);
}

#[test]
fn null_counts_as_absent() {
    let nulls = json!({
        "pattern": "x", "scope": null, "role": null, "last": null, "since": null, "before": null,
        "all_conversations": null, "limit": null, "cursor": null,
    });
    assert_eq!(grep_args(nulls), GrepArgs::new("x"));
}

#[test]
fn exact_texts_are_converted() {
    let args = grep_args(json!({"pattern": "x", "limit": "7", "all_conversations": "true"}));
    assert_eq!(args.limit, 7);
    assert_eq!(args.conversations, Conversations::All);
    let args = grep_args(json!({"pattern": "x", "limit": 3.0, "all_conversations": "false"}));
    assert_eq!(args.limit, 3);
    assert_eq!(args.conversations, Conversations::Bound);
    check_expand_ids(json!({"message_ids": "[\"1\", 2]"}), &["1", "2"]);
}

#[test]
fn inexact_values_are_refused_by_name() {
    for limit in [
        json!(0),
        json!(-1),
        json!(2.5),
        json!("12px"),
        json!(""),
        json!("0"),
        json!(true),
        json!([5]),
        json!("2.5"),
        json!(" 5"),
        json!(-3.0),
    ] {
        check_grep_refused(json!({"pattern": "x", "limit": limit}), "`limit`");
    }
    check_grep_refused(
        json!({"pattern": "x", "all_conversations": "yes"}),
        "`all_conversations`",
    );
    check_grep_refused(
        json!({"pattern": "x", "all_conversations": 1}),
        "`all_conversations`",
    );
    check_grep_refused(json!({"pattern": "x", "scope": "everything"}), "`scope`");
    check_grep_refused(json!({"pattern": "x", "scope": ""}), "`scope`");
    check_grep_refused(json!({"pattern": "x", "role": "robot"}), "`role`");
    check_grep_refused(json!({"pattern": "x", "role": ["user"]}), "`role`");
    check_grep_refused(json!({"pattern": 5}), "`pattern`");
    check_grep_refused(json!({"pattern": null}), "`pattern`");
    check_grep_refused(json!({}), "`pattern`");
    check_grep_refused(Value::Null, "`pattern`");
    check_grep_refused(json!({"pattern": "x", "last": "30x"}), "m is a month");
    check_grep_refused(json!({"pattern": "x", "since": "soon"}), "`since`");
    check_grep_refused(
        json!({"pattern": "x", "last": "1d", "since": "2026-01-01"}),
        "alone",
    );
    check_grep_refused(
        json!({"pattern": "x", "role": "user", "scope": "summary"}),
        "`role`",
    );
}

#[test]
fn a_limit_of_any_size_is_left_to_the_cap() {
    assert_eq!(
        grep_args(json!({"pattern": "x", "limit": 1_000_000_000})).limit,
        1_000_000_000
    );
    assert_eq!(
        grep_args(json!({"pattern": "x", "limit": 1e30})).limit,
        u64::MAX
    );
}

#[test]
fn unknown_arguments_and_other_shapes_are_refused() {
    check_grep_refused(json!({"pattern": "x", "bogus": 1}), "no argument `bogus`");
    check_expand_refused(json!({"message_ids": [1], "ids": [1]}), "no argument `ids`");
    check_grep_refused(json!(["x"]), "must be one JSON object, not a list");
    check_expand_refused(json!("42"), "must be one JSON object, not a text");
}

#[test]
fn ids_are_texts_or_numbers_and_nothing_half_read() {
    check_expand_ids(
        json!({"message_ids": ["10", 11, 10.0]}),
        &["10", "11", "10"],
    );
    check_expand_ids(json!({"summary_ids": ["s12"]}), &["s12"]);
    check_expand_ids(
        json!({"message_ids": ["0", "9223372036854775808", 18_446_744_073_709_551_615_u64]}),
        &["0", "9223372036854775808", "18446744073709551615"],
    );
    for id in [
        json!("10abc"),
        json!("abc"),
        json!(" 10 "),
        json!(10.5),
        json!(true),
        json!(null),
        json!({}),
        json!("-1"),
        json!(-1),
        json!(""),
        json!("+1"),
        json!("1_0"),
        json!("١"),
    ] {
        check_expand_refused(json!({"message_ids": [1, id]}), "`message_ids`");
        check_expand_refused(json!({"summary_ids": ["s1", id]}), "`summary_ids`");
    }
    check_expand_refused(json!({"message_ids": ["s12"]}), "`summary_ids`");
    check_expand_refused(json!({"summary_ids": ["12"]}), "\"s12\"");
}

#[test]
fn exactly_one_list_of_ids_is_taken() {
    check_expand_refused(json!({}), "exactly one");
    check_expand_refused(json!({"message_ids": null}), "exactly one");
    check_expand_refused(
        json!({"message_ids": [1], "summary_ids": ["s1"]}),
        "exactly one",
    );
    check_expand_refused(json!({"message_ids": []}), "is empty");
    check_expand_refused(json!({"message_ids": "10"}), "must be a list");
    check_expand_refused(json!({"message_ids": 10}), "must be a list");
    check_expand_ids(json!({"message_ids": null, "summary_ids": ["s1"]}), &["s1"]);
}

#[test]
fn a_page_is_capped_for_clients_that_refuse_large_answers() {
    let args = ExpandArgs::try_from(json!({"message_ids": [1], "max_tokens": 1_000_000})).unwrap();
    assert_eq!(args.max_tokens, Tokens::new(20_000));
    check_expand_refused(json!({"message_ids": [1], "max_tokens": 0}), "`max_tokens`");
}

#[test]
fn serde_reads_the_same_arguments() {
    let args: GrepArgs = serde_json::from_str(r#"{"pattern": "x", "limit": "7"}"#).unwrap();
    assert_eq!(args.limit, 7);
    let error = serde_json::from_str::<GrepArgs>(r#"{"pattern": "x", "bogus": 1}"#).unwrap_err();
    assert!(error.to_string().contains("bogus"));
}

#[test]
fn only_a_bound_call_stays_in_its_conversation() {
    let key = SessionKey::new("main").unwrap();
    let session = ToolScope::Session(key.clone());
    assert_eq!(
        reach_of(&session, Conversations::Bound).unwrap(),
        Reach::Session(key)
    );
    assert_eq!(reach_of(&session, Conversations::All).unwrap(), Reach::All);
    assert_eq!(
        reach_of(&ToolScope::All, Conversations::Bound).unwrap(),
        Reach::All
    );
    assert_eq!(
        reach_of(&ToolScope::Unbound, Conversations::All).unwrap(),
        Reach::All
    );
    let error = reach_of(&ToolScope::Unbound, Conversations::Bound).unwrap_err();
    assert!(error.to_string().contains("all_conversations"));
}

/// Fails on anything a strict client refuses.
#[track_caller]
fn check_strict(schema: &Value) {
    let object = schema.as_object().expect("a schema is an object");
    for word in [
        "oneOf",
        "anyOf",
        "allOf",
        "not",
        "$ref",
        "if",
        "patternProperties",
    ] {
        assert!(!object.contains_key(word), "{word} in {schema}");
    }
    let kind = object["type"].as_str().expect("one type as a text");
    match kind {
        "object" => {
            assert_eq!(object["additionalProperties"], json!(false));
            for property in object["properties"].as_object().unwrap().values() {
                assert!(
                    property["description"]
                        .as_str()
                        .is_some_and(|text| text.len() > 10)
                );
                check_strict(property);
            }
        }
        "array" => check_strict(&object["items"]),
        "string" | "integer" | "boolean" => {}
        other => panic!("type {other}"),
    }
}

#[test]
fn schemas_are_strict_and_name_every_argument() {
    let tools = schema();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["short_grep", "short_expand"]);
    let fields: [&[&str]; 2] = [&short_grep::FIELDS, &short_expand::FIELDS];
    for (tool, fields) in tools.iter().zip(fields) {
        assert_eq!(tool.parameters["type"], "object");
        assert!(tool.parameters.get("enum").is_none());
        check_strict(&tool.parameters);
        let properties = tool.parameters["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), fields);
    }
}

#[test]
fn no_description_is_too_long_for_a_server() {
    let optional = OptionalTool::ALL.map(OptionalTool::schema);
    for tool in schema().iter().chain(&optional) {
        let length = tool.description.chars().count();
        assert!(length <= 1_024, "{}: {length}", tool.name);
    }
}

#[test]
fn schemas_of_optional_tools_are_as_strict() {
    let fields: [&[&str]; 2] = [&["focus"], &pin::FIELDS];
    for (tool, fields) in OptionalTool::ALL.into_iter().zip(fields) {
        let schema = tool.schema();
        check_strict(&schema.parameters);
        let properties = schema.parameters["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), fields);
    }
}

#[test]
fn every_example_of_a_description_is_taken() {
    for tool in schema() {
        let examples: Vec<&str> = tool
            .description
            .lines()
            .filter(|line| line.starts_with('{'))
            .collect();
        assert!(examples.len() >= 3, "{}", tool.name);
        for example in examples {
            let json: Value = serde_json::from_str(example).unwrap();
            if tool.name == "short_grep" {
                grep_args(json);
            } else {
                ExpandArgs::try_from(json).unwrap();
            }
        }
    }
}

#[test]
fn a_refusal_shows_the_beginning_of_a_value() {
    let long = "[".repeat(100_000);
    for json in [
        json!({"message_ids": long}),
        json!({"message_ids": [long]}),
        json!({"summary_ids": [long]}),
        json!({"message_ids": [1], "max_tokens": long}),
        json!({"message_ids": [1], "include_tool_results": long}),
    ] {
        let error = ExpandArgs::try_from(json).unwrap_err().to_string();
        assert!(error.contains("[[[") && error.len() < 300, "{error}");
    }
}

#[test]
fn many_missing_ids_are_named_in_no_more_time_than_they_take_to_read() {
    let texts: Vec<String> = (1..=100_000).map(|id| id.to_string()).collect();
    let args = ExpandArgs::try_from(json!({"message_ids": texts})).unwrap();
    let reply = ExpandReply {
        messages: Vec::new(),
        summaries: Vec::new(),
        tokens: Tokens::ZERO,
        cursor: None,
        missing: args.ids.iter().map(|asked| asked.id).collect(),
    };
    let begun = std::time::Instant::now();
    let answer = expand_answer(&reply, &args.ids);
    assert_eq!(answer["missing"], json!(texts));
    // Each id compared with each other one: minutes.
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}
