//! What `OpenAI`'s Chat Completions, and the servers that speak like it, ask of messages.
//! "Reference" is the page of POST /v1/chat/completions; words in quotes are those of refusals.

use serde_json::{Map, Value, json};

use super::rule::{
    Rule, all_different, check_rules, is_base64, is_name, list, messages, speaks, text,
};

pub(super) const RULES: [Rule; 15] = [
    Rule {
        name: "a body is messages",
        source: "Reference: body parameters; the host adds the others",
        holds: |body| {
            body.as_object()
                .is_some_and(|body| body.keys().eq(["messages"]))
        },
    },
    Rule {
        name: "a user speaks",
        source: "facts F: \"no user query found in messages\" (vLLM, Qwen)",
        holds: |body| of_role(body, "user").next().is_some(),
    },
    Rule {
        name: "roles are the four",
        source: "Reference: messages[].role",
        holds: |body| {
            let roles = ["system", "user", "assistant", "tool"];
            messages(body)
                .iter()
                .all(|message| roles.contains(&text(&message["role"])))
        },
    },
    Rule {
        name: "behind the system prompt a user begins",
        source: "chat templates: \"conversation roles must alternate user/assistant/…\"",
        holds: |body| {
            let mut spoken = messages(body).iter().skip_while(|m| m["role"] == "system");
            spoken.next().is_none_or(|first| first["role"] == "user")
        },
    },
    Rule {
        name: "nobody speaks twice in a row",
        source: "chat templates: \"conversation roles must alternate user/assistant/…\"",
        holds: |body| {
            let mut two = messages(body).windows(2);
            two.all(|two| two[0]["role"] != two[1]["role"] || two[0]["role"] == "tool")
        },
    },
    Rule {
        name: "system content says something",
        source: "Reference: system message content, a string or text parts",
        holds: |body| of_role(body, "system").all(|message| is_words(&message["content"])),
    },
    Rule {
        name: "user content is words or known parts, and not empty",
        source: "Reference: user message content: text, image_url, input_audio, file",
        holds: |body| of_role(body, "user").all(|message| is_content(&message["content"])),
    },
    Rule {
        name: "the assistant has content or calls, and neither is empty",
        source: "Reference: content is required unless tool_calls is; \"[] is too short - 'tool_calls'\"",
        holds: |body| of_role(body, "assistant").all(has_something),
    },
    Rule {
        name: "every call is answered by the messages right behind it",
        source: "facts F: \"must be followed by tool messages responding to each tool_call_id\"",
        holds: |body| {
            batches(body).all(|(calls, results)| calls.iter().all(|id| results.contains(id)))
        },
    },
    Rule {
        name: "every tool message answers a call right before it",
        source: "facts F: \"role 'tool' must be a response to a preceding message with 'tool_calls'\"",
        holds: |body| {
            let answered: usize = batches(body)
                .map(|(calls, results)| results.iter().filter(|id| calls.contains(id)).count())
                .sum();
            answered == of_role(body, "tool").count()
        },
    },
    Rule {
        name: "ids of calls are all different and each is answered once",
        source: "\"Duplicate value for 'tool_call_id'\"",
        holds: |body| {
            let results = of_role(body, "tool").map(|message| text(&message["tool_call_id"]));
            all_different(calls(body).map(|call| text(&call["id"]))) && all_different(results)
        },
    },
    Rule {
        name: "ids have 1 to 40 characters",
        source: "\"Invalid 'messages[].tool_calls[].id': string too long … maximum length 40\"",
        holds: |body| calls(body).all(|call| is_name(text(&call["id"]), 40)),
    },
    Rule {
        name: "names of functions are 1 to 64 letters, digits, _ and -",
        source: "\"Invalid 'function.name': … pattern '^[a-zA-Z0-9_-]+$'\", maximum length 64",
        holds: |body| {
            let mut all = calls(body);
            all.all(|call| {
                call["type"] == "function" && is_name(text(&call["function"]["name"]), 64)
            })
        },
    },
    Rule {
        name: "arguments are the text of a JSON object",
        source: "facts F: \"failed to parse tool call arguments as json\"",
        holds: |body| {
            calls(body).all(|call| {
                let arguments = text(&call["function"]["arguments"]);
                serde_json::from_str::<Map<String, Value>>(arguments).is_ok()
            })
        },
    },
    Rule {
        name: "tool messages say something",
        source: "Reference: tool message content is required; servers refuse empty strings",
        holds: |body| of_role(body, "tool").all(|message| speaks(&message["content"])),
    },
];

