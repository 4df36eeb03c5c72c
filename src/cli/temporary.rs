//! A folder that is gone when its work is done, or broken off.

use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names that are tried before giving up.
const ATTEMPTS: u32 = 1_000;
/// How often removal is tried at the end: a store at work may add a file to its folder meanwhile.
const REMOVALS: u32 = 20;

/// The folders of this process.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder of this process alone, removed with all that is in it when dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    /// Makes a folder under the system's temporary one.
    pub(crate) fn make() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        let process = process::id();
        let mut made = made();
        for attempt in 0..ATTEMPTS {
            let path = parent.join(format!("hippocamp-{process}-{attempt}"));
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    made.push(path.clone());
                    return Ok(Self { path });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(
            "every name for a temporary folder is taken",
        ))
    }

    /// Returns where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own clearing of temporary files.
        let _ = std::fs::remove_dir_all(&self.path);
        made().retain(|path| *path != self.path);
    }
}

/// Ends the process at once, from any thread, and leaves none of its folders behind.
pub(crate) fn exit_and_remove(code: i32) -> ! {
    // Held to the end, so that no folder is made any more.
    let made = made();
    for path in made.iter() {
        for _ in 0..REMOVALS {
            match std::fs::remove_dir_all(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {}
                _ => break,
            }
        }
    }
    process::exit(code)
}

fn made() -> MutexGuard<'static, Vec<PathBuf>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_its_own_and_gone_afterwards() {
        let (one, other) = (
            TemporaryFolder::make().unwrap(),
            TemporaryFolder::make().unwrap(),
        );
        assert_ne!(one.path(), other.path());
        let path = one.path().to_owned();
        std::fs::write(path.join("x"), "x").unwrap();
        drop(one);
        assert!(!path.exists());
        assert!(other.path().exists());
    }
}
