//! Paths to files. Owns which files of a folder are looked at, and in which order.
//! May not open one. Symbolic links inside a folder are not followed, so that a folder cannot lead
//! out of itself; one that is named by the caller is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::account::Problem;
use super::intake::unreadable;
use super::table::FORMATS;

/// Folders below a session that hold no transcripts.
const SKIPPED_FOLDERS: &[&str] = &["tool-results"];

/// What a path leads to.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files to read, in order: those of a folder by name, then its folders by name.
    pub(super) files: Vec<PathBuf>,
    /// Links that were not followed.
    pub(super) links: Vec<PathBuf>,
    /// Files that are copies by their names.
    pub(super) siblings: Vec<PathBuf>,
    /// Files that no name of a transcript fits, counted by folder.
    pub(super) skipped: BTreeMap<PathBuf, usize>,
    /// Paths that could not be looked at.
    pub(super) problems: Vec<(PathBuf, Problem)>,
}

/// What is done with a copy that the caller names itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Siblings {
    Read,
    Leave,
}

/// Finds the files below a path. A file that is named itself is taken whatever its name, unless
/// that is a copy's.
pub(super) fn find_files(path: &Path, named: Siblings, found: &mut Found) {
    match fs::metadata(path) {
        Ok(kind) if kind.is_dir() => walk(path, found),
        Ok(kind) if kind.is_file() && named == Siblings::Leave && is_sibling(path) => {
            found.siblings.push(path.to_owned());
        }
        Ok(kind) if kind.is_file() => found.files.push(path.to_owned()),
        Ok(_) => found.problems.push((path.to_owned(), not_a_file())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            found.problems.push((path.to_owned(), Problem::NotFound));
        }
        Err(error) => found.problems.push((path.to_owned(), unreadable(&error))),
    }
}

fn walk(folder: &Path, found: &mut Found) {
    // A stack of folders, deepest last, so that no depth of nesting is too much.
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let mut entries = match fs::read_dir(&folder) {
            Ok(entries) => entries.filter_map(Result::ok).collect::<Vec<_>>(),
            Err(error) => {
                found.problems.push((folder, unreadable(&error)));
                continue;
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        let mut folders = Vec::new();
        for entry in entries {
            let path = entry.path();
            let is_transcript = is_transcript(&path);
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => found.links.push(path),
                Ok(kind) if kind.is_dir() => {
                    let name = entry.file_name();
                    if SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped) {
                        let n_files = fs::read_dir(&path).map_or(0, Iterator::count);
                        found.skipped.insert(path, n_files);
                    } else {
                        folders.push(path);
                    }
                }
                Ok(kind) if kind.is_file() && is_sibling(&path) => found.siblings.push(path),
                Ok(_) if !is_transcript => {
                    *found.skipped.entry(folder.clone()).or_default() += 1;
                }
                Ok(kind) if kind.is_file() => found.files.push(path),
                Ok(_) => found.problems.push((path, not_a_file())),
                Err(error) => found.problems.push((path, unreadable(&error))),
            }
        }
        waiting.extend(folders.into_iter().rev());
    }
}

/// Returns whether a file met in a folder is looked at.
fn is_transcript(path: &Path) -> bool {
    let is_lines = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"));
    is_lines || FORMATS.iter().any(|spec| (spec.is_transcript_name)(path))
}

fn is_sibling(path: &Path) -> bool {
    FORMATS.iter().any(|spec| (spec.is_sibling_name)(path))
}

fn not_a_file() -> Problem {
    Problem::Unreadable {
        reason: "neither a file nor a folder".to_owned(),
    }
}
