//! `OpenClaw`: its channels, copies of its files, the database of an agent.

use std::path::PathBuf;

use hippocamp::domain::Visibility;
use rusqlite::Connection;

use crate::import_cases::{case, counts};
use crate::import_formats::other_samples;
use crate::import_pi::{answer, header, said, tree, user, view};
use crate::import_support::{Home, lines, words};
use crate::shared::shared;
use crate::support::assert_clean;

#[test]
fn b038_the_hosts_summary_is_no_message() {
    let Some((home, account)) = case("B038_host_compaction.openclaw.jsonl") else {
        return;
    };
    assert_eq!(counts(&account), (3, 2, 0, 0, 0));
    assert_eq!(
        home.talk(),
        ["old request hazel", "old reply hazel", "new request rowan"]
    );
}

#[test]
fn what_comes_through_a_channel_is_told_from_its_envelope() {
    let home = Home::new();
    let envelope = "Sender (untrusted metadata):\n```json\n{\"name\":\"Rook\"}\n```\n\n";
    let text = lines(&[
        header("s1", ""),
        user("u1", "", &format!("{envelope}moor at the quay")),
        answer("a1", "u1", "moored"),
        user("u2", "u1", "again from there"),
    ]);
    home.take("agents/main/sessions/s1.jsonl", text);
    assert_eq!(
        home.talk(),
        ["moor at the quay", "moored", "again from there"]
    );
    assert_eq!(
        view(&home, "openclaw:s1"),
        ["moor at the quay", "again from there"]
    );
    let rows = home.rows();
    let notes = rows
        .iter()
        .filter(|(_, row)| row.visibility == Visibility::Meta);
    assert_eq!(
        notes.map(|(_, row)| words(row)).collect::<Vec<_>>(),
        [envelope]
    );
}

#[test]
fn b031_a_copy_of_a_delivered_answer_is_told_once_and_another_wording_kept() {
    let home = Home::new();
    let mirror = |id: &str, parent: &str, text: &str| {
        answer(id, parent, text).replace(r#""role":"#, r#""model":"delivery-mirror","role":"#)
    };
    let thought = r#"[{"type":"thinking","thinking":"hm"},{"type":"text","text":"high at six"}]"#;
    let text = lines(&[
        header("s1", ""),
        user("u1", "", "when?"),
        said("a1", "u1", "assistant", thought),
        mirror("d1", "a1", "high at six"),
        mirror("d2", "d1", "high at SIX!"),
        user("u2", "d2", "thanks"),
    ]);
    let account = home.take("openclaw/s1.jsonl", text);
    assert_eq!(counts(&account), (4, 2, 0, 0, 0));
    assert_eq!(
        home.talk(),
        ["when?", "hm high at six", "high at SIX!", "thanks"]
    );
}

#[test]
fn siblings_of_a_session_add_nothing() {
    let home = Home::new();
    let own = lines(&[header("s1", ""), user("u1", "", "hello")]);
    let other = lines(&[header("s2", ""), user("u1", "", "not this")]);
    let folder = "agents/main/sessions";
    home.write(&format!("{folder}/s1.jsonl"), own);
    for end in [
        "checkpoint.x.jsonl",
        "trajectory.jsonl",
        "jsonl.bak",
        "jsonl.reset.1",
        "jsonl.deleted.1",
    ] {
        home.write(&format!("{folder}/s1.{end}"), &other);
    }
    let account = home.import(&[home.folder.path().join("in")]);
    assert_eq!((account.files.len(), account.siblings.len()), (1, 5));
    assert_eq!(home.talk(), ["hello"]);
    let Some(shared) = shared("siblings_of_a_session_add_nothing") else {
        return;
    };
    let home = Home::new();
    let account = home.import(&[shared.join("samples/openclaw")]);
    assert_eq!((account.files.len(), account.siblings.len()), (2, 2));
    home.check_found("checkpoint", 0);
}

#[test]
fn a_file_written_anew_under_other_ids_tells_nothing_twice() {
    for name in ["agents/main/sessions/s1.jsonl", "pi/x_s1.jsonl"] {
        let home = Home::new();
        let records = [
            header("s1", ""),
            user("u1", "", "when is high tide"),
            answer("a1", "u1", "high at six"),
            user("u2", "a1", "and low"),
            answer("a2", "u2", "low at noon, as the long table says"),
            user("u3", "a2", "and low"),
        ];
        let text = lines(&records);
        home.take(name, &text);
        // The host drops the first prompt, cuts an answer, and copies the rest with new ids.
        let mut anew = text.replace(&format!("{}\n", records[1]), "");
        for (old, new) in [("a1", "b1"), ("u2", "v2"), ("a2", "b2"), ("u3", "v3")] {
            anew = anew.replace(&format!("\"{old}\""), &format!("\"{new}\""));
        }
        anew = anew.replace("as the long table says", "[cut]");
        anew.push_str(&lines(&[user("v4", "v3", "thank you")]));
        let account = home.take(name, &anew);
        assert_eq!(counts(&account), (2, 1, 3, 0, 0), "{name}");
        for (words, n_rows) in [("six", 1), ("\"and low\"", 2), ("noon", 2), ("thank", 1)] {
            home.check_found(words, n_rows);
        }
        assert_eq!(home.take(name, &anew).totals.records, 0);
        // Words said again at another time are new, whatever file they are in.
        let more = lines(&[user("v12345", "v4", "thank you")]);
        let account = home.take(name, format!("\n{anew}{more}"));
        assert_eq!(counts(&account), (1, 1, 5, 0, 0), "{name}");
        home.check_found("thank", 2);
        assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
    }
}

/// Makes an agent's database of a session, its third event packed. Returns the events too.
pub(crate) fn events(home: &Home) -> (PathBuf, Vec<String>) {
    let path = home.write("agent/openclaw-agent.sqlite", "");
    let raw = Connection::open(&path).unwrap();
    raw.execute_batch(
        "CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL,
         event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER,
         PRIMARY KEY (session_id, seq));",
    )
    .unwrap();
    let events: Vec<String> = tree().lines().map(str::to_owned).collect();
    for (seq, event) in (0..).zip(&events) {
        insert(&raw, "s1", seq, event);
    }
    (path, events)
}

