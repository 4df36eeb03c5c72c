//! How imports end.

use serde_json::Value;

use crate::program::Program;

const CLAUDE_LINE: &str = concat!(
    r#"{"parentUuid":null,"sessionId":"5ea","uuid":"u1","type":"user","cwd":"/w","version":"2.0.0","#,
    r#""timestamp":"2026-01-05T10:00:00.000Z","message":{"role":"user","content":"count the buoys"}}"#,
    "\n"
);

#[test]
fn imports_end_by_what_they_could_not_take() {
    let program = Program::new();
    let good = program.write("good/a.jsonl", CLAUDE_LINE);
    let damaged = program.write("damaged/b.jsonl", &format!("{{\"broken\n{CLAUDE_LINE}"));
    let other = program.write(
        "other/e.jsonl",
        &format!("{CLAUDE_LINE}{{\"broken\n{CLAUDE_LINE}"),
    );
    let foreign = program.write(
        "foreign/c.jsonl",
        "{\"level\":\"info\",\"msg\":\"started\"}\n",
    );
    let empty = program.write("empty/d.jsonl", "");
    let nowhere = program.path("nowhere").to_str().unwrap().to_owned();
    for (paths, code) in [
        (&[nowhere.as_str()][..], 2),
        (&[foreign.as_str()], 4),
        (&[empty.as_str()], 0),
        (&[good.as_str()], 0),
        (&[good.as_str(), nowhere.as_str()], 4),
        (&[good.as_str(), foreign.as_str()], 4),
        (&[damaged.as_str()], 4),
        (&["--dry-run", other.as_str()], 4),
    ] {
        let ended = program.run(&[&["import", "--json"], paths].concat());
        assert_eq!(ended.code, Some(code), "{paths:?}: {ended:?}");
        if code == 2 {
            ended.error();
        } else {
            ended.object();
        }
    }
}

#[test]
fn what_lay_in_each_known_place_is_told() {
    let program = Program::new();
    program.write(".claude/projects/p/a.jsonl", CLAUDE_LINE);
    let rollout = [
        r#"{"type":"session_meta","payload":{"id":"c1","cwd":"/proj"}}"#,
        r#"{"type":"event_msg","payload":{"type":"user_message","message":"one"}}"#,
        r#"{"type":"event_msg","payload":{"type":"agent_message","message":"two"}}"#,
    ];
    program.write(".codex/sessions/2026/rollout.jsonl", &rollout.join("\n"));
    let ended = program.run(&["import"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for (format, n_messages) in [
        ("claude-code", "1 message new"),
        ("codex", "2 messages new"),
    ] {
        let told = |line: &&str| line.starts_with(format) && line.ends_with(n_messages);
        assert_eq!(ended.stderr.lines().filter(told).count(), 1, "{ended:?}");
    }
    let places = program.json(&["import"])["places"].clone();
    let formats: Vec<_> = places
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["format"])
        .collect();
    assert_eq!(formats, ["claude-code", "codex"]);
    assert_eq!(places[1]["files"], 1);
}

#[test]
fn a_foreign_file_is_told_once_with_what_was_seen() {
    let program = Program::new();
    let users = program.write("passwd", "root:x:0:0:root:/root:/bin/sh\n");
    let log = program.write("log", "{\"level\":\"info\",\"msg\":\"started\"}\n");
    for (path, seen) in [
        (users, "none of its lines is a JSON object"),
        (log, "its first object has the fields level, msg"),
    ] {
        let ended = program.run(&["import", &path]);
        let want = format!(
            "{path} is no transcript of a known format: {seen}; known formats: {}\n",
            hippocamp::import::Format::known()
        );
        assert_eq!((ended.code, ended.stderr), (Some(4), want));
    }
}

#[test]
fn what_can_be_read_is_listed_once_for_all_foreign_files() {
    let program = Program::new();
    program.write("logs/a.jsonl", "{\"level\":\"info\"}\n");
    program.write("logs/b.jsonl", "{\"level\":\"warn\"}\n");
    let folder = program.path("logs").display().to_string();
    let told = program.run(&["import", &folder]).stderr;
    assert_eq!(told.matches("is no transcript").count(), 2, "{told}");
    assert_eq!(told.matches("known formats").count(), 1, "{told}");
}

#[test]
fn a_zip_is_refused_with_what_to_do() {
    let program = Program::new();
    let path = program.write("export.zip", "PK\u{3}\u{4}\u{14}\nmore\n");
    let ended = program.run(&["import", &path]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stderr.contains("zip archive; unpack it"), "{ended:?}");
}

#[test]
fn files_of_a_folder_that_are_not_looked_at_are_told_where_nothing_is_found() {
    let program = Program::new();
    program.write("exports/mine.json", "[]");
    program.write("exports/deep/other.json", "[]");
    let folder = program.path("exports").display().to_string();
    let ended = program.run(&["import", &folder]);
    let told = "no transcripts found; 2 files are not named as one";
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.starts_with(told), "{ended:?}");
}

#[test]
fn refusals_that_are_not_listed_are_counted_all_the_same() {
    let program = Program::new();
    let path = program.write("a.jsonl", &"no record\n".repeat(1_200));
    let ended = program.run(&["import", "--format", "codex", &path]);
    assert!(ended.stderr.contains("… and 1,180 more;"), "{ended:?}");
}

#[test]
fn a_database_in_a_place_is_counted_once() {
    let program = Program::new();
    program.write(".local/share/opencode/opencode.db", "");
    let places = program.json(&["import"])["places"].clone();
    let [place] = places.as_array().unwrap().as_slice() else {
        panic!("{places}");
    };
    assert_eq!(
        (&place["format"], &place["files"]),
        (&"opencode".into(), &1.into())
    );
}

#[test]
fn a_dry_run_of_an_import_makes_no_store() {
    let program = Program::new();
    let good = program.write("good/a.jsonl", CLAUDE_LINE);
    let answer = program.json(&["import", "--dry-run", &good]);
    assert_eq!(answer["totals"]["stored"], 1);
    assert!(!program.db().exists());
}

#[test]
fn known_places_that_are_empty_are_no_error() {
    let program = Program::new();
    let ended = program.run(&["import"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("known places"), "{ended:?}");
}

#[test]
fn transcripts_in_the_known_places_are_taken_in() {
    let program = Program::new();
    program.write(".claude/projects/-w/a.jsonl", CLAUDE_LINE);
    assert_eq!(program.json(&["import"])["totals"]["stored"], 1);
    program.write(
        "elsewhere/projects/-w/b.jsonl",
        &CLAUDE_LINE.replace("u1", "u2").replace("5ea", "5eb"),
    );
    let mut command = program.command();
    let output = command
        .args(["import", "--json"])
        .env("CLAUDE_CONFIG_DIR", program.path("elsewhere"));
    let answer: Value = serde_json::from_slice(&output.output().unwrap().stdout).unwrap();
    assert_eq!(answer["totals"]["stored"], 1);
    assert_eq!(
        program.json(&["sessions"])["sessions"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}
