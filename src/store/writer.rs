//! The writer. Owns the transaction: one for all waiting callers, a savepoint for each.
//! May not wait for anything but the lock. It answers questions too, for a process that does one thing
//! after the other: a second connection would read the whole schema again.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::anchor::Anchor;
use super::breaker;
use super::clear::clear;
use super::commit::{Promotion, commit, promote, record_window};
use super::conn::Durability;
use super::error::StoreError;
use super::event::record_call;
use super::fork::fork;
use super::import::import;
use super::lease::{lease, release};
use super::op::{WriteOp, WriteReply};
use super::pinning::change_pins;
use super::reader::Reader;
use super::recount::recount;
use super::steering;
use super::sync::{append, sync};
use crate::domain::{ImportBatch, ImportReply};

/// A connection that writes.
#[derive(Debug)]
pub struct Writer {
    /// Its connection, as one that reads what it has written.
    reader: Reader,
    anchor: Arc<Anchor>,
    path: String,
    durability: Durability,
    /// The caps that its rows are counted by.
    caps: String,
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.anchor.let_go(self.reader.conn());
    }
}

impl Writer {
    pub(super) fn new(
        conn: Connection,
        anchor: Arc<Anchor>,
        path: String,
        durability: Durability,
    ) -> Self {
        Self {
            reader: Reader::new(conn),
            anchor,
            path,
            durability,
            caps: String::new(),
        }
    }

    /// Says which caps on tool results the tokens of rows are counted by from now on; with none
    /// said, what a branch is counted by is not known.
    pub fn count_by(&mut self, caps: impl Into<String>) {
        self.caps = caps.into();
    }

    /// Runs all of `ops` in one transaction and answers each when it is durable.
    ///
    /// An operation that fails is rolled back alone. If the transaction cannot begin or be
    /// committed, every operation gets that error and nothing is written. So it is with `Moved`, when
    /// the path leads to another file than the one that was opened.
    pub fn run(&mut self, ops: &[WriteOp]) -> Vec<Result<WriteReply, StoreError>> {
        if ops.is_empty() {
            return Vec::new();
        }
        let n_ops = ops.len();
        let replies = match self.run_all(ops) {
            Ok(replies) => replies,
            Err(error) => repeat(error, n_ops),
        };
        let path = &self.path;
        replies
            .into_iter()
            .map(|reply| reply.map_err(|error| error.at_path(path)))
            .collect()
    }

    fn run_all(
        &mut self,
        ops: &[WriteOp],
    ) -> Result<Vec<Result<WriteReply, StoreError>>, rusqlite::Error> {
        let (anchor, caps) = (&self.anchor, &self.caps);
        let conn = self.reader.conn_mut();
        if ops.iter().all(WriteOp::needs_no_durability) {
            unsynced(conn, self.durability, |conn| {
                in_transaction(conn, anchor, ops, caps)
            })
        } else {
            in_transaction(conn, anchor, ops, caps)
        }
    }

    /// Writes a batch of imported records with their file's checkpoint, all or nothing. `rules` is
    /// the version of the token rules that cut the rows' words.
    ///
    /// # Errors
    /// `Busy`, `Full`, `Moved`, `Refused` or `Database`; nothing of the batch is stored then.
    pub fn import(&mut self, batch: &ImportBatch, rules: i64) -> Result<ImportReply, StoreError> {
        let written = self
            .reader
            .conn_mut()
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(StoreError::from)
            .and_then(|tx| {
                let reply = import(&tx, batch, rules, &self.caps)?;
                self.anchor.check()?;
                tx.commit()?;
                Ok(reply)
            });
        written.map_err(|error| error.at_path(&self.path))
    }

    /// Waits only so long for other processes from now on.
    ///
    /// # Errors
    /// What the database says.
    pub fn wait_at_most(&mut self, patience: Duration) -> Result<(), StoreError> {
        Ok(self.reader.conn().busy_timeout(patience)?)
    }

    /// Asks several questions of one state of the store.
    ///
    /// # Errors
    /// What `ask` returns, or what beginning to read does.
    pub fn snapshot<T, E: From<StoreError>>(
        &mut self,
        ask: impl FnOnce(&Reader) -> Result<T, E>,
    ) -> Result<T, E> {
        self.reader.snapshot(ask)
    }

    /// Says whether what is written now will be found again; see [`Anchor::check`].
    pub(super) fn check_place(&self) -> Result<(), StoreError> {
        self.anchor.check()
    }

    /// Returns what of it survives a power cut.
    pub(super) const fn durability(&self) -> Durability {
        self.durability
    }

    /// Lends the connection to the other writers of this room.
    pub(super) fn conn(&mut self) -> &mut Connection {
        self.reader.conn_mut()
    }

    /// Bounds the file's pages, so that a test can fill it.
    #[cfg(test)]
    pub(super) fn limit_pages(&self, pages: i64) -> Result<i64, StoreError> {
        Ok(self
            .reader
            .conn()
            .pragma_update_and_check(None, "max_page_count", pages, |row| row.get(0))?)
    }
}

/// Makes writes that a power cut may take back, since they are made again: leases, steps of the index.
/// The next write that is synced takes them along.
pub(super) fn unsynced<T, E: From<rusqlite::Error>>(
    conn: &mut Connection,
    durability: Durability,
    write: impl FnOnce(&mut Connection) -> Result<T, E>,
) -> Result<T, E> {
    if durability != Durability::Full {
        return write(conn);
    }
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    let written = write(conn);
    conn.pragma_update(None, "synchronous", "FULL")?;
    written
}

