//! What Gemini asks of function declarations. "Schema" and "Tool" are messages of
//! its interface; words in quotes are refusals.

use serde_json::{Map, Value, json};

use super::schemas::{all_schemas, has_only, names_of_properties, required};
use super::{check_declared, declared, loose};
use crate::render::rule::{Rule, all_different, check_rules, is_name, list, text};

const RULES: [Rule; 12] = [
    Rule {
        name: "tools are one list of declarations",
        source: "Tool: functionDeclarations[]; FunctionDeclaration: name, description, parameters",
        holds: |tools| {
            let words = ["name", "description", "parameters"];
            list(tools).len() == 1
                && has_only(&tools[0], &["functionDeclarations"])
                && declarations(tools).all(|function| has_only(function, &words))
        },
    },
    Rule {
        name: "names begin with a letter or _ and have 1 to 64 of letters, digits, _ and -",
        source: "FunctionDeclaration: name; dots and colons are not allowed everywhere",
        holds: |tools| {
            declarations(tools)
                .map(|function| text(&function["name"]))
                .all(|name| {
                    let begins =
                        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
                    begins && is_name(name, 64)
                })
        },
    },
    Rule {
        name: "names differ",
        source: "\"Duplicate function declaration found\"",
        holds: |tools| all_different(declarations(tools).map(|function| text(&function["name"]))),
    },
    Rule {
        name: "a function is described",
        source: "FunctionDeclaration: description is required",
        holds: |tools| {
            declarations(tools).all(|function| !text(&function["description"]).is_empty())
        },
    },
    Rule {
        name: "parameters are an object",
        source: "\"parameters schema should be of type OBJECT\"",
        holds: |tools| {
            declarations(tools).all(|function| function["parameters"]["type"] == "OBJECT")
        },
    },
    Rule {
        name: "an object has properties",
        source: "\"properties: should be non-empty for OBJECT type\"",
        holds: |tools| {
            each(tools, |schema| {
                schema["type"] != "OBJECT" || !names_of_properties(schema).is_empty()
            })
        },
    },
    Rule {
        name: "keywords are those of Schema",
        source: "Schema: \"Unknown name \\\"additionalProperties\\\" … Cannot find field\"",
        holds: |tools| {
            let words = [
                "type",
                "format",
                "title",
                "description",
                "nullable",
                "enum",
                "items",
                "minItems",
                "maxItems",
                "properties",
                "required",
                "propertyOrdering",
                "minimum",
                "maximum",
                "anyOf",
                "example",
                "default",
            ];
            each(tools, |schema| has_only(schema, &words))
        },
    },
    Rule {
        name: "types are words of Type",
        source: "Type: STRING, NUMBER, INTEGER, BOOLEAN, ARRAY, OBJECT",
        holds: |tools| {
            let words = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"];
            each(tools, |schema| words.contains(&text(&schema["type"])))
        },
    },
    Rule {
        name: "lists say what is in them",
        source: "\"items: missing field\"",
        holds: |tools| {
            each(tools, |schema| {
                schema["type"] != "ARRAY" || schema["items"]["type"].is_string()
            })
        },
    },
    Rule {
        name: "choices are some words of a string",
        source: "Schema: enum, {type: STRING, format: enum}; \"only allowed for STRING type\", \"cannot be empty\"",
        holds: |tools| {
            each(tools, |schema| {
                let words = list(&schema["enum"]);
                let says = words.iter().all(|word| !text(word).is_empty()) && !words.is_empty();
                let is_text = schema["type"] == "STRING" && schema["format"] == "enum";
                schema.get("enum").is_none() || (says && is_text)
            })
        },
    },
    Rule {
        name: "formats are known and counts of items are text",
        source: "\"only 'enum' and 'date-time' are supported for STRING type\"; Schema: minItems, int64 as a string",
        holds: |tools| {
            each(tools, |schema| {
                let format = schema.get("format");
                let is_known =
                    format.is_none_or(|word| ["enum", "date-time"].contains(&text(word)));
                let count = schema.get("minItems");
                is_known && count.is_none_or(|count| text(count).parse::<i64>().is_ok())
            })
        },
    },
    Rule {
        name: "arguments begin with a letter or _, and the required ones are there",
        source: "FunctionDeclaration: parameters; \"required[0]: property is not defined\"",
        holds: |tools| {
            each(tools, |schema| {
                let names = names_of_properties(schema);
                let is_sound = |name: &&str| {
                    !name.contains('-')
                        && is_name(name, 64)
                        && !name.starts_with(|c: char| c.is_ascii_digit())
                };
                names.iter().all(is_sound)
                    && required(schema).iter().all(|name| names.contains(name))
            })
        },
    },
];

