//! What `OpenAI` asks of functions, in Chat Completions and in Responses, and of strict ones.
//! "Guide" is its guide to structured outputs, "supported schemas"; words in quotes are refusals.

use serde_json::{Value, json};

use super::schemas::{
    all_schemas, each, has_items, has_one_type, has_only, is_closed, is_plain_object,
    names_of_properties, required,
};
use super::{check_declared, declared, loose, strict};
use crate::render::rule::{Rule, all_different, check_rules, is_name, list, text};

const CHAT: Rule = Rule {
    name: "a tool is a function with a name, a description and parameters",
    source: "Reference of POST /v1/chat/completions: tools[]",
    holds: |tools| {
        list(tools).iter().all(|tool| {
            let words = ["name", "description", "parameters", "strict"];
            tool["type"] == "function"
                && has_only(tool, &["type", "function"])
                && has_only(&tool["function"], &words)
        })
    },
};

const RESPONSES: Rule = Rule {
    name: "a tool is flat and says whether it is strict",
    source: "Reference of POST /v1/responses: tools[], strict is required and true by default",
    holds: |tools| {
        list(tools).iter().all(|tool| {
            let words = ["type", "name", "description", "parameters", "strict"];
            tool["type"] == "function" && has_only(tool, &words) && tool["strict"].is_boolean()
        })
    },
};

const FUNCTIONS: [Rule; 7] = [
    Rule {
        name: "names are 1 to 64 letters, digits, _ and -",
        source: "Reference: tools[].function.name",
        holds: |tools| functions(tools).all(|function| is_name(text(&function["name"]), 64)),
    },
    Rule {
        name: "names differ",
        source: "\"Tool names must be unique\"",
        holds: |tools| all_different(functions(tools).map(|function| text(&function["name"]))),
    },
    Rule {
        name: "descriptions have 1 to 1,024 characters",
        source: "\"Invalid 'tools[].function.description': string too long … maximum length 1024\"",
        holds: |tools| {
            functions(tools)
                .map(|function| text(&function["description"]).chars().count())
                .all(|length| (1..=1024).contains(&length))
        },
    },
    Rule {
        name: "the root is an object and nothing else",
        source: "\"schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level\"",
        holds: |tools| schemas(tools).all(is_plain_object),
    },
    Rule {
        name: "lists say what is in them",
        source: "\"array schema missing items\"",
        holds: |tools| each(schemas(tools), has_items),
    },
    Rule {
        name: "what is required is there",
        source: "JSON Schema: required; \"'required' is required to be supplied\"",
        holds: |tools| {
            each(schemas(tools), |schema| {
                let names = names_of_properties(schema);
                required(schema).iter().all(|name| names.contains(name))
            })
        },
    },
    Rule {
        name: "choices are some words, each once",
        source: "\"enum … [] should be non-empty\"",
        holds: |tools| {
            each(schemas(tools), |schema| {
                let words = list(&schema["enum"]);
                let are_words = words.iter().all(|word| word.is_string() || word.is_null());
                let differ = words
                    .iter()
                    .enumerate()
                    .all(|(n, word)| !words[..n].contains(word));
                schema.get("enum").is_none() || (!words.is_empty() && are_words && differ)
            })
        },
    },
];

const LOOSE: [Rule; 1] = [Rule {
    name: "each value has one type",
    source: "clients that refuse lists of types, where no strict mode asks for them",
    holds: |tools| each(schemas(tools), has_one_type),
}];

