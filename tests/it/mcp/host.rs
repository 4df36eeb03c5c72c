//! A whole loop through MCP alone: a host stores its turns, asks for views, and its model finds again
//! what no view shows. Progress and calling off, which such a host needs.

use rmcp::model::{CallToolRequestParams, ClientRequest, Request};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Value, json};

use super::client::{call as call_tool, start};
use super::hostile::Talk;
use super::schemas::{check_result, listed};
use super::{call, check_clean, greeting, request, speak};
use crate::program::Program;

const WORDS: [&str; 6] = [
    "--session",
    "main",
    "--with",
    "remember,context",
    "--window",
    "2000",
];

/// Answers a call that went well, on a server that is spoken with line by line.
#[track_caller]
fn ask(talk: &mut Talk, tool: &str, arguments: &Value) -> Value {
    talk.say(call("ask", tool, arguments).as_bytes());
    let answer = talk.hear();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    answer["result"]["structuredContent"].clone()
}

#[test]
fn a_loop_over_mcp_alone_finds_its_beginning_again() {
    let program = Program::new();
    let mut talk = Talk::start(&program, &WORDS);
    talk.say(greeting().as_bytes());
    talk.hear();
    let filler = "the crane moved the ledger from the pilot's berth to the ferry ".repeat(4);
    for turn in 0..60 {
        let said = match turn {
            3 => "The secret berth is B17-quartz.".to_owned(),
            _ => format!("turn {turn}: {filler}"),
        };
        let messages = json!([
            {"role": "user", "content": said, "key": format!("u{turn}")},
            {"role": "assistant", "content": format!("done {turn}"), "key": format!("a{turn}")},
        ]);
        let stored = ask(&mut talk, "remember", &json!({"messages": messages}));
        assert_eq!(stored["rows"][0]["seq"], 2 * turn + 1);
        assert_eq!(stored["fits"], true);
        let view = ask(&mut talk, "context", &json!({"format": "openai-chat"}));
        assert!(view["tokens"].as_u64() <= view["budget"].as_u64(), "{view}");
        assert!(!view["request"]["messages"].as_array().unwrap().is_empty());
    }
    // Said again, it is not stored again.
    let again = json!({"messages": [{"role": "user", "content": "again", "key": "u3"}]});
    let stored = ask(&mut talk, "remember", &again);
    assert_eq!(
        (&stored["rows"][0]["seq"], &stored["rows"][0]["duplicate"]),
        (&json!(7), &json!(true))
    );

    let found = ask(&mut talk, "short_grep", &json!({"pattern": "secret berth"}));
    let id = found["results"][0]["id"].clone();
    assert_ne!(found["results"][0]["standing"], "in_view", "{found}");
    let shown = ask(&mut talk, "short_expand", &json!({"message_ids": [id]}));
    assert_eq!(
        shown["messages"][0]["parts"][0]["text"],
        "The secret berth is B17-quartz."
    );
    talk.end();
    assert_eq!(program.json(&["stats"])["messages"], 120);
    check_clean(&program);
}

