//! `OpenCode`'s database: parts of messages, rows edited in place, sub-agents, the newer tables.

use std::path::PathBuf;

use hippocamp::domain::{Part, Role, Visibility};
use rusqlite::{Connection, params};

use crate::import_cases::counts;
use crate::import_support::{Home, words};
use crate::support::assert_clean;

const START: i64 = 1_767_600_000_000;

pub(crate) struct Code {
    path: PathBuf,
    pub(crate) raw: Connection,
}

impl Code {
    /// Makes a database of the host's layout.
    pub(crate) fn new(home: &Home) -> Self {
        let path = home.write("opencode.db", "");
        let raw = Connection::open(&path).unwrap();
        raw.execute_batch(
            "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT,
               directory TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
             CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
               data TEXT NOT NULL, time_created INTEGER, time_updated INTEGER);
             CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL,
               session_id TEXT NOT NULL, data TEXT NOT NULL, time_created INTEGER,
               time_updated INTEGER);
             CREATE TABLE session_v2 (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT,
               slug TEXT NOT NULL, directory TEXT NOT NULL, title TEXT, version TEXT NOT NULL,
               time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
             CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
               type TEXT NOT NULL, seq INTEGER NOT NULL, data TEXT NOT NULL, time_created INTEGER,
               time_updated INTEGER);
             CREATE TABLE account (id TEXT PRIMARY KEY, access_token TEXT NOT NULL);
             INSERT INTO account VALUES ('a', 'secret token');",
        )
        .unwrap();
        let code = Self { path, raw };
        code.session("s1", None);
        code
    }

    pub(crate) fn session(&self, id: &str, parent: Option<&str>) {
        self.raw
            .execute(
                "INSERT INTO session VALUES (?1, 'p', ?2, 'Boats', '/proj', '1.2', ?3, ?3)",
                params![id, parent, START],
            )
            .unwrap();
    }

    pub(crate) fn message(&self, session: &str, id: &str, data: &str) {
        let (n, at): (i64, i64) = (self.count(), START + self.count() * 1_000);
        assert!(n < 1_000);
        self.raw
            .execute(
                "INSERT INTO message VALUES (?1, ?2, ?3, ?4, ?4)",
                params![id, session, data, at],
            )
            .unwrap();
    }

    pub(crate) fn part(&self, session: &str, message: &str, id: &str, data: &str) {
        self.raw
            .execute(
                "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
                params![id, message, session, data, START],
            )
            .unwrap();
    }

    pub(crate) fn edit(&self, id: &str, data: &str) {
        let sql = "UPDATE part SET data = ?2, time_updated = time_updated + 9 WHERE id = ?1";
        assert_eq!(self.raw.execute(sql, params![id, data]).unwrap(), 1);
    }

    fn count(&self) -> i64 {
        let sql = "SELECT COUNT(*) FROM message";
        self.raw.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    pub(crate) fn paths(&self) -> &[PathBuf] {
        std::slice::from_ref(&self.path)
    }
}

const ASSISTANT: &str =
    r#"{"role":"assistant","modelID":"m","providerID":"p","tokens":{"input":10,"output":7}}"#;

