//! What Anthropic's Messages interface asks of a body. "Reference" is the page of POST /v1/messages;
//! words in quotes are those of its refusals.

use serde_json::{Value, json};

use super::rule::{
    Rule, all_different, check_rules, is_base64, is_name, list, messages, speaks, text,
};

pub(super) const RULES: [Rule; 22] = [
    Rule {
        name: "a body is a system prompt and messages",
        source: "Reference: body parameters; the host adds the others",
        holds: |body| {
            body.as_object()
                .is_some_and(|body| body.keys().all(|key| key == "system" || key == "messages"))
        },
    },
    Rule {
        name: "there is a message",
        source: "\"messages: at least one message is required\"",
        holds: |body| !messages(body).is_empty(),
    },
    Rule {
        name: "speakers are the user and the assistant, and the system has its own place",
        source: "Reference: MessageParam.role; the system prompt is a parameter of its own",
        holds: |body| {
            messages(body)
                .iter()
                .all(|m| m["role"] == "user" || m["role"] == "assistant")
        },
    },
    Rule {
        name: "a user begins",
        source: "\"messages: first message must use the \\\"user\\\" role\"",
        holds: |body| {
            messages(body)
                .first()
                .is_none_or(|first| first["role"] == "user")
        },
    },
    Rule {
        name: "roles alternate",
        source: "\"messages: roles must alternate between \\\"user\\\" and \\\"assistant\\\"\"",
        holds: |body| {
            messages(body)
                .windows(2)
                .all(|two| two[0]["role"] != two[1]["role"])
        },
    },
    Rule {
        name: "content is blocks of the speaker's kinds, and not empty",
        source: "Reference: ContentBlockParam; \"all messages must have non-empty content\"",
        holds: |body| messages(body).iter().all(has_own_blocks),
    },
    Rule {
        name: "no text is blank",
        source: "\"text content blocks must be non-empty\", \"must contain non-whitespace text\"",
        holds: |body| blocks(body, "text").all(|block| speaks(&block["text"])),
    },
    Rule {
        name: "the assistant's last words do not end in white space",
        source: "\"final assistant content cannot end with trailing whitespace\"",
        holds: |body| {
            let last = messages(body)
                .last()
                .filter(|last| last["role"] == "assistant");
            let said = last.and_then(|last| list(&last["content"]).last());
            said.is_none_or(|said| !text(&said["text"]).ends_with(char::is_whitespace))
        },
    },
    Rule {
        name: "every call is answered in the next message",
        source: "facts F: \"tool_use ids were found without tool_result blocks immediately after\"",
        holds: |body| {
            pairs(body).all(|(calls, results)| calls.iter().all(|id| results.contains(id)))
        },
    },
    Rule {
        name: "every result has its call in the message before",
        source: "facts F: \"unexpected tool_use_id found in tool_result blocks\"",
        holds: |body| {
            pairs(body).all(|(calls, results)| results.iter().all(|id| calls.contains(id)))
        },
    },
    Rule {
        name: "a call has a single result",
        source: "facts F: \"each tool_use must have a single result\"",
        holds: |body| pairs(body).all(|(_, results)| all_different(results.into_iter())),
    },
    Rule {
        name: "ids of calls are all different",
        source: "\"tool_use ids must be unique\"",
        holds: |body| all_different(blocks(body, "tool_use").map(|call| text(&call["id"]))),
    },
    Rule {
        name: "results come first in their message",
        source: "Tool use guide: tool_result blocks first, text after all of them",
        holds: |body| {
            messages(body)
                .iter()
                .all(|m| !has_after_other(m, "tool_result"))
        },
    },
    Rule {
        name: "calls come last in their message",
        source: "a text behind a call is refused as \"tool_use ids … without tool_result\"",
        holds: |body| {
            messages(body).iter().all(|message| {
                let is_call = |block: &&Value| block["type"] == "tool_use";
                let mut rest = list(&message["content"])
                    .iter()
                    .skip_while(|block| !is_call(block));
                rest.all(|block| is_call(&block))
            })
        },
    },
    Rule {
        name: "ids are letters, digits, _ and -",
        source: "\"tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'\"; Bedrock: 64",
        holds: |body| {
            let given = blocks(body, "tool_use").map(|call| text(&call["id"]));
            let taken = blocks(body, "tool_result").map(|call| text(&call["tool_use_id"]));
            given.chain(taken).all(|id| is_name(id, 64))
        },
    },
    Rule {
        name: "names of tools are 1 to 64 letters, digits, _ and -",
        source: "Define tools: name matches ^[a-zA-Z0-9_-]{1,64}$",
        holds: |body| blocks(body, "tool_use").all(|call| is_name(text(&call["name"]), 64)),
    },
    Rule {
        name: "input is an object",
        source: "\"tool_use.input: Input should be a valid dictionary\"",
        holds: |body| blocks(body, "tool_use").all(|call| call["input"].is_object()),
    },
    Rule {
        name: "a result says something",
        source: "\"content cannot be empty if is_error is true\"; texts in it are not blank",
        holds: |body| blocks(body, "tool_result").all(|result| speaks(&result["content"])),
    },
    Rule {
        name: "reasoning is signed",
        source: "\"thinking.signature: Field required\"; extended thinking: blocks unmodified",
        holds: |body| {
            let mut thoughts = blocks(body, "thinking");
            thoughts.all(|t| t["thinking"].is_string() && !text(&t["signature"]).is_empty())
                && blocks(body, "redacted_thinking").all(|t| !text(&t["data"]).is_empty())
        },
    },
    Rule {
        name: "no message ends with reasoning",
        source: "\"the final block in an assistant message cannot be `thinking`\"",
        holds: |body| {
            messages(body).iter().all(|message| {
                let last = list(&message["content"]).last();
                last.is_none_or(|last| !text(&last["type"]).ends_with("thinking"))
            })
        },
    },
    Rule {
        name: "media have a source that can be read",
        source: "Vision, PDF support: base64 of jpeg, png, gif, webp or pdf, or an https URL",
        holds: |body| {
            let pictures = blocks(body, "image").all(|block| has_source(block, &PICTURES));
            pictures
                && blocks(body, "document").all(|block| has_source(block, &["application/pdf"]))
        },
    },
    Rule {
        name: "the system prompt is texts that say something",
        source: "Reference: system, a string or TextBlockParams; \"text content blocks must be non-empty\"",
        holds: |body| {
            let Some(system) = body.get("system") else {
                return true;
            };
            !list(system).is_empty()
                && list(system)
                    .iter()
                    .all(|block| block["type"] == "text" && speaks(&block["text"]))
        },
    },
];

