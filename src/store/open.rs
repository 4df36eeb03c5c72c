//! Opening a store. Owns what becomes of a path: created, brought forward, read, or refused
//! before a byte of it changes.
//! May not read or write rows.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

use super::anchor::Anchor;
use super::conn::{
    Access, Durability, Kind, OpenMode, configure, connect, leave_log, may_write, open_to_write,
};
use super::error::StoreError;
use super::identity::{Identity, beside, identity, is_empty};
use super::made::Made;
use super::migrate::{MIGRATIONS, migrate, version};
use super::reader::Reader;
use super::writer::Writer;

/// How often opening starts anew when another process takes a new file away again.
const ATTEMPTS: u32 = 3;
/// How often, and at what distance, the switch to WAL is tried: `SQLite` does not wait for it.
const WAL_ATTEMPTS: u32 = 500;
const WAL_PAUSE: Duration = Duration::from_millis(10);

/// A store on disk. Cheap to clone; connections are made from it.
#[derive(Debug, Clone)]
pub struct Store {
    settings: Arc<Settings>,
}

#[derive(Debug)]
struct Settings {
    path: PathBuf,
    /// The file that was opened: every connection must be to this one.
    anchor: Arc<Anchor>,
    name: String,
    access: Access,
    durability: Durability,
    /// The connection that made the file ready, for the first writer: a second one would read the
    /// log anew, since it is the first to open it again.
    opened: Mutex<Option<Connection>>,
}

impl Store {
    /// Opens the file at `path`, creating it or bringing it forward where `mode` allows.
    ///
    /// # Errors
    /// `Missing`, `Newer`, `Older` and `Foreign` before anything is written; `Open`, `Busy` or
    /// `Full` if it cannot be made ready. A start that fails leaves nothing behind.
    pub fn open(path: &Path, mode: OpenMode, durability: Durability) -> Result<Self, StoreError> {
        Self::open_with(path, mode, durability, &MIGRATIONS)
    }

    pub(super) fn open_with(
        path: &Path,
        mode: OpenMode,
        durability: Durability,
        steps: &[&str],
    ) -> Result<Self, StoreError> {
        let name = path.display().to_string();
        let (access, opened) =
            make_ready(path, &name, mode, steps).map_err(|error| error.opening(&name))?;
        Ok(Self {
            settings: Arc::new(Settings {
                path: path.to_owned(),
                anchor: Arc::new(Anchor::at(path)),
                name,
                access,
                durability,
                opened: Mutex::new(opened),
            }),
        })
    }

    /// Opens a connection to write.
    ///
    /// # Errors
    /// `ReadOnly` if the file or its directory may not be written, `Open` if it has gone, `Moved`
    /// if the path leads to another file than it did.
    pub fn writer(&self) -> Result<Writer, StoreError> {
        let settings = &self.settings;
        if settings.access != Access::Write {
            return Err(StoreError::ReadOnly {
                path: settings.name.clone(),
            });
        }
        let kind = Kind::Writer(settings.durability);
        let opened = settings.opened.lock();
        let opened = opened.unwrap_or_else(PoisonError::into_inner).take();
        let conn = match opened {
            Some(conn) => configure(&conn, kind).map(|()| conn),
            None => connect(&settings.path, settings.access, kind),
        };
        let conn = conn
            .and_then(|conn| {
                // A file may have been taken out of WAL since it was made, as a copy is.
                enter_wal(&conn, &settings.name)?;
                Ok(conn)
            })
            .map_err(|error| error.opening(&settings.name))?;
        settings.anchor.check()?;
        Ok(Writer::new(
            conn,
            Arc::clone(&settings.anchor),
            settings.name.clone(),
            settings.durability,
        ))
    }

    /// Opens a connection to read.
    ///
    /// # Errors
    /// `Open` if the file has gone, `Moved` if the path leads to another file than it did.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.reading_connection().map(Reader::new)
    }

    /// Opens a connection that reads.
    pub(super) fn reading_connection(&self) -> Result<Connection, StoreError> {
        let settings = &self.settings;
        let conn = connect(&settings.path, settings.access, Kind::Reader)
            .map_err(|error| error.opening(&settings.name))?;
        settings.anchor.check()?;
        if settings.durability == Durability::Brief {
            leave_log(&conn)?;
        }
        Ok(conn)
    }

    /// Says when a write counts as done.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.settings.durability
    }

    /// Returns where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.settings.path
    }

    /// Returns the bytes of the write-ahead log; 0 where there is none.
    #[must_use]
    pub fn wal_bytes(&self) -> u64 {
        let mut log = self.settings.path.clone().into_os_string();
        log.push("-wal");
        fs::metadata(log).map_or(0, |meta| meta.len())
    }

    /// Returns the error of a write to a store that was opened to be read.
    #[must_use]
    pub fn read_only_error(&self) -> StoreError {
        StoreError::ReadOnly {
            path: self.settings.name.clone(),
        }
    }

    /// Says whether the store can be written.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.settings.access == Access::Write
    }
}

