//! `PicoClaw`'s sessions: keys from the description, hidden lines, the database of its memory.

use std::path::{Path, PathBuf};

use hippocamp::domain::{Message, Part, Role, SessionKey, Visibility};
use rusqlite::{Connection, params};

use crate::import_cases::{case, counts};
use crate::import_cuts::{Transcript, check_cuts, random};
use crate::import_support::{Home, lines, quoted, words};
use crate::shared::shared;

fn line(n: u32, role: &str, text: &str, more: &str) -> String {
    let text = quoted(text);
    let time = format!("2026-01-05T10:00:{n:02}Z");
    format!(r#"{{"role":"{role}","content":{text},"created_at":"{time}"{more}}}"#)
}

const CALL: &str = r#","model_name":"m","reasoning_content":"look first","tool_calls":[{"id":"c1","type":"function","function":{"name":"shell","arguments":"{\"cmd\":\"ls\"}"}}]"#;

fn talk() -> Vec<String> {
    vec![
        line(1, "user", "list the boats", ""),
        line(2, "assistant", "", CALL),
        line(3, "tool", "rook, wren", r#","tool_call_id":"c1""#),
        line(4, "assistant", "Two boats.", ""),
        line(5, "user", "list the boats", ""),
    ]
}

fn described(home: &Home, name: &str, key: &str) -> PathBuf {
    let meta = format!(
        r#"{{"key":{},"summary":"Boats were listed.","skip":3,"count":5}}"#,
        quoted(key)
    );
    home.write(&format!("{name}.meta.json"), meta);
    home.write(&format!("{name}.jsonl"), lines(&talk()))
}

/// Makes a database of the host's layout with the same talk.
fn database(path: &Path, key: &str) -> Connection {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let raw = Connection::open(path).unwrap();
    raw.execute_batch(
        "CREATE TABLE conversations (conversation_id INTEGER PRIMARY KEY AUTOINCREMENT,
           session_key TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL DEFAULT (datetime('now')));
         CREATE TABLE messages (message_id INTEGER PRIMARY KEY AUTOINCREMENT,
           conversation_id INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL DEFAULT '',
           model_name TEXT NOT NULL DEFAULT '', reasoning_content TEXT NOT NULL DEFAULT '',
           token_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
         CREATE TABLE message_parts (part_id INTEGER PRIMARY KEY AUTOINCREMENT,
           message_id INTEGER NOT NULL, type TEXT NOT NULL, text TEXT, name TEXT, arguments TEXT,
           tool_call_id TEXT, media_uri TEXT, mime_type TEXT, ordinal INTEGER NOT NULL DEFAULT 0);
         CREATE TABLE summaries (summary_id TEXT PRIMARY KEY, conversation_id INTEGER NOT NULL,
           kind TEXT NOT NULL, depth INTEGER NOT NULL, content TEXT NOT NULL);
         INSERT INTO summaries VALUES ('s', 1, 'leaf', 0, 'Boats were listed.');
         INSERT INTO message_parts (message_id, type, name, arguments, tool_call_id)
           VALUES (2, 'tool_use', 'shell', '{\"cmd\":\"ls\"}', 'c1');
         INSERT INTO message_parts (message_id, type, text, tool_call_id)
           VALUES (3, 'tool_result', 'rook, wren', 'c1');",
    )
    .unwrap();
    raw.execute("INSERT INTO conversations (session_key) VALUES (?1)", [key])
        .unwrap();
    for (n, (role, text)) in (1..).zip([
        ("user", "list the boats"),
        ("assistant", ""),
        ("tool", "rook, wren"),
        ("assistant", "Two boats."),
        ("user", "list the boats"),
    ]) {
        add(&raw, n, role, text);
    }
    raw
}

fn add(raw: &Connection, n: u32, role: &str, text: &str) {
    raw.execute(
        "INSERT INTO messages (conversation_id, role, content, created_at) VALUES (1, ?1, ?2, ?3)",
        params![role, text, format!("2026-01-05 10:00:{n:02}")],
    )
    .unwrap();
}

fn check_talk(rows: &[(SessionKey, Message)], key: &str) {
    let texts: Vec<String> = rows.iter().map(|(_, row)| words(row)).collect();
    assert!(texts[1].ends_with(r#"shell {"cmd":"ls"}"#), "{texts:?}");
    let rest = [&texts[0], &texts[2], &texts[3], &texts[4]];
    assert_eq!(
        rest,
        [
            "list the boats",
            "rook, wren",
            "Two boats.",
            "list the boats"
        ]
    );
    assert!(rows.iter().all(|(session, _)| session.as_str() == key));
    assert!(
        rows.iter()
            .all(|(_, row)| row.visibility == Visibility::Talk)
    );
    assert_eq!(rows[2].1.role, Role::Tool);
    assert_eq!(
        rows[0].1.at.unwrap().to_string(),
        "2026-01-05T10:00:01.000Z"
    );
    assert!(matches!(&rows[2].1.parts[0], Part::ToolResult { call_id, .. } if call_id == "c1"));
}

#[test]
fn b043_hidden_lines_are_kept_under_the_key_of_the_description() {
    let home = Home::new();
    let path = described(&home, "agent_main", "agent:main/boats");
    let account = home.import(&[path]);
    assert_eq!(counts(&account), (5, 0, 0, 0, 0));
    check_talk(&home.rows(), "agent:main/boats");
    home.check_found("\"boats were listed\"", 0);
    let Some(folder) = shared("b043") else { return };
    let home = Home::new();
    let read = |name: &str| std::fs::read(folder.join("cases").join(name)).unwrap();
    home.write("elder.meta.json", read("B043_skip_meta.meta.json"));
    let account = home.take("elder.jsonl", read("B043_skip_meta.picoclaw.jsonl"));
    assert_eq!(counts(&account), (3, 0, 0, 0, 0));
    home.check_found("elder", 2);
    let session = account.files[0].conversation.as_ref().unwrap();
    assert_eq!(session.as_str(), "agent:main:elder");
}

#[test]
fn without_a_description_the_file_names_the_session() {
    let home = Home::new();
    let account = home.take("agent_main_direct.jsonl", lines(&talk()));
    let session = account.files[0].conversation.as_ref().unwrap();
    assert_eq!(session.as_str(), "agent_main_direct");
}

#[test]
fn b030_a_key_that_names_no_session_is_refused() {
    for key in ["a\0b".to_owned(), "k".repeat(5_000)] {
        let home = Home::new();
        let path = described(&home, "bad", &key);
        let account = home.import(&[path]);
        assert_eq!(counts(&account), (0, 0, 0, 5, 0));
    }
    let home = Home::new();
    for (name, key) in [
        ("a", "a/b"),
        ("b", "a_b"),
        ("c", "a\\b"),
        ("d", "../../etc/x"),
    ] {
        let path = described(&home, name, key);
        assert_eq!(home.import(&[path]).totals.stored, 5, "{key}");
    }
}

#[test]
fn a_message_that_lines_and_database_hold_is_one() {
    for is_database_first in [false, true] {
        let home = Home::new();
        let path = described(&home, "agent_main", "agent:main");
        let memory = home.folder.path().join("in/seahorse.db");
        let raw = database(&memory, "agent:main");
        let order = if is_database_first {
            [memory.clone(), path]
        } else {
            [path, memory.clone()]
        };
        let account = home.import(&order);
        assert_eq!(counts(&account), (5, 0, 5, 0, 0));
        assert_eq!(account.totals.edited, 0);
        check_talk(&home.rows(), "agent:main");
        home.check_found("\"boats were listed\"", 0);
        assert_eq!(home.import(&order).totals.records, 0);
        add(&raw, 6, "assistant", "As before.");
        let account = home.import(&[memory]);
        assert_eq!(counts(&account), (1, 0, 5, 0, 0));
    }
}

#[test]
fn a_folder_of_sessions_is_read_with_its_database() {
    let home = Home::new();
    described(&home, "agent_main", "agent:main");
    database(&home.folder.path().join("in/seahorse.db"), "agent:other");
    let account = home.import(&[home.folder.path().join("in")]);
    assert_eq!((account.files.len(), account.totals.stored), (2, 10));
}

#[test]
fn lines_cut_anywhere_and_completed_are_the_whole() {
    let text = lines(&talk());
    check_cuts(&[Transcript::new("a.jsonl", text.into(), 50, &mut random())]);
}

#[test]
fn b005_b034_b054_marks_nulls_and_blanks_cost_no_message() {
    let home = Home::new();
    let text = lines(&[
        format!("\u{feff}{}", line(1, "user", "first", "")),
        line(2, "assistant", "x", CALL).replace(r#""content":"x""#, r#""content":null"#),
        line(3, "tool", "", r#","tool_call_id":"c1""#),
        r#"{"role":"assistant","tool_calls":[]}"#.to_owned(),
        line(4, "assistant", "", ""),
    ]);
    let account = home.take("a.jsonl", text);
    assert_eq!(counts(&account), (5, 0, 0, 0, 0));
    assert_eq!(
        home.talk(),
        ["first", r#"look first shell {"cmd":"ls"}"#, "", "", ""]
    );
    let Some((home, account)) = case("B005_bom.picoclaw.jsonl") else {
        return;
    };
    assert_eq!(counts(&account), (2, 0, 0, 0, 0));
    assert_eq!(home.talk()[0], "bom first row apricot");
    let (home, account) = case("B034_null_content.picoclaw.jsonl").unwrap();
    assert_eq!(counts(&account), (5, 0, 0, 0, 0));
    assert!(home.talk()[1].contains("notes.txt"));
    let (_, account) = case("B054_empty_messages.picoclaw.jsonl").unwrap();
    assert_eq!(counts(&account), (43, 0, 0, 0, 0));
}