const PICTURES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

fn has_source(block: &Value, mimes: &[&str]) -> bool {
    let source = &block["source"];
    match text(&source["type"]) {
        "base64" => {
            mimes.contains(&text(&source["media_type"])) && is_base64(text(&source["data"]))
        }
        "url" => text(&source["url"]).starts_with("https://"),
        _ => false,
    }
}

fn has_own_blocks(message: &Value) -> bool {
    let kinds: &[&str] = match text(&message["role"]) {
        "user" => &["text", "image", "document", "tool_result"],
        _ => &["text", "thinking", "redacted_thinking", "tool_use"],
    };
    let content = list(&message["content"]);
    !content.is_empty()
        && content
            .iter()
            .all(|block| kinds.contains(&text(&block["type"])))
}

fn blocks<'a>(body: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let all = messages(body)
        .iter()
        .flat_map(|message| list(&message["content"]));
    all.filter(move |block| block["type"] == kind)
}

fn has_after_other(message: &Value, kind: &str) -> bool {
    let is_kind = |block: &&Value| block["type"] == kind;
    let mut rest = list(&message["content"]).iter().skip_while(is_kind);
    rest.any(|block| is_kind(&block))
}

/// The calls of each message with the results of the one behind it, from before the first on.
fn pairs(body: &Value) -> impl Iterator<Item = (Vec<&str>, Vec<&str>)> {
    let list_of = messages(body);
    (0..=list_of.len()).map(move |at| {
        let before = at.checked_sub(1).and_then(|at| list_of.get(at));
        let calls = ids_of(before, "tool_use", "id");
        (calls, ids_of(list_of.get(at), "tool_result", "tool_use_id"))
    })
}

