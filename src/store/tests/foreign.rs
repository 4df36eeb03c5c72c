//! Other programs' databases: read whole, and left as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::store::conn::{Access, Durability, Kind, connect};
use crate::store::{Foreign, ForeignValue, Rows};

const TALK: Rows<'_> = Rows {
    table: "talk",
    columns: &["id", "words", "later"],
    only: None,
    order: &[],
};

/// Makes another program's database and keeps it open.
fn owner(path: &Path, journal: &str) -> Connection {
    std::fs::write(path, "").unwrap();
    let conn = connect(path, Access::Write, Kind::Writer(Durability::Normal)).unwrap();
    conn.pragma_update_and_check(None, "journal_mode", journal, |_| Ok(()))
        .unwrap();
    conn.execute_batch("CREATE TABLE talk (id INTEGER PRIMARY KEY, words TEXT)")
        .unwrap();
    conn
}

fn say(conn: &Connection, words: &str) {
    conn.execute("INSERT INTO talk (words) VALUES (?1)", [words])
        .unwrap();
}

fn words(foreign: &Foreign) -> Vec<String> {
    let rows = foreign.rows(TALK).unwrap();
    assert!(rows.iter().all(|row| *row.get(2) == ForeignValue::Null));
    rows.iter()
        .map(|row| row.text(1).unwrap().to_owned())
        .collect()
}

/// The files of a folder, whole.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().ends_with("-shm"))
        .map(|path| (path.clone(), std::fs::read(&path).unwrap()))
        .collect()
}

#[test]
fn a_snapshot_holds_what_is_in_the_log_and_nothing_that_comes_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let conn = owner(&path, "wal");
    say(&conn, "one");
    let before = files(folder.path());
    let foreign = Foreign::open(&path).unwrap();
    say(&conn, "two");
    assert_eq!(words(&foreign), ["one"]);
    assert_eq!(words(&Foreign::open(&path).unwrap()), ["one", "two"]);
    drop(foreign);
    assert_ne!(files(folder.path()), before);
    let print = Foreign::fingerprint(&path).unwrap();
    say(&conn, "three");
    assert_ne!(Foreign::fingerprint(&path).unwrap(), print);
}

#[test]
fn reading_changes_no_file_and_leaves_none() {
    for journal in ["wal", "delete"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        let conn = owner(&path, journal);
        say(&conn, "one");
        let left = folder.path().join("left");
        std::fs::create_dir(&left).unwrap();
        // As after a crash: the log is there and nobody has it open.
        for (file, bytes) in files_only(folder.path()) {
            std::fs::write(left.join(file.file_name().unwrap()), bytes).unwrap();
        }
        let before = files(&left);
        let foreign = Foreign::open(&left.join("other.db")).unwrap();
        assert_eq!(words(&foreign), ["one"], "{journal}");
        drop(foreign);
        assert_eq!(files(&left), before, "{journal}");
        let n_files = std::fs::read_dir(&left).unwrap().count();
        assert_eq!(n_files, before.len(), "{journal}: a file was left beside");
    }
}

fn files_only(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && !path.to_string_lossy().ends_with("-shm"))
        .map(|path| (path.clone(), std::fs::read(&path).unwrap()))
        .collect()
}

#[test]
fn rows_are_picked_and_ordered_and_a_missing_table_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let conn = owner(&path, "delete");
    for words in ["b", "a", "b"] {
        say(&conn, words);
    }
    let foreign = Foreign::open(&path).unwrap();
    assert!(foreign.has("talk", &["id", "words"]));
    assert!(!foreign.has("talk", &["later"]) && !foreign.has("none", &[]));
    let wanted = ForeignValue::Text("b".to_owned());
    let only = Rows {
        only: Some(("words", &wanted)),
        order: &["words", "id"],
        ..TALK
    };
    let ids: Vec<_> = foreign.rows(only).unwrap();
    let ids: Vec<_> = ids.iter().filter_map(|row| row.integer(0)).collect();
    assert_eq!(ids, [1, 3]);
    let none = Rows {
        table: "none",
        ..TALK
    };
    assert!(foreign.rows(none).unwrap().is_empty());
}

#[test]
fn what_is_no_database_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    std::fs::write(&path, "SQLite format 3\0 but no more than that").unwrap();
    let error = Foreign::open(&path).unwrap_err().to_string();
    assert!(!error.is_empty() && !error.contains("store"), "{error}");
}

/// A table that its maker computes has no end, and this one would never be read to it.
#[test]
fn a_view_is_no_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let conn = owner(&path, "delete");
    conn.execute_batch(
        "CREATE VIEW endless AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
         SELECT id, 'x' AS words FROM n",
    )
    .unwrap();
    let foreign = Foreign::open(&path).unwrap();
    assert!(foreign.has("TALK", &["words"]) && !foreign.has("endless", &["id"]));
    let endless = Rows {
        table: "endless",
        ..TALK
    };
    assert!(foreign.rows(endless).unwrap().is_empty());
}

#[test]
fn what_a_journal_would_take_back_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let conn = owner(&path, "delete");
    for _ in 0..200 {
        say(&conn, &"committed ".repeat(100));
    }
    // So little room that changed pages are written before the commit.
    conn.execute_batch("PRAGMA cache_size = 5; BEGIN; UPDATE talk SET words = 'never committed'")
        .unwrap();
    let left = folder.path().join("left");
    std::fs::create_dir(&left).unwrap();
    for (file, bytes) in files_only(folder.path()) {
        std::fs::write(left.join(file.file_name().unwrap()), bytes).unwrap();
    }
    assert!(left.join("other.db-journal").exists());
    let read = Foreign::open(&left.join("other.db"));
    let read = read.and_then(|foreign| foreign.rows(TALK));
    assert!(read.is_err(), "a page of a broken transaction was read");
}

#[cfg(unix)]
#[test]
fn a_log_that_is_no_file_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    say(&owner(&path, "delete"), "one");
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("other.db-wal")).unwrap();
    assert!(Foreign::fingerprint(&path).is_err());
    assert!(Foreign::open(&path).is_err());
}
