//! The program with a model: where its name and its key come from, and what is shown of them.

use assert_cmd::Command;
use serde_json::Value;

use super::server::Server;
use super::shape::{KEY, Shape};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Runs the program and returns its code, stdout and stderr.
    fn run(
        &self,
        words: &[&str],
        variables: &[(&str, &str)],
        stdin: &str,
    ) -> (i32, String, String) {
        let output = Command::cargo_bin("hippocamp")
            .unwrap()
            .env_clear()
            .env("HOME", self.0.path())
            .envs(variables.iter().copied())
            .args(words)
            .write_stdin(stdin)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }
}

/// A talk that makes a leaf in a small window.
fn lines() -> String {
    let line = |n: usize| {
        let role = if n.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
        let text = format!(
            "Berth {n} is measured with token = ghp_Zx81kQv27LmNp4Rt9WyB3Cd5Ef6Gh0JkAs2D. "
        )
        .repeat(6);
        format!("{}\n", serde_json::json!({"role": role, "content": text}))
    };
    (0..80).map(line).collect()
}

const TURN: [&str; 6] = ["--window", "100000", "--json", "turn", "--session", "a"];

#[test]
fn a_turn_asks_the_configured_model_and_shows_no_key_and_no_body_at_any_level() {
    let server = Server::saying(Shape::OpenAi.good());
    let base = server.base();
    let variables = [
        ("HIPPOCAMP_MODEL", "openai_compat/small"),
        ("HIPPOCAMP_BASE_URL", base.as_str()),
        ("HIPPOCAMP_API_KEY", KEY),
        (
            "HIPPOCAMP_LOG",
            "trace,genai=trace,hyper=trace,reqwest=trace",
        ),
    ];
    let home = Home::new();
    let (code, out, err) = home.run(&TURN, &variables, &lines());
    assert_eq!(code, 0, "{err}");
    let turn: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(turn["leaf"].as_array().unwrap().len(), 1, "{out}");
    assert!(err.contains("called a model"), "logs are on: {err}");
    for hidden in [
        KEY,
        "ghp_Zx81",
        "is measured",
        "pier is closed",
        "HIPPOCAMP_API_KEY is not",
    ] {
        assert!(!err.contains(hidden), "`{hidden}` in {err}");
    }
    let (_, events, _) = home.run(&["--json", "events", "--session", "a"], &[], "");
    let events: Value = serde_json::from_str(&events).unwrap();
    let call = events["events"]
        .as_array()
        .unwrap()
        .iter()
        .find(|event| event["kind"] == "call");
    let call = call.unwrap();
    assert_eq!(call["model"], "openai_compat/small-2026-01-02");
    assert_eq!(
        call["usage"],
        serde_json::json!({"input": 100, "output": 9, "cached": 40})
    );
    assert!(
        call["redactions"]["github_token"].as_u64().unwrap() > 0,
        "{call}"
    );
    let (_, stats, _) = home.run(&["stats"], &[], "");
    assert!(
        stats.contains("1 call of models, 100 tokens in and 9 tokens out"),
        "{stats}"
    );
    assert!(!server.requests()[0].body.contains("ghp_Zx81"));
}

#[test]
fn a_persons_focus_reaches_the_model_and_without_a_model_that_is_said() {
    let server = Server::saying(Shape::OpenAi.good());
    let base = server.base();
    let variables = [
        ("HIPPOCAMP_MODEL", "openai_compat/small"),
        ("HIPPOCAMP_BASE_URL", base.as_str()),
        ("HIPPOCAMP_API_KEY", KEY),
    ];
    let home = Home::new();
    let append = ["--json", "append", "--session", "a"];
    assert_eq!(home.run(&append, &[], &lines()).0, 0);
    let words = ["--window", "100000", "--json", "compact", "--session", "a"];
    let focused = [&words[..], &["--focus", "the berths of the night boat"]].concat();
    let (code, out, err) = home.run(&focused, &variables, "");
    assert_eq!(code, 0, "{err}");
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["leaf"].as_array().unwrap().len(), 1, "{out}");
    assert!(
        server.requests()[0]
            .body
            .contains("the berths of the night boat")
    );
    assert!(!err.contains("--focus"), "{err}");

    let (code, _, err) = home.run(&focused, &[], "");
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("no `model` is set"), "{err}");
    for wrong in [
        vec!["compact", "--session", "a", "--focus", " "],
        vec!["compact", "--focus", "x"],
        vec!["compact", "--stdin", "--focus", "x"],
        vec![
            "compact",
            "--session",
            "a",
            "--focus",
            "x",
            "--until-under",
            "9",
        ],
    ] {
        let (code, _, err) = home.run(&wrong, &[], "");
        assert_eq!(code, 2, "{wrong:?} {err}");
        assert!(
            err.contains("--focus") || err.contains("--session"),
            "{err}"
        );
    }
}

#[test]
fn a_key_that_is_missing_is_asked_for_before_anything_is_stored() {
    let home = Home::new();
    let variables = [("HIPPOCAMP_MODEL", "openai/gpt-5-mini")];
    let (code, _, err) = home.run(&TURN, &variables, &lines());
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("set OPENAI_API_KEY"), "{err}");
    // What needs no model does not ask for its key.
    let append = ["--json", "append", "--session", "a"];
    let (code, _, err) = home.run(&append, &variables, &lines());
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_refused_key_leaves_the_turn_whole_and_says_so_without_the_key() {
    let server = Server::failing(401, &Shape::OpenAi.error(&format!("bad key {KEY}")));
    let base = server.base();
    let variables = [
        ("HIPPOCAMP_MODEL", "openai_compat/small"),
        ("HIPPOCAMP_BASE_URL", base.as_str()),
        ("HIPPOCAMP_API_KEY", KEY),
    ];
    let words = ["--window", "100000", "turn", "--session", "a"];
    let (code, out, err) = Home::new().run(&words, &variables, &lines());
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("refused the key in HIPPOCAMP_API_KEY"),
        "{err}"
    );
    assert!(!err.contains(KEY) && !out.contains(KEY), "{err}{out}");
    assert_eq!(server.calls(), 1);
}
