//! What `OpenAI`'s Responses interface asks of a body. "Reference" is the page of POST /v1/responses;
//! words in quotes are those of its refusals.

use serde_json::{Map, Value, json};

use super::rule::{Rule, all_different, check_rules, is_base64, is_name, list, speaks, text};

pub(super) const RULES: [Rule; 17] = [
    Rule {
        name: "a body is instructions and input",
        source: "Reference: body parameters; the host adds the others",
        holds: |body| {
            let known = |key: &String| key == "instructions" || key == "input";
            body.as_object()
                .is_some_and(|body| body.contains_key("input") && body.keys().all(known))
        },
    },
    Rule {
        name: "instructions say something",
        source: "Reference: instructions, a system message in front of the context",
        holds: |body| body.get("instructions").is_none_or(speaks),
    },
    Rule {
        name: "there is input",
        source: "\"One of 'input' or 'previous_response_id' … must be provided\"",
        holds: |body| !input(body).is_empty(),
    },
    Rule {
        name: "items are of kinds that the host may send",
        source: "\"Invalid value … Supported values are: 'message', 'function_call', 'reasoning', …\"",
        holds: |body| {
            let kinds = [
                "message",
                "reasoning",
                "function_call",
                "function_call_output",
            ];
            input(body)
                .iter()
                .all(|item| kinds.contains(&text(&item["type"])))
        },
    },
    Rule {
        name: "roles are system, user and assistant",
        source: "Reference: EasyInputMessage.role",
        holds: |body| {
            let roles = ["system", "user", "assistant"];
            of_kind(body, "message").all(|item| roles.contains(&text(&item["role"])))
        },
    },
    Rule {
        name: "a user begins",
        source: "chat templates of servers: \"conversation roles must alternate user/assistant/…\"",
        holds: |body| {
            let mut spoken = input(body)
                .iter()
                .skip_while(|item| item["role"] == "system");
            spoken.next().is_none_or(|first| first["role"] == "user")
        },
    },
    Rule {
        name: "nobody speaks twice in a row",
        source: "chat templates of servers: \"conversation roles must alternate user/assistant/…\"",
        holds: |body| {
            let is_message = |item: &Value| item["type"] == "message";
            let mut two = input(body).windows(2);
            two.all(|two| !two.iter().all(is_message) || two[0]["role"] != two[1]["role"])
        },
    },
    Rule {
        name: "content is blocks of the speaker's kinds, and not empty",
        source: "\"Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.\"",
        holds: |body| of_kind(body, "message").all(has_own_blocks),
    },
    Rule {
        name: "words say something",
        source: "Reference: input_text, output_text and refusal have a text; servers refuse empty ones",
        holds: |body| {
            let mut blocks = of_kind(body, "message").flat_map(|item| list(&item["content"]));
            blocks.all(|block| match text(&block["type"]) {
                "input_text" | "output_text" => speaks(&block["text"]),
                "refusal" => speaks(&block["refusal"]),
                _ => true,
            })
        },
    },
    Rule {
        name: "media can be read",
        source: "Reference: image_url, file_data with filename, file_url: a URL or a data URL",
        holds: |body| {
            let mut blocks = of_kind(body, "message").flat_map(|item| list(&item["content"]));
            blocks.all(has_source)
        },
    },
    Rule {
        name: "every call has its one output",
        source: "\"No tool output found for function call …\"",
        holds: |body| {
            let calls: Vec<&str> = ids(body, "function_call").collect();
            let outputs: Vec<&str> = ids(body, "function_call_output").collect();
            let mut sorted = (calls.clone(), outputs);
            sorted.0.sort_unstable();
            sorted.1.sort_unstable();
            sorted.0 == sorted.1
        },
    },
    Rule {
        name: "outputs stand right behind their calls",
        source: "facts F: \"no tool call found for function call output with call_id …\"",
        holds: |body| {
            let mut open: Vec<&str> = Vec::new();
            input(body).iter().all(|item| {
                let id = text(&item["call_id"]);
                match text(&item["type"]) {
                    "function_call" => open.push(id),
                    "function_call_output" => match open.iter().position(|call| *call == id) {
                        Some(at) => drop(open.remove(at)),
                        None => return false,
                    },
                    "message" => return open.is_empty(),
                    _ => {}
                }
                true
            })
        },
    },
    Rule {
        name: "ids of calls are all different",
        source: "outputs are found by call_id alone",
        holds: |body| all_different(ids(body, "function_call")),
    },
    Rule {
        name: "ids have 1 to 64 characters",
        source: "\"Invalid 'input[].call_id': string too long … maximum length 64\"",
        holds: |body| ids(body, "function_call").all(|id| is_name(id, 64)),
    },
    Rule {
        name: "functions have lawful names and the text of an object as arguments",
        source: "\"Invalid 'input[].name': … pattern '^[a-zA-Z0-9_-]+$'\"; facts F: arguments as json",
        holds: |body| {
            of_kind(body, "function_call").all(|call| {
                let arguments = text(&call["arguments"]);
                is_name(text(&call["name"]), 64)
                    && serde_json::from_str::<Map<String, Value>>(arguments).is_ok()
            })
        },
    },
    Rule {
        name: "an output says something",
        source: "Reference: function_call_output.output is required",
        holds: |body| of_kind(body, "function_call_output").all(|item| speaks(&item["output"])),
    },
    Rule {
        name: "reasoning is encrypted and stands before what it led to",
        source: "\"Item of type 'reasoning' was provided without its required following item\"",
        holds: |body| {
            let of_model = |item: &Value| {
                item["role"] == "assistant"
                    || item["type"] == "function_call"
                    || item["type"] == "reasoning"
            };
            input(body).iter().enumerate().all(|(at, item)| {
                item["type"] != "reasoning"
                    || (item["summary"].is_array()
                        && !text(&item["encrypted_content"]).is_empty()
                        && input(body).get(at + 1).is_some_and(of_model))
            })
        },
    },
];

