//! `compact --stdin`, as other programs call it.

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

use super::squeezed::Squeezer;
use super::{TONGUES, squeezed};
use crate::program::Program;

fn compact(input: &str) -> (Option<i32>, String, String) {
    let program = Program::new();
    let mut command = program.command();
    let output = command
        .args(["compact", "--stdin"])
        .write_stdin(input)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn kept(input: &Value) -> Vec<Value> {
    let (code, stdout, stderr) = compact(&input.to_string());
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    answer["messages"].as_array().unwrap().clone()
}

fn size(messages: &[Value]) -> usize {
    let chars = |message: &Value, key: &str| message[key].as_str().unwrap().chars().count();
    let sizes = messages.iter();
    sizes
        .map(|message| chars(message, "role") + chars(message, "content") + 4)
        .sum()
}

fn tide_talk() -> Vec<Value> {
    let mut talk = vec![json!({"role": "user", "content": "Never moor a ferry at berth B17."})];
    for day in 1..30 {
        talk.push(json!({"role": "user", "content": format!("It rained on day {day} or so.")}));
        talk.push(json!({"role": "assistant", "content": "I see, thank you."}));
    }
    talk
}

#[test]
fn messages_come_in_and_fewer_go_out_within_the_budget() {
    let talk = tide_talk();
    let answer = kept(&json!({"messages": talk, "round": 1, "budget_chars": 200}));
    assert!(size(&answer) <= 200, "{answer:?}");
    assert!(answer[0]["content"].as_str().unwrap().contains("B17"));

    let again = json!({"role": "system", "content": answer[0]["content"]});
    let answer = kept(&json!({"messages": [again], "round": 2, "budget_chars": 100}));
    assert_eq!(answer.len(), 1);
    assert_eq!(answer[0]["role"], "system");
    assert!(size(&answer) <= 100 && answer[0]["content"].as_str().unwrap().contains("B17"));
}

#[test]
fn without_a_budget_thirty_percent_are_left() {
    let talk = tide_talk();
    for budget in [
        json!({"messages": talk}),
        json!({"messages": talk, "budget_chars": null}),
    ] {
        let share = 100 * size(&kept(&budget)) / size(&talk);
        assert!((20..=30).contains(&share), "{share} %");
    }
}

#[test]
fn any_budget_is_kept_to() {
    let talk = tide_talk();
    for budget in [0, 1, 7, 11, 12, 13, 40] {
        let answer = kept(&json!({"messages": talk, "budget_chars": budget}));
        assert!(size(&answer) <= budget, "{budget}: {answer:?}");
    }
    assert_eq!(
        kept(&json!({"messages": [], "budget_chars": 10})),
        [] as [Value; 0]
    );
    let whole = kept(&json!({"messages": talk, "budget_chars": u64::MAX}));
    assert_eq!(whole, talk);
}

#[track_caller]
fn check_refused(input: &str, named: &str) {
    let (code, stdout, stderr) = compact(input);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains(named), "{stderr}");
    assert!(stderr.contains(r#"{"messages":["#), "{stderr}");
}

#[test]
fn what_is_no_such_object_is_refused_by_name_with_the_right_form() {
    check_refused("", "standard input is empty");
    check_refused("{", "standard input is no JSON");
    check_refused("[1]", "a list, not an object");
    check_refused("{}", "`messages` is missing");
    check_refused(r#"{"messages":{}}"#, "`messages` is an object");
    check_refused(r#"{"messages":[],"budget":3}"#, "unknown key `budget`");
    check_refused(
        r#"{"messages":[],"budget_chars":-3}"#,
        "`budget_chars` is -3",
    );
    check_refused(
        r#"{"messages":[],"budget_chars":"9"}"#,
        "`budget_chars` is \"9\"",
    );
    check_refused(r#"{"messages":[],"round":0}"#, "`round` is 0");
    check_refused(r#"{"messages":["x"]}"#, "message 1: is a text");
    let message = |message: &str| format!(r#"{{"messages":[{message}]}}"#);
    check_refused(
        &message(r#"{"role":"user"}"#),
        "message 1: `content` is missing",
    );
    check_refused(
        &message(r#"{"role":"user","content":null}"#),
        "`content` is null",
    );
    check_refused(
        &message(r#"{"role":"bard","content":""}"#),
        "`bard` is no role",
    );
    check_refused(
        &message(r#"{"role":"user","content":"","tool_calls":[]}"#),
        "unknown key `tool_calls`",
    );
}

#[test]
fn stdin_goes_with_no_session() {
    for words in [
        vec!["compact"],
        vec!["compact", "--stdin", "--session", "x"],
        vec!["compact", "--stdin", "--until-under", "10"],
        vec!["compact", "--stdin", "--focus", "the ferry"],
    ] {
        assert_eq!(Program::new().run(&words).code, Some(2), "{words:?}");
    }
}

#[test]
fn the_program_keeps_what_the_function_keeps() {
    let binary = Squeezer::Binary(cargo_bin!("hippocamp").to_path_buf());
    for tongue_idx in 0..TONGUES.len() {
        assert_eq!(
            squeezed(tongue_idx, 9..10, &binary),
            squeezed(tongue_idx, 9..10, &Squeezer::Function)
        );
    }
}