#[test]
fn a_turn_is_stored_whole_or_not_at_all() {
    let program = Program::new();
    let good = json!({"role": "user", "content": "hello"});
    let bad = [
        (json!({}), "`messages`: is missing"),
        (json!({"messages": []}), "is empty"),
        (json!({"messages": "no list"}), "a list"),
        (json!({"messages": 5}), "a list"),
        (
            json!({"messages": [good, {"role": "robot", "content": "x"}]}),
            "message 2: `role`",
        ),
        (
            json!({"messages": [good, {"role": "user", "content": null}]}),
            "message 2: `content` is null",
        ),
        (
            json!({"messages": [good, {"role": "user", "content": "x", "tool_calls": []}]}),
            "`tool_calls`",
        ),
        (json!({"messages": [good, "hello"]}), "message 2"),
        (json!({"messages": [good], "bogus": 1}), "`bogus`"),
        (json!({"body": good}), "`format`: is missing"),
        (json!({"format": "morse", "body": good}), "openai-responses"),
        (
            json!({"format": "gemini", "messages": [good]}),
            "`format`: is for `body`",
        ),
        (
            json!({"format": "gemini", "messages": [good], "body": good}),
            "give one of the two",
        ),
        (
            json!({"format": "openai-chat", "body": []}),
            "`body`: nobody says anything",
        ),
        (
            json!({"format": "openai-chat", "body": {"role": "robot"}}),
            "`body`: `role`",
        ),
        (
            json!({"format": "openai-chat", "body": "{"}),
            "`body`: the body is no JSON",
        ),
    ];
    let mut input = greeting();
    for (number, (arguments, _)) in bad.iter().enumerate() {
        input += &call(number, "remember", arguments);
    }
    input += &call("format", "context", &json!({"format": "morse"}));
    input += &call("budget", "context", &json!({"budget": 0}));
    let spoken = speak(&program, &WORDS, input);
    for (number, (_, words)) in bad.iter().enumerate() {
        let refusal = spoken.refusal(number);
        assert!(refusal.contains(words), "{refusal}");
    }
    assert!(spoken.refusal("format").contains("openai-chat"));
    assert!(spoken.refusal("budget").contains("`budget`"));
    assert_eq!(program.json(&["stats"])["messages"], 0);
    check_clean(&program);
}

#[test]
fn an_answer_of_a_model_is_remembered_as_it_came() {
    let arguments = "{\"n\": 12345678901234567890123}";
    let chat = json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": null, "refusal": null, "annotations": [],
            "tool_calls": [{"id": "c1", "type": "function",
                            "function": {"name": "Read", "arguments": arguments}}],
        }}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    });
    let result = json!([{"role": "tool", "tool_call_id": "c1", "content": "fn main"}]);
    let signed = json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "It is Rust."},
    ]});
    let program = Program::new();
    let mut talk = Talk::start(&program, &WORDS);
    talk.say(greeting().as_bytes());
    talk.hear();
    for (format, body) in [
        ("openai-chat", json!({"role": "user", "content": "look"})),
        ("openai-chat", chat),
        ("openai-chat", json!(result.to_string())),
        ("anthropic", signed),
    ] {
        let body = json!({"format": format, "body": body});
        let stored = ask(&mut talk, "remember", &body);
        assert_eq!(stored["rows"].as_array().unwrap().len(), 1, "{stored}");
    }
    let view = ask(&mut talk, "context", &json!({"format": "openai-chat"}));
    talk.end();
    let messages = &view["request"]["messages"];
    let call = &messages[1]["tool_calls"][0]["function"];
    assert_eq!(call["arguments"], arguments);
    assert_eq!(messages[2]["content"], "fn main");
    assert_eq!(messages[3]["content"], "It is Rust.");
    let shown = program.json(&["context", "--session", "main", "--format", "anthropic"]);
    assert!(shown.to_string().contains("c2ln"), "{shown}");
    check_clean(&program);
}