/// The numbers of the limits are the least ever published; today's are higher.
const STRICT: [Rule; 8] = [
    Rule {
        name: "strict is said",
        source: "Guide to function calling: strict mode",
        holds: |tools| functions(tools).all(|function| function["strict"] == true),
    },
    Rule {
        name: "objects are closed",
        source: "Guide: additionalProperties: false must always be set",
        holds: |tools| each(schemas(tools), is_closed),
    },
    Rule {
        name: "every property is required",
        source: "Guide: all fields must be required",
        holds: |tools| {
            each(schemas(tools), |schema| {
                names_of_properties(schema) == required(schema)
            })
        },
    },
    Rule {
        name: "keywords are those that every strict server knows",
        source: "Guide: supported properties, without those that fine-tuned models and Azure refuse",
        holds: |tools| {
            let words = [
                "type",
                "description",
                "enum",
                "const",
                "properties",
                "required",
                "additionalProperties",
                "items",
                "anyOf",
            ];
            each(schemas(tools), |schema| has_only(schema, &words))
        },
    },
    Rule {
        name: "each value has one type, or one and null",
        source: "Guide: optional fields are a union type with null",
        holds: |tools| {
            each(schemas(tools), |schema| {
                let kinds = list(&schema["type"]);
                let is_optional = kinds.len() == 2 && kinds[1] == "null";
                has_one_type(schema) || (is_optional && has_one_type(&json!({"type": kinds[0]})))
            })
        },
    },
    Rule {
        name: "null is a choice exactly where it is a type",
        source: "Guide: enum; a value must be both of the type and among the words",
        holds: |tools| {
            each(schemas(tools), |schema| {
                let may_be_null = list(&schema["type"]).contains(&"null".into());
                let has_null = list(&schema["enum"]).contains(&Value::Null);
                schema.get("enum").is_none() || may_be_null == has_null
            })
        },
    },
    Rule {
        name: "at most 100 properties and 5 levels",
        source: "Guide: object properties and nesting depth, as first published",
        holds: |tools| {
            schemas(tools).all(|schema| {
                let all = all_schemas(schema);
                all.len() <= 101 && all.iter().all(|(depth, _)| *depth <= 5)
            })
        },
    },
    Rule {
        name: "at most 500 choices, and 15,000 characters of names and choices",
        source: "Guide: total string size and enum size, as first published",
        holds: |tools| {
            schemas(tools).all(|schema| {
                let all = all_schemas(schema);
                let choices = || all.iter().flat_map(|(_, schema)| list(&schema["enum"]));
                let names = all
                    .iter()
                    .flat_map(|(_, schema)| names_of_properties(schema));
                let said = names.chain(choices().map(text)).map(str::len);
                choices().count() <= 500 && said.sum::<usize>() <= 15_000
            })
        },
    },
];

/// What of a tool is about the function, in either interface.
fn functions(tools: &Value) -> impl Iterator<Item = &Value> {
    list(tools)
        .iter()
        .map(|tool| tool.get("function").unwrap_or(tool))
}

fn schemas(tools: &Value) -> impl Iterator<Item = &Value> {
    functions(tools).map(|function| &function["parameters"])
}

/// Where a rule of functions is broken in Chat Completions; `{}` stands for what differs elsewhere.
fn bad_functions(function: &str) -> Vec<(&'static str, String, Value)> {
    let at = |place: &str| format!("{function}{place}");
    let pattern = at("/parameters/properties/pattern");
    vec![
        (
            "names are 1 to 64 letters, digits, _ and -",
            at("/name"),
            json!("short.grep"),
        ),
        (
            "names are 1 to 64 letters, digits, _ and -",
            at("/name"),
            json!("g".repeat(65)),
        ),
        ("names differ", at("/name"), json!("short_expand")),
        (
            "descriptions have 1 to 1,024 characters",
            at("/description"),
            json!("é".repeat(1025)),
        ),
        (
            "the root is an object and nothing else",
            at("/parameters"),
            json!({"type": "array"}),
        ),
        (
            "the root is an object and nothing else",
            at("/parameters"),
            json!({"type": "object", "anyOf": []}),
        ),
        (
            "lists say what is in them",
            pattern.clone(),
            json!({"type": "array"}),
        ),
        (
            "lists say what is in them",
            pattern.clone(),
            json!({"type": "array", "items": {}}),
        ),
        (
            "what is required is there",
            at("/parameters/required"),
            json!(["patern"]),
        ),
        (
            "choices are some words, each once",
            pattern.clone(),
            json!({"type": "string", "enum": []}),
        ),
        (
            "choices are some words, each once",
            pattern.clone(),
            json!({"type": "string", "enum": ["a", "a"]}),
        ),
    ]
}

