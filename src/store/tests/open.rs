//! Opening: what is made, brought forward, read or refused.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::thread;

use rusqlite::Connection;

use super::kit::{Bench, bench, copy_rows, key, span, talk};
use crate::domain::NewMessage;
use crate::store::conn::{Access, Kind, connect};
use crate::store::migrate::{MIGRATIONS, SCHEMA_VERSION};
use crate::store::{Durability, OpenMode, Pace, Store, StoreError, Thoroughness};

fn open(path: &Path, mode: OpenMode) -> Result<Store, StoreError> {
    Store::open(path, mode, Durability::Full)
}

/// Names all that lies in a directory.
fn listing(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn pragma(conn: &Connection, name: &str) -> String {
    conn.pragma_query_value(None, name, |row| {
        row.get_ref(0).map(|value| match value.as_i64() {
            Ok(number) => number.to_string(),
            Err(_) => value.as_str().unwrap().to_owned(),
        })
    })
    .unwrap()
}

/// Makes a database that is not ours.
fn foreign(path: &Path) -> Connection {
    fs::write(path, "").unwrap();
    connect(path, Access::Write, Kind::Opening).unwrap()
}

#[test]
fn every_kind_of_connection_has_its_settings() {
    let bench = bench();
    let path = bench.path();
    let rows = [
        (Kind::Opening, "2", "0", "5000"),
        (Kind::Writer(Durability::Full), "2", "0", "10000"),
        (Kind::Writer(Durability::Normal), "1", "0", "10000"),
        (Kind::Writer(Durability::Brief), "1", "0", "10000"),
        (Kind::Reader, "2", "1", "10000"),
    ];
    for (kind, synchronous, query_only, timeout) in rows {
        let conn = connect(&path, Access::Write, kind).unwrap();
        for (name, wanted) in [
            ("journal_mode", "wal"),
            ("synchronous", synchronous),
            ("busy_timeout", timeout),
            ("wal_autocheckpoint", "0"),
            ("foreign_keys", "1"),
            ("recursive_triggers", "1"),
            ("temp_store", "2"),
            ("query_only", query_only),
        ] {
            assert_eq!(pragma(&conn, name), wanted, "{name} of {kind:?}");
        }
        if kind == Kind::Reader {
            assert_ne!(pragma(&conn, "mmap_size"), "0");
        }
    }
}

#[test]
fn a_missing_file_is_made_only_where_asked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/store.db");
    for mode in [OpenMode::Existing, OpenMode::ReadOnly] {
        assert!(matches!(open(&path, mode), Err(StoreError::Missing { .. })));
    }
    assert!(listing(dir.path()).is_empty());
    open(&path, OpenMode::Create).unwrap();
    open(&path, OpenMode::Existing).unwrap();
}

