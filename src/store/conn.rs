//! Connections. Owns the one function that opens any, so that each has the same settings.
//! May not look at the schema: `open` and `migrate` do.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;

/// How long a statement waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long opening waits: a person is waiting too.
const OPENING_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of the file that readers map: scans run 1.4 to 1.9 times as fast.
const MMAP_BYTES: i64 = 2 << 30;
/// Kibibytes of pages a connection keeps.
const CACHE_KIB: i64 = 16_000;
/// Prepared statements a connection keeps: more than the store has.
const STATEMENTS: usize = 128;

/// What may happen to the file when a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenMode {
    /// A missing file is created, an old schema is brought forward.
    Create,
    /// The file must be there; an old schema is brought forward.
    Existing,
    /// The file must be there and nothing is written.
    ReadOnly,
}

/// What survives a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// Every acknowledged write: one sync each.
    Full,
    /// Everything up to the last checkpoint; a crash of the process alone loses nothing.
    Normal,
    /// As `Normal`, for a process that ends at once: the log is left to whoever is next while it is
    /// small.
    Brief,
}

/// How the file can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// For reading and writing.
    Write,
    /// For reading, beside writers.
    Read,
    /// For reading a file that nobody can change: no `-shm` file can be made beside it.
    Immutable,
}

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// To look at the file and bring it forward.
    Opening,
    /// To write.
    Writer(Durability),
    /// To read.
    Reader,
    /// To read another program's database, of which not even its log may change.
    Foreign,
}

/// Opens a connection and gives it its settings.
///
/// # Errors
/// `Open` if `SQLite` cannot open the file; what the first access says otherwise.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where connections are opened"
)]
pub(super) fn connect(path: &Path, access: Access, kind: Kind) -> Result<Connection, StoreError> {
    let opened = match access {
        Access::Write => {
            Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_WRITE))
        }
        Access::Read => Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_ONLY)),
        Access::Immutable => Connection::open_with_flags(
            immutable_uri(path),
            flags(OpenFlags::SQLITE_OPEN_READ_ONLY) | OpenFlags::SQLITE_OPEN_URI,
        ),
    };
    let conn = opened?;
    configure(&conn, kind)?;
    Ok(conn)
}

/// Says whether this process may write to a file; reads and writes nothing of it.
pub(super) fn may_write(path: &Path) -> bool {
    open_to_write(path).is_some()
}

/// Opens a connection that has no settings yet; none to a file that this process may not write.
/// Reads and writes nothing of it.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where connections are opened"
)]
pub(super) fn open_to_write(path: &Path) -> Option<Connection> {
    let access = flags(OpenFlags::SQLITE_OPEN_READ_WRITE);
    let conn = Connection::open_with_flags(path, access).ok()?;
    let is_writable = conn
        .is_readonly("main")
        .is_ok_and(|is_readonly| !is_readonly);
    is_writable.then_some(conn)
}

/// Reads the mark in a file's header, whatever its pages are like; writes and locks nothing.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where connections are opened"
)]
pub(super) fn mark(path: &Path) -> Result<i32, StoreError> {
    let access = flags(OpenFlags::SQLITE_OPEN_READ_ONLY) | OpenFlags::SQLITE_OPEN_URI;
    let conn = Connection::open_with_flags(immutable_uri(path), access)?;
    // Without it the header of a file that was cut short cannot be read at all.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    Ok(conn.pragma_query_value(None, "application_id", |row| row.get(0))?)
}

fn flags(access: OpenFlags) -> OpenFlags {
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// Gives a connection the settings of its kind, also one that had those of [`Kind::Opening`].
pub(super) fn configure(conn: &Connection, kind: Kind) -> Result<(), StoreError> {
    conn.busy_timeout(match kind {
        Kind::Opening => OPENING_TIMEOUT,
        Kind::Writer(_) | Kind::Reader | Kind::Foreign => BUSY_TIMEOUT,
    })?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    // Without it a bound value may change a plan, so that SQLite prepares many cached statements anew
    // at every use: 2 µs become 150.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // A REPLACE deletes without a DELETE: only this lets the triggers see it.
    conn.pragma_update(None, "recursive_triggers", true)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    // These two read the whole schema, which takes longer than the look at a header. Without them
    // the cache is smaller, and writes are synced in full.
    if kind != Kind::Opening {
        let synchronous = match kind {
            Kind::Writer(Durability::Normal | Durability::Brief) => "NORMAL",
            _ => "FULL",
        };
        conn.pragma_update(None, "cache_size", -CACHE_KIB)?;
        conn.pragma_update(None, "synchronous", synchronous)?;
    }
    // Checkpoints belong to the indexer's steps: inside a commit they cost a hundredfold at p99.
    conn.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    match kind {
        // A file that may turn out to be refused must keep its bytes when this closes.
        Kind::Opening | Kind::Writer(Durability::Brief) => leave_log(conn)?,
        Kind::Writer(_) => {
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        }
        // Not mapped: its owner may cut it short at any time. Nor does its schema compute anything.
        Kind::Foreign => {
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            conn.pragma_update(None, "query_only", true)?;
        }
        Kind::Reader => {
            conn.pragma_update(None, "query_only", true)?;
            conn.pragma_update_and_check(None, "mmap_size", MMAP_BYTES, |_| Ok(()))?;
        }
    }
    Ok(())
}

/// Lets the log lie when the connection closes.
pub(super) fn leave_log(conn: &Connection) -> Result<(), StoreError> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

/// Writes `path` as a URI; a path may hold `?`, `#` and `%`.
fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push('%');
            for digit in [byte >> 4, byte & 15] {
                uri.extend(char::from_digit(u32::from(digit), 16));
            }
        }
    }
    uri.push_str("?immutable=1");
    uri
}