fn in_transaction(
    conn: &mut Connection,
    anchor: &Anchor,
    ops: &[WriteOp],
    caps: &str,
) -> Result<Vec<Result<WriteReply, StoreError>>, rusqlite::Error> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut replies = Vec::with_capacity(ops.len());
    if let [only] = ops {
        let reply = run_one(&tx, only, caps);
        if reply.is_err() {
            return Ok(vec![reply]);
        }
        replies.push(reply);
    } else {
        for op in ops {
            let reply = with_savepoint(&tx, op, caps)?;
            // A full disk or an I/O error rolls the whole transaction back by itself.
            if tx.is_autocommit() {
                return Ok(undone(replies, reply, ops.len()));
            }
            replies.push(reply);
        }
    }
    if !anchor.holds() {
        return Ok(ops.iter().map(|_| Err(anchor.moved())).collect());
    }
    tx.commit()?;
    Ok(replies)
}

fn with_savepoint(
    tx: &Transaction<'_>,
    op: &WriteOp,
    caps: &str,
) -> Result<Result<WriteReply, StoreError>, rusqlite::Error> {
    tx.prepare_cached("SAVEPOINT op")?.execute([])?;
    let reply = run_one(tx, op, caps);
    if reply.is_err() && !tx.is_autocommit() {
        tx.prepare_cached("ROLLBACK TO op")?.execute([])?;
    }
    if !tx.is_autocommit() {
        tx.prepare_cached("RELEASE op")?.execute([])?;
    }
    Ok(reply)
}

fn run_one(tx: &Transaction<'_>, op: &WriteOp, caps: &str) -> Result<WriteReply, StoreError> {
    match op {
        WriteOp::Append(request) => append(tx, request, caps).map(WriteReply::Appended),
        WriteOp::Sync(request) => sync(tx, request, caps).map(WriteReply::Synced),
        WriteOp::Commit(plan) => commit(tx, plan).map(WriteReply::Committed),
        WriteOp::Clear(plan) => clear(tx, plan).map(WriteReply::Cleared),
        WriteOp::Recount(plan) => recount(tx, plan).map(WriteReply::Recounted),
        WriteOp::Promote {
            conversation,
            reason,
            tokens_before,
            tokens_after,
            now,
        } => {
            let promotion = Promotion {
                reason,
                tokens_before: *tokens_before,
                tokens_after: Some(*tokens_after),
            };
            promote(tx, *conversation, &promotion, *now).map(WriteReply::Promoted)
        }
        WriteOp::Window {
            conversation,
            window,
            now,
        } => record_window(tx, *conversation, *window, *now).map(WriteReply::WindowSet),
        WriteOp::Fork(request) => fork(tx, request).map(WriteReply::Forked),
        WriteOp::Pins(changes) => change_pins(tx, changes).map(WriteReply::Pinned),
        WriteOp::Lease(request) => lease(tx, request).map(WriteReply::Lease),
        WriteOp::ReleaseLease { unit, holder } => {
            release(tx, unit, holder).map(|()| WriteReply::Done)
        }
        WriteOp::ChangeBreaker(change) => breaker::change(tx, change).map(WriteReply::Breaker),
        WriteOp::Call(call) => record_call(tx, call).map(WriteReply::CallRecorded),
        WriteOp::Steer(change) => steering::change(tx, change).map(WriteReply::Steered),
        WriteOp::Measure(measurement) => {
            steering::measure(tx, measurement).map(WriteReply::Measured)
        }
    }
}

/// Gives every caller of a transaction that is gone an error: the one that ended it for whom it
/// arose, a copy by kind for the others.
fn undone(
    before: Vec<Result<WriteReply, StoreError>>,
    ended_by: Result<WriteReply, StoreError>,
    n_ops: usize,
) -> Vec<Result<WriteReply, StoreError>> {
    let is_full = matches!(ended_by, Err(StoreError::Full));
    let copy = || {
        if is_full {
            StoreError::Full
        } else {
            StoreError::Database {
                source: "the transaction was rolled back by another write of it".into(),
            }
        }
    };
    let n_before = before.len();
    let mut replies: Vec<_> = before
        .into_iter()
        .map(|reply| Err(reply.err().unwrap_or_else(copy)))
        .collect();
    replies.push(Err(ended_by.err().unwrap_or_else(copy)));
    replies.extend((n_before + 1..n_ops).map(|_| Err(copy())));
    replies
}

/// Gives the error of a whole transaction to each of its callers.
fn repeat(error: rusqlite::Error, n_ops: usize) -> Vec<Result<WriteReply, StoreError>> {
    let failure = match &error {
        rusqlite::Error::SqliteFailure(failure, message) => Some((*failure, message.clone())),
        _ => None,
    };
    let mut replies: Vec<_> = (1..n_ops)
        .map(|_| {
            Err(match &failure {
                Some((failure, message)) => {
                    rusqlite::Error::SqliteFailure(*failure, message.clone()).into()
                }
                None => StoreError::Database {
                    source: "the transaction failed".into(),
                },
            })
        })
        .collect();
    replies.push(Err(error.into()));
    replies
}