fn ids_of<'a>(message: Option<&'a Value>, kind: &str, field: &str) -> Vec<&'a str> {
    let blocks = message.map_or(&[][..], |message| list(&message["content"]));
    let blocks = blocks.iter().filter(|block| block["type"] == kind);
    blocks.map(|block| text(&block[field])).collect()
}

/// A body that breaks no rule.
fn good() -> Value {
    json!({
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "Look."},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "Two calls."},
                {"type": "tool_use", "id": "a", "name": "Read", "input": {}},
                {"type": "tool_use", "id": "b", "name": "Read", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "1"},
                {"type": "tool_result", "tool_use_id": "b", "content": "2"},
                {"type": "text", "text": "And?"},
            ]},
            {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        ],
    })
}

/// Each rule with what breaks it, where.
fn bad_messages() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "a body is a system prompt and messages",
            "",
            json!({"messages": [], "prompt": 1}),
        ),
        ("there is a message", "/messages", json!([])),
        (
            "speakers are the user and the assistant, and the system has its own place",
            "/messages/3/role",
            json!("system"),
        ),
        ("a user begins", "/messages/0/role", json!("assistant")),
        ("roles alternate", "/messages/3/role", json!("user")),
        (
            "content is blocks of the speaker's kinds, and not empty",
            "/messages/3/content",
            json!([]),
        ),
        (
            "no text is blank",
            "/messages/3/content/0/text",
            json!("\n\u{1f}"),
        ),
        (
            "the assistant's last words do not end in white space",
            "/messages/3/content/0/text",
            json!("Done. "),
        ),
    ]
}

/// The same for calls, results and the system prompt.
fn bad_blocks() -> Vec<(&'static str, &'static str, Value)> {
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "1"});
    let words = json!({"type": "text", "text": "x"});
    vec![
        (
            "every call is answered in the next message",
            "/messages/2/content/1",
            words.clone(),
        ),
        (
            "every result has its call in the message before",
            "/messages/2/content/1",
            result("c"),
        ),
        (
            "a call has a single result",
            "/messages/2/content/1",
            result("a"),
        ),
        (
            "ids of calls are all different",
            "/messages/1/content/3/id",
            json!("a"),
        ),
        (
            "results come first in their message",
            "/messages/2/content/0",
            words.clone(),
        ),
        (
            "calls come last in their message",
            "/messages/1/content/3",
            words,
        ),
        (
            "ids are letters, digits, _ and -",
            "/messages/1/content/3/id",
            json!("a.b"),
        ),
        (
            "names of tools are 1 to 64 letters, digits, _ and -",
            "/messages/1/content/3/name",
            json!(""),
        ),
        (
            "input is an object",
            "/messages/1/content/3/input",
            json!("{}"),
        ),
        (
            "a result says something",
            "/messages/2/content/0/content",
            json!(" "),
        ),
        (
            "reasoning is signed",
            "/messages/1/content/0/signature",
            json!(""),
        ),
        (
            "no message ends with reasoning",
            "/messages/3/content/0",
            json!({"type": "thinking", "thinking": "", "signature": "s"}),
        ),
        (
            "media have a source that can be read",
            "/messages/0/content/1/source/media_type",
            json!("image/tiff"),
        ),
        (
            "the system prompt is texts that say something",
            "/system",
            json!([]),
        ),
    ]
}

#[test]
fn each_rule_of_anthropic_is_broken_by_a_bad_body() {
    let bad = [bad_messages(), bad_blocks()].concat();
    check_rules(&RULES, &good(), &bad);
}
