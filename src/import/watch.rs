//! Growing files, followed. Owns which files have changed since they were looked at.
//! May not wait: the caller says when to look again.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::account::ImportAccount;
use super::driver::{ImportError, ImportOptions, Progress, find_all, import_paths};
use crate::engine::Engine;

/// Files that are imported again whenever they have changed.
#[derive(Debug, Default)]
pub struct Watch {
    seen: HashMap<PathBuf, Signs>,
}

/// By what a change of a file is noticed, without reading it: its size and its time, and those of
/// the log beside a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Signs {
    file: Option<(u64, Option<SystemTime>)>,
    log: Option<(u64, Option<SystemTime>)>,
}

impl Signs {
    fn of(path: &Path) -> Self {
        let look = |path: &Path| {
            let found = fs::metadata(path).ok()?;
            Some((found.len(), found.modified().ok()))
        };
        let mut log = OsString::from(path);
        log.push("-wal");
        Self {
            file: look(path),
            log: look(Path::new(&log)),
        }
    }
}

impl Watch {
    /// Begins to watch; nothing was looked at so far.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Imports what has changed below `paths` since the last look, at the first one everything.
    ///
    /// # Errors
    /// [`ImportError`] if the store fails; what was not taken in is looked at again.
    pub async fn look(
        &mut self,
        engine: &Engine,
        paths: &[PathBuf],
        options: &ImportOptions,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<ImportAccount, ImportError> {
        let found = find_all(paths, options);
        let mut changed = Vec::new();
        let mut signs = Vec::new();
        for path in found.files {
            // Before the file is read: what is written meanwhile is seen at the next look.
            let now = Signs::of(&path);
            if self.seen.get(&path) != Some(&now) {
                changed.push(path.clone());
                signs.push((path, now));
            }
        }
        let mut account = if changed.is_empty() {
            ImportAccount::default()
        } else {
            import_paths(engine, &changed, options, progress).await?
        };
        self.seen.extend(signs);
        account.links = found.links;
        account.siblings = found.siblings;
        account.skipped = found.skipped;
        Ok(account)
    }
}
