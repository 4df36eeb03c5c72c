//! What a start makes on disk. Owns taking it away again when the start fails.
//! May not remove anything that holds a byte.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::TransactionBehavior;

use super::conn::{Access, Kind, connect};

/// What this start has made, to be taken away again if it fails.
#[derive(Debug, Default)]
pub(super) struct Made {
    is_file_ours: bool,
    /// Innermost first.
    directories: Vec<PathBuf>,
}

impl Made {
    /// Makes the file and the directories it needs, readable by their owner alone.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut made = Self::default();
        if let Some(parent) = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            let mut missing = parent;
            while !missing.exists() {
                made.directories.push(missing.to_owned());
                match missing.parent() {
                    Some(above) if !above.as_os_str().is_empty() => missing = above,
                    _ => break,
                }
            }
            if !made.directories.is_empty()
                && let Err(error) = directory_builder().create(parent)
            {
                made.remove_directories();
                return Err(error);
            }
        }
        match new_file(path) {
            Ok(_) => made.is_file_ours = true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                made.remove_directories();
                return Err(error);
            }
        }
        Ok(made)
    }

    /// Removes the file if this start made it and nobody has filled it since.
    pub(super) fn discard(&self, path: &Path) {
        if self.is_file_ours && remove_if_empty(path).is_ok() {
            self.remove_directories();
        }
    }

    fn remove_directories(&self) {
        for directory in &self.directories {
            // One that is not empty is not only ours any more, and stays.
            if fs::remove_dir(directory).is_err() {
                break;
            }
        }
    }
}

/// Removes an empty file under the write lock, so that no other process fills it meanwhile; one
/// that waits for the lock sees afterwards that the path leads nowhere and starts anew.
fn remove_if_empty(path: &Path) -> io::Result<()> {
    let mut conn = connect(path, Access::Write, Kind::Opening).map_err(io::Error::other)?;
    let _lock = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(io::Error::other)?;
    if fs::metadata(path)?.len() > 0 {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::remove_file(path)
}

fn directory_builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Makes a file that its owner alone can read.
pub(super) fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // SQLite gives its -wal and -shm files the mode of the file they belong to.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
