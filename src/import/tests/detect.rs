//! Which files are transcripts.

use crate::import::detect::{Detected, detect};
use crate::import::format::Format;

#[track_caller]
fn check_detect(text: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, text).unwrap();
    let seen = match detect(&path, None).unwrap() {
        Detected::Known(spec, _) => spec.format.as_str().to_owned(),
        Detected::Nothing(_) => "nothing".to_owned(),
        Detected::Foreign(reason) => {
            assert!(reason.contains("claude-code"), "{reason}");
            "foreign".to_owned()
        }
    };
    assert_eq!(seen, expected, "{text}");
}

#[test]
fn a_transcript_is_known_by_its_records() {
    check_detect(&super::user(1, "hello"), "claude-code");
    check_detect(
        r#"{"type":"summary","summary":"A title","leafUuid":"x"}"#,
        "claude-code",
    );
    check_detect(
        r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#,
        "claude-code",
    );
    check_detect(
        &format!("garbage\n{{}}\n{}\n", super::user(1, "hello")),
        "claude-code",
    );
    check_detect("{\n  \"loglines\": [\n", "claude-code");
}

#[test]
fn each_format_is_told_from_the_others() {
    check_detect(
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}"#,
        "codex",
    );
    check_detect(
        "# aider chat started at 2026-01-05 10:00:00\n\n#### hi\n",
        "aider",
    );
    check_detect(
        r#"[{"title":"t","mapping":{"a":{"parent":null,"children":[]"#,
        "chatgpt",
    );
    check_detect(r#"[{"uuid":"u","name":"n","chat_messages":["#, "claude-ai");
    check_detect(
        r#"{"environment":"e","trajectory":[],"history":[],"info":{}}"#,
        "swe-agent",
    );
    check_detect(
        r#"{"id":"a","timestamp":"t","source":"agent","kind":"ActionEvent"}"#,
        "openhands",
    );
    check_detect(r#"{"instance_id":"i","history":[]}"#, "openhands");
}

#[test]
fn other_files_are_foreign() {
    check_detect("# aider chat started at noon\n", "foreign");
    check_detect("[{\"uuid\":\"u\",\"name\":\"n\",\"docs\":[]}]", "foreign");
    check_detect(
        "{\"role\":\"user\",\"text\":\"not a transcript\"}\n",
        "foreign",
    );
    check_detect("{\"level\":\"info\",\"msg\":\"server up\"}\n", "foreign");
    check_detect(
        "{\"type\":\"user\",\"uuid\":\"a\",\"sessionId\":\"b\",\"message\":{\"role\":\"user\",\"parts\":[]}}\n",
        "foreign",
    );
    check_detect("plain words\n", "foreign");
}

#[test]
fn a_file_that_says_nothing_yet_is_not_foreign() {
    check_detect("", "nothing");
    check_detect("\n  \n", "nothing");
    check_detect("\0\0\0", "nothing");
    check_detect("{\"type\":\"us", "nothing");
}

#[test]
fn formats_are_known_by_name() {
    assert_eq!("claude-code".parse(), Ok(Format::ClaudeCode));
    let error = "cluade".parse::<Format>().unwrap_err().to_string();
    assert!(
        error.contains("cluade") && error.contains("claude-code"),
        "{error}"
    );
}