#[test]
fn every_part_comes_back_and_every_format_is_a_body() {
    let program = Program::new();
    let long = "12345678901234567890123";
    let arguments = format!("{{\"n\": {long}, \"path\": \"a.rs\"}}");
    let messages = json!([
        {"role": "user", "content": "look"},
        {"role": "assistant", "model": "m", "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "call_id": "c1", "name": "Read", "arguments": arguments},
        ]},
        {"role": "tool", "content": [{"type": "tool_result", "call_id": "c1", "content": "fn main"}]},
    ]);
    let mut input = greeting();
    // As text, since a client may send it so.
    input += &call(
        "store",
        "remember",
        &json!({"messages": messages.to_string()}),
    );
    let formats = [
        "text",
        "openai-chat",
        "openai-responses",
        "anthropic",
        "gemini",
    ];
    let program_words = ["--session", "main", "--with", "remember,context"];
    let stored = speak(&program, &program_words, input);
    assert_eq!(stored.result("store")["rows"].as_array().unwrap().len(), 3);
    let mut input = greeting();
    for format in formats {
        input += &call(format, "context", &json!({"format": format}));
    }
    input += &call("ids", "short_grep", &json!({"pattern": "role:assistant"}));
    let spoken = speak(&program, &program_words, input);
    let tools = listed(&program, &program_words);
    for format in formats {
        let result = spoken.result(format);
        check_result(&tools, "context", result);
        assert_eq!(result["request"].is_string(), format == "text", "{format}");
        assert_eq!(result["request"].is_object(), format != "text", "{format}");
        // The text has every digit.
        let text = spoken.to(format)["result"]["content"][0]["text"]
            .as_str()
            .unwrap();
        assert!(text.contains(long), "{format}: {text}");
        let printed = program.json(&["context", "--session", "main", "--format", format]);
        assert_eq!(&printed, result, "{format}");
    }
    check_result(&tools, "remember", stored.result("store"));
    let id = &spoken.result("ids")["results"][0]["id"];
    let shown = program.json(&["expand", id.as_str().unwrap()]);
    assert_eq!(shown["messages"][0]["parts"][1]["arguments"], arguments);
    let effects = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let hints = &tool["annotations"];
        (
            hints["readOnlyHint"] == true,
            hints["idempotentHint"] == true,
        )
    };
    assert_eq!(
        (effects("remember"), effects("context")),
        ((false, false), (true, true))
    );
    check_clean(&program);
}

#[test]
fn who_asks_for_progress_hears_from_a_call_before_its_answer() {
    let program = Program::new();
    let mut talk = Talk::start(&program, &WORDS);
    talk.say(greeting().as_bytes());
    talk.hear();
    let messages = json!([{"role": "user", "content": "hello"}]);
    let params = json!({
        "name": "remember",
        "arguments": {"messages": messages},
        "_meta": {"progressToken": "p1"},
    });
    talk.say(request(&json!("turn"), "tools/call", &params).as_bytes());
    let first = talk.hear();
    assert_eq!(first["method"], "notifications/progress", "{first}");
    assert_eq!(first["params"]["progressToken"], "p1");
    assert_eq!(first["params"]["progress"].as_f64(), Some(0.0));
    let mut last = talk.hear();
    while last.get("id").is_none() {
        assert_eq!(last["method"], "notifications/progress", "{last}");
        last = talk.hear();
    }
    assert_eq!(last["id"], "turn");
    // Who does not ask hears nothing.
    ask(&mut talk, "remember", &json!({"messages": messages}));
    talk.end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rust_client_calls_a_search_off() {
    let program = Program::new();
    let filler = "harbour crane tide ledger pilot berth manifest ferry ".repeat(400);
    let lines: String = (0..300)
        .map(|number| crate::program::line("user", &format!("{number} {filler}")))
        .collect();
    program.append("main", &lines);
    let mut client = start(&program, &["--session", "main"]).await;
    let arguments = json!({"pattern": "/q[a-z]*z.*(x|y)+w/"});
    let arguments = arguments.as_object().unwrap().clone();
    let params = CallToolRequestParams::new("short_grep").with_arguments(arguments);
    for _ in 0..5 {
        let asked = ClientRequest::CallToolRequest(Request::new(params.clone()));
        let options = PeerRequestOptions::no_options();
        let handle = client
            .send_cancellable_request(asked, options)
            .await
            .unwrap();
        handle
            .cancel(Some("changed my mind".to_owned()))
            .await
            .unwrap();
    }
    let found = call_tool(&client, "short_grep", json!({"pattern": "nowhere"})).await;
    assert!(!matches!(found, Err(ServiceError::Cancelled { .. })));
    assert_eq!(found.unwrap().structured_content.unwrap()["total"], 0);
    client.close().await.unwrap();
    check_clean(&program);
}
