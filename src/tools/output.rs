//! What a program is told of the tools' answers. Owns their JSON Schemas.
//! Each type is one, and what may be absent is null: no field is ever left out.

use serde_json::{Map, Value, json};

/// Returns the JSON Schema of the answer of the tool `name`; none if there is no such tool.
#[must_use]
pub fn output_schema(name: &str) -> Option<Value> {
    match name {
        "short_grep" => Some(grep()),
        "short_expand" => Some(expand()),
        "short_compact" => Some(object(&[
            (
                "status",
                one_of(&["scheduled", "updated", "refused", "managed"]),
            ),
            ("reason", or_null(&text("Why it was refused."))),
        ])),
        "pin" => Some(object(&[
            ("status", one_of(&["pinned", "unchanged", "refused"])),
            ("id", or_null(&text("Such as p57."))),
            (
                "reason",
                or_null(&text("Why it was refused, and what to do.")),
            ),
        ])),
        _ => None,
    }
}

/// Returns the schema of an object that has all these fields, and may come to have more.
pub(crate) fn object(fields: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = fields
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// Returns the schema of a text.
pub(crate) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// Returns the schema of a text that is one of these words.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

/// Returns the schema of a whole number of at least 0.
pub(crate) fn count(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

/// Returns the schema of a truth value.
pub(crate) fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// Returns the schema of a list.
pub(crate) fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// Returns the schema of a value that may be absent.
pub(crate) fn or_null(schema: &Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

fn time() -> Value {
    or_null(&text("Such as 2026-01-02T03:04:05.678Z."))
}

fn grep() -> Value {
    let hit = object(&[
        ("id", text("Of a message (42) or a summary (s12).")),
        (
            "seq",
            count("Its place, or that of the first message it covers."),
        ),
        ("last_seq", count("The place of the last message.")),
        (
            "kind",
            text(
                "summary; of a message what its hit is in: text, tool_use, tool_result, other or meta.",
            ),
        ),
        ("role", or_null(&text("Of a message."))),
        ("depth", or_null(&count("Of a summary."))),
        ("conversation", text("The session key.")),
        ("time", time()),
        (
            "rank",
            or_null(&json!({"type": "number", "description": "More negative is better."})),
        ),
        ("snippet", text("The words around the hit.")),
        (
            "standing",
            text("in_view, under s12, other_branch, hidden or not_live."),
        ),
    ]);
    object(&[
        ("results", list(&hit)),
        ("total", count("Rows that match.")),
        (
            "total_capped",
            flag("Whether there may be more than total."),
        ),
        ("limit", count("Rows of a page at most.")),
        ("match", one_of(&["all", "some"])),
        ("read_as", text("The pattern as understood.")),
        ("complete", flag("Whether every row was looked at.")),
        ("cursor", or_null(&text("For the next page."))),
        ("hint", or_null(&text("What to do instead, if anything."))),
    ])
}

fn expand() -> Value {
    let part = json!({
        "type": "object",
        "properties": {
            "type": one_of(&[
                "text", "reasoning", "tool_use", "tool_result", "media", "opaque",
            ]),
        },
        "required": ["type"],
    });
    let cut = object(&[
        ("from", count("The first byte shown.")),
        ("to", count("The byte after the last one.")),
        ("of", count("All bytes.")),
    ]);
    let message = object(&[
        ("id", count("Its id.")),
        ("seq", count("Its place.")),
        ("conversation", text("The session key.")),
        ("role", text("user, assistant, tool or system.")),
        ("time", time()),
        ("name", or_null(&text("Of the speaker."))),
        ("model", or_null(&text("That said it."))),
        (
            "continues",
            or_null(&count("The place of the message it continues.")),
        ),
        ("tokens", count("Of the message.")),
        ("parts", list(&part)),
        ("cut", or_null(&cut)),
    ]);
    let row: [(&str, Value); 10] = [
        ("id", text("Such as s12.")),
        ("depth", count("0 is made from messages.")),
        ("first_seq", count("The first message it covers.")),
        ("last_seq", count("The last message it covers.")),
        ("from", time()),
        ("to", time()),
        ("tokens", count("Of the summary.")),
        ("origin", text("model, floor or fallback.")),
        ("model", or_null(&text("That wrote it."))),
        ("body", text("What it says.")),
    ];
    let child = object(&row);
    let mut fields = row.to_vec();
    fields.push(("conversation", text("The session key.")));
    fields.push(("children", list(&child)));
    object(&[
        ("messages", list(&message)),
        ("summaries", list(&object(&fields))),
        ("tokens", count("Of this page.")),
        ("cursor", or_null(&text("For the next page."))),
        (
            "missing",
            list(&text("An id that no row within reach has.")),
        ),
    ])
}
