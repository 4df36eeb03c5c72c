//! What is in a schema, and the rules that more than one interface has of it.

use serde_json::{Map, Value};

use crate::render::rule::{list, text};

/// Every schema inside one, itself first, each with how deep in objects and lists it stands.
pub(super) fn all_schemas(schema: &Value) -> Vec<(usize, &Value)> {
    fn walk<'a>(schema: &'a Value, depth: usize, found: &mut Vec<(usize, &'a Value)>) {
        found.push((depth, schema));
        let properties = schema["properties"].as_object();
        let inside = properties.into_iter().flat_map(Map::values);
        for schema in inside.chain(schema.get("items")) {
            walk(schema, depth + 1, found);
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            for schema in list(&schema[keyword]) {
                walk(schema, depth, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(schema, 1, &mut found);
    found
}

/// Says whether every schema inside these holds.
pub(super) fn each<'a>(
    schemas: impl Iterator<Item = &'a Value>,
    holds: impl Fn(&Value) -> bool,
) -> bool {
    let mut all = schemas.flat_map(all_schemas);
    all.all(|(_, schema)| holds(schema))
}

pub(super) fn is_closed(schema: &Value) -> bool {
    schema["type"] != "object" || schema["additionalProperties"] == false
}

/// An object at the root, with nothing beside it that says otherwise.
pub(super) fn is_plain_object(schema: &Value) -> bool {
    let words = ["oneOf", "anyOf", "allOf", "not", "enum"];
    schema["type"] == "object" && words.iter().all(|word| schema.get(word).is_none())
}

pub(super) fn has_one_type(schema: &Value) -> bool {
    let types = ["object", "array", "string", "integer", "number", "boolean"];
    types.contains(&text(&schema["type"]))
}

/// A list says what is in it.
pub(super) fn has_items(schema: &Value) -> bool {
    let is_list = schema["type"] == "array" || list(&schema["type"]).contains(&"array".into());
    !is_list || schema["items"].get("type").is_some()
}

pub(super) fn names_of_properties(schema: &Value) -> Vec<&str> {
    let properties = schema["properties"].as_object();
    properties
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect()
}

pub(super) fn required(schema: &Value) -> Vec<&str> {
    list(&schema["required"]).iter().map(text).collect()
}

pub(super) fn has_only(object: &Value, words: &[&str]) -> bool {
    let object = object.as_object();
    object.is_some_and(|object| object.keys().all(|word| words.contains(&word.as_str())))
}
