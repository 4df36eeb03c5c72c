//! A folder that is gone when its work is done.

use std::io;
use std::path::{Path, PathBuf};

/// Names that are tried before giving up.
const ATTEMPTS: u32 = 1_000;

/// A folder of this process alone, removed with all that is in it when dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    /// Makes a folder under the system's temporary one.
    pub(crate) fn make() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        let process = std::process::id();
        for attempt in 0..ATTEMPTS {
            let path = parent.join(format!("hippocamp-{process}-{attempt}"));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
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
    }
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
