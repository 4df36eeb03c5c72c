//! Upkeep between writes: merging the index's segments, carrying the log into the file.
//! May not take long: each call is one short step.

use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use super::conn::Durability;
use super::error::StoreError;
use super::index::broken;
use super::writer::{Writer, unsynced};

/// Pages that one merge writes while others write, about: 1 to 4 ms.
const BUSY_PAGES: i64 = 16;
/// The same where nobody waits. Each merge also writes the beginnings of all its segments anew, so
/// that longer ones write less in all.
const MERGE_PAGES: i64 = 32;
/// The log's size in bytes from which it is cut back to nothing, as soon as no reader needs it.
const WAL_BYTES: u64 = 64 << 20;

const MERGE: &str = "INSERT INTO search_index (search_index, rank) VALUES ('merge', ?1)";
const MERGE_PIECES: &str = "INSERT INTO search_piece (search_piece, rank) VALUES ('merge', ?1)";
/// What the log may hold in bytes before it is carried into the file while others write. Most of its
/// pages are written again and again: a quarter of it costs a fifth more for each row.
const BUSY_BYTES: u64 = 16 << 20;

/// What processes that end at once leave in the log, in bytes: each of them reads it to begin with,
/// which takes about a millisecond for so much, and carrying it costs two syncs.
const PARTING_BYTES: u64 = 1 << 20;
/// How long a process that ends waits for others to carry the log.
const NO_TIME: Duration = Duration::ZERO;

const PAGE_SIZE: &str = "PRAGMA page_size";
const LOOK: &str = "PRAGMA wal_checkpoint(NOOP)";
const CHECKPOINT: &str = "PRAGMA wal_checkpoint(PASSIVE)";
const TRUNCATE: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// How much a step of upkeep may take on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Others write: a log that is small stays, since carrying it costs two syncs.
    Busy,
    /// Nobody waits: the log is carried once nothing is left to be merged.
    Quiet,
    /// The process ends: a merge at most, and the log is carried.
    Ending,
    /// The process ends, and another one like it comes soon: nothing is done while the log is small,
    /// or while another process writes, which carries it itself.
    Parting,
}

/// What a step of upkeep found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upkeep {
    /// Whether the index's segments still want merging.
    pub merging: Merging,
    /// The log.
    pub log: LogState,
    /// The log's bytes that are in use afterwards.
    pub wal_bytes: u64,
}

/// Whether there is more to merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// Nothing was worth merging.
    Idle,
    /// A step was made; the next may find more.
    Progress,
}

/// What became of the write-ahead log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogState {
    /// All of it is in the file.
    Carried,
    /// A reader or another process holds on to some of it, or it was left for a quiet moment.
    Held,
    /// It had grown too large, or nobody may be left to know of it, and was cut back to nothing.
    Truncated,
}

impl Writer {
    /// Merges some of the index's segments and carries the log into the file, as far as no reader
    /// holds it and the pace allows. Call it after each step of the index, and until
    /// [`Merging::Idle`] when there is time.
    ///
    /// # Errors
    /// `Corrupt` if the index cannot be merged; what the database says otherwise.
    pub fn maintain(&mut self, pace: Pace) -> Result<Upkeep, StoreError> {
        self.check_place()?;
        let durability = self.durability();
        maintain(self.conn(), durability, pace)
    }
}

fn maintain(
    conn: &mut Connection,
    durability: Durability,
    pace: Pace,
) -> Result<Upkeep, StoreError> {
    let page_bytes: i64 = conn.query_row(PAGE_SIZE, [], |row| row.get(0))?;
    let bytes = |log: &Log| log.frames.saturating_mul(page_bytes.unsigned_abs());
    let waiting = |log: &Log| {
        let frames = log.frames.saturating_sub(log.carried);
        frames.saturating_mul(page_bytes.unsigned_abs())
    };
    let mut log = checkpoint(conn, LOOK)?;
    if pace == Pace::Parting {
        conn.busy_timeout(NO_TIME)?;
    }
    if pace == Pace::Parting && (waiting(&log) <= PARTING_BYTES || others_write(conn)?) {
        return Ok(Upkeep {
            merging: Merging::Idle,
            log: LogState::Held,
            wal_bytes: bytes(&log),
        });
    }
    let merging = unsynced(conn, durability, |conn| merge(conn, pace))?;
    log = checkpoint(conn, LOOK)?;
    // What one merge writes the next one replaces: it is carried once, behind the last.
    let is_last = match pace {
        Pace::Busy => false,
        Pace::Quiet => merging == Merging::Idle,
        Pace::Ending | Pace::Parting => true,
    };
    if is_last || waiting(&log) > BUSY_BYTES {
        log = checkpoint(conn, CHECKPOINT)?;
    }
    let mut state = if log.is_carried() {
        LogState::Carried
    } else {
        LogState::Held
    };
    // How far a log has been carried is known only while a process has it open: the next one to come
    // would carry all of it again, and write behind it.
    let is_long = bytes(&log) > WAL_BYTES || pace == Pace::Parting;
    if is_long && log.is_carried() {
        let cut = checkpoint(conn, TRUNCATE)?;
        if !cut.is_busy {
            state = LogState::Truncated;
            log = cut;
        }
    }
    Ok(Upkeep {
        merging,
        log: state,
        wal_bytes: bytes(&log),
    })
}

/// Says whether another process holds the lock that writers take.
fn others_write(conn: &Connection) -> Result<bool, StoreError> {
    match conn.execute_batch("BEGIN IMMEDIATE") {
        Ok(()) => {
            conn.execute_batch("ROLLBACK")?;
            Ok(false)
        }
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

fn merge(conn: &Connection, pace: Pace) -> Result<Merging, StoreError> {
    let pages = match pace {
        Pace::Busy => BUSY_PAGES,
        Pace::Quiet | Pace::Ending | Pace::Parting => MERGE_PAGES,
    };
    let before = conn.total_changes();
    for sql in [MERGE, MERGE_PIECES] {
        conn.prepare_cached(sql)
            .and_then(|mut statement| statement.execute([pages]))
            .map_err(broken)?;
    }
    // A merge that finds nothing to do counts as one change of its own.
    if conn.total_changes() - before > 2 {
        Ok(Merging::Progress)
    } else {
        Ok(Merging::Idle)
    }
}

/// What a checkpoint says.
struct Log {
    is_busy: bool,
    frames: u64,
    carried: u64,
}

impl Log {
    fn is_carried(&self) -> bool {
        self.carried >= self.frames
    }
}

fn checkpoint(conn: &Connection, sql: &str) -> Result<Log, StoreError> {
    Ok(conn.query_row(sql, [], |row| {
        // Frames are -1 where there is no log at all.
        let frames = |idx| row.get::<_, i64>(idx).map(|n| n.max(0).unsigned_abs());
        Ok(Log {
            is_busy: row.get::<_, i64>(0)? != 0,
            frames: frames(1)?,
            carried: frames(2)?,
        })
    })?)
}
