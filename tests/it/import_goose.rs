//! Goose's database and the lines of its first versions.

use std::path::{Path, PathBuf};

use hippocamp::domain::{Part, Role, Visibility};
use rusqlite::{Connection, params};

use crate::import_cases::counts;
use crate::import_cuts::{Transcript, check_cuts, random};
use crate::import_support::{Home, lines, quoted, words};
use crate::support::assert_clean;

const SEEN: &str = r#"{"userVisible":true,"agentVisible":true}"#;
const REQUEST: &str = r#"[{"type":"thinking","thinking":"count them","signature":"s"},{"type":"text","text":"Counting."},{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"shell","arguments":{"cmd":"ls"}}}}]"#;
const RESPONSE: &str = r#"[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"rook"},{"type":"text","text":"wren"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false}}}]"#;
const FAILED: &str =
    r#"[{"type":"toolResponse","id":"c2","toolResult":{"status":"error","error":"no such quay"}}]"#;

fn text(words: &str) -> String {
    format!(r#"[{{"type":"text","text":{}}}]"#, quoted(words))
}

struct Sessions {
    path: PathBuf,
    raw: Connection,
}

impl Sessions {
    /// Makes a database of the host's layout, with its ids of messages or from before them.
    fn new(home: &Home, ids: &str) -> Self {
        let path = home.write("sessions.db", "");
        let raw = Connection::open(&path).unwrap();
        raw.execute_batch(&format!(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '',
               description TEXT NOT NULL DEFAULT '', working_dir TEXT NOT NULL,
               created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, provider_name TEXT,
               model_config_json TEXT);
             CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
               role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
               metadata_json TEXT{ids});
             INSERT INTO sessions (id, name, working_dir, provider_name, model_config_json)
               VALUES ('20260105_1', 'Boats', '/proj', 'p', '{{\"model_name\":\"m\"}}');"
        ))
        .unwrap();
        Self { path, raw }
    }

    fn add(&self, id: &str, role: &str, content: &str, second: i64, seen: &str) {
        self.raw
            .execute(
                "INSERT INTO messages (session_id, role, content_json, created_timestamp,
                   metadata_json, message_id) VALUES ('20260105_1', ?1, ?2, ?3, ?4, ?5)",
                params![role, content, 1_767_600_000 + second, seen, id],
            )
            .unwrap();
    }

    fn fill(&self) {
        self.add("m1", "user", &text("count the boats"), 0, SEEN);
        self.add("m2", "assistant", REQUEST, 1, SEEN);
        self.add("m3", "user", RESPONSE, 1, SEEN);
        self.add("m4", "user", FAILED, 1, SEEN);
        self.add("m5", "assistant", &text("Two boats."), 2, SEEN);
    }

    fn paths(&self) -> &[PathBuf] {
        std::slice::from_ref(&self.path)
    }
}

