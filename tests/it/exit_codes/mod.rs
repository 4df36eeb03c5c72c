//! How each command ends, row by row of the table of exit codes.

mod agents;
mod imports;
mod process;
#[cfg(unix)]
mod rights;
mod table;
#[cfg(unix)]
mod terminal;

use serde_json::{Value, json};

use crate::program::{Program, line, talk};

/// A store with three conversations: `main` of words, `quiet` with nothing visible, `long` with
/// summaries.
fn seeded() -> Program {
    let program = Program::new();
    program.append(
        "main",
        &(line("user", "the otter swims -foo under the bridge")
            + &line("assistant", "an otter and a heron")),
    );
    program.append(
        "quiet",
        "{\"role\":\"user\",\"content\":\"hidden\",\"meta\":true}\n",
    );
    let ended = program.feed(
        &["turn", "--session", "long", "--window", "3000", "--json"],
        talk(40, 40),
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    program.json(&["compact", "--session", "long"]);
    program
}

/// One row: what is typed, how it ends, and what stderr says.
struct Row {
    words: &'static [&'static str],
    code: i32,
    says: &'static str,
}

const fn row(words: &'static [&'static str], code: i32, says: &'static str) -> Row {
    Row { words, code, says }
}

/// Runs a row twice, for people and for programs, and holds both to the same ending.
#[track_caller]
fn check(program: &Program, row: &Row) {
    let ended = program.run(row.words);
    let what = format!("{:?}: {ended:?}", row.words);
    assert_eq!(ended.code, Some(row.code), "{what}");
    assert!(
        ended.stderr.contains(row.says),
        "no `{}` in {what}",
        row.says
    );
    let split_idx = row
        .words
        .iter()
        .position(|word| *word == "--")
        .unwrap_or(row.words.len());
    let (before, after) = row.words.split_at(split_idx);
    let with_json = program.run(&[before, &["--json"], after].concat());
    let what = format!("{:?} --json: {with_json:?}", row.words);
    assert_eq!(with_json.code, Some(row.code), "{what}");
    match row.code {
        0 | 1 | 4 | 5 => {
            with_json.object();
        }
        2 | 3 => {
            assert_eq!(with_json.stdout, "", "{what}");
            let error = with_json.error().to_string();
            assert!(error.contains(row.says), "no `{}` in {what}", row.says);
        }
        _ => {}
    }
}

