//! Many files, one account. Owns the walk from paths to files and what is said of each.
//! May not let one file stop the others: what cannot be read is reported, and the rest goes on.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::account::{FileAccount, ImportAccount, Problem};
use super::detect::{Detected, detect};
use super::document::{import_database, import_document};
use super::format::Format;
use super::intake::{Intake, unreadable};
use super::lines::import_lines;
use super::prefix::Recheck;
use super::spec::Reader;
use super::table::find;
use super::target::{Rehearsal, Target};
use super::walk::{Found, Siblings, find_files};
use crate::domain::Timestamp;
use crate::engine::{Engine, EngineError};

/// Whether an import writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ImportMode {
    /// Rows and checkpoints are written.
    #[default]
    Write,
    /// Nothing is written; the account says what would be.
    DryRun,
}

/// How an import goes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// The format of all files; without one each file's records decide.
    pub format: Option<Format>,
    /// Whether it writes.
    pub mode: ImportMode,
    /// When it happens, for the rows of conversations and files. Messages keep their own times.
    pub now: Timestamp,
    /// How much of files that were read before is read again.
    pub recheck: Recheck,
}

impl ImportOptions {
    /// Makes the options of an import that writes and finds out formats by itself.
    #[must_use]
    pub const fn new(now: Timestamp) -> Self {
        Self {
            format: None,
            mode: ImportMode::Write,
            now,
            recheck: Recheck::Whole,
        }
    }

    /// Sets the format of all files.
    #[must_use]
    pub const fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets how much of files that were read before is read again.
    #[must_use]
    pub const fn recheck(mut self, recheck: Recheck) -> Self {
        self.recheck = recheck;
        self
    }

    /// Sets whether it writes.
    #[must_use]
    pub const fn mode(mut self, mode: ImportMode) -> Self {
        self.mode = mode;
        self
    }
}

/// How far an import has come.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// So many files were found, of so many bytes together.
    Found {
        /// How many files.
        files: usize,
        /// How many bytes.
        bytes: u64,
    },
    /// A file begins.
    Begun {
        /// The file.
        path: &'a Path,
        /// Its size in bytes.
        bytes: u64,
    },
    /// A file has been consumed up to this byte.
    Moved {
        /// The file.
        path: &'a Path,
        /// The first byte not consumed.
        offset: u64,
    },
    /// A file is done.
    Done(&'a FileAccount),
}

/// An import that the store stopped.
#[derive(Debug, Error)]
#[error("the import stopped at {}", path.display())]
#[non_exhaustive]
pub struct ImportError {
    /// The file it stopped at.
    pub path: PathBuf,
    /// What was done before, that file's part included.
    pub account: Box<ImportAccount>,
    /// Why.
    #[source]
    pub source: EngineError,
}

/// Imports files and folders of transcripts. What was imported before is passed over; what cannot
/// be read is in the account.
///
/// # Errors
/// [`ImportError`] if the store fails; each batch before that is stored.
pub async fn import_paths(
    engine: &Engine,
    paths: &[PathBuf],
    options: &ImportOptions,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<ImportAccount, ImportError> {
    let mut target = match options.mode {
        ImportMode::Write => Target::Store(engine),
        ImportMode::DryRun => Target::Rehearsal(Box::new(Rehearsal::of(engine))),
    };
    import_into(&mut target, paths, options, progress).await
}

/// As [`import_paths`], into any target.
pub(super) async fn import_into(
    target: &mut Target<'_>,
    paths: &[PathBuf],
    options: &ImportOptions,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<ImportAccount, ImportError> {
    let found = find_all(paths, options);
    let mut account = ImportAccount {
        links: found.links,
        siblings: found.siblings,
        skipped: found.skipped,
        ..ImportAccount::default()
    };
    for (path, problem) in found.problems {
        let file = FileAccount::with_problem(path, problem);
        progress(Progress::Done(&file));
        account.push(file);
    }
    progress(Progress::Found {
        files: found.files.len(),
        bytes: found.files.iter().map(|path| size(path)).sum(),
    });
    let mut seen = HashSet::new();
    for path in found.files {
        // One file may be reached by several of the paths given.
        let canonical = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if !seen.insert(canonical.clone()) {
            continue;
        }
        progress(Progress::Begun {
            path: &path,
            bytes: size(&path),
        });
        let mut file = FileAccount::new(path.clone());
        let done = Box::pin(import_file(
            target, &canonical, options, &mut file, progress,
        ))
        .await;
        progress(Progress::Done(&file));
        account.push(file);
        if let Err(source) = done {
            let account = Box::new(account);
            return Err(ImportError {
                path,
                account,
                source,
            });
        }
    }
    Ok(account)
}

/// Finds all files below some paths.
pub(super) fn find_all(paths: &[PathBuf], options: &ImportOptions) -> Found {
    // A file that is said to be a transcript is one, whatever its name.
    let named_siblings = match options.format {
        Some(_) => Siblings::Read,
        None => Siblings::Leave,
    };
    let mut found = Found::default();
    for path in paths {
        find_files(path, named_siblings, &mut found);
    }
    found
}

async fn import_file(
    target: &mut Target<'_>,
    canonical: &Path,
    options: &ImportOptions,
    account: &mut FileAccount,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<(), EngineError> {
    let (spec, reader) = match detect(canonical, options.format.and_then(find)) {
        Ok(Detected::Known(spec, reader)) => (spec, reader),
        Ok(Detected::Nothing(waits)) => {
            if let Some(rest) = waits {
                account.leave_pending(rest);
            }
            return Ok(());
        }
        Ok(Detected::Foreign(reason)) => {
            account.problem = Some(Problem::Foreign { reason });
            return Ok(());
        }
        Err(error) => {
            account.problem = Some(unreadable(&error));
            return Ok(());
        }
    };
    let path = account.path.clone();
    let mut moved = |offset| {
        progress(Progress::Moved {
            path: &path,
            offset,
        });
    };
    let begun = std::mem::replace(account, FileAccount::new(path.clone()));
    let intake = Intake::new(target, spec, canonical, begun, options);
    *account = match *reader {
        Reader::Lines(format) => import_lines(intake, canonical, format, &mut moved).await?,
        Reader::Document(format) => import_document(intake, canonical, format, &mut moved).await?,
        Reader::Database(format) => import_database(intake, canonical, format, &mut moved).await?,
    };
    Ok(())
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}