fn is_words(content: &Value) -> bool {
    let parts = list(content);
    let mut words = parts.iter().filter(|part| part["type"] == "text");
    speaks(content)
        || (!parts.is_empty() && parts.len() == words.clone().count() && words.all(is_part))
}

fn is_content(content: &Value) -> bool {
    if content.is_string() {
        return speaks(content);
    }
    !list(content).is_empty() && list(content).iter().all(is_part)
}

fn is_part(part: &Value) -> bool {
    let inline = |url: &str| {
        let data = url.split_once(";base64,").map(|(_, data)| data);
        url.starts_with("data:") && data.is_some_and(is_base64)
    };
    match text(&part["type"]) {
        "text" => speaks(&part["text"]),
        "image_url" => {
            let url = text(&part["image_url"]["url"]);
            url.starts_with("https://") || (url.starts_with("data:image/") && inline(url))
        }
        "input_audio" => {
            let audio = &part["input_audio"];
            is_base64(text(&audio["data"])) && ["wav", "mp3"].contains(&text(&audio["format"]))
        }
        "file" => speaks(&part["file"]["filename"]) && inline(text(&part["file"]["file_data"])),
        _ => false,
    }
}

fn has_something(message: &Value) -> bool {
    let calls = message.get("tool_calls");
    let content = &message["content"];
    let calls_are_sound = calls.is_none_or(|calls| !list(calls).is_empty());
    let says = speaks(content) || (content.is_null() && calls.is_some());
    calls_are_sound && says
}

fn of_role<'a>(body: &'a Value, role: &'a str) -> impl Iterator<Item = &'a Value> {
    messages(body)
        .iter()
        .filter(move |message| message["role"] == role)
}

fn calls(body: &Value) -> impl Iterator<Item = &Value> {
    messages(body)
        .iter()
        .flat_map(|message| list(&message["tool_calls"]))
}

/// The calls of each message with the ids of the tool messages right behind it.
fn batches(body: &Value) -> impl Iterator<Item = (Vec<&str>, Vec<&str>)> {
    let all = messages(body);
    let speakers = all
        .iter()
        .enumerate()
        .filter(|(_, message)| message["role"] != "tool");
    speakers.map(move |(at, message)| {
        let calls = list(&message["tool_calls"]);
        let behind = all
            .iter()
            .skip(at + 1)
            .take_while(|message| message["role"] == "tool");
        (
            calls.iter().map(|call| text(&call["id"])).collect(),
            behind
                .map(|message| text(&message["tool_call_id"]))
                .collect(),
        )
    })
}

#[test]
fn each_rule_of_openai_is_broken_by_a_bad_body() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "Read", "arguments": "{}"}});
    let good = json!({"messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [
            {"type": "text", "text": "Look."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ]},
        {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "assistant", "content": "Done."},
    ]});
    let bad = [
        (
            "a body is messages",
            "",
            json!({"messages": [], "system": "x"}),
        ),
        ("a user speaks", "/messages/1/role", json!("system")),
        ("roles are the four", "/messages/0/role", json!("developer")),
        (
            "behind the system prompt a user begins",
            "/messages/1/role",
            json!("assistant"),
        ),
        (
            "nobody speaks twice in a row",
            "/messages/0/role",
            json!("user"),
        ),
        (
            "system content says something",
            "/messages/0/content",
            json!(""),
        ),
        (
            "user content is words or known parts, and not empty",
            "/messages/1/content/1/image_url/url",
            json!("file:///a.png"),
        ),
        (
            "the assistant has content or calls, and neither is empty",
            "/messages/2/tool_calls",
            json!([]),
        ),
        (
            "every call is answered by the messages right behind it",
            "/messages/4",
            json!({"role": "assistant", "content": "x"}),
        ),
        (
            "every tool message answers a call right before it",
            "/messages/4/tool_call_id",
            json!("c"),
        ),
        (
            "ids of calls are all different and each is answered once",
            "/messages/2/tool_calls/1/id",
            json!("a"),
        ),
        (
            "ids have 1 to 40 characters",
            "/messages/2/tool_calls/1/id",
            json!("a".repeat(41)),
        ),
        (
            "names of functions are 1 to 64 letters, digits, _ and -",
            "/messages/2/tool_calls/1/function/name",
            json!("a.b"),
        ),
        (
            "arguments are the text of a JSON object",
            "/messages/2/tool_calls/1/function/arguments",
            json!("[]"),
        ),
        (
            "tool messages say something",
            "/messages/4/content",
            json!(""),
        ),
    ];
    check_rules(&RULES, &good, &bad);
}