const ROWS: &[Row] = &[
    row(&["grep", "walrus"], 1, ""),
    row(&["grep", "otter"], 0, ""),
    row(&["grep", "otter", "--limit", "0"], 2, "at least 1"),
    row(&["grep", "otter", "--limit", "-1"], 2, "at least 1"),
    row(&["grep", "otter", "--limit", "2.5"], 2, "at least 1"),
    row(&["grep", "otter", "--limit", "1000"], 0, ""),
    row(&["grep", "otter", "-C", "2"], 0, ""),
    row(&["grep", "otter", "-C", "99999999999999999999"], 0, ""),
    row(&["grep", "walrus", "-C", "2"], 1, ""),
    row(&["grep", "otter", "-C", "0"], 2, "at least 1"),
    row(&["grep", "otter", "-C", "-1"], 2, "at least 1"),
    row(&["grep", "otter", "-C", "1.5"], 2, "at least 1"),
    row(&["grep", "otter", "-C", "few"], 2, "at least 1"),
    row(&["grep", "otter", "-C"], 2, "--context"),
    row(&["grep", "otter walrus unicorn"], 0, ""),
    row(
        &[
            "grep",
            "otter",
            "--since",
            "2026-01-03",
            "--before",
            "2026-01-02",
        ],
        1,
        "",
    ),
    row(
        &["grep", "otter", "--role", "user", "--scope", "summary"],
        2,
        "--role",
    ),
    row(
        &["grep", "otter", "--last", "1d", "--since", "2026-01-01"],
        2,
        "last",
    ),
    row(&["grep", "otter", "--last", "10s"], 2, "m is a month"),
    row(&["grep", "otter", "--since", "soon"], 2, "2026-01-02"),
    row(&["grep", "otter AND"], 2, ""),
    row(&["grep", ""], 2, ""),
    row(&["grep", "otter", "--session", "maim"], 2, "main"),
    row(&["grep", "otter", "--session", "mian"], 2, "`main`"),
    row(&["context", "--session", "maim"], 2, "main"),
    row(&["tree", "--session", "maim"], 2, "main"),
    row(&["events", "--session", "maim"], 2, "main"),
    row(&["compact", "--session", "maim"], 2, "main"),
    row(&["stats", "--session", "maim"], 2, "main"),
    row(&["fork", "--session", "maim", "--at", "1"], 2, "main"),
    row(&["fork", "--session", "main", "--at", "99"], 2, "99"),
    row(&["fork", "--session", "main", "--at", "0"], 2, "at least 1"),
    row(
        &["tree", "--session", "main", "--session", "long"],
        2,
        "--session",
    ),
    row(&["grep", "--", "-foo"], 0, ""),
    row(&["grep", "-foo"], 2, "put -- before it"),
    row(&["grep", "foo", "bar"], 2, "quote it"),
    row(&["context", "--session", "quiet"], 0, ""),
    row(
        &["context", "--session", "main", "--budget", "0"],
        2,
        "at least 1",
    ),
    row(&["context", "--session", "main", "--budget", "1"], 4, ""),
    row(&["context", "--session", "long", "--budget", "1500"], 0, ""),
    row(&["expand", "999999"], 4, "999999"),
    row(&["expand", "0"], 4, "missing: 0"),
    row(
        &["expand", "99999999999999999999"],
        4,
        "99999999999999999999",
    ),
    row(
        &["expand", "s99999999999999999999"],
        4,
        "s99999999999999999999",
    ),
    row(&["expand", "10abc"], 2, "10abc"),
    row(&["expand", "s"], 2, "`s` is no id"),
    row(&["expand", "-1"], 2, "-1"),
    row(&["expand", "10.5"], 2, "10.5"),
    row(&["expand"], 2, "ID"),
    row(&["expand", "1", "--max-tokens", "0"], 2, "at least 1"),
    row(&["append", "--session", "main", "--sync"], 2, "empty"),
    row(&["append", "--session", "new"], 0, ""),
    row(&["turn", "--session", "new"], 0, ""),
    row(&["append", "--session", ""], 2, "may not be empty"),
    row(&["compact", "--session", "main"], 0, ""),
    row(
        &["compact", "--session", "main", "--until-under", "0"],
        2,
        "at least 1",
    ),
    row(
        &["compact", "--session", "main", "--until-under", "1"],
        4,
        "",
    ),
    row(&["compact", "--stdin"], 2, ""),
    row(&["sessions", "--since", "soon"], 2, "2026-01-02"),
    row(&["sessions"], 0, ""),
    row(&["stats"], 0, ""),
    row(&["status"], 0, ""),
    row(&["tree", "--session", "long"], 0, ""),
    row(&["events", "--session", "long"], 0, ""),
    row(&["doctor"], 0, ""),
    row(&["doctor", "--repair"], 0, ""),
    row(&["doctor", "--repair", "--yes"], 0, ""),
    row(&["doctor", "--yes"], 2, "--repair"),
    row(&["export", "--session", "main"], 0, ""),
    row(
        &["export", "--session", "main", "--format", "ndjson"],
        0,
        "",
    ),
    row(&["export", "--session", "main", "--span", "2-2"], 0, ""),
    row(&["export", "--session", "maim"], 2, "main"),
    row(
        &["export", "--session", "main", "--span", "2-3"],
        2,
        "ends at 2",
    ),
    row(&["export", "--session", "main", "--span", "2-1"], 2, "5-20"),
    row(&["export", "--session", "main", "--span", "0"], 2, "5-20"),
    row(
        &["export", "--session", "main", "--format", "html"],
        2,
        "html",
    ),
    row(&["export", "--session", "main", "--title", "x"], 2, "--all"),
    row(&["export"], 2, "--session"),
    row(&["export", "--all"], 2, "--to"),
    row(&["reindex"], 0, ""),
    row(&["backup"], 2, "PATH"),
    row(&["backup", "no/folder/copy.db"], 2, "no folder"),
    row(&["backup", "."], 2, "not overwritten"),
    row(&["config"], 0, ""),
    row(&["config", "--config", "/nowhere.toml"], 2, "/nowhere.toml"),
    row(&["man"], 0, ""),
    row(&["man", "--config", "/nowhere.toml"], 0, ""),
    row(&["man", "bogus"], 2, "bogus"),
    row(&["completions", "fish", "--config", "/nowhere.toml"], 0, ""),
    row(&["completions", "csh"], 2, "csh"),
    row(&["completions"], 2, "SHELL"),
    row(&["sessions", "--before", "soon"], 2, "2026-01-02"),
    row(&["doctor", "--window", "0"], 2, "--window"),
    row(&["import", "/nowhere/at/all"], 2, "/nowhere/at/all"),
    row(&["import", "--format", "bogus", "/tmp"], 2, "bogus"),
    row(&["bogus"], 2, ""),
    row(&[], 2, "hippocamp --help"),
    row(
        &["sessions", "--config", "/nowhere.toml"],
        2,
        "/nowhere.toml",
    ),
];

#[test]
fn every_row_of_a_seeded_store_ends_as_the_table_says() {
    let program = seeded();
    for row in ROWS {
        check(&program, row);
    }
}

#[test]
fn a_capped_limit_and_a_partial_match_say_so() {
    let program = seeded();
    let answer = program.json(&["grep", "otter", "--limit", "1000"]);
    assert_eq!(answer["limit"], 200);
    assert_eq!(
        program.json(&["grep", "otter walrus unicorn"])["match"],
        "some"
    );
}