fn insert(raw: &Connection, session: &str, seq: i64, event: &str) {
    let packed = zstd::encode_all(event.as_bytes(), 3).unwrap();
    let is_packed = seq == 2;
    raw.execute(
        "INSERT INTO transcript_events VALUES (?1, ?2, ?3, 0, ?4, ?5)",
        rusqlite::params![
            session,
            seq,
            (!is_packed).then_some(event),
            is_packed.then_some(packed),
            i64::try_from(event.len()).unwrap()
        ],
    )
    .unwrap();
}

#[test]
fn an_agents_database_is_read_like_its_files() {
    let home = Home::new();
    let (path, _) = events(&home);
    let raw = Connection::open(&path).unwrap();
    insert(&raw, "s2", 0, &user("only", "", "without a header"));
    let account = home.import(std::slice::from_ref(&path));
    assert_eq!(counts(&account), (8, 2, 0, 0, 0));
    assert_eq!(
        view(&home, "openclaw:s1"),
        ["a new beginning", "of everything"]
    );
    assert_eq!(view(&home, "openclaw:s2"), ["without a header"]);
    assert_eq!(home.import(std::slice::from_ref(&path)).totals.records, 0);
    insert(&raw, "s2", 1, &answer("b", "only", "grown"));
    let account = home.import(std::slice::from_ref(&path));
    assert_eq!((account.totals.stored, account.totals.duplicate), (1, 8));
}

#[test]
fn files_of_other_hosts_are_not_taken_for_these() {
    let Some(shared) = shared("files_of_other_hosts_are_not_taken_for_these") else {
        return;
    };
    let home = Home::new();
    let account = home.import(&other_samples(&shared));
    let formats = account
        .files
        .iter()
        .map(|file| (&file.path, file.format, &file.problem));
    let ours = ["pi", "openclaw", "picoclaw", "opencode", "goose"];
    for (path, format, _) in formats {
        assert!(
            !format.is_some_and(|one| ours.contains(&one.as_str())),
            "{path:?}"
        );
    }
}