fn make_ready(
    path: &Path,
    name: &str,
    mode: OpenMode,
    steps: &[&str],
) -> Result<(Access, Option<Connection>), StoreError> {
    let mut last = StoreError::Busy;
    for _ in 0..ATTEMPTS {
        let found = identity(path)?;
        let created = match (found, mode) {
            (Identity::Missing, OpenMode::Create) => {
                Made::create(path).map_err(|error| unreadable(name, error))?
            }
            (Identity::Missing, _) | (Identity::New, OpenMode::ReadOnly) => {
                return Err(StoreError::Missing {
                    path: name.to_owned(),
                });
            }
            _ => {
                refuse(found, name, steps)?;
                Made::default()
            }
        };
        let ready = match mode {
            OpenMode::ReadOnly => return Ok((reading(path, name, steps)?, None)),
            OpenMode::Create | OpenMode::Existing => writing(path, name, steps),
        };
        match ready {
            // A process that failed at the same moment may have removed the file it had made. One
            // that holds a store already is removed by nobody.
            Ok((Access::Write, opened)) => match found {
                Identity::Ours { .. } => return Ok((Access::Write, opened)),
                _ if is_ours(path) => return Ok((Access::Write, opened)),
                _ => last = StoreError::Busy,
            },
            Ok(ready) => return Ok(ready),
            Err(error) => {
                created.discard(path);
                return Err(error);
            }
        }
    }
    Err(last)
}

fn is_ours(path: &Path) -> bool {
    matches!(identity(path), Ok(Identity::Ours { .. }))
}

fn refuse(found: Identity, name: &str, steps: &[&str]) -> Result<(), StoreError> {
    match found {
        Identity::Foreign => Err(StoreError::Foreign {
            path: name.to_owned(),
        }),
        Identity::Ours { version } => check_version(version, name, steps),
        Identity::Missing | Identity::New => Ok(()),
    }
}

fn check_version(found: i64, name: &str, steps: &[&str]) -> Result<(), StoreError> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(StoreError::Newer {
            path: name.to_owned(),
            found,
            known,
        });
    }
    Ok(())
}

fn unreadable(name: &str, error: io::Error) -> StoreError {
    if error.kind() == io::ErrorKind::StorageFull {
        return StoreError::Full;
    }
    StoreError::Open {
        path: name.to_owned(),
        source: Box::new(error),
    }
}

/// Brings the file forward; falls back to reading where it may not be written.
fn writing(
    path: &Path,
    name: &str,
    steps: &[&str],
) -> Result<(Access, Option<Connection>), StoreError> {
    let to_read = || Ok((reading(path, name, steps)?, None));
    let Some(mut conn) = open_to_write(path) else {
        return to_read();
    };
    let found = match configure(&conn, Kind::Opening).and_then(|()| version(&conn)) {
        Ok(found) => found,
        // No -shm file can be made here: the directory may not be written.
        Err(error @ (StoreError::Database { .. } | StoreError::ReadOnly { .. })) => {
            drop(conn);
            return match to_read() {
                Err(StoreError::Database { .. } | StoreError::ReadOnly { .. }) => Err(error),
                other => other,
            };
        }
        Err(error) => return Err(error),
    };
    check_version(found, name, steps)?;
    if found < i64::try_from(steps.len()).unwrap_or(i64::MAX) {
        migrate(&mut conn, steps, name)?;
        enter_wal(&conn, name)?;
    }
    Ok((Access::Write, Some(conn)))
}

/// Finds out how the file can be read.
fn reading(path: &Path, name: &str, steps: &[&str]) -> Result<Access, StoreError> {
    let sealed =
        !may_write(path) && !beside(path, "-shm").exists() && is_empty(&beside(path, "-wal"));
    // SQLite would leave a -wal and a -shm file that nobody may write, beside a file that nobody
    // may write, and they would stand in the way once it may be written again.
    let first = if sealed {
        Access::Immutable
    } else {
        Access::Read
    };
    let found = match read_version(path, first) {
        Ok(found) => (found, first),
        Err(error) if first == Access::Immutable => return Err(error),
        Err(StoreError::Database { .. } | StoreError::ReadOnly { .. }) => {
            if !is_empty(&beside(path, "-wal")) {
                return Err(StoreError::Open {
                    path: name.to_owned(),
                    source: "its -wal file holds rows that cannot be read: no -shm file can be \
                             made beside it, because the directory may not be written"
                        .into(),
                });
            }
            (read_version(path, Access::Immutable)?, Access::Immutable)
        }
        Err(error) => return Err(error),
    };
    check_version(found.0, name, steps)?;
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    if found.0 < known {
        return Err(StoreError::Older {
            path: name.to_owned(),
            found: found.0,
            known,
        });
    }
    Ok(found.1)
}

fn read_version(path: &Path, access: Access) -> Result<i64, StoreError> {
    version(&connect(path, access, Kind::Reader)?)
}

fn enter_wal(conn: &Connection, name: &str) -> Result<(), StoreError> {
    for _ in 0..WAL_ATTEMPTS {
        let switched = conn
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match switched.map_err(StoreError::from) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                return Err(StoreError::Open {
                    path: name.to_owned(),
                    source: format!("the file system holds it in journal mode {mode}, not WAL")
                        .into(),
                });
            }
            Err(StoreError::Busy) => thread::sleep(WAL_PAUSE),
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::Busy)
}
