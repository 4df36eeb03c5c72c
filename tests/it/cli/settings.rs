//! Flags, variables, files, logs, help.

use serde_json::Value;

use super::with_summaries;
use crate::program::{Program, line};

#[test]
fn settings_come_from_flag_variable_and_file_in_this_order() {
    let program = Program::new();
    program.append("main", &line("user", "x"));
    let budget = |flag: Option<&str>, variable: Option<&str>| {
        let mut command = program.command();
        command.args(["status", "--json"]);
        if let Some(flag) = flag {
            command.args(["--window", flag]);
        }
        if let Some(variable) = variable {
            command.env("HIPPOCAMP_CONTEXT_WINDOW", variable);
        }
        let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        answer["sessions"][0]["budget"].clone()
    };
    assert_eq!(budget(None, None), 128_000);
    program.write("config/hippocamp/config.toml", "context_window = 64000\n");
    assert_eq!(budget(None, None), 64_000);
    assert_eq!(budget(None, Some("32000")), 32_000);
    assert_eq!(budget(Some("16000"), Some("32000")), 16_000);
}

#[test]
fn a_store_may_be_named_in_three_ways() {
    let program = Program::new();
    let path = program.path("elsewhere.db");
    let path = path.to_str().unwrap();
    let ended = program.feed(
        &["append", "--session", "a", "--db", path],
        line("user", "x"),
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!program.db().exists());
    let mut command = program.command();
    let output = command
        .args(["sessions", "--json"])
        .env("HIPPOCAMP_DB", path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    program.write("my.toml", &format!("db = {path:?}\n"));
    let answer = program.json(&["sessions", "--config", "my.toml"]);
    assert_eq!(answer["sessions"][0]["key"], "a");
}

#[test]
fn logs_and_remarks_stay_off_stdout() {
    let program = with_summaries();
    let ended = program.run(&["sessions", "--json", "-vv"]);
    ended.object();
    let ended = program.feed(&["append", "--session", "a", "-q"], "bad\n");
    assert_eq!(ended.code, Some(4));
    assert_eq!(ended.stderr, "");
    let ended = program.run(&["grep", "walrus"]);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("nothing found"), "{ended:?}");
}

#[test]
fn every_command_shows_help_with_an_example() {
    let program = Program::new();
    for command in [
        "demo",
        "import",
        "fork",
        "append",
        "turn",
        "context",
        "compact",
        "grep",
        "expand",
        "tree",
        "sessions",
        "stats",
        "status",
        "events",
        "doctor",
        "export",
        "backup",
        "reindex",
        "config",
        "completions",
        "man",
    ] {
        let ended = program.run(&[command, "--help"]);
        assert_eq!(ended.code, Some(0));
        assert!(
            ended.stdout.contains(&format!("hippocamp {command}")),
            "{}",
            ended.stdout
        );
        assert!(ended.stdout.contains("Example"), "{}", ended.stdout);
    }
}

#[test]
fn the_version_comes_with_those_of_the_schema_and_of_sqlite() {
    let program = Program::new();
    program.append("main", &line("user", "x"));
    let holder = rusqlite::Connection::open(program.db()).unwrap();
    let schema: i64 = holder
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    let (own, sqlite) = (env!("CARGO_PKG_VERSION"), rusqlite::version());
    let want = format!("hippocamp {own} (schema {schema}, SQLite {sqlite})\n");
    for word in ["--version", "-V"] {
        assert_eq!(program.run(&[word]).stdout, want);
    }
    let object = program.json(&["--version"]);
    assert_eq!(object["version"], own);
    assert_eq!(object["schema"], schema);
    assert_eq!(object["sqlite"], sqlite);
}

#[test]
fn errors_of_the_parser_obey_json_too() {
    let program = Program::new();
    for words in [
        &["--json", "bogus"][..],
        &["grep", "--json"],
        &["--json"],
        &["context", "--json", "--session", "a", "--format", "bogus"],
        &["sessions", "--json", "--window", "x"],
    ] {
        let ended = program.run(words);
        assert_eq!(ended.code, Some(2), "{words:?}: {ended:?}");
        assert_eq!(ended.stdout, "");
        ended.error();
    }
}

#[test]
fn the_help_of_help_is_that_of_the_program() {
    let program = Program::new();
    let whole = program.run(&["help"]);
    assert_eq!(whole.code, Some(0));
    for flag in ["--help", "-h"] {
        let ended = program.run(&["help", flag]);
        assert_eq!(
            (ended.code, &ended.stdout),
            (Some(0), &whole.stdout),
            "{flag}"
        );
    }
    // Elsewhere the word is a value.
    let ended = program.run(&["grep", "help", "--help"]);
    assert!(ended.stdout.contains("hippocamp grep"), "{}", ended.stdout);
}
