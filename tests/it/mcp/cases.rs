//! Group P of the cases: each with a small input of ours, and the shared one where it is there.

use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Spoken, call, check_clean, greeting, request, speak, with_alpha};
use crate::program::{Ended, Program};
use crate::shared::shared;

/// The time in which a server without work has ended.
const AT_ONCE: Duration = Duration::from_secs(2);

/// Speaks a shared file to a server bound to `main`.
#[track_caller]
fn speak_shared(test: &str, file: &str) -> Option<Spoken> {
    let input = std::fs::read(shared(test)?.join("cases").join(file)).unwrap();
    let program = with_alpha();
    let spoken = speak(&program, &["--session", "main"], input);
    assert_eq!(spoken.ended.code, Some(0), "{spoken:?}");
    check_clean(&program);
    Some(spoken)
}

#[test]
fn b141_stdout_carries_nothing_but_json_rpc() {
    let input = greeting()
        + &call(1, "short_grep", &json!({"pattern": "alpha"}))
        + &call(2, "short_grep", &json!({"pattern": "(("}))
        + &call(3, "short_expand", &json!({"message_ids": ["1"]}));
    // With everything that can be logged, and a store that is made first.
    let program = Program::new();
    let mut command = program.command();
    command
        .args(["mcp", "--session", "main", "-vv"])
        .env("RUST_LOG", "trace")
        .env("HIPPOCAMP_LOG", "trace");
    let ended = Ended::of(command.write_stdin(input.clone()).output().unwrap());
    assert_eq!(super::answers(&ended.stdout).len(), 4, "{ended:?}");
    assert!(
        ended.stderr.contains("TRACE") || ended.stderr.contains("DEBUG"),
        "{ended:?}"
    );
    assert!(
        !ended.stderr.contains("(("),
        "a log holds what was said: {ended:?}"
    );
    check_clean(&program);
    // On a store that is none it says so on stderr, before anything is served.
    let program = Program::new();
    program.write(
        "data/hippocamp/hippocamp.db",
        "this is no store, it is a note",
    );
    let spoken = speak(&program, &["--session", "main"], input);
    assert_eq!(spoken.ended.code, Some(3), "{spoken:?}");
    assert!(spoken.answers.is_empty(), "{spoken:?}");

    let name = "b141_stdout_carries_nothing_but_json_rpc";
    if let Some(spoken) = speak_shared(name, "B141_mcp_session.ndjson") {
        for id in [
            json!(1),
            json!(2),
            json!(3),
            json!("str-id"),
            json!(0),
            json!(13),
        ] {
            spoken.to(id);
        }
        assert_eq!(spoken.answers.len(), 13, "{:?}", spoken.answers);
        assert_eq!(spoken.result("str-id")["total"], 2);
        assert_eq!(spoken.code(12), -32601);
    }
}

#[test]
fn b143_numbers_flags_and_lists_sent_as_text_are_converted_or_refused_by_name() {
    let program = with_alpha();
    let id = |number: usize| format!("call {number}");
    let taken = [
        json!({"pattern": "alpha", "limit": "5", "all_conversations": "true"}),
        json!({"pattern": "alpha", "limit": 3.0}),
        json!({"pattern": "alpha", "limit": "5", "all_conversations": "false"}),
    ];
    let refused = [
        (json!({"pattern": "alpha", "limit": "12px"}), "`limit`"),
        (json!({"pattern": "alpha", "limit": ""}), "`limit`"),
        (json!({"pattern": "alpha", "limit": 2.5}), "`limit`"),
        (json!({"pattern": "alpha", "limit": "2.5"}), "`limit`"),
        (
            json!({"pattern": "alpha", "all_conversations": "yes"}),
            "`all_conversations`",
        ),
    ];
    let mut input = greeting();
    for (number, arguments) in taken
        .iter()
        .chain(refused.iter().map(|(json, _)| json))
        .enumerate()
    {
        input += &call(id(number), "short_grep", arguments);
    }
    input += &call("list", "short_expand", &json!({"message_ids": "[\"1\"]"}));
    input += &call("no list", "short_expand", &json!({"message_ids": "[\"1\""}));
    let spoken = speak(&program, &["--session", "main"], input);
    assert_eq!(spoken.result(id(0))["limit"], 5);
    assert_eq!(spoken.result(id(0))["total"], 3);
    assert_eq!(spoken.result(id(1))["limit"], 3);
    assert_eq!(spoken.result(id(2))["total"], 2);
    for (number, (_, name)) in refused.iter().enumerate() {
        let words = spoken.refusal(id(taken.len() + number));
        assert!(words.contains(name), "{words}");
    }
    spoken.result("list");
    assert!(spoken.refusal("no list").contains("`message_ids`"));
    check_clean(&program);

    let name = "b143_numbers_flags_and_lists_sent_as_text_are_converted_or_refused_by_name";
    if let Some(spoken) = speak_shared(name, "B141_mcp_session.ndjson") {
        assert_eq!(spoken.result(0)["total"], 3);
        spoken.result(6);
    }
}

