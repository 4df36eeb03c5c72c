//! Whatever stdin, the transcript and the store are like: it ends in time, with 0 and no words, and the
//! log says why, without the words of anybody.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Host, said};

/// What a hook may take where a machine is busy: its own bound is 5 s.
const SOON: Duration = Duration::from_secs(20);

/// Hands bytes to the hook and expects nothing of it but one line in the log that says `why`.
#[track_caller]
fn check_bytes(host: &Host, bytes: impl Into<Vec<u8>>, why: &str) {
    let n_before = host.log().lines().count();
    let begun = Instant::now();
    let ended = host.program.feed(&["hook", "claude-code"], bytes);
    assert!(begun.elapsed() < SOON, "{why}");
    assert_eq!(
        (ended.code, ended.stdout.as_str(), ended.stderr.as_str()),
        (Some(0), "", ""),
        "{why}"
    );
    let log = host.log();
    assert_eq!(log.lines().count(), n_before + 1, "{why}: {log}");
    assert!(log.lines().last().unwrap().contains(why), "{why}: {log}");
    assert!(!log.contains("secret"), "{log}");
}

#[track_caller]
fn check(host: &Host, name: &str, fields: &Value, why: &str) {
    check_bytes(host, host.event(name, fields).to_string(), why);
}

fn host() -> Host {
    let host = Host::new();
    host.write(&Host::transcript(), &[said(0, "user", "the secret word")]);
    host
}

#[test]
fn an_event_that_ends_at_any_byte_is_none() {
    let host = Host::new();
    let event = r#"{"session_id":"s\u00e9","prompt":"secret","transcript_path":"/t","hook_event_name":"Stop"}"#;
    for end in 0..event.len() {
        check_bytes(&host, &event[..end], "stdin ends too early");
    }
    check_bytes(
        &host,
        event,
        "Z Stop of a session with an odd id: the transcript cannot be read: it is not there",
    );
}

#[test]
fn bytes_that_are_no_event_are_none() {
    let host = host();
    let mut huge = b"{\"tool_response\":\"".to_vec();
    huge.extend(std::iter::repeat_n(b'x', 10 << 20));
    let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
    check_bytes(&host, huge.clone(), "stdin ends too early");
    check_bytes(&host, deep, "stdin");
    check_bytes(&host, vec![0; 4_096], "stdin is no JSON object");
    check_bytes(&host, vec![0xff; 64], "stdin is no JSON object");
    check_bytes(&host, "{} {}", "stdin is no JSON object");
    check_bytes(&host, "[1]", "stdin is no JSON object");
    check_bytes(&host, "{}", "it names no transcript");
    // A whole one of that size is read.
    let mut event = host.event("PostToolUse", &json!({})).to_string();
    event.insert_str(
        1,
        &format!("\"tool_response\":\"{}\",", "x".repeat(10 << 20)),
    );
    let ended = host.program.feed(&["hook", "claude-code"], event);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
    assert_eq!(host.program.json(&["stats"])["messages"], 1);
}

#[test]
fn a_path_that_leads_to_no_file_is_not_followed() {
    let host = host();
    let at = |path: &str| json!({"transcript_path": path});
    let path = |name: &str| host.program.path(name).to_str().unwrap().to_owned();
    check(&host, "Stop", &at("\0"), "the transcript cannot be read");
    let compacted = json!({"source": "compact", "transcript_path": "/nowhere"});
    for (name, fields) in [
        ("SessionStart", &compacted),
        ("PostToolUse", &at("/nowhere")),
    ] {
        check(
            &host,
            name,
            fields,
            "the transcript cannot be read: it is not there",
        );
    }
    check(&host, "Stop", &at("/"), "the transcript is no file");
    check(
        &host,
        "Stop",
        &at("../../../../../../.."),
        "the transcript is no file",
    );
    check(
        &host,
        "Stop",
        &at("~/nowhere"),
        "the transcript cannot be read",
    );
    check(
        &host,
        "Stop",
        &at(&"a/".repeat(5_000)),
        "the transcript cannot be read",
    );
    check(
        &host,
        "Stop",
        &at(&path("projects")),
        "the transcript is no file",
    );
    let agent = json!({"agent_id": "../../../../etc/passwd", "agent_transcript_path": "/"});
    check(
        &host,
        "SubagentStop",
        &agent,
        "the sub-agent's transcript is no file",
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(path("loop"), path("loop")).unwrap();
        check(
            &host,
            "Stop",
            &at(&path("loop")),
            "the transcript cannot be read",
        );
        let made = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(made.unwrap().success());
        check(
            &host,
            "Stop",
            &at(&path("pipe")),
            "the transcript is no file",
        );
        // A folder of sub-agents that is a link leads elsewhere.
        let folder = Host::transcript().replace(".jsonl", "");
        std::fs::create_dir_all(path(&folder)).unwrap();
        std::os::unix::fs::symlink("/", path(&format!("{folder}/subagents"))).unwrap();
        host.hook_silently("Stop", &json!({}));
    }
    host.program
        .write("noise.bin", "secret \0\u{1}\n{\"secret\": [\n");
    check(
        &host,
        "Stop",
        &at(&path("noise.bin")),
        "records of a transcript were refused",
    );
}

#[test]
fn a_store_that_cannot_be_used_is_told_to_the_log_alone() {
    let host = host();
    host.program.write(
        "data/hippocamp/hippocamp.db",
        "no database, and long enough to be one",
    );
    check(&host, "Stop", &json!({}), "store_foreign");
    check(
        &host,
        "SessionStart",
        &json!({"source": "compact"}),
        "store_foreign",
    );
    std::fs::remove_file(host.program.db()).unwrap();
    std::fs::create_dir(host.program.db()).unwrap();
    check(&host, "Stop", &json!({}), "it is a folder");
    std::fs::remove_dir(host.program.db()).unwrap();
    host.program
        .write("config/hippocamp/config.toml", "colour = 1\n");
    check(&host, "Stop", &json!({}), "config");
}

