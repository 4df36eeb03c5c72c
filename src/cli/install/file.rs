//! A file of settings on disk. Owns how it is read and comes to its new text whole, with the rights
//! it has and where a link leads.

use std::fs::{self, DirEntry, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::time::UNIX_EPOCH;

use super::entry::Made;
use super::scan::read;
use crate::domain::Timestamp;

/// What stands in the name of a file that is being written, before the number of the process.
const MARK: &str = ".hippocamp-";
/// Milliseconds after which such a file was left behind: writing one takes a moment.
const OLD_MILLIS: i64 = 60_000;

/// Whether a file was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Found,
    Made,
}

/// A file's text that is to be, and whether there is to be a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) origin: Origin,
    pub(super) fate: Fate,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    /// It was made for our entries, and nothing else has come to be in it.
    Goes,
}

impl Draft {
    /// Begins with what a file holds.
    pub(super) fn of(found: Option<&str>) -> Self {
        Self {
            text: found.unwrap_or("{}\n").to_owned(),
            origin: match found {
                Some(_) => Origin::Found,
                None => Origin::Made,
            },
            fate: Fate::Stays,
        }
    }

    pub(super) fn with(&self, text: String) -> Self {
        Self {
            text,
            ..self.clone()
        }
    }

    /// Ends with what is left when our entries are out.
    pub(super) fn without(&self, text: String, made: Made) -> Result<Self, String> {
        let is_empty = read(&text)?.members().is_empty();
        let fate = if is_empty && made == Made::File {
            Fate::Goes
        } else {
            Fate::Stays
        };
        Ok(Self {
            fate,
            ..self.with(text)
        })
    }
}

/// Reads a file; none where there is none.
///
/// # Errors
/// What the system says, or that it is no UTF-8 or no file.
pub(super) fn load(path: &Path) -> Result<Option<String>, String> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => return Err("it is no file".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match fs::symlink_metadata(path) {
                Ok(_) => Err("it is a link that leads nowhere".to_owned()),
                Err(_) => Ok(None),
            };
        }
        _ => {}
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is no UTF-8".to_owned())?;
    Ok(Some(text))
}

/// Says whether a file may be changed: a new one would take the place of one that is to stay as it is.
///
/// # Errors
/// That it is read-only.
pub(super) fn check_writable(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(found) if found.permissions().readonly() => Err("it is read-only".to_owned()),
        _ => Ok(()),
    }
}

/// Gives a file its new text, or takes it away, unless it has changed since it was read.
///
/// # Errors
/// What the system says; then the file is as it was.
pub(super) fn save(path: &Path, before: Option<&str>, draft: &Draft) -> Result<(), String> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let unchanged = || {
        if load(path)?.as_deref() == before {
            return Ok(());
        }
        Err("it changed meanwhile; run it again".to_owned())
    };
    if draft.fate == Fate::Goes {
        unchanged()?;
        return fs::remove_file(&target).map_err(|error| error.to_string());
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let beside = temporary(&target);
    let written = write_new(&beside, &target, draft.text.as_bytes())
        .map_err(|error| error.to_string())
        .and_then(|()| unchanged())
        .and_then(|()| fs::rename(&beside, &target).map_err(|error| error.to_string()));
    if written.is_err() {
        // It may not have been made at all.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn temporary(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}{MARK}{}", process::id()))
}

/// Takes away what earlier calls that were killed have left beside a file: copies of it, as it was to be.
pub(super) fn sweep(path: &Path, now: Timestamp) {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Some(folder) = target.parent() else {
        return;
    };
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beginning = format!(".{name}{MARK}");
    for found in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found_name = found.file_name();
        let id = found_name
            .to_str()
            .and_then(|name| name.strip_prefix(&beginning));
        let is_ours =
            id.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
        if is_ours && is_old(&found, now) {
            // It is in nobody's way.
            let _ = fs::remove_file(found.path());
        }
    }
}

/// Says whether a file is of an earlier call: another one that works at the same time is left alone.
fn is_old(found: &DirEntry, now: Timestamp) -> bool {
    let Ok(found) = found.metadata() else {
        return false;
    };
    let written = found
        .modified()
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let written = written.and_then(|since| i64::try_from(since.as_millis()).ok());
    found.is_file() && written.is_some_and(|at| now.millis().saturating_sub(at) > OLD_MILLIS)
}

/// Writes a new file with the rights of another, or for its owner alone.
fn write_new(path: &Path, like: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file: File = options.open(path)?;
    if let Ok(found) = fs::metadata(like) {
        file.set_permissions(found.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}
