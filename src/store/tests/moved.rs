//! A file that is moved, removed or replaced while it is open.

use std::fs;
use std::path::Path;

use super::kit::{Bench, NOW, bench, key, stamp, talk};
use crate::domain::AppendRequest;
use crate::store::identity::beside;
use crate::store::{Durability, OpenMode, Pace, Store, StoreError, WriteOp};

fn open(path: &Path, mode: OpenMode) -> Result<Store, StoreError> {
    Store::open(path, mode, Durability::Full)
}

/// What may become of a store's file while it is open.
fn check_moved(change: impl FnOnce(&Path)) -> Bench {
    let mut bench = bench();
    bench.append("main", talk(1));
    change(&bench.path());
    for n_messages in [1, 2] {
        let request = AppendRequest {
            session: key("main"),
            messages: talk(n_messages).into_iter().map(stamp).collect(),
            now: NOW,
        };
        let ops = vec![WriteOp::Append(request); n_messages];
        let replies = bench.writer.run(&ops);
        assert_eq!(replies.len(), n_messages);
        for reply in replies {
            assert!(matches!(reply, Err(StoreError::Moved { .. })), "{reply:?}");
        }
    }
    assert!(matches!(
        bench.writer.maintain(Pace::Quiet),
        Err(StoreError::Moved { .. })
    ));
    bench
}

#[test]
fn nothing_is_acknowledged_once_the_file_was_removed() {
    let bench = check_moved(|path| fs::remove_file(path).unwrap());
    let path = bench.path();
    assert!(matches!(bench.store.reader(), Err(StoreError::Open { .. })));
    drop(bench.reader);
    drop(bench.writer);
    assert!(!path.exists());
}

#[test]
fn a_file_that_was_moved_takes_along_all_that_was_acknowledged() {
    let bench = check_moved(|path| fs::rename(path, path.with_extension("moved")).unwrap());
    let moved = bench.path().with_extension("moved");
    drop(bench.reader);
    drop(bench.writer);
    let store = open(&moved, OpenMode::Existing).unwrap();
    let found = store.reader().unwrap().conversation(&key("main")).unwrap();
    assert_eq!(found.unwrap().head.unwrap().get(), 1);
}

#[test]
fn a_copy_put_back_under_an_open_store_is_not_damaged_by_its_log() {
    let mut kept = bench();
    let copy = kept.path().with_extension("copy");
    kept.append("kept", talk(40));
    drop((kept.reader, kept.writer));
    fs::copy(kept.store.path(), &copy).unwrap();
    let bench = check_moved(|path| fs::rename(&copy, path).unwrap());
    let path = bench.path();
    drop(bench.reader);
    drop(bench.writer);
    let reader = open(&path, OpenMode::Existing).unwrap().reader().unwrap();
    let head = |session: &str| reader.conversation(&key(session)).unwrap()?.head;
    assert_eq!(head("kept").unwrap().get(), 40);
    assert_eq!(head("main"), None);
}

#[test]
fn a_store_put_in_the_place_of_an_open_one_keeps_its_rows() {
    let bench = check_moved(|path| {
        for suffix in ["", "-wal", "-shm"] {
            fs::remove_file(beside(path, suffix)).unwrap();
        }
        let store = open(path, OpenMode::Create).unwrap();
        let mut writer = store.writer().unwrap();
        let request = AppendRequest {
            session: key("other"),
            messages: talk(3).into_iter().map(stamp).collect(),
            now: NOW,
        };
        writer.run(&[WriteOp::Append(request)]).remove(0).unwrap();
        // It lives on, as another process would: its rows are in its log.
        std::mem::forget(writer);
    });
    let path = bench.path();
    assert!(matches!(
        bench.store.reader(),
        Err(StoreError::Moved { .. })
    ));
    assert!(matches!(
        bench.store.writer(),
        Err(StoreError::Moved { .. })
    ));
    drop(bench.reader);
    drop(bench.writer);
    let store = open(&path, OpenMode::Existing).unwrap();
    let found = store.reader().unwrap().conversation(&key("other")).unwrap();
    assert_eq!(found.unwrap().head.unwrap().get(), 3);
}