#[test]
fn a_database_gives_its_messages_with_calls_and_results() {
    let home = Home::new();
    let sessions = Sessions::new(&home, ", message_id TEXT");
    sessions.fill();
    let account = home.import(sessions.paths());
    assert_eq!(counts(&account), (5, 0, 0, 0, 0));
    let rows = home.rows();
    let texts: Vec<String> = rows.iter().map(|(_, row)| words(row)).collect();
    assert_eq!(
        texts,
        [
            "count the boats",
            r#"count them Counting. shell {"cmd":"ls"}"#,
            "rook\nwren [image/png]",
            "no such quay",
            "Two boats."
        ]
    );
    assert_eq!(
        (rows[2].1.role, rows[1].1.role),
        (Role::Tool, Role::Assistant)
    );
    assert_eq!(rows[1].1.model.as_deref(), Some("m"));
    assert_eq!(rows[0].1.at.unwrap().millis(), 1_767_600_000_000);
    assert!(matches!(
        rows[3].1.parts[0],
        Part::ToolResult { is_error: true, .. }
    ));
    let listed = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(listed[0].session.as_str(), "goose:20260105_1");
    assert_eq!(listed[0].title.as_deref(), Some("Boats"));
    assert_eq!(home.import(sessions.paths()).totals.records, 0);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

#[test]
fn rows_written_anew_by_a_compaction_are_the_same_messages() {
    let home = Home::new();
    let sessions = Sessions::new(&home, ", message_id TEXT");
    sessions.fill();
    home.import(sessions.paths());
    sessions.raw.execute("DELETE FROM messages", []).unwrap();
    let history = r#"{"userVisible":true,"agentVisible":false}"#;
    let hidden = r#"{"userVisible":false,"agentVisible":true}"#;
    sessions.add("m1", "user", &text("count the boats"), 0, history);
    sessions.add("m2", "assistant", REQUEST, 1, history);
    sessions.add("m6", "user", &text("Boats were counted."), 3, hidden);
    sessions.add("m7", "user", &text("and the gulls?"), 4, SEEN);
    let account = home.import(sessions.paths());
    assert_eq!(counts(&account), (1, 1, 2, 0, 0));
    assert_eq!(home.talk().len(), 6);
    let rows = home.rows();
    let meta = rows
        .iter()
        .filter(|(_, row)| row.visibility == Visibility::Meta);
    let meta: Vec<String> = meta.map(|(_, row)| words(row)).collect();
    assert_eq!(meta, ["Boats were counted."]);
}

#[test]
fn before_messages_had_ids_each_is_known_by_what_it_says_and_when() {
    let home = Home::new();
    let sessions = Sessions::new(&home, "");
    for second in [0, 0, 5] {
        sessions
            .raw
            .execute(
                "INSERT INTO messages (session_id, role, content_json, created_timestamp)
                   VALUES ('20260105_1', 'user', ?1, ?2)",
                params![text("again"), second + 1_767_600_000],
            )
            .unwrap();
    }
    assert_eq!(counts(&home.import(sessions.paths())), (3, 0, 0, 0, 0));
    sessions
        .raw
        .execute("UPDATE messages SET id = id + 100", [])
        .unwrap();
    assert_eq!(counts(&home.import(sessions.paths())), (0, 0, 3, 0, 0));
}

#[test]
fn a_database_that_is_open_elsewhere_is_read_with_its_log() {
    let home = Home::new();
    let sessions = Sessions::new(&home, ", message_id TEXT");
    sessions
        .raw
        .execute_batch("PRAGMA journal_mode = WAL;")
        .unwrap();
    sessions.fill();
    assert!(Path::new(&format!("{}-wal", sessions.path.display())).exists());
    assert_eq!(home.import(sessions.paths()).totals.stored, 5);
}

fn old_lines() -> String {
    let line = |id: &str, role: &str, second: u32, content: &str| {
        let created = 1_767_600_000 + second;
        format!(r#"{{{id}"role":"{role}","created":{created},"content":{content}}}"#)
    };
    lines(&[
        r#"{"working_dir":"/proj","description":"Boats","message_count":4,"total_tokens":9}"#
            .to_owned(),
        line("", "user", 0, &text("count the boats")),
        line(r#""id":"m2","#, "assistant", 1, REQUEST),
        line("", "user", 2, RESPONSE),
        line("", "user", 3, &text("count the boats")),
    ])
}

#[test]
fn lines_of_the_first_versions_begin_with_what_the_session_is() {
    let home = Home::new();
    let account = home.take("20250724_1.jsonl", old_lines());
    assert_eq!(counts(&account), (4, 1, 0, 0, 0));
    let listed = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(listed[0].session.as_str(), "goose:20250724_1");
    assert_eq!(listed[0].title.as_deref(), Some("Boats"));
    assert_eq!(listed[0].project.as_deref(), Some("/proj"));
    assert_eq!(home.talk()[2], "rook\nwren [image/png]");
}

#[test]
fn lines_cut_anywhere_and_completed_are_the_whole() {
    check_cuts(&[Transcript::new(
        "20250724_1.jsonl",
        old_lines().into(),
        50,
        &mut random(),
    )]);
}