#[test]
fn what_is_refused_prints_nothing_on_stdout() {
    let program = seeded();
    for id in ["10abc", "s", "10.5", "-1"] {
        let ended = program.run(&["expand", "1", id]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{id}");
    }
}

#[test]
fn known_and_unknown_ids_are_shown_and_named() {
    let program = seeded();
    let hit = program.json(&["grep", "heron"])["results"][0]["id"].clone();
    let id = hit.as_str().unwrap();
    let ended = program.run(&["expand", id, "999999", "--json"]);
    assert_eq!(ended.code, Some(4));
    assert_eq!(ended.object()["missing"], json!(["999999"]));
    assert_eq!(ended.object()["messages"].as_array().unwrap().len(), 1);
    let ended = program.run(&["expand", "0", "99999999999999999999", "--json"]);
    assert_eq!(
        ended.object()["missing"],
        json!(["0", "99999999999999999999"])
    );
}

#[test]
fn repeated_ids_of_both_kinds_are_shown_once_each() {
    let program = seeded();
    let nodes = program.json(&["tree", "--session", "long"])["nodes"].clone();
    let summary = nodes[0]["id"].as_str().expect("a summary").to_owned();
    let hit = program.json(&["grep", "heron"])["results"][0]["id"].clone();
    let id = hit.as_str().unwrap();
    let answer = program.json(&["expand", id, id, &summary, "--max-tokens", "100000"]);
    let summaries = answer["summaries"].as_array().unwrap();
    assert_eq!(
        summaries
            .iter()
            .filter(|shown| shown["id"] == summary.as_str())
            .count(),
        1
    );
    let messages = answer["messages"].as_array().unwrap();
    let number: u64 = id.parse().unwrap();
    assert_eq!(
        messages
            .iter()
            .filter(|shown| shown["id"] == number)
            .count(),
        1
    );
}

#[test]
fn reading_needs_a_store() {
    let program = Program::new();
    for words in [
        &["context", "--session", "main"][..],
        &["grep", "x"],
        &["expand", "1"],
        &["tree", "--session", "main"],
        &["sessions"],
        &["stats"],
        &["status"],
        &["events", "--session", "main"],
        &["doctor"],
        &["compact", "--session", "main"],
        &["fork", "--session", "main", "--at", "1"],
        &["export", "--session", "main"],
        &["export", "--all", "--to", "folder"],
        &["backup", "copy.db"],
        &["reindex"],
    ] {
        let ended = program.run(&[words, &["--json"]].concat());
        assert_eq!(ended.code, Some(3), "{words:?}: {ended:?}");
        let error = ended.error();
        assert_eq!(error["kind"], "store_missing");
        assert!(
            error["hint"].as_str().unwrap().contains("import"),
            "{error}"
        );
        assert!(!program.db().exists(), "{words:?} made a store");
    }
}

#[test]
fn an_empty_store_is_read_and_has_no_hits() {
    let program = Program::new();
    std::fs::create_dir_all(program.path("empty")).unwrap();
    let ended = program.run(&["import", "empty"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("no files"), "{ended:?}");
    check(&program, &row(&["sessions"], 0, ""));
    check(&program, &row(&["stats"], 0, ""));
    check(&program, &row(&["grep", "x"], 1, ""));
}

#[test]
fn a_conversation_with_nothing_visible_has_an_empty_view() {
    let program = seeded();
    assert_eq!(
        program.json(&["context", "--session", "quiet"])["items"],
        json!([])
    );
}

#[test]
fn a_view_may_leave_things_out_and_still_fit() {
    let program = seeded();
    let view = program.json(&["context", "--session", "long", "--budget", "1500"]);
    assert_eq!(view["fits"], true);
    assert!(view["tokens"].as_u64().unwrap() <= 1500);
    assert!(!view["left_out"].as_array().unwrap().is_empty(), "{view}");
}

#[test]
fn stdin_without_messages_creates_nothing() {
    let program = Program::new();
    for (command, stdin, code) in [
        ("append", "", 0),
        ("turn", "", 0),
        ("append", "\n \n", 0),
        ("append", "bad\n{\"role\":\"user\"}\n", 4),
        ("turn", "bad\n", 4),
    ] {
        let ended = program.feed(&[command, "--session", "new", "--json"], stdin);
        assert_eq!(ended.code, Some(code), "{command} {stdin:?}: {ended:?}");
        let answer = ended.object();
        assert_eq!(answer["appended"], 0);
        assert_eq!(answer["first_seq"], Value::Null);
        assert_eq!(answer["last_seq"], Value::Null);
        assert!(!program.db().exists());
    }
    let ended = program.feed(&["append", "--session", "new", "--sync", "--json"], "");
    assert_eq!(ended.code, Some(2));
    ended.error();
}
