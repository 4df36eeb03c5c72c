//! What Anthropic's Messages ask of tools, and of strict ones.
//! "Guide" is its page on structured outputs, "JSON Schema limitations" and "complexity limits".

use serde_json::{Value, json};

use super::schemas::{
    all_schemas, each, has_items, has_one_type, has_only, is_closed, is_plain_object,
    names_of_properties, required,
};
use super::{check_declared, declared, loose, strict};
use crate::render::rule::{Rule, all_different, check_rules, is_name, list, text};

const RULES: [Rule; 7] = [
    Rule {
        name: "a tool has a name, a description and an input_schema",
        source: "Reference of POST /v1/messages: tools[]",
        holds: |tools| {
            let words = ["name", "description", "input_schema", "strict"];
            let mut tools = list(tools).iter();
            tools.all(|tool| {
                has_only(tool, &words) && words[..3].iter().all(|word| tool.get(word).is_some())
            })
        },
    },
    Rule {
        name: "names are 1 to 64 letters, digits, _ and -",
        source: "Reference: tools[].name, ^[a-zA-Z0-9_-]{1,64}$; today 128",
        holds: |tools| {
            list(tools)
                .iter()
                .all(|tool| is_name(text(&tool["name"]), 64))
        },
    },
    Rule {
        name: "names differ",
        source: "\"tools: Tool names must be unique.\"",
        holds: |tools| all_different(list(tools).iter().map(|tool| text(&tool["name"]))),
    },
    Rule {
        name: "the root is an object and nothing else",
        source: "\"input_schema does not support oneOf, allOf, or anyOf at the top level\"",
        holds: |tools| schemas(tools).all(is_plain_object),
    },
    Rule {
        name: "names of properties are 1 to 64 letters, digits, _, . and -",
        source: "\"Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'\"",
        holds: |tools| {
            each(schemas(tools), |schema| {
                let mut names = names_of_properties(schema).into_iter();
                names.all(|name| is_name(&name.replace('.', "_"), 64))
            })
        },
    },
    Rule {
        name: "each value has one type",
        source: "JSON Schema 2020-12; unions are dear in strict tools and needed nowhere",
        holds: |tools| each(schemas(tools), has_one_type),
    },
    Rule {
        name: "lists say what is in them",
        source: "JSON Schema 2020-12: items",
        holds: |tools| each(schemas(tools), has_items),
    },
];

const STRICT: [Rule; 6] = [
    Rule {
        name: "strict is said",
        source: "Strict tool use: strict: true in the tool definition",
        holds: |tools| list(tools).iter().all(|tool| tool["strict"] == true),
    },
    Rule {
        name: "objects are closed",
        source: "Guide: additionalProperties must be set to false for objects",
        holds: |tools| each(schemas(tools), is_closed),
    },
    Rule {
        name: "keywords are supported ones",
        source: "Guide: supported features; no numerical constraints, no lengths of strings",
        holds: |tools| {
            let words = [
                "type",
                "description",
                "enum",
                "const",
                "anyOf",
                "default",
                "properties",
                "required",
                "additionalProperties",
                "items",
                "minItems",
            ];
            each(schemas(tools), |schema| has_only(schema, &words))
        },
    },
    Rule {
        name: "lists have at least 0 or 1 items",
        source: "Guide: minItems, only 0 and 1",
        holds: |tools| {
            each(schemas(tools), |schema| {
                let least = schema.get("minItems");
                least.is_none_or(|least| [json!(0), json!(1)].contains(least))
            })
        },
    },
    Rule {
        name: "choices are plain values",
        source: "Guide: enum of strings, numbers, truth values or nulls",
        holds: |tools| {
            each(schemas(tools), |schema| {
                let mut words = list(&schema["enum"]).iter();
                words.all(|word| !word.is_object() && !word.is_array())
            })
        },
    },
    Rule {
        name: "at most 20 tools, 24 optional arguments and 16 unions",
        source: "Guide: schema complexity limits, of all strict tools of a request",
        holds: |tools| {
            let all: Vec<&Value> = schemas(tools)
                .flat_map(all_schemas)
                .map(|(_, schema)| schema)
                .collect();
            let optional = all.iter().map(|schema| {
                let required = required(schema);
                let names = names_of_properties(schema).into_iter();
                names.filter(|name| !required.contains(name)).count()
            });
            let unions = all
                .iter()
                .filter(|schema| schema["type"].is_array() || schema.get("anyOf").is_some());
            list(tools).len() <= 20 && optional.sum::<usize>() <= 24 && unions.count() <= 16
        },
    },
];

fn schemas(tools: &Value) -> impl Iterator<Item = &Value> {
    list(tools).iter().map(|tool| &tool["input_schema"])
}

#[test]
fn tools_of_anthropic_keep_its_rules() {
    check_declared(loose("anthropic"), &[&RULES]);
    check_declared(strict("anthropic"), &[&RULES, &STRICT]);
}

#[test]
fn each_rule_of_anthropic_is_broken_by_a_bad_tool() {
    let scope = "/0/input_schema/properties/scope";
    let schema = "/0/input_schema";
    let bad = [
        (
            "a tool has a name, a description and an input_schema",
            "/0",
            json!({"name": "x", "parameters": {}}),
        ),
        (
            "names are 1 to 64 letters, digits, _ and -",
            "/0/name",
            json!("short grep"),
        ),
        ("names differ", "/0/name", json!("pin")),
        (
            "the root is an object and nothing else",
            schema,
            json!({"type": "object", "oneOf": []}),
        ),
        (
            "names of properties are 1 to 64 letters, digits, _, . and -",
            schema,
            json!({"type": "object", "properties": {"what?": {"type": "string"}}}),
        ),
        (
            "each value has one type",
            scope,
            json!({"type": ["string", "null"]}),
        ),
        ("lists say what is in them", scope, json!({"type": "array"})),
    ];
    check_rules(&RULES, &declared(loose("anthropic")), &bad);
}

#[test]
fn each_rule_of_strict_anthropic_is_broken_by_a_bad_tool() {
    let scope = "/0/input_schema/properties/scope";
    let open: serde_json::Map<String, Value> = (0..25)
        .map(|n| (format!("p{n}"), json!({"type": "string"})))
        .collect();
    let union: serde_json::Map<String, Value> = (0..17)
        .map(|n| (format!("p{n}"), json!({"type": ["string", "null"]})))
        .collect();
    let names: Vec<&String> = union.keys().collect();
    let limits = "at most 20 tools, 24 optional arguments and 16 unions";
    let bad = [
        ("strict is said", "/0/strict", json!("true")),
        (
            "objects are closed",
            "/0/input_schema/additionalProperties",
            json!(true),
        ),
        (
            "keywords are supported ones",
            scope,
            json!({"type": "integer", "minimum": 1}),
        ),
        (
            "keywords are supported ones",
            scope,
            json!({"type": "string", "maxLength": 9}),
        ),
        (
            "lists have at least 0 or 1 items",
            scope,
            json!({"type": "array", "items": {"type": "string"}, "minItems": 2}),
        ),
        (
            "choices are plain values",
            scope,
            json!({"type": "string", "enum": [["a"]]}),
        ),
        (
            limits,
            "/0/input_schema",
            json!({"type": "object", "properties": open}),
        ),
        (
            limits,
            "/0/input_schema",
            json!({"type": "object", "properties": union, "required": names}),
        ),
    ];
    check_rules(&STRICT, &declared(strict("anthropic")), &bad);
}
