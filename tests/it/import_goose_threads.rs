//! Goose's threads: what a person saw, beside the sessions that it took.

use std::path::PathBuf;

use rusqlite::{Connection, params};

use crate::import_cases::counts;
use crate::import_support::{Home, quoted};
use crate::support::assert_clean;

const SEEN: &str = r#"{"userVisible":true,"agentVisible":true}"#;
const CALL: &str = r#"{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"shell","arguments":{"cmd":"ls"}}}}"#;

fn said(words: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quoted(words))
}

struct Threads {
    path: PathBuf,
    raw: Connection,
}

impl Threads {
    fn new(home: &Home) -> Self {
        let path = home.write("sessions.db", "");
        let raw = Connection::open(&path).unwrap();
        raw.execute_batch(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '',
               working_dir TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
               provider_name TEXT, model_config_json TEXT, thread_id TEXT);
             CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
               role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
               metadata_json TEXT, message_id TEXT);
             CREATE TABLE threads (id TEXT PRIMARY KEY, name TEXT NOT NULL, working_dir TEXT,
               created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, metadata_json TEXT DEFAULT '{}');
             CREATE TABLE thread_messages (id INTEGER PRIMARY KEY AUTOINCREMENT,
               thread_id TEXT NOT NULL, session_id TEXT, message_id TEXT, role TEXT NOT NULL,
               content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
               metadata_json TEXT NOT NULL DEFAULT '{}');
             INSERT INTO sessions (id, name, working_dir, thread_id)
               VALUES ('s1', 'Boats', '/proj', 't1');
             INSERT INTO threads (id, name, working_dir, created_at, metadata_json)
               VALUES ('t1', 'Of boats', '/proj', 1, '{\"provider_id\":\"p\",\"model_name\":\"m\"}');",
        )
        .unwrap();
        Self { path, raw }
    }

    fn message(&self, id: &str, role: &str, content: &[String]) {
        let sql = "INSERT INTO messages (session_id, role, content_json, created_timestamp,
                     metadata_json, message_id) VALUES ('s1', ?1, ?2, ?3, ?4, ?5)";
        let content = format!("[{}]", content.join(","));
        let at = 1_767_600_000;
        self.raw
            .execute(sql, params![role, content, at, SEEN, id])
            .unwrap();
    }

    fn seen(&self, thread: &str, session: Option<&str>, id: &str, role: &str, content: &str) {
        let sql = "INSERT INTO thread_messages (thread_id, session_id, message_id, role,
                     content_json, created_timestamp, metadata_json)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let at = 1_767_600_009;
        let content = format!("[{content}]");
        self.raw
            .execute(sql, params![thread, session, id, role, content, at, SEEN])
            .unwrap();
    }

    fn fork(&self, id: &str) {
        let sql = "INSERT INTO threads (id, name, created_at) VALUES (?1, 'Fork', 2)";
        self.raw.execute(sql, [id]).unwrap();
        let sql = "INSERT INTO thread_messages (thread_id, session_id, message_id, role,
                     content_json, created_timestamp, metadata_json)
                   SELECT ?1, session_id, 'tmsg_' || hex(randomblob(16)), role, content_json,
                     created_timestamp, metadata_json FROM thread_messages
                   WHERE thread_id = 't1' ORDER BY id";
        self.raw.execute(sql, [id]).unwrap();
    }

    fn paths(&self) -> &[PathBuf] {
        std::slice::from_ref(&self.path)
    }
}

fn fill(threads: &Threads) {
    threads.message("m1", "user", &[said("count the boats")]);
    threads.message("m2", "assistant", &[said("Counting."), CALL.to_owned()]);
    threads.message("m3", "assistant", &[said("Two boats.")]);
    threads.message("m4", "assistant", &[said(" Both red.")]);
    let s1 = Some("s1");
    threads.seen("t1", s1, "m1", "user", &said("count the boats"));
    // The thread has the pieces of a message as rows, and joins what was said in a row.
    threads.seen("t1", s1, "m2", "assistant", &said("Counting."));
    threads.seen("t1", s1, "m2", "assistant", CALL);
    threads.seen("t1", s1, "x1", "assistant", &said("Two boats. Both red."));
}

#[test]
fn a_thread_repeats_nothing_that_its_session_tells() {
    let home = Home::new();
    let threads = Threads::new(&home);
    fill(&threads);
    let account = home.import(threads.paths());
    assert_eq!(counts(&account), (4, 0, 4, 0, 0));
    assert_eq!(account.totals.edited, 0);
    home.check_found("boats", 2);
    assert_eq!(home.import(threads.paths()).totals.records, 0);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

#[test]
fn what_only_a_thread_tells_is_kept_in_the_talk_it_names() {
    let home = Home::new();
    let threads = Threads::new(&home);
    fill(&threads);
    // Of this session, honest repeats of it, of one that is gone, and of none.
    threads.seen("t1", Some("s1"), "x2", "user", &said("and gulls?"));
    threads.seen("t1", Some("s1"), "x3", "user", &said("count the boats"));
    threads.seen("t1", Some("s0"), "x4", "assistant", &said("Nine gulls."));
    threads.seen("t1", Some("s0"), "x5", "assistant", &said("Nine gulls."));
    threads.seen("t1", None, "x6", "user", &said("thanks"));
    threads.fork("t2");
    threads.seen("t2", Some("s2"), "x7", "user", &said("and terns?"));
    let account = home.import(threads.paths());
    // Each row of the fork but its own is one of the thread it was made from.
    assert_eq!(account.totals.stored, 4 + 5 + 1, "{account:?}");
    let told = home.told();
    let thread: Vec<&str> = told.iter().skip(4).map(String::as_str).collect();
    assert_eq!(
        thread,
        [
            "goose:s1 user: and gulls?",
            "goose:s1 user: count the boats",
            "goose:s0 assistant: Nine gulls.",
            "goose:s0 assistant: Nine gulls.",
            "goose:t1 user: thanks",
            "goose:s2 user: and terns?",
        ]
    );
    let rows = home.rows();
    let gulls = rows.iter().find(|(key, _)| key.as_str() == "goose:s0");
    assert_eq!(gulls.unwrap().1.model.as_deref(), Some("m"));
    home.import(threads.paths());
    assert_eq!(home.rows().len(), rows.len());
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}
