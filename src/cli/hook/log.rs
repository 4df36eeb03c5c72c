//! `hook.log`. Owns the one place where a hook says what went wrong: its host shows nobody.
//! Lines hold names of events, ids, counts and reasons; never words of a conversation.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::domain::{Clock, Timestamp};
use crate::engine::SystemClock;
use crate::render::text::safe;

/// A log of this size is set aside, in bytes; one such is kept.
const MAX_BYTES: u64 = 1 << 20;
/// Letters of a line at most: reasons of the system may hold paths of any length.
const MAX_LETTERS: usize = 400;

/// Writes one line to `hippocamp/hook.log` below the state folder.
///
/// # Errors
/// The system's, where not even that can be written.
pub(super) fn note(state_folder: &Path, line: &str) -> io::Result<()> {
    note_at(&place(state_folder), SystemClock.now(), line, MAX_BYTES)
}

/// Returns where the log is.
pub(super) fn place(state_folder: &Path) -> PathBuf {
    state_folder.join("hippocamp").join("hook.log")
}

/// As [`note`], at any time and with another greatest size.
pub(super) fn note_at(path: &Path, now: Timestamp, line: &str, max_bytes: u64) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        // Opening a pipe would wait for whoever reads it.
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = open(path)?;
    if file.metadata()?.len() >= max_bytes && set_aside(&file, path)? {
        file = open(path)?;
    }
    let words: String = safe(line).replace(['\n', '\t'], " ");
    let words: String = words.chars().take(MAX_LETTERS).collect();
    // One write: lines of processes that end at the same time do not mix.
    file.write_all(format!("{now} {words}\n").as_bytes())
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Moves a log that is full out of the way; says whether it was moved. Of several processes that find
/// it full one moves it: a second move would put a new log in the place of the old one.
fn set_aside(file: &File, path: &Path) -> io::Result<bool> {
    if file.try_lock().is_err() {
        return Ok(false);
    }
    if fs::metadata(path)?.len() < file.metadata()?.len() {
        return Ok(true);
    }
    fs::rename(path, path.with_extension("log.1"))?;
    Ok(true)
}
