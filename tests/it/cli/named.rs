//! Conversations named by a part of their keys.

use crate::program::Program;

const HELLO: &str = "{\"role\":\"user\",\"content\":\"hello\"}\n";
const TERN: &str = "claude-code:3f2a9c10-tern";

fn program() -> Program {
    let program = Program::new();
    for key in [
        TERN,
        "claude-code:3f2a9c10-tern/agent-1",
        "claude-code:91bc",
    ] {
        program.append(key, HELLO);
    }
    program
}

#[test]
fn commands_take_the_beginning_of_one_key() {
    let program = program();
    for part in ["3f2a", "claude-code:3f"] {
        let events = program.json(&["events", "--session", part]);
        assert!(events["events"].is_array());
        let stats = program.json(&["stats", "--session", part]);
        assert_eq!(stats["curve_of"], TERN);
        let found = program.json(&["grep", "hello", "--session", part]);
        assert_eq!(
            (&found["total"], &found["results"][0]["conversation"]),
            (&1.into(), &TERN.into())
        );
        for command in ["context", "compact", "tree"] {
            program.json(&[command, "--session", part]);
        }
    }
    let forked = program.json(&["fork", "--session", "91", "--at", "1"]);
    assert_eq!(forked["key"], "claude-code:91bc");
}

#[test]
fn several_keys_with_one_beginning_are_an_error_that_names_them() {
    let program = program();
    for command in ["context", "compact", "tree", "events", "stats"] {
        let ended = program.run(&[command, "--session", "claude", "--json"]);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(2), ""),
            "{command}"
        );
        let error = ended.error();
        assert_eq!(error["kind"], "ambiguous_session");
        let hint = error["hint"].as_str().unwrap();
        assert_eq!(
            hint,
            format!("write more of one of `{TERN}`, `claude-code:91bc`")
        );
    }
    let ended = program.run(&["tree", "--session", "claude-code:4", "--json"]);
    assert_eq!(
        (ended.code, &ended.error()["kind"]),
        (Some(2), &"unknown_session".into())
    );
}

#[test]
fn a_command_that_begins_conversations_takes_the_key_as_it_is_written() {
    let program = program();
    program.append("claude-code:91", HELLO);
    let ended = program.feed(&["turn", "--session", "3f2a"], HELLO);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let sessions = program.json(&["sessions"])["sessions"].clone();
    assert_eq!(sessions.as_array().unwrap().len(), 5);
    // What is written out wins over what it is the beginning of.
    let stats = program.json(&["stats", "--session", "3f2a"]);
    assert_eq!(stats["curve_of"], "3f2a");
}

#[test]
fn a_key_that_is_written_out_wins_and_asks_for_no_other() {
    let program = program();
    for key in [TERN, "claude-code:91bc"] {
        let forked = program.json(&["fork", "--session", key, "--at", "1"]);
        assert_eq!(forked["key"], key);
    }
    program.append("claude-code:91bcde", HELLO);
    // One conversation that cannot be listed stands in the way of the list alone.
    let store = rusqlite::Connection::open(program.db()).unwrap();
    let damaged = "UPDATE conversation SET title = x'ff' WHERE session_key = 'claude-code:91bcde'";
    assert_eq!(store.execute(damaged, []).unwrap(), 1);
    assert_ne!(program.run(&["sessions"]).code, Some(0));
    assert_ne!(program.run(&["tree", "--session", "3f2a"]).code, Some(0));
    for command in ["tree", "events", "context", "compact"] {
        for key in [TERN, "claude-code:91bc"] {
            program.json(&[command, "--session", key]);
        }
    }
}

#[test]
fn sessions_of_a_format_that_is_none_are_wrong_use() {
    let program = Program::new();
    program.append("a", HELLO);
    let ended = program.run(&["sessions", "--format", "codexx"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.stderr.contains("`codexx` is no known format"),
        "{ended:?}"
    );
    let ended = program.run(&["sessions", "--format", "codex"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}