#[test]
fn a_store_that_another_process_holds_does_not_stall_the_host() {
    let host = host();
    host.hook_silently("Stop", &json!({}));
    host.write(&Host::transcript(), &[said(1, "assistant", "later")]);
    let holder = rusqlite::Connection::open(host.program.db()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Where another event follows it is not waited for, and that is no trouble.
    let log = host.log();
    let begun = Instant::now();
    host.hook_silently("PostToolUse", &json!({}));
    host.hook_silently("UserPromptSubmit", &json!({}));
    assert!(begun.elapsed() < SOON);
    assert_eq!(host.log(), log);
    check(&host, "Stop", &json!({}), "given up after 2 s");
    check(&host, "SessionEnd", &json!({}), "given up after 1 s");
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
    host.hook_silently("Stop", &json!({}));
    assert_eq!(host.program.json(&["stats"])["messages"], 2);
}

/// Hands an event to the hook where no file may have more than so many blocks of 512 bytes: who writes
/// more is sent a signal.
#[cfg(unix)]
fn hook_in(host: &Host, blocks: u32, fields: &Value) {
    let event = host.event("PostToolUse", fields).to_string();
    let event = std::fs::File::open(host.program.write("event.json", &event)).unwrap();
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = host.program.process_of("/bin/sh");
    command.arg("-c").arg(script);
    command.arg(assert_cmd::cargo::cargo_bin!("hippocamp"));
    command.args(["hook", "claude-code"]).stdin(event);
    let ended = command.output().unwrap();
    assert!(ended.status.success(), "{blocks} blocks: {ended:?}");
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty());
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_to_the_log_and_what_it_kept_out_comes_with_a_later_event() {
    let host = host();
    host.hook_silently("Stop", &json!({}));
    let words = "the secret word was said again ".repeat(20_000);
    host.write(&Host::transcript(), &[said(1, "assistant", &words)]);
    // There is room for the log and none for the record, in the store or in its log.
    hook_in(&host, 800, &json!({}));
    let log = host.log();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(
        log.contains("PostToolUse of ") && log.contains("store_"),
        "{log}"
    );
    assert!(!log.contains("secret"), "{log}");
    assert_eq!(host.program.json(&["stats"])["messages"], 1);

    // Where not even the log has room nobody is told.
    hook_in(&host, 0, &json!({}));
    assert_eq!(host.log(), log);

    host.hook_silently("PostToolUse", &json!({}));
    assert_eq!(host.program.json(&["stats"])["messages"], 2);
    assert_eq!(host.program.run(&["doctor"]).code, Some(0));
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_before_there_is_a_store_is_told_to_the_log() {
    let host = host();
    hook_in(&host, 8, &json!({}));
    let log = host.log();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(!host.program.db().exists(), "an empty store is left");
    host.hook_silently("Stop", &json!({}));
    assert_eq!(host.program.json(&["stats"])["messages"], 1);
}

#[test]
fn a_host_that_says_nothing_is_not_waited_for() {
    let host = host();
    let mut command = host.program.process();
    command.args(["hook", "claude-code"]).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take();
    let ended = child.wait_with_output().unwrap();
    drop(stdin);
    assert!(ended.status.success());
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty());
    assert!(host.log().contains("given up after 2 s"), "{}", host.log());
}

#[test]
fn without_a_home_or_a_log_it_ends_as_quietly() {
    let host = host();
    let event = host.event("Stop", &json!({})).to_string();
    let mut command = host.program.command();
    command.args(["hook", "claude-code"]);
    for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        command.env(name, "");
    }
    let ended = command.write_stdin(event.clone()).output().unwrap();
    assert!(ended.status.success() && ended.stdout.is_empty() && ended.stderr.is_empty());

    // A log that is a folder cannot be written.
    std::fs::create_dir_all(host.program.path(".local/state/hippocamp/hook.log")).unwrap();
    let ended = host.program.feed(&["hook", "claude-code"], "no event");
    assert_eq!(
        (ended.code, ended.stdout.as_str(), ended.stderr.as_str()),
        (Some(0), "", "")
    );
}

/// To Claude Code an exit of 2 is a veto: it would go on after `Stop` and drop the prompt.
#[test]
fn a_call_that_is_not_understood_is_told_and_stops_nobody() {
    for (words, why) in [
        (&["hook", "tea-time"][..], "'tea-time'"),
        (&["hook", "claude-code", "--bogus"], "'--bogus'"),
        (&["hook"], "<AGENT>"),
        (&["--db=", "hook", "claude-code"], "'--db <PATH>'"),
    ] {
        let host = Host::new();
        let ended = host.program.feed(words, "{}");
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(0), ""),
            "{words:?}"
        );
        assert!(ended.stderr.contains(why), "{words:?}: {}", ended.stderr);
        let log = host.log();
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(log.contains("a call that is not understood: "), "{log}");
        assert!(log.contains(why), "{log}");
    }
}

#[test]
fn a_session_that_has_said_nothing_yet_is_no_trouble() {
    let host = Host::new();
    for (name, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "hello"})),
        ("SessionEnd", json!({"reason": "exit"})),
    ] {
        host.hook_silently(name, &fields);
        assert_eq!(host.log(), "", "{name}");
    }
}
