//! What the declared schemas say is JSON Schema, takes the examples of the descriptions, and is taken
//! by the tools: in strict forms with a null for each argument that is left out.

use hippocamp::domain::NewMessage;
use hippocamp::tools::{OptionalTool, ToolFormat, dispatch_with};
use serde_json::{Value, json};

use super::super::{Host, bound, with_host};
use super::{declared, loose, strict};
use crate::render::rule::{list, text};

/// What a tool is told of: its name, its schema and the examples of its description.
struct Told {
    name: String,
    schema: Value,
    examples: Vec<Value>,
}

fn told(format: ToolFormat) -> Vec<Told> {
    let tools = declared(format);
    let told = list(&tools).iter().map(|tool| {
        let function = tool.get("function").unwrap_or(tool);
        let schema = function.get("parameters").or(function.get("input_schema"));
        let examples = text(&function["description"])
            .lines()
            .filter(|line| line.starts_with('{'));
        Told {
            name: text(&function["name"]).to_owned(),
            schema: schema.unwrap().clone(),
            examples: examples
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
        }
    });
    told.collect()
}

/// Writes an example as a strict mode has it written: null for each argument that is left out.
fn with_nulls(example: &Value, schema: &Value) -> Value {
    let names = schema["properties"].as_object().unwrap().keys();
    let given = names.map(|name| (name.clone(), example[name.as_str()].clone()));
    Value::Object(given.collect())
}

fn schema_formats() -> [ToolFormat; 6] {
    [
        loose("openai"),
        strict("openai"),
        loose("openai-responses"),
        strict("openai-responses"),
        loose("anthropic"),
        strict("anthropic"),
    ]
}

#[test]
fn schemas_are_json_schema_and_take_their_examples() {
    for format in schema_formats() {
        let wants_all = [strict("openai"), strict("openai-responses")].contains(&format);
        for tool in told(format) {
            assert!(jsonschema::meta::is_valid(&tool.schema), "{}", tool.schema);
            let schema = jsonschema::validator_for(&tool.schema).unwrap();
            assert!(tool.examples.len() >= 2, "{}", tool.name);
            for example in &tool.examples {
                let nulled = with_nulls(example, &tool.schema);
                assert!(
                    schema.is_valid(if wants_all { &nulled } else { example }),
                    "{example}"
                );
                let is_whole = nulled == *example;
                assert_eq!(schema.is_valid(&nulled), wants_all || is_whole, "{nulled}");
                assert_eq!(
                    schema.is_valid(example),
                    !wants_all || is_whole,
                    "{example}"
                );
            }
            assert!(!schema.is_valid(&json!({"pattern": "x", "bogus": 1})));
            assert!(!schema.is_valid(&json!([])));
        }
    }
    assert!(!jsonschema::meta::is_valid(&json!({"type": "thing"})));
}

async fn called(host: &Host, name: &str, arguments: &Value) -> Value {
    let tools = OptionalTool::ALL;
    let answer = dispatch_with(
        &host.engine,
        &bound("main"),
        &tools,
        name,
        arguments.clone(),
    )
    .await;
    answer.unwrap_or_else(|error| panic!("{name} {arguments}: {error}"))
}

#[test]
fn a_strict_call_with_nulls_is_answered_as_one_without_those_arguments() {
    with_host(async |host| {
        let said =
            (1..=60).map(|n| NewMessage::user(format!("the staging bucket name is otter {n}")));
        host.say("main", said.collect()).await;
        let mut found = 0;
        for tool in told(strict("openai")) {
            for example in &tool.examples {
                let nulled = with_nulls(example, &tool.schema);
                let first = called(host, &tool.name, example).await;
                let second = called(host, &tool.name, &nulled).await;
                match tool.name.as_str() {
                    // What is asked for again is told as such.
                    "pin" => {
                        assert_eq!(
                            (&first["status"], &second["status"]),
                            (&json!("pinned"), &json!("unchanged"))
                        );
                        assert_eq!(first["id"], second["id"]);
                    }
                    _ => assert_eq!(first, second, "{nulled}"),
                }
                found += list(&first["results"]).len() + list(&first["messages"]).len();
            }
        }
        assert!(found > 20, "{found} rows: the examples find nothing");
    });
}

#[test]
fn a_null_for_what_must_be_given_is_refused_by_name() {
    with_host(async |host| {
        host.say("main", vec![NewMessage::user("otter")]).await;
        let tools = OptionalTool::ALL;
        for (name, part) in [
            ("short_grep", "`pattern`"),
            ("short_expand", "exactly one"),
            ("pin", "`text`"),
        ] {
            let tool = told(strict("openai"))
                .into_iter()
                .find(|tool| tool.name == name)
                .unwrap();
            let nulls = with_nulls(&json!({}), &tool.schema);
            let answer = dispatch_with(&host.engine, &bound("main"), &tools, name, nulls).await;
            let error = answer.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    });
}
