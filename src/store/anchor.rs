//! The file behind a store. Owns the question whether its path still leads to it: rows written to a
//! file that was moved, removed or replaced would be acknowledged and then found nowhere.
//! May not open anything, nor read a file's bytes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

use rusqlite::Connection;

use super::error::StoreError;

/// How long the end of a connection waits for those who still read.
const PARTING_TIMEOUT: Duration = Duration::from_millis(100);

/// Which file a path led to when it was opened.
#[derive(Debug)]
pub(super) struct Anchor {
    /// Absolute, so that it means the same when the process changes its directory.
    path: PathBuf,
    file: Place,
}

/// Where a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    /// What tells two files apart, whatever they are called.
    #[cfg(unix)]
    File {
        device: u64,
        number: u64,
    },
    /// It cannot be found out.
    Unknown,
}

impl Anchor {
    /// Notes which file `path` leads to now.
    pub(super) fn at(path: &Path) -> Self {
        let path = absolute(path).unwrap_or_else(|_| path.to_owned());
        let file = place(&path);
        Self { path, file }
    }

    /// Says whether the path still leads there.
    ///
    /// # Errors
    /// `Moved` if it leads nowhere or to another file. What cannot be found out is no error.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.holds() {
            return Ok(());
        }
        Err(self.moved())
    }

    /// Says whether the path still leads there, as far as it can be found out.
    pub(super) fn holds(&self) -> bool {
        match (self.file, place(&self.path)) {
            (Place::Unknown, _) | (_, Place::Unknown) => true,
            (then, now) => then == now,
        }
    }

    /// Returns the error of a path that leads elsewhere.
    pub(super) fn moved(&self) -> StoreError {
        StoreError::Moved {
            path: self.path.display().to_string(),
        }
    }

    /// Carries the log into a file that its path does not lead to any more, and empties it. `SQLite`
    /// leaves such a log where it lies: what was acknowledged would be missing in the file, and the
    /// pages would be taken for those of the next file that is put in its place.
    pub(super) fn let_go(&self, conn: &Connection) {
        if !self.holds() && conn.busy_timeout(PARTING_TIMEOUT).is_ok() {
            // Nobody can be told any more, and the log is still there.
            let _ = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}

#[cfg(unix)]
fn place(path: &Path) -> Place {
    use std::os::unix::fs::MetadataExt;

    match fs::metadata(path) {
        Ok(found) => Place::File {
            device: found.dev(),
            number: found.ino(),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Place::Nowhere,
        Err(_) => Place::Unknown,
    }
}

/// Elsewhere a file that is open can be neither removed nor replaced.
#[cfg(not(unix))]
fn place(path: &Path) -> Place {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Place::Nowhere,
        _ => Place::Unknown,
    }
}