fn input(body: &Value) -> &[Value] {
    list(&body["input"])
}

fn of_kind<'a>(body: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    input(body).iter().filter(move |item| item["type"] == kind)
}

fn ids<'a>(body: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a str> {
    of_kind(body, kind).map(|item| text(&item["call_id"]))
}

fn has_own_blocks(item: &Value) -> bool {
    let kinds: &[&str] = match text(&item["role"]) {
        "assistant" => &["output_text", "refusal"],
        "user" => &["input_text", "input_image", "input_file"],
        _ => &["input_text"],
    };
    let content = list(&item["content"]);
    let mut blocks = content.iter();
    !content.is_empty() && blocks.all(|block| kinds.contains(&text(&block["type"])))
}

fn has_source(block: &Value) -> bool {
    let inline = |url: &str, kind: &str| {
        let data = url.split_once(";base64,").map(|(_, data)| data);
        url.starts_with(kind) && data.is_some_and(is_base64)
    };
    match text(&block["type"]) {
        "input_image" => {
            let url = text(&block["image_url"]);
            url.starts_with("https://") || inline(url, "data:image/")
        }
        "input_file" => {
            let data = text(&block["file_data"]);
            let is_inline = speaks(&block["filename"]) && inline(data, "data:application/pdf");
            is_inline || text(&block["file_url"]).starts_with("https://")
        }
        _ => true,
    }
}

/// A body that breaks no rule.
fn good() -> Value {
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "Read", "arguments": "{}"});
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "1"});
    json!({
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "Look."},
                {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
            ]},
            {"type": "reasoning", "summary": [], "encrypted_content": "e"},
            call("a"),
            call("b"),
            output("a"),
            output("b"),
            {"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": "Done."},
            ]},
        ],
    })
}

/// Each rule with what breaks it, where.
fn bad() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "a body is instructions and input",
            "",
            json!({"messages": []}),
        ),
        ("instructions say something", "/instructions", json!(" ")),
        ("there is input", "/input", json!([])),
        (
            "items are of kinds that the host may send",
            "/input/1/type",
            json!("thinking"),
        ),
        (
            "roles are system, user and assistant",
            "/input/0/role",
            json!("tool"),
        ),
        ("a user begins", "/input/0/role", json!("assistant")),
        (
            "nobody speaks twice in a row",
            "/input/5",
            json!({"type": "message", "role": "assistant", "content": []}),
        ),
        (
            "content is blocks of the speaker's kinds, and not empty",
            "/input/6/content/0/type",
            json!("input_text"),
        ),
        (
            "words say something",
            "/input/6/content/0/text",
            json!("\n"),
        ),
        (
            "media can be read",
            "/input/0/content/1/image_url",
            json!("file:///a.png"),
        ),
        (
            "every call has its one output",
            "/input/5/call_id",
            json!("a"),
        ),
        (
            "outputs stand right behind their calls",
            "/input/3/type",
            json!("function_call_output"),
        ),
        (
            "ids of calls are all different",
            "/input/3/call_id",
            json!("a"),
        ),
        (
            "ids have 1 to 64 characters",
            "/input/3/call_id",
            json!("a".repeat(65)),
        ),
        (
            "functions have lawful names and the text of an object as arguments",
            "/input/3/arguments",
            json!("[]"),
        ),
        ("an output says something", "/input/5/output", json!("")),
        (
            "reasoning is encrypted and stands before what it led to",
            "/input/2",
            json!({"type": "message", "role": "user", "content": []}),
        ),
    ]
}

#[test]
fn each_rule_of_responses_is_broken_by_a_bad_body() {
    check_rules(&RULES, &good(), &bad());
}
