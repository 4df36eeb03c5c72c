//! `export`: what was stored comes out whole, to be read or to be appended again.

use rusqlite::types::Value as Column;
use serde_json::{Value, json};

use crate::program::{Program, line, talk};

/// All that a row says and where it stands, but ids, hashes and whose it is.
const ROWS: &str = "SELECT m.seq, m.role, m.visibility, m.continues, m.tokens, m.view_tokens, \
       m.reasoning_tokens, m.prompt_tokens, m.has_words, m.n_parts, m.at, m.sum_tokens, m.sum_view, \
       m.n_visible, m.turn_first, m.prompt_first, m.name, m.model, m.provider, k.key, \
       p.ordinal, p.kind, p.call_id, p.occurrence, p.name, p.is_error, p.signature, p.mime, p.body \
     FROM message AS m JOIN session AS s ON s.conversation_id = m.conversation_id \
     LEFT JOIN part AS p ON p.message_id = m.id LEFT JOIN message_key AS k ON k.message_id = m.id \
     WHERE s.key = ?1 ORDER BY m.seq, p.ordinal";

fn rows(program: &Program, session: &str) -> Vec<Vec<Column>> {
    let store = rusqlite::Connection::open(program.db()).unwrap();
    let mut statement = store.prepare(ROWS).unwrap();
    let n_columns = statement.column_count();
    let rows = statement
        .query_map([session], |row| {
            (0..n_columns).map(|idx| row.get(idx)).collect()
        })
        .unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Exports a session, appends it to an empty store and compares the rows.
#[track_caller]
fn check_same(program: &Program, session: &str) {
    let exported = program.run(&["export", "--session", session, "--format", "ndjson"]);
    assert_eq!((exported.code, exported.stderr.as_str()), (Some(0), ""));
    let other = Program::new();
    let appended = other.append("copy", &exported.stdout);
    assert_eq!(appended["refused"], json!([]), "{}", exported.stdout);
    let (before, after) = (rows(program, session), rows(&other, "copy"));
    assert!(!before.is_empty());
    assert_eq!(before, after);
    let checked = other.run(&["doctor", "--json"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    // And again, from the copy.
    let again = other.run(&["export", "--session", "copy", "--format", "ndjson"]);
    assert_eq!(again.stdout, exported.stdout);
}

const EVERY_PART: &str = concat!(
    r#"{"role":"system","content":"Be brief."}"#,
    "\n",
    r#"{"role":"user","content":"look <a> & \"b\"\r\n\u0000 ","name":"Ada","time":"2026-01-02T03:04:05Z","key":"k1"}"#,
    "\n",
    r#"{"role":"assistant","model":"m","provider":"p","content":[{"type":"reasoning","text":"hm","signature":"s"},{"type":"text","text":""},{"type":"tool_use","call_id":"c1","name":"ls","arguments":{"z":1,  "a":12345678901234567890123}},{"type":"tool_use","call_id":"c1","name":"ls","arguments":"no json"}]}"#,
    "\n",
    r#"{"role":"tool","content":[{"type":"tool_result","call_id":"c1","content":"x\u001b[2J","is_error":true},{"type":"media","uri":"file:///a","mime":"image/png"}]}"#,
    "\n",
    r#"{"role":"tool","content":[{"type":"tool_result","call_id":"c1","content":""}]}"#,
    "\n",
    r#"{"role":"user","content":"noise","meta":true}"#,
    "\n",
    r#"{"role":"assistant","content":[{"type":"server_tool_use", "id":1,"x":{"y":[1.0]}},{"type":"text","text":"done"}]}"#,
    "\n",
    r#"{"role":"system","content":"by the way"}"#,
    "\n",
    r#"{"role":"assistant","content":[]}"#,
    "\n",
);

#[test]
fn every_kind_of_part_comes_back_the_same() {
    let program = Program::new();
    program.append("main", EVERY_PART);
    check_same(&program, "main");
}

#[test]
fn changed_prompts_and_branches_come_back_the_same() {
    let program = Program::new();
    let history = |prompt: &str, n: usize| line("system", prompt) + &talk(n, 5);
    for lines in [
        history("old rules", 2),
        history("new rules", 3),
        history("newest", 3),
    ] {
        let ended = program.feed(&["append", "--session", "main", "--sync"], lines);
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    check_same(&program, "main");
    program.json(&["fork", "--session", "main", "--at", "4", "--as", "side"]);
    program.append("side", &talk(1, 3));
    let exported = program.run(&["export", "--session", "side", "--format", "ndjson"]);
    assert_eq!(exported.stdout.lines().count(), 6);
    let other = Program::new();
    other.append("copy", &exported.stdout);
    let again = other.run(&["export", "--session", "copy", "--format", "ndjson"]);
    assert_eq!(again.stdout, exported.stdout);
}

/// Records of one answer, in two; a line that is no talk; one without a time.
fn transcript() -> String {
    let record = |uuid: &str, parent: Option<&str>, time: Option<&str>, message: Value| {
        let mut record = json!({"type": message["role"], "uuid": uuid, "parentUuid": parent,
            "sessionId": "5ea", "cwd": "/w", "version": "2.0.0", "message": message});
        if let Some(time) = time {
            record["timestamp"] = time.into();
        }
        format!("{record}\n")
    };
    let answer = |block: Value| json!({"role": "assistant", "id": "msg_1", "model": "m", "content": [block]});
    record(
        "u1",
        None,
        Some("2026-01-05T10:00:00.000Z"),
        json!({"role": "user", "content": "count"}),
    ) + &record(
        "u2",
        Some("u1"),
        Some("2026-01-05T10:00:01.000Z"),
        answer(json!({"type": "text", "text": "one"})),
    ) + &record(
        "u3",
        Some("u2"),
        Some("2026-01-05T10:00:02.000Z"),
        answer(json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}})),
    ) + &record(
        "u4",
        Some("u3"),
        None,
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a\nb"}]}),
    )
}

#[test]
fn what_was_imported_comes_back_the_same() {
    let program = Program::new();
    let path = program.write("t/5ea.jsonl", &transcript());
    let imported = program.json(&["import", &path]);
    assert_eq!(imported["totals"]["stored"], 4, "{imported}");
    let continued = rows(&program, "claude-code:5ea");
    assert!(
        continued.iter().any(|row| row[3] != Column::Null),
        "no continuation"
    );
    assert!(
        continued.iter().any(|row| row[10] == Column::Null),
        "each row has a time"
    );
    check_same(&program, "claude-code:5ea");
}

#[test]
fn an_export_of_many_pages_is_whole() {
    let program = Program::new();
    let large = "hull ".repeat(300_000);
    let lines = talk(300, 4) + &line("user", &large) + &line("user", &large) + &talk(2, 3);
    program.append("main", &lines);
    check_same(&program, "main");
}

#[test]
fn a_span_begins_and_ends_where_it_says() {
    let program = Program::new();
    program.append("main", &talk(5, 3));
    let whole = program
        .run(&["export", "--session", "main", "--format", "ndjson"])
        .stdout;
    let part = program.run(&[
        "export",
        "--session",
        "main",
        "--format",
        "ndjson",
        "--span",
        "3-6",
    ]);
    let want: Vec<&str> = whole.lines().skip(2).take(4).collect();
    assert_eq!(part.stdout.lines().collect::<Vec<_>>(), want);
    let one = program.json(&[
        "export",
        "--session",
        "main",
        "--format",
        "ndjson",
        "--span",
        "3",
    ]);
    assert_eq!(one["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn markdown_is_for_people_and_json_is_one_object() {
    let program = Program::new();
    program.append("ma\u{1b}in", EVERY_PART);
    let shown = program.run(&["export", "--session", "ma\u{1b}in"]);
    assert_eq!(shown.code, Some(0));
    for part in [
        "## 2 · user Ada · 2026-01-02T03:04:05.000Z",
        "**call** ls (c1)",
        "no talk",
    ] {
        assert!(
            shown.stdout.contains(part),
            "no `{part}` in {}",
            shown.stdout
        );
    }
    assert!(!shown.stdout.contains('\u{1b}'));
    let answer = program.json(&["export", "--session", "ma\u{1b}in"]);
    assert_eq!(answer["text"], shown.stdout);
    let answer = program.json(&["export", "--session", "ma\u{1b}in", "--format", "ndjson"]);
    assert_eq!(answer["messages"].as_array().unwrap().len(), 9);
}

#[test]
fn all_conversations_go_to_files_that_their_owner_alone_reads() {
    let program = Program::new();
    program.append("../../out", &talk(2, 3));
    program.append("b", &talk(1, 3));
    let answer = program.json(&[
        "export",
        "--all",
        "--format",
        "ndjson",
        "--to",
        "new/folder",
    ]);
    let files = answer["files"].as_array().unwrap();
    assert_eq!(files.len(), 2, "{answer}");
    for file in files {
        let path = program.path(file["path"].as_str().unwrap());
        assert_eq!(path.parent().unwrap(), program.path("new/folder"));
        let text = std::fs::read_to_string(&path).unwrap();
        let own = file["session"].as_str().unwrap();
        let direct = program.run(&["export", "--session", own, "--format", "ndjson"]);
        assert_eq!(text, direct.stdout);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
    assert_eq!(
        std::fs::read_dir(program.path("new/folder"))
            .unwrap()
            .count(),
        2
    );
    let again = program.run(&[
        "export",
        "--all",
        "--format",
        "ndjson",
        "--to",
        "new/folder",
    ]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("not overwritten"), "{again:?}");
    let none = program.json(&["export", "--all", "--title", "nothing", "--to", "other"]);
    assert_eq!(none["files"], json!([]));
}
