//! Where a message came from: the place of its record in the file, and the SHA-256 of what is there.

use std::path::Path;

use hippocamp::domain::{MessageId, RecordSource};
use hippocamp::store::{Durability, OpenMode, Store, Thoroughness};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::doctor::{damaged, examine, sound};
use crate::import_openclaw::events;
use crate::import_pi;
use crate::import_support::{Home, answer, block, lines, quoted, record, user};
use crate::store_search::kit::Bench;

/// Returns the records of all stored messages.
fn sources(home: &Home) -> Vec<RecordSource> {
    let ids: Vec<MessageId> = home.rows().iter().map(|(_, row)| row.id).collect();
    let sources = home.engine.record_sources(&ids);
    let sources = home.runtime.block_on(sources).unwrap();
    assert!(sources.iter().all(|records| !records.is_empty()));
    sources.into_iter().flatten().collect()
}

/// Fails unless each row of a store is what its file holds at the place that is kept.
#[track_caller]
pub(crate) fn check_home(home: &Home) {
    let path = home.folder.path().join("hippocamp.db");
    let store = Store::open(&path, OpenMode::ReadOnly, Durability::Normal).unwrap();
    let (reader, raw) = (store.reader().unwrap(), Connection::open(&path).unwrap());
    let mut statement = raw.prepare("SELECT message_id FROM provenance").unwrap();
    let ids = statement.query_map([], |row| row.get(0)).unwrap();
    let sources: Vec<RecordSource> = ids
        .map(|id| reader.record_source(MessageId::new(id.unwrap())))
        .map(|source| source.unwrap().unwrap())
        .collect();
    check_sources(&sources);
}

/// Reads what a record's place names, of the file's text where it is read whole.
fn read_again(source: &RecordSource) -> Option<Vec<u8>> {
    let mut bytes = std::fs::read(&source.path).unwrap();
    if bytes.starts_with(b"SQLite format 3") {
        assert_eq!((source.line, source.length), (0, 0));
        return None;
    }
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        bytes = zstd::decode_all(&bytes[..]).unwrap();
    }
    let ending = Path::new(&source.path).extension().unwrap_or_default();
    if ending != "jsonl" && ending != "zst" {
        bytes = String::from_utf8_lossy(&bytes).into_owned().into_bytes();
    }
    let at = usize::try_from(source.offset).unwrap();
    let lines_before = bytes[..at].split(|byte| *byte == b'\n').count() - 1;
    assert_eq!(source.line, lines_before as u64 + 1, "{source:?}");
    let end = at + usize::try_from(source.length).unwrap();
    Some(bytes[at..end].to_vec())
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Fails unless every record's place in its file has the hash that was kept.
#[track_caller]
fn check_sources(sources: &[RecordSource]) {
    for source in sources {
        let kept = source.sha256.unwrap();
        if let Some(bytes) = read_again(source) {
            assert!(!bytes.is_empty(), "{source:?}");
            assert_eq!(kept, sha256(&bytes), "{source:?}");
        }
    }
}

/// Imports one file and returns the records of its rows.
#[track_caller]
fn check_file(name: &str, bytes: impl AsRef<[u8]>, n_rows: usize) -> Vec<RecordSource> {
    let home = Home::new();
    let account = home.take(name, bytes);
    let sources = sources(&home);
    assert_eq!(sources.len(), n_rows, "{name}: {account:?}");
    check_sources(&sources);
    sources
}

#[test]
fn a_record_of_a_line_is_its_bytes() {
    let one = user(1, "one é");
    let sources = check_file("s1.jsonl", format!("{one}\r\n\n{}\n", answer(2, "two")), 2);
    assert_eq!((sources[0].line, sources[0].offset), (1, 0));
    assert_eq!(sources[0].length, one.len() as u64);
    assert_eq!(sources[0].sha256, Some(sha256(one.as_bytes())));
    assert_eq!(
        sources[0].record_id.as_deref(),
        Some("00000000-0000-4000-8000-000000000001")
    );
    assert_eq!(sources[0].format, "claude-code");
    assert_eq!(sources[1].line, 3);
}