#[track_caller]
fn check(rules: &[Rule], good: &Value, bad: &[(&str, String, Value)]) {
    let bad: Vec<(&str, &str, Value)> = bad
        .iter()
        .map(|(name, place, value)| (*name, place.as_str(), value.clone()))
        .collect();
    check_rules(rules, good, &bad);
}

#[test]
fn functions_of_chat_completions_keep_its_rules() {
    check_declared(loose("openai"), &[&[CHAT], &FUNCTIONS, &LOOSE]);
    check_declared(strict("openai"), &[&[CHAT], &FUNCTIONS, &STRICT]);
}

#[test]
fn functions_of_responses_keep_its_rules() {
    check_declared(
        loose("openai-responses"),
        &[&[RESPONSES], &FUNCTIONS, &LOOSE],
    );
    check_declared(
        strict("openai-responses"),
        &[&[RESPONSES], &FUNCTIONS, &STRICT],
    );
    let loose = declared(loose("openai-responses"));
    assert!(list(&loose).iter().all(|tool| tool["strict"] == false));
}

#[test]
fn each_rule_of_functions_is_broken_by_a_bad_one() {
    check(
        &FUNCTIONS,
        &declared(loose("openai")),
        &bad_functions("/0/function"),
    );
    check(
        &FUNCTIONS,
        &declared(strict("openai-responses")),
        &bad_functions("/0"),
    );
    let flat = json!({"type": "function", "name": "short_grep", "parameters": {}});
    let bad = [(CHAT.name, "/0".to_owned(), flat.clone())];
    check(&[CHAT], &declared(loose("openai")), &bad);
    let bad = [(RESPONSES.name, "/0".to_owned(), flat)];
    check(&[RESPONSES], &declared(loose("openai-responses")), &bad);
    let scope = "/0/function/parameters/properties/scope/type".to_owned();
    let bad = [(LOOSE[0].name, scope, json!(["string", "null"]))];
    check(&LOOSE, &declared(loose("openai")), &bad);
}

#[test]
fn each_rule_of_strict_functions_is_broken_by_a_bad_one() {
    let at = |place: &str| format!("/0/function{place}");
    let property = |name: &str| at(&format!("/parameters/properties/{name}"));
    let mut deep = json!({"type": "string"});
    for _ in 0..5 {
        deep = json!({"type": "array", "items": deep});
    }
    let many: Vec<String> = (0..501).map(|n| n.to_string()).collect();
    let wide: serde_json::Map<String, Value> = (0..101)
        .map(|n| (format!("p{n}"), json!({"type": "string"})))
        .collect();
    let bad = [
        ("strict is said", at("/strict"), json!(false)),
        (
            "objects are closed",
            at("/parameters/additionalProperties"),
            json!(true),
        ),
        (
            "objects are closed",
            property("scope"),
            json!({"type": "object"}),
        ),
        (
            "every property is required",
            at("/parameters/required"),
            json!(["pattern"]),
        ),
        (
            "keywords are those that every strict server knows",
            property("limit"),
            json!({"type": ["integer", "null"], "minimum": 1}),
        ),
        (
            "keywords are those that every strict server knows",
            property("limit"),
            json!({"type": "string", "oneOf": []}),
        ),
        (
            "each value has one type, or one and null",
            property("limit/type"),
            json!(["integer", "string"]),
        ),
        (
            "each value has one type, or one and null",
            property("limit"),
            json!({"description": "x"}),
        ),
        (
            "null is a choice exactly where it is a type",
            property("scope/enum"),
            json!(["both"]),
        ),
        (
            "null is a choice exactly where it is a type",
            property("scope/type"),
            json!("string"),
        ),
        (
            "at most 100 properties and 5 levels",
            property("limit"),
            deep,
        ),
        (
            "at most 100 properties and 5 levels",
            property("limit"),
            json!({"type": "object", "properties": wide}),
        ),
        (
            "at most 500 choices, and 15,000 characters of names and choices",
            property("scope/enum"),
            json!(many),
        ),
        (
            "at most 500 choices, and 15,000 characters of names and choices",
            property("scope/enum"),
            json!(["x".repeat(15_001)]),
        ),
    ];
    check(&STRICT, &declared(strict("openai")), &bad);
}