fn declarations(tools: &Value) -> impl Iterator<Item = &Value> {
    list(&tools[0]["functionDeclarations"]).iter()
}

fn each(tools: &Value, holds: impl Fn(&Value) -> bool) -> bool {
    let mut all = declarations(tools).flat_map(|function| all_schemas(&function["parameters"]));
    all.all(|(_, schema)| holds(schema))
}

#[test]
fn declarations_of_gemini_keep_its_rules() {
    check_declared(loose("gemini"), &[&RULES]);
}

#[test]
fn each_rule_of_gemini_is_broken_by_a_bad_declaration() {
    let at = |place: &str| format!("/0/functionDeclarations/0{place}");
    let scope = at("/parameters/properties/scope");
    let named = "names begin with a letter or _ and have 1 to 64 of letters, digits, _ and -";
    let words = "choices are some words of a string";
    let arguments = "arguments begin with a letter or _, and the required ones are there";
    let formats = "formats are known and counts of items are text";
    let bad = [
        (
            "tools are one list of declarations",
            "/0".to_owned(),
            json!({"function_declarations": []}),
        ),
        (
            "tools are one list of declarations",
            at(""),
            json!({"name": "x", "input_schema": {}}),
        ),
        (named, at("/name"), json!("9grep")),
        (named, at("/name"), json!("g".repeat(65))),
        ("names differ", at("/name"), json!("short_expand")),
        ("a function is described", at("/description"), json!("")),
        (
            "parameters are an object",
            at("/parameters"),
            json!({"type": "STRING"}),
        ),
        (
            "an object has properties",
            at("/parameters"),
            json!({"type": "OBJECT", "properties": {}}),
        ),
        (
            "keywords are those of Schema",
            scope.clone(),
            json!({"type": "STRING", "const": "x"}),
        ),
        (
            "keywords are those of Schema",
            at("/parameters"),
            json!({"type": "OBJECT", "additionalProperties": false}),
        ),
        (
            "types are words of Type",
            at("/parameters/properties/limit/type"),
            json!("integer"),
        ),
        (
            "lists say what is in them",
            scope.clone(),
            json!({"type": "ARRAY"}),
        ),
        (words, at("/parameters/properties/scope/enum"), json!([])),
        (words, at("/parameters/properties/scope/enum"), json!([""])),
        (
            words,
            scope.clone(),
            json!({"type": "INTEGER", "format": "enum", "enum": ["1"]}),
        ),
        (
            formats,
            scope.clone(),
            json!({"type": "STRING", "format": "email"}),
        ),
        (
            formats,
            scope.clone(),
            json!({"type": "ARRAY", "items": {"type": "STRING"}, "minItems": 1}),
        ),
        (arguments, at("/parameters/required"), json!(["patern"])),
        (
            arguments,
            at("/parameters/properties"),
            json!({"a-b": {"type": "STRING"}}),
        ),
    ];
    let bad: Vec<(&str, &str, Value)> = bad
        .iter()
        .map(|(name, place, value)| (*name, place.as_str(), value.clone()))
        .collect();
    check_rules(&RULES, &declared(loose("gemini")), &bad);
}

#[test]
fn a_declaration_says_all_that_the_schema_does() {
    fn json_schema(schema: &Value) -> Value {
        let mut words = schema.as_object().unwrap().clone();
        words.shift_remove("format");
        let kind = text(&schema["type"]).to_lowercase();
        if kind == "object" {
            words.insert("additionalProperties".to_owned(), json!(false));
        }
        words["type"] = kind.into();
        if let Some(count) = words.get_mut("minItems") {
            *count = text(count).parse::<i64>().unwrap().into();
        }
        if let Some(items) = words.get_mut("items") {
            *items = json_schema(items);
        }
        let properties = words.get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(Map::values_mut) {
            *property = json_schema(property);
        }
        words.into()
    }
    let anthropic = declared(loose("anthropic"));
    let gemini = declared(loose("gemini"));
    assert_eq!(declarations(&gemini).count(), list(&anthropic).len());
    for (function, tool) in declarations(&gemini).zip(list(&anthropic)) {
        assert_eq!(function["name"], tool["name"]);
        assert_eq!(function["description"], tool["description"]);
        assert_eq!(json_schema(&function["parameters"]), tool["input_schema"]);
    }
}