/// Fails unless the answers without an id have these codes, in order.
#[track_caller]
fn check_refused_lines(spoken: &Spoken, codes: &[i64]) {
    let nameless = spoken
        .answers
        .iter()
        .filter(|answer| answer["id"].is_null());
    let nameless: Vec<&Value> = nameless.collect();
    for answer in &nameless {
        // It is there, and null.
        assert!(answer.as_object().unwrap().contains_key("id"), "{answer}");
    }
    let got: Vec<i64> = nameless
        .iter()
        .map(|answer| answer["error"]["code"].as_i64().unwrap())
        .collect();
    assert_eq!(got, codes, "{:?}", spoken.answers);
}

#[test]
fn b145_a_bad_line_is_answered_and_the_server_lives() {
    let program = Program::new();
    let mut input = Vec::from(greeting());
    let lines: [(&[u8], i64); 9] = [
        (b"no json", -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xff\"}",
            -32700,
        ),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":", -32700),
        (b"{\"id\":1,\"method\":\"ping\"}", -32600),
        (
            b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
            -32600,
        ),
        (b"[]", -32600),
        (b"7", -32600),
    ];
    for (line, _) in lines {
        input.extend_from_slice(line);
        input.extend_from_slice(b"\r\n\n  \n");
    }
    input.extend_from_slice(
        request(&json!("last"), "ping", &json!({}))
            .trim_end()
            .as_bytes(),
    );
    let spoken = speak(&program, &[], input);
    assert_eq!(spoken.ended.code, Some(0), "{spoken:?}");
    check_refused_lines(&spoken, &lines.map(|(_, code)| code));
    // The last line has no break, and is answered all the same.
    assert_eq!(spoken.to("last")["result"], json!({}));

    let name = "b145_a_bad_line_is_answered_and_the_server_lives";
    if let Some(spoken) = speak_shared(name, "B145_mcp_hostile_lines.ndjson") {
        let codes = [-32700, -32700, -32700, -32600, -32600, -32600, -32600];
        check_refused_lines(&spoken, &codes);
        for id in [24, 25] {
            assert_eq!(spoken.to(id)["result"], json!({}));
        }
    }
}

