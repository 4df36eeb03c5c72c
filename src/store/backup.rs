//! Copies of a store. Owns the online backup: one moment of the store, while others go on writing.
//! May not overwrite anything, and leaves nothing behind when it fails.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, TransactionBehavior};

use super::conn::{Access, Kind, connect};
use super::error::StoreError;
use super::made::new_file;
use super::open::Store;

/// Pages copied between two reports.
const STEP_PAGES: i32 = 1_024;

/// What `SQLite` calls its files beside another. It takes what has such a name for its own.
const ENDINGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Begins to read: from here on others' writes are not seen.
const TOUCH: &str = "SELECT COUNT(*) FROM sqlite_schema";

/// How much of a copy is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyProgress {
    /// Pages that are copied.
    pub pages: u64,
    /// Of how many.
    pub of: u64,
}

impl Store {
    /// Looks whether a copy may have a name: one of a log or a journal would be deleted with it.
    ///
    /// # Errors
    /// `Refused` if it may not.
    pub(crate) fn may_be_named(path: &Path) -> Result<(), StoreError> {
        let bytes = path.as_os_str().as_encoded_bytes();
        let is_taken = |ending: &&&str| bytes.ends_with(ending.as_bytes());
        match ENDINGS.iter().find(is_taken) {
            None => Ok(()),
            Some(ending) => Err(StoreError::Refused {
                detail: format!(
                    "{} would be taken for a part of another file and deleted: choose a name that \
                     does not end with {ending}",
                    path.display()
                ),
            }),
        }
    }

    /// Copies the store as it is now to a new file at `path`, readable by its owner alone.
    ///
    /// # Errors
    /// `Refused` if something is there already or its folder is not; `Copy` if it cannot be
    /// written; what the database says otherwise.
    pub fn backup(
        &self,
        path: &Path,
        told: &mut dyn FnMut(CopyProgress),
    ) -> Result<(), StoreError> {
        let source = self.reading_connection()?;
        make_file(path)?;
        let copied = copy(source, path, told);
        if copied.is_err() {
            // The copy is ours: it was made a moment ago and nobody knows of it.
            let _ = fs::remove_file(path);
        }
        copied.map_err(|error| match error {
            StoreError::Database { source } | StoreError::Open { source, .. } => StoreError::Copy {
                path: path.display().to_string(),
                source,
            },
            other => other,
        })
    }
}

fn make_file(path: &Path) -> Result<(), StoreError> {
    let name = path.display();
    let refused = |detail: String| Err(StoreError::Refused { detail });
    Store::may_be_named(path)?;
    match new_file(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            refused(format!("{name} is there already, and is not overwritten"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            refused(format!("there is no folder for {name}"))
        }
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(StoreError::Full),
        Err(error) => Err(StoreError::Copy {
            path: name.to_string(),
            source: Box::new(error),
        }),
    }
}

fn copy(
    mut source: Connection,
    path: &Path,
    told: &mut dyn FnMut(CopyProgress),
) -> Result<(), StoreError> {
    let mut copy = connect(path, Access::Write, Kind::Opening)?;
    // One reading transaction around all steps: a step that begins its own would start anew
    // whenever another process has written.
    let reading = source.transaction_with_behavior(TransactionBehavior::Deferred)?;
    reading.query_row(TOUCH, [], |row| row.get::<_, i64>(0))?;
    let backup = Backup::new(&reading, &mut copy)?;
    loop {
        let step = backup.step(STEP_PAGES)?;
        let progress = backup.progress();
        let count = |pages: i32| u64::from(pages.max(0).unsigned_abs());
        told(CopyProgress {
            pages: count(progress.pagecount - progress.remaining),
            of: count(progress.pagecount),
        });
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => return Err(StoreError::Busy),
        }
    }
}