pub(crate) fn said(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn tool(status: &str, more: &str) -> String {
    format!(
        r#"{{"type":"tool","callID":"c1","tool":"bash","state":{{"status":"{status}","input":{{"cmd":"ls"}}{more}}}}}"#
    )
}

fn fill(code: &Code) {
    code.message("s1", "m1", r#"{"role":"user","summary":{"title":"x"}}"#);
    code.part("s1", "m1", "p1", &said("count the boats"));
    code.part(
        "s1",
        "m1",
        "p2",
        r#"{"type":"text","synthetic":true,"text":"injected words"}"#,
    );
    code.part(
        "s1",
        "m1",
        "p3",
        r#"{"type":"file","mime":"image/png","url":"file:///a.png"}"#,
    );
    code.message("s1", "m2", ASSISTANT);
    code.part("s1", "m2", "q1", r#"{"type":"step-start"}"#);
    code.part(
        "s1",
        "m2",
        "q2",
        r#"{"type":"reasoning","text":"list them"}"#,
    );
    code.part("s1", "m2", "q3", &tool("completed", r#","output":"rook, wren","metadata":{"exit":0},"time":{"start":1767600001000,"end":1767600002000}"#));
    code.part("s1", "m2", "q4", &said("Two boats."));
}

#[test]
fn parts_are_rows_of_their_messages() {
    let home = Home::new();
    let code = Code::new(&home);
    fill(&code);
    code.message(
        "s1",
        "m3",
        r#"{"role":"assistant","error":{"name":"APIError","data":{"message":"overloaded"}}}"#,
    );
    code.message(
        "s1",
        "m4",
        &ASSISTANT.replace(r#""role""#, r#""summary":true,"role""#),
    );
    code.part("s1", "m4", "r1", &said("Boats were counted."));
    let account = home.import(code.paths());
    // Two rows of each message and part: three of talk in m1, four in m2.
    assert_eq!(counts(&account), (5, 7, 0, 0, 0));
    assert_eq!(
        (account.totals.messages, account.totals.output_tokens),
        (4, 7)
    );
    let rows = home.rows();
    let texts: Vec<String> = rows
        .iter()
        .filter(|(_, row)| row.visibility == Visibility::Talk)
        .map(|(_, row)| words(row))
        .collect();
    assert_eq!(
        texts,
        [
            "count the boats [image/png]",
            r#"list them bash {"cmd":"ls"}"#,
            "rook, wren",
            "Two boats."
        ]
    );
    let meta = rows
        .iter()
        .filter(|(_, row)| row.visibility == Visibility::Meta);
    let meta: Vec<String> = meta.map(|(_, row)| words(row)).collect();
    assert_eq!(
        meta,
        ["injected words", "overloaded", "Boats were counted."]
    );
    let result = rows.iter().find(|(_, row)| row.role == Role::Tool).unwrap();
    assert_eq!(result.1.at.unwrap().millis(), 1_767_600_002_000);
    let listed = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(listed[0].session.as_str(), "opencode:s1");
    assert_eq!(listed[0].title.as_deref(), Some("Boats"));
    home.check_found("secret", 0);
    assert_eq!(home.import(code.paths()).totals.records, 0);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

#[test]
fn a_part_edited_in_place_is_kept_beside_what_it_said_and_counted() {
    let home = Home::new();
    let code = Code::new(&home);
    fill(&code);
    home.import(code.paths());
    code.edit("q4", &said("Three boats."));
    let account = home.import(code.paths());
    assert_eq!((account.totals.stored, account.totals.edited), (1, 1));
    home.check_found("\"two boats\"", 1);
    home.check_found("\"three boats\"", 1);
    // A touch that changes no word stores nothing.
    code.raw
        .execute("UPDATE part SET time_updated = 0", [])
        .unwrap();
    let account = home.import(code.paths());
    assert_eq!((account.totals.stored, account.totals.edited), (0, 0));
    code.edit("q4", &said("Two boats."));
    assert_eq!(home.import(code.paths()).totals.stored, 0);
}

#[test]
fn a_call_that_runs_gets_its_result_when_there_is_one() {
    let home = Home::new();
    let code = Code::new(&home);
    code.message("s1", "m1", ASSISTANT);
    code.part("s1", "m1", "q1", &tool("running", ""));
    assert_eq!(counts(&home.import(code.paths())), (1, 1, 0, 0, 0));
    code.edit("q1", &tool("completed", r#","output":"rook""#));
    let account = home.import(code.paths());
    assert_eq!((account.totals.stored, account.totals.edited), (1, 0));
    assert_eq!(home.talk(), [r#"bash {"cmd":"ls"}"#, "rook"]);
}

#[track_caller]
fn check_result(state: &str, content: &str, is_error: bool) {
    let home = Home::new();
    let code = Code::new(&home);
    code.message("s1", "m1", ASSISTANT);
    code.part("s1", "m1", "q1", state);
    home.import(code.paths());
    let rows = home.rows();
    let found = rows
        .iter()
        .flat_map(|(_, row)| &row.parts)
        .find_map(|part| match part {
            Part::ToolResult {
                content, is_error, ..
            } => Some((content.as_str(), *is_error)),
            _ => None,
        });
    assert_eq!(found, Some((content, is_error)), "{state}");
}

#[test]
fn a_result_says_whether_the_tool_failed() {
    check_result(&tool("completed", r#","output":"ok""#), "ok", false);
    check_result(
        &tool("completed", r#","output":"bad","metadata":{"exit":2}"#),
        "bad",
        true,
    );
    check_result(
        &tool("error", r#","error":"no such quay""#),
        "no such quay",
        true,
    );
    let invalid = tool("completed", r#","output":"no tool of that name""#);
    let invalid = invalid.replace(r#""tool":"bash""#, r#""tool":"invalid""#);
    check_result(&invalid, "no tool of that name", true);
}

#[test]
fn a_session_begun_by_another_is_its_sub_agent() {
    let home = Home::new();
    let code = Code::new(&home);
    code.session("s2", Some("s1"));
    code.session("s3", Some("s2"));
    for (session, message) in [("s1", "m1"), ("s2", "m2"), ("s3", "m3")] {
        code.message(session, message, r#"{"role":"user"}"#);
        code.part(session, message, &format!("p{message}"), &said(session));
    }
    // A line of sessions that bites its tail.
    code.session("s4", Some("s5"));
    code.session("s5", Some("s4"));
    code.message("s4", "m4", r#"{"role":"user"}"#);
    code.part("s4", "m4", "pm4", &said("s4"));
    home.import(code.paths());
    let mut keys: Vec<String> = home.rows().iter().map(|(key, _)| key.to_string()).collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "opencode:s1",
            "opencode:s1/s2",
            "opencode:s1/s3",
            "opencode:s4"
        ]
    );
}

#[test]
fn what_cannot_be_read_is_refused_and_the_rest_kept() {
    let home = Home::new();
    let code = Code::new(&home);
    fill(&code);
    code.message("s1", "m8", "not JSON");
    code.part("s1", "m1", "p9", "[]");
    code.part("s1", "gone", "g1", &said("of a message that is gone"));
    let account = home.import(code.paths());
    assert_eq!((account.totals.refused, account.totals.stored), (3, 5));
}

#[test]
fn the_newer_tables_are_read_where_the_older_have_nothing() {
    let home = Home::new();
    let code = Code::new(&home);
    fill(&code);
    for (n, (session, kind, data)) in [
        ("s1", "user", r#"{"text":"count the boats"}"#),
        ("t1", "user", r#"{"text":"count the gulls","time":{"created":1767600000000}}"#),
        ("t1", "assistant", r#"{"content":[{"type":"reasoning","text":"hm"},{"type":"tool","id":"c","name":"bash","state":{"status":"completed","input":{},"content":[{"type":"text","text":"nine"}]}},{"type":"text","text":"Nine."}]}"#),
        ("t1", "synthetic", r#"{"text":"house rules"}"#),
        ("t1", "compaction", r#"{"summary":"Gulls were counted."}"#),
    ]
    .into_iter()
    .enumerate()
    {
        let sql = "INSERT INTO session_message VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
        let seq = i64::try_from(n).unwrap();
        code.raw
            .execute(sql, params![format!("e{n}"), session, kind, seq, data, START])
            .unwrap();
    }
    for id in ["s1", "t1"] {
        let sql = "INSERT INTO session_v2 VALUES (?1, 'p', NULL, 'x', '/proj', 'Gulls', '2', 1, 1)";
        code.raw.execute(sql, [id]).unwrap();
    }
    home.import(code.paths());
    home.check_found("\"count the boats\"", 1);
    let rows = home.rows();
    let of_new = rows.iter().filter(|(key, _)| key.as_str() == "opencode:t1");
    let texts: Vec<String> = of_new.map(|(_, row)| words(row)).collect();
    assert_eq!(
        texts,
        [
            "count the gulls",
            "hm bash {}",
            "nine",
            "Nine.",
            "house rules",
            "Gulls were counted."
        ]
    );
}
