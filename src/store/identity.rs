//! What a file is, before it is opened for work. Owns the look at its header.
//! May not write: a file that is refused keeps its bytes. And may not open the file by itself:
//! closing any handle of a file ends all locks that this process has on it, so that another
//! program would take the log away from a connection that is still open. `SQLite` knows that.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::conn::{Access, Kind, connect, mark};
use super::error::StoreError;
use super::migrate::{APPLICATION_ID, version};

/// What every rollback journal begins with.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// What a file is, by its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identity {
    Missing,
    /// No bytes, or the beginnings of a file that is being made.
    New,
    Ours {
        version: i64,
    },
    Foreign,
}

/// Names the file that `SQLite` keeps beside its own.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Says whether a file is missing or has no bytes.
pub(super) fn is_empty(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |found| found.len() == 0)
}

/// Reads what a file is.
pub(super) fn identity(path: &Path) -> Result<Identity, StoreError> {
    let mut found = Identity::Foreign;
    // Twice: a journal that has gone between the two looks means that the file is complete now.
    for _ in 0..2 {
        found = by_header(path)?;
        if found != Identity::Foreign {
            break;
        }
        if begins_a_file(&beside(path, "-journal")) {
            return Ok(Identity::New);
        }
    }
    if found == Identity::Foreign && mark(path).is_ok_and(|mark| mark == APPLICATION_ID) {
        return Err(StoreError::corrupt(
            "it is a hippocamp store, but its pages contradict its header, as those of a file \
             that was cut short do",
        ));
    }
    Ok(found)
}

fn by_header(path: &Path) -> Result<Identity, StoreError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Identity::Missing),
        Err(error) => {
            return Err(StoreError::Database {
                source: Box::new(error),
            });
        }
        // Opening a pipe would wait for whoever writes to it.
        Ok(found) if !found.is_file() => {
            let what = if found.is_dir() {
                "it is a folder; name a file in it"
            } else {
                "it is neither a file nor a folder"
            };
            return Err(StoreError::Database {
                source: what.into(),
            });
        }
        Ok(found) if found.len() == 0 => return Ok(Identity::New),
        Ok(_) => {}
    }
    // Immutable: nothing is locked, rolled back, recovered or made beside it.
    let found = by_connection(path, Access::Immutable)?;
    if found == Identity::Foreign && beside(path, "-wal").exists() {
        // A checkpoint of another connection may have been half-way through the pages just read.
        // A reader that takes its lock sees them whole; it writes nothing to the file.
        return by_connection(path, Access::Read);
    }
    Ok(found)
}

fn by_connection(path: &Path, access: Access) -> Result<Identity, StoreError> {
    let header = connect(path, access, Kind::Opening).and_then(|conn| {
        let application: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
        Ok((application, version(&conn)?))
    });
    match header {
        Ok((APPLICATION_ID, version)) => Ok(Identity::Ours { version }),
        Ok(_) | Err(StoreError::Corrupt { .. }) => Ok(Identity::Foreign),
        Err(error) => Err(error),
    }
}

/// Says whether a journal would roll its file back to no pages at all.
fn begins_a_file(journal: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(journal).and_then(|file| file.take(20).read_to_end(&mut bytes));
    read.is_ok() && bytes.starts_with(&JOURNAL_MAGIC) && bytes.get(16..20) == Some(&[0; 4])
}