/// B159.
#[test]
fn a_newer_schema_is_refused_with_both_numbers_before_a_byte_changes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    open(&path, OpenMode::Create).unwrap();
    let newer = connect(&path, Access::Write, Kind::Writer(Durability::Full)).unwrap();
    newer
        .pragma_update(None, "user_version", SCHEMA_VERSION + 1)
        .unwrap();
    drop(newer);
    let before = fs::read(&path).unwrap();
    for mode in [OpenMode::Create, OpenMode::Existing, OpenMode::ReadOnly] {
        match open(&path, mode) {
            Err(StoreError::Newer { found, known, .. }) => {
                assert_eq!((found, known), (SCHEMA_VERSION + 1, SCHEMA_VERSION));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(listing(dir.path()), ["store.db"]);
}

/// The version may still be in the log when the program that wrote it is running.
#[test]
fn a_newer_schema_in_the_log_is_refused_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    open(&path, OpenMode::Create).unwrap();
    let newer = connect(&path, Access::Write, Kind::Writer(Durability::Full)).unwrap();
    newer
        .pragma_update(None, "user_version", SCHEMA_VERSION + 7)
        .unwrap();
    let before = fs::read(&path).unwrap();
    for mode in [OpenMode::Create, OpenMode::ReadOnly] {
        assert!(matches!(open(&path, mode), Err(StoreError::Newer { .. })));
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// B159.
#[test]
fn what_is_not_ours_is_refused_before_a_byte_changes() {
    let dir = tempfile::tempdir().unwrap();
    let text = dir.path().join("notes.txt");
    fs::write(&text, "a list of things to buy\n".repeat(20)).unwrap();
    let short = dir.path().join("short.txt");
    fs::write(&short, "x").unwrap();
    let other = dir.path().join("other.db");
    foreign(&other)
        .execute_batch("CREATE TABLE bookmark (url TEXT); PRAGMA user_version = 3;")
        .unwrap();
    for path in [&text, &short, &other] {
        let before = fs::read(path).unwrap();
        for mode in [OpenMode::Create, OpenMode::Existing, OpenMode::ReadOnly] {
            let refused = open(path, mode);
            assert!(
                matches!(refused, Err(StoreError::Foreign { .. })),
                "{refused:?}"
            );
        }
        assert_eq!(fs::read(path).unwrap(), before);
    }
    assert_eq!(listing(dir.path()), ["notes.txt", "other.db", "short.txt"]);
}

/// B159.
#[test]
fn an_empty_file_is_a_new_store() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    fs::write(&path, "").unwrap();
    assert!(matches!(
        open(&path, OpenMode::ReadOnly),
        Err(StoreError::Missing { .. })
    ));
    open(&path, OpenMode::Existing).unwrap();
    open(&path, OpenMode::ReadOnly).unwrap();
}

/// W22 of the peers' lessons.
#[test]
fn a_failed_start_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new/deep/store.db");
    let steps = [
        MIGRATIONS[0],
        "CREATE TABLE half (id INTEGER); CREATE NONSENSE;",
    ];
    let failed = Store::open_with(&path, OpenMode::Create, Durability::Full, &steps);
    assert!(matches!(failed, Err(StoreError::Open { .. })), "{failed:?}");
    assert!(listing(dir.path()).is_empty());
    open(&path, OpenMode::Create).unwrap();
}

#[test]
fn a_failed_step_forward_leaves_the_store_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let old = &MIGRATIONS[..2];
    Store::open_with(&path, OpenMode::Create, Durability::Full, old).unwrap();
    assert!(matches!(
        open(&path, OpenMode::ReadOnly),
        Err(StoreError::Older {
            found: 2,
            known: SCHEMA_VERSION,
            ..
        })
    ));
    let broken = [MIGRATIONS[0], MIGRATIONS[1], "CREATE NONSENSE"];
    assert!(Store::open_with(&path, OpenMode::Create, Durability::Full, &broken).is_err());
    Store::open_with(&path, OpenMode::Existing, Durability::Full, old).unwrap();
    open(&path, OpenMode::Existing).unwrap();
    open(&path, OpenMode::ReadOnly).unwrap();
}

#[test]
fn rows_imported_before_hashes_were_kept_have_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hippocamp.db");
    let old = &MIGRATIONS[..3];
    let newer = dir.path().join("newer.db");
    let store = open(&newer, OpenMode::Create).unwrap();
    let mut bench = Bench {
        writer: store.writer().unwrap(),
        reader: store.reader().unwrap(),
        store,
        dir,
    };
    bench.append("main", vec![NewMessage::user("one")]);
    drop(Store::open_with(&path, OpenMode::Create, Durability::Full, old).unwrap());
    let raw = connect(&path, Access::Write, Kind::Opening).unwrap();
    copy_rows(&raw, &newer);
    raw.execute_batch(
        "INSERT INTO source (id, path, format, updated_at) VALUES (1, '/t/a.jsonl', 'pi', 0);
         INSERT INTO provenance (message_id, source_id, offset, length, line, record_id)
           SELECT id, 1, 5, 9, 2, 'r1' FROM message;",
    )
    .unwrap();
    drop(raw);
    let reader = open(&path, OpenMode::Existing).unwrap().reader().unwrap();
    let branch = reader.conversation(&key("main")).unwrap().unwrap().id;
    let whole = reader.messages(branch, span(1, 1)).unwrap();
    let source = reader.record_source(whole[0].id).unwrap().unwrap();
    assert_eq!((source.path.as_str(), source.line), ("/t/a.jsonl", 2));
    assert_eq!((source.offset, source.length), (5, 9));
    assert_eq!(source.record_id.as_deref(), Some("r1"));
    assert_eq!(source.sha256, None);
    let checks = reader.integrity(Thoroughness::Full).unwrap();
    assert!(checks.iter().all(|check| check.is_ok), "{checks:?}");
}