#[test]
fn damage_around_a_record_is_none_of_its_bytes() {
    let (one, two) = (user(1, "one"), answer(2, "two"));
    let marked = [b"\xEF\xBB\xBF", one.as_bytes(), b"\n"].concat();
    check_file("s1.jsonl", marked, 1);
    // A stub of another record, a record behind NULs, two of one line, the last line unfinished.
    let text = format!(
        "{}{two}\n\0\0\0{one}\n {two}{} ",
        &one[..40],
        user(3, "three")
    );
    let sources = check_file("s1.jsonl", text, 3);
    assert_eq!(
        sources.iter().map(|one| one.line).collect::<Vec<_>>(),
        [1, 2, 3]
    );
}

#[test]
fn bytes_that_are_no_text_are_hashed_as_they_are() {
    let damaged = |n| {
        let one = user(n, "high at @ six");
        let at = one.find('@').unwrap();
        [
            &one.as_bytes()[..at],
            b"\xFF\xC3(\xF0\x9F",
            &one.as_bytes()[at + 1..],
        ]
        .concat()
    };
    let lines = [
        &damaged(1)[..],
        b"\n\xFE",
        &damaged(2),
        b"\n",
        &damaged(3),
        b"\n",
    ];
    let text = lines.concat();
    let sources = check_file("s1.jsonl", text, 3);
    assert_eq!(sources[2].sha256, Some(sha256(&damaged(3))));
}

#[test]
fn records_of_one_message_are_all_named() {
    let home = Home::new();
    let text = r#"{"type":"text","text":"two"}"#;
    let call = r#"{"type":"tool_use","id":"c1","name":"Read","input":{}}"#;
    let records = [user(1, "one"), block(2, "m", text), block(3, "m", call)];
    home.take("s1.jsonl", lines(&records));
    let rows = home.rows();
    let ids = [rows[1].1.id, MessageId::new(999)];
    let of_answer = home.engine.record_sources(&ids);
    let of_answer = home.runtime.block_on(of_answer).unwrap();
    let lines: Vec<u64> = of_answer[0].iter().map(|one| one.line).collect();
    assert_eq!(lines, [2, 3]);
    assert_eq!(of_answer[1], []);
}