#[test]
fn b145_before_initialize_the_server_answers_and_an_unknown_version_gets_a_known_one() {
    let program = Program::new();
    let hello = |version: &str| {
        let params = json!({"protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "case", "version": "0"}});
        request(&json!("hello"), "initialize", &params)
    };
    let early = request(&json!("early"), "tools/list", &json!({}))
        + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
        + "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n"
        + &request(&json!("early ping"), "ping", &json!({}));
    for (asked, got) in [("1999-01-01", "2025-11-25"), ("2025-03-26", "2025-03-26")] {
        let input =
            early.clone() + &hello(asked) + &request(&json!("then"), "tools/list", &json!({}));
        let spoken = speak(&program, &[], input);
        assert!(spoken.code("early") < 0);
        assert_eq!(spoken.to("early ping")["result"], json!({}));
        assert_eq!(spoken.to("hello")["result"]["protocolVersion"], got);
        assert!(spoken.to("then")["result"]["tools"].is_array());
        assert_eq!(spoken.answers.len(), 4, "{spoken:?}");
    }
    let name = "b145_before_initialize_the_server_answers_and_an_unknown_version_gets_a_known_one";
    if let Some(spoken) = speak_shared(name, "B145_mcp_before_init.ndjson") {
        assert!(spoken.code(30) < 0);
        assert_eq!(spoken.to(31)["result"]["protocolVersion"], "2025-11-25");
        assert!(spoken.to(32)["result"]["tools"].is_array());
    }
}

/// Fails unless the process ends by itself with 0, at once.
#[track_caller]
fn check_ends(mut child: std::process::Child) {
    let (sender, ended) = channel();
    let waiting = thread::spawn(move || {
        let code = child.wait().unwrap().code();
        // Nobody waits any more where the test has failed.
        let _ = sender.send(code);
    });
    assert_eq!(ended.recv_timeout(AT_ONCE), Ok(Some(0)));
    waiting.join().unwrap();
}

#[test]
fn b146_at_the_end_of_its_input_all_is_answered_and_the_server_ends() {
    let program = with_alpha();
    let mut input = greeting();
    for id in 0..40 {
        input += &call(id, "short_grep", &json!({"pattern": "alpha"}));
    }
    let begun = Instant::now();
    let spoken = speak(&program, &["--session", "main"], input);
    assert_eq!(spoken.ended.code, Some(0), "{spoken:?}");
    for id in 0..40 {
        assert_eq!(spoken.result(id)["total"], 2);
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
    // Nothing is left in the log: whoever copies the file has it whole.
    let log = program.path("data/hippocamp/hippocamp.db-wal");
    assert!(std::fs::metadata(log).map_or(0, |log| log.len()) == 0);

    let silent = || {
        let mut command = program.process();
        command
            .args(["mcp"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    check_ends(silent().stdin(Stdio::null()).spawn().unwrap());
    // What holds the other end of its input is killed.
    let mut parent = Command::new("sleep")
        .arg("600")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let held = parent.stdout.take().unwrap();
    let child = silent().stdin(Stdio::from(held)).spawn().unwrap();
    parent.kill().unwrap();
    parent.wait().unwrap();
    check_ends(child);
    check_clean(&program);
}

#[test]
fn b147_arguments_that_are_unknown_missing_or_no_object_are_what_the_schema_says() {
    let program = with_alpha();
    let input = greeting()
        + &call(
            "unknown",
            "short_grep",
            &json!({"pattern": "x", "bogus": 1}),
        )
        + &request(&json!("none"), "tools/call", &json!({"name": "short_grep"}))
        + &call("null", "short_grep", &Value::Null)
        + &call("list", "short_grep", &json!(["alpha"]))
        + &call("text", "short_grep", &json!("alpha"))
        + &request(&json!("nameless"), "tools/call", &json!({"arguments": {}}));
    let spoken = speak(&program, &["--session", "main"], input);
    assert!(spoken.refusal("unknown").contains("`bogus`"));
    assert!(spoken.refusal("none").contains("`pattern`"));
    assert_eq!(spoken.refusal("null"), spoken.refusal("none"));
    for id in ["list", "text", "nameless"] {
        assert_eq!(spoken.code(id), -32602);
        assert!(
            spoken.to(id)["error"]["message"]
                .as_str()
                .unwrap()
                .contains("an object")
        );
    }
    let name = "b147_arguments_that_are_unknown_missing_or_no_object_are_what_the_schema_says";
    if let Some(spoken) = speak_shared(name, "B141_mcp_session.ndjson") {
        assert!(spoken.refusal(7).contains("`bogus`"));
        assert_eq!(spoken.refusal(8), spoken.refusal(10));
        assert_eq!(spoken.code(11), -32602);
    }
}

#[test]
fn b148_a_model_is_told_what_it_can_mend_and_a_client_what_it_did_wrong() {
    let program = with_alpha();
    let input = greeting()
        + &call("tool", "no_such_tool", &json!({}))
        + &call("pattern", "short_grep", &json!({"pattern": "a AND"}))
        + &call(
            "since",
            "short_grep",
            &json!({"pattern": "a", "since": "soon"}),
        )
        + &call(
            "cursor",
            "short_grep",
            &json!({"pattern": "a", "cursor": "here"}),
        )
        + &call(
            "missing",
            "short_expand",
            &json!({"message_ids": ["999999"]}),
        )
        + &request(&json!("page"), "tools/list", &json!({"cursor": "2"}))
        + &request(&json!("method"), "no/such", &json!({}));
    let spoken = speak(&program, &["--session", "main"], input);
    for id in ["tool", "page"] {
        assert_eq!(spoken.code(id), -32602);
    }
    assert_eq!(spoken.code("method"), -32601);
    assert!(
        spoken.to("tool")["error"]["message"]
            .as_str()
            .unwrap()
            .contains("short_grep")
    );
    assert!(
        spoken.refusal("pattern").contains("hint: "),
        "{}",
        spoken.refusal("pattern")
    );
    assert!(spoken.refusal("since").contains("2026-01-02"));
    assert!(!spoken.refusal("cursor").is_empty());
    assert_eq!(spoken.result("missing")["missing"], json!(["999999"]));
    check_clean(&program);

    let name = "b148_a_model_is_told_what_it_can_mend_and_a_client_what_it_did_wrong";
    if let Some(spoken) = speak_shared(name, "B141_mcp_session.ndjson") {
        assert_eq!(spoken.code(9), -32602);
        assert!(spoken.refusal(8).contains("`pattern`"));
    }
}

#[test]
fn b148_a_store_that_is_gone_is_told_to_the_model() {
    let program = with_alpha();
    let mut talk = super::hostile::Talk::start(&program, &["--session", "main"]);
    talk.say(greeting().as_bytes());
    assert_eq!(talk.hear()["id"], "hello");
    std::fs::remove_file(program.db()).unwrap();
    std::fs::write(program.db(), "a note where the store was").unwrap();
    talk.say(call("gone", "short_grep", &json!({"pattern": "alpha"})).as_bytes());
    let answer = talk.hear();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .len()
            > 20,
        "{answer}"
    );
    // A ping is answered all the same.
    talk.say(request(&json!("alive"), "ping", &json!({})).as_bytes());
    assert_eq!(talk.hear()["result"], json!({}));
    // It cannot close the store that it opened, and says so.
    talk.end_with(6);
}