#[test]
fn a_file_whose_making_was_cut_off_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    // What is on disk while the schema is written: pages without a header, and a journal that
    // rolls back to no pages.
    let conn = foreign(&path);
    conn.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE;")
        .unwrap();
    conn.execute_batch(MIGRATIONS[0]).unwrap();
    conn.execute_batch("PRAGMA cache_spill = 1;").unwrap();
    let journal = dir.path().join("store.db-journal");
    let (pages, log) = (fs::read(&path).unwrap(), fs::read(&journal).unwrap());
    drop(conn);
    fs::write(&path, pages).unwrap();
    fs::write(&journal, log).unwrap();
    let store = open(&path, OpenMode::Create).unwrap();
    assert!(
        store
            .reader()
            .unwrap()
            .conversation(&key("main"))
            .unwrap()
            .is_none()
    );
}

#[test]
fn many_starts_at_one_moment_make_one_store() {
    for _ in 0..5 {
        let dir = tempfile::tempdir().unwrap();
        let path = Arc::new(dir.path().join("new/store.db"));
        let barrier = Arc::new(Barrier::new(4));
        let starts: Vec<_> = (0..4)
            .map(|_| {
                let (path, barrier) = (Arc::clone(&path), Arc::clone(&barrier));
                thread::spawn(move || {
                    barrier.wait();
                    open(&path, OpenMode::Create).map(drop)
                })
            })
            .collect();
        for start in starts {
            start.join().unwrap().unwrap();
        }
    }
}

#[test]
fn a_store_that_has_gone_is_reported_by_its_path() {
    let bench = bench();
    fs::remove_file(bench.path()).unwrap();
    match bench.store.reader() {
        Err(StoreError::Open { path, .. }) => assert!(path.ends_with("hippocamp.db")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reader_cannot_write() {
    let mut bench = bench();
    bench.append("main", talk(1));
    let refused = bench
        .reader
        .conn()
        .execute("UPDATE session SET list_first = 2", []);
    assert!(matches!(
        refused.map_err(StoreError::from),
        Err(StoreError::ReadOnly { .. })
    ));
}

#[test]
fn a_store_is_known_while_another_connection_carries_its_log_into_the_file() {
    let mut bench = bench();
    let path = bench.path();
    let is_over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let opener = {
        let is_over = Arc::clone(&is_over);
        thread::spawn(move || {
            let mut n_opened = 0;
            while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                open(&path, OpenMode::Existing).unwrap();
                n_opened += 1;
            }
            n_opened
        })
    };
    for n in 0..300 {
        let row = format!("row {n} {}", "words ".repeat(200));
        bench.append("main", vec![crate::domain::NewMessage::user(row)]);
        bench.writer.maintain(Pace::Quiet).unwrap();
    }
    is_over.store(true, std::sync::atomic::Ordering::SeqCst);
    assert!(opener.join().unwrap() > 10);
}

#[test]
fn a_store_that_was_cut_short_is_damaged_and_no_other_programs_file() {
    let mut bench = bench();
    bench.append("main", talk(50));
    let path = bench.path();
    drop((bench.reader, bench.writer));
    let whole = fs::read(&path).unwrap();
    for kept in [4_096, 20_000, whole.len() - 4_096] {
        fs::write(&path, &whole[..kept]).unwrap();
        for mode in [OpenMode::Create, OpenMode::Existing, OpenMode::ReadOnly] {
            let refused = open(&path, mode);
            assert!(
                matches!(refused, Err(StoreError::Corrupt { .. })),
                "{kept}: {refused:?}"
            );
        }
        assert_eq!(fs::read(&path).unwrap(), whole[..kept]);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [dir.path(), &pipe, Path::new("/dev/null")] {
        for mode in [OpenMode::Create, OpenMode::Existing, OpenMode::ReadOnly] {
            let refused = open(path, mode);
            let Err(StoreError::Open { source, .. }) = refused else {
                panic!("{path:?}: {refused:?}");
            };
            assert!(source.to_string().contains("folder"), "{source}");
        }
    }
}

#[test]
fn a_schema_that_does_not_fit_is_told_without_its_statements() {
    let bench = bench();
    let path = bench.path();
    connect(&path, Access::Write, Kind::Opening)
        .unwrap()
        .pragma_update(None, "user_version", 1)
        .unwrap();
    let Err(StoreError::Open { source, .. }) = open(&path, OpenMode::Existing) else {
        panic!("it was opened");
    };
    assert_eq!(source.to_string(), "table summary already exists");
}
