//! A folder that is gone when its work is done, or broken off. Owns how a file comes to its name
//! whole: it is written in such a folder beside its place, and moved there at the end.

use std::fs::DirBuilder;
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
        Self::make_in(&std::env::temp_dir(), "hippocamp")
    }

    /// Makes a hidden folder in one where files are to be placed.
    pub(crate) fn inside(parent: &Path) -> io::Result<Self> {
        Self::make_in(parent, ".hippocamp")
    }

    fn make_in(parent: &Path, name: &str) -> io::Result<Self> {
        let process = process::id();
        let builder = private_folder();
        let mut made = made();
        for attempt in 0..ATTEMPTS {
            let path = parent.join(format!("{name}-{process}-{attempt}"));
            match builder.create(&path) {
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

/// Gives a file that is whole its name, at once; one that is there already stays, and is an error.
pub(crate) fn place(whole: &Path, path: &Path) -> io::Result<()> {
    match std::fs::hard_link(whole, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Some file systems know no links; there only a file made in this moment is overwritten.
        Err(_) if std::fs::symlink_metadata(path).is_err() => std::fs::rename(whole, path),
        linked => linked,
    }
}

/// What is written in the folder is as private as what it is made from.
fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only modes change it"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
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
    fn a_whole_file_takes_its_place_and_no_other_one_s() {
        let room = tempfile::tempdir().unwrap();
        let folder = TemporaryFolder::inside(room.path()).unwrap();
        assert_eq!(folder.path().parent(), Some(room.path()));
        let (whole, path) = (folder.path().join("x"), room.path().join("x"));
        std::fs::write(&whole, "whole").unwrap();
        place(&whole, &path).unwrap();
        std::fs::write(folder.path().join("y"), "other").unwrap();
        let again = place(&folder.path().join("y"), &path).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        drop(folder);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 1);
    }

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