#[test]
fn every_format_says_where_its_records_are() {
    check_file(
        "s1.jsonl",
        lines(&[user(1, "one"), record(2, "assistant", "\"two\"")]),
        2,
    );
    let item = |text: &str| {
        format!(
            r#"{{"timestamp":"2026-01-05T10:00:01.000Z","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":{}}}]}}}}"#,
            quoted(text)
        )
    };
    let head = r#"{"timestamp":"2026-01-05T10:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/proj"}}"#;
    let rollout = lines(&[head.to_owned(), item("one"), item("two é")]);
    check_file("rollout-a.jsonl", &rollout, 2);
    let packed = zstd::encode_all(rollout.as_bytes(), 3).unwrap();
    check_file("rollout-a.jsonl.zst", packed, 2);
    let head = r#"{"sessionId":"g1","projectHash":"h","startTime":"2026-01-05T10:00:00Z","lastUpdated":"2026-01-05T10:00:00Z"}"#;
    let ask = r#"{"id":"u1","timestamp":"2026-01-05T10:00:01Z","type":"user","content":"high é?"}"#;
    check_file("chats/session-a.jsonl", format!("{head}\n{ask}\n"), 1);
    let whole = format!(
        "\u{feff}{},\n \"messages\": [ {ask}\n]}}",
        &head[..head.len() - 1]
    );
    let of_document = check_file("chats/session-a.json", whole, 1);
    assert_eq!(of_document[0].sha256, Some(sha256(ask.as_bytes())));
    check_file("s1.jsonl", import_pi::tree(), 7);
    check_file("agents/main/sessions/s1.jsonl", import_pi::tree(), 7);
    let line = r#"{"role":"user","content":"list the boats","created_at":"2026-01-05T10:00:01Z"}"#;
    let home = Home::new();
    home.write("sessions/a.meta.json", r#"{"key":"a","skip":0,"count":1}"#);
    home.take("sessions/a.jsonl", format!("{line}\n"));
    assert_eq!(home.rows().len(), 1);
    check_home(&home);
    let head =
        r#"{"working_dir":"/proj","description":"Boats","message_count":4,"total_tokens":9}"#;
    let said = r#"{"role":"user","created":1767600000,"content":[{"type":"text","text":"count"}]}"#;
    check_file("20250724_1.jsonl", format!("{head}\n{said}\n{said}\n"), 2);
    let log = [
        r#"{"type":"metadata","protocol_version":"1.4","created_at":1782295200000}"#,
        r#"{"type":"turn.prompt","input":[{"type":"text","text":"when?"}],"time":1782295201000}"#,
        r#"{"type":"context.append_message","message":{"role":"user","content":[{"type":"text","text":"when?"}]},"time":1782295201000}"#,
    ];
    check_file(
        "session_a/agents/main/wire.jsonl",
        lines(&log.map(str::to_owned)),
        1,
    );
    let history = "# aider chat started at 2026-01-05 10:00:00\n\n#### when é?\n\nAt six.\n";
    check_file(".aider.chat.history.md", history, 2);
    let export = r#"[{"title":"T","create_time":1767607200.0,"current_node":"a","id":"c","mapping":{"a":{"id":"a","parent":null,"children":[],"message":{"id":"m","author":{"role":"user"},"create_time":1.5,"content":{"content_type":"text","parts":["when?"]}}}}}]"#;
    check_file("conversations.json", export, 1);
    let export = r#"[{"uuid":"c1","name":"T","summary":"","created_at":"2026-01-05T10:00:00Z","chat_messages":[ {"uuid":"00000000-0000-4000-8000-000000000001","text":"when?","content":[],"sender":"human","created_at":"2026-01-05T10:00:00Z"}]}]"#;
    check_file("conversations.json", export, 1);
    let run = r#"{"trajectory":[],"history":[{"role":"user","content":"The tide is late.","agent":"main"}],"info":{}}"#;
    check_file("tide-7.traj", run, 1);
}

#[test]
fn a_row_of_a_database_has_the_hash_of_its_text() {
    let home = Home::new();
    let (path, told) = events(&home);
    home.import(&[path]);
    let sources = sources(&home);
    check_sources(&sources);
    for source in sources {
        let row = usize::try_from(source.offset).unwrap();
        assert_eq!(source.sha256, Some(sha256(told[row].as_bytes())));
    }
}

#[test]
fn doctor_counts_hashes_and_finds_one_that_is_cut() {
    let imported = "INSERT INTO source (id, path, format, updated_at) VALUES (1, 'a', 'b', 0);
         INSERT INTO provenance (message_id, source_id, offset, length, line, sha256)
           VALUES (2, 1, 0, 9, 1, NULL), (3, 1, 0, 9, 1, zeroblob(32));";
    let bench = damaged("provenance", imported);
    sound(&bench);
    let check = |bench: &Bench| {
        let checks = examine(bench, Thoroughness::Quick).into_iter();
        let mut found = checks.filter(|check| check.name == "provenance");
        found.next().unwrap()
    };
    let detail = "rows imported: 2, with their record's hash: 1, copies named: 0";
    assert_eq!(check(&bench).detail, detail);
    for hash in ["zeroblob(31)", "'thirty-two letters of a hash, no'"] {
        let cut = format!("UPDATE provenance SET sha256 = {hash} WHERE message_id = 3;");
        let found = check(&damaged("provenance", &(imported.to_owned() + &cut)));
        assert!(
            !found.is_ok && found.detail.contains("message 3"),
            "{found:?}"
        );
    }
}
