//! Writing the index: rows, pieces, the mark.
//! May not open a savepoint: FTS5 writes its buffer out at every one.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::domain::IndexRow;
use crate::store::error::StoreError;
use crate::store::ids::RowKind;
use crate::store::row::to_sql;
use crate::store::writer::{Writer, unsynced};

use super::mark::{IndexMark, MarkRow, broken, read_mark};
use super::step::{IndexOutcome, IndexStep, IndexWork, count, is_large, numbered};
use super::time_run::{self, IndexedRow};

/// The facet of rows that could not be read.
pub(in crate::store) const DAMAGED: &str = "damaged";

const IS_INDEXED: &str = "SELECT 1 FROM search_index_docsize WHERE id = ?1";
const DELETE_ROW: &str = "DELETE FROM search_index WHERE rowid = ?1";
const INSERT_ROW: &str = "INSERT INTO search_index (rowid, tokens, facet) \
     VALUES (?1, ?2, char(0x10fffd) || COALESCE((SELECT role FROM message WHERE id = ?1), 'summary'))";
/// The same without words, under the word for damage.
const INSERT_DAMAGED: &str = "INSERT INTO search_index (rowid, tokens, facet) \
     VALUES (?1, '', char(0x10fffd) || ?2)";
const INSERT_PIECE_OWNER: &str =
    "INSERT INTO index_piece (row_id, ordinal, n_pieces) VALUES (?1, ?2, ?3)";
const INSERT_PIECE: &str = "INSERT INTO search_piece (rowid, tokens) VALUES (?1, ?2)";
const COUNT_PIECES: &str = "SELECT COUNT(*) FROM index_piece WHERE row_id = ?1";
const MOVE_MARK: &str = "UPDATE index_state \
     SET mark = ?1, pieces = ?2, rules = ?3, n_rows = n_rows + ?4 WHERE one = 1";
const MESSAGES_BETWEEN: &str =
    "SELECT id, at, at FROM message WHERE id > ?1 AND id <= ?2 ORDER BY id";
const SUMMARIES_BETWEEN: &str =
    "SELECT id, from_at, to_at FROM summary WHERE id > ?1 AND id <= ?2 ORDER BY id";
const ANY_MESSAGE_ABOVE: &str = "SELECT 1 FROM message WHERE id > ?1 LIMIT 1";
const ANY_SUMMARY_ABOVE: &str = "SELECT 1 FROM summary WHERE id > ?1 LIMIT 1";
const EMPTY_INDEX: &str = "INSERT INTO search_index (search_index) VALUES ('delete-all')";
const EMPTY_PIECES: &str = "INSERT INTO search_piece (search_piece) VALUES ('delete-all')";
const EMPTY_OWNERS: &str = "DELETE FROM index_piece";
const EMPTY_RUNS: &str = "DELETE FROM time_run";
const RESET_STATE: &str =
    "UPDATE index_state SET mark = 0, pieces = 0, rules = ?1, n_rows = 0 WHERE one = 1";

impl Writer {
    /// Adds one step to the index, in a transaction of its own, if its mark still holds. A step of
    /// newer rules than the index was made by empties it first and begins from 0.
    ///
    /// # Errors
    /// `Corrupt` if the step would leave out a row or the index's tables cannot be written; what
    /// the database says otherwise.
    pub fn index_step(&mut self, step: &IndexStep) -> Result<IndexOutcome, StoreError> {
        self.check_place()?;
        let durability = self.durability();
        // What a power cut takes back is above the mark then, and indexed again.
        unsynced(self.conn(), durability, |conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let outcome = apply(&tx, step)?;
            if outcome == IndexOutcome::Applied {
                tx.commit()?;
            }
            Ok(outcome)
        })
    }

    /// Empties the index, so that the next steps make it anew from the rows.
    ///
    /// # Errors
    /// What the database says.
    pub fn reset_index(&mut self, rules: i64) -> Result<(), StoreError> {
        let tx = self
            .conn()
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        reset(&tx, rules)?;
        Ok(tx.commit()?)
    }
}

fn apply(tx: &Transaction<'_>, step: &IndexStep) -> Result<IndexOutcome, StoreError> {
    let mut stored = read_mark(tx)?;
    if stored.rules < step.rules {
        if step.expected != IndexMark::default() {
            return Ok(IndexOutcome::Moved);
        }
        reset(tx, step.rules)?;
        stored = read_mark(tx)?;
    }
    if stored.rules != step.rules || stored.mark != step.expected {
        return Ok(IndexOutcome::Moved);
    }
    match &step.work {
        IndexWork::Rows(rows) => {
            for row in rows {
                insert_row(tx, row)?;
            }
            move_mark(tx, stored, step.rules, step.next, to_sql(rows.len() as u64))?;
        }
        IndexWork::Damaged { id } => {
            make_room(tx, *id)?;
            tx.prepare_cached(INSERT_DAMAGED)
                .and_then(|mut statement| statement.execute(params![id, DAMAGED]))
                .map_err(broken)?;
            move_mark(tx, stored, step.rules, step.next, 1)?;
        }
        IndexWork::Piece {
            id,
            ordinal,
            n_pieces,
            tokens,
        } => {
            insert_piece(tx, *id, *ordinal, *n_pieces, tokens)?;
            move_mark(tx, stored, step.rules, step.next, 0)?;
        }
    }
    Ok(IndexOutcome::Applied)
}

/// Says whether the index covers every row there is, so that a batch of new rows may be indexed in
/// the transaction that writes them. Ask before the rows are written.
pub(in crate::store) fn is_level(conn: &Connection, rules: i64) -> Result<bool, StoreError> {
    let stored = read_mark(conn)?;
    let usable = stored.rules == rules || stored.mark == IndexMark::default();
    if !usable || stored.mark.pieces > 0 {
        return Ok(false);
    }
    Ok(!exists(conn, ANY_MESSAGE_ABOVE, stored.mark.id)?
        && !exists(conn, ANY_SUMMARY_ABOVE, stored.mark.id)?)
}

/// Indexes rows, in order of ids, in the caller's transaction, and moves the mark to the last one.
///
/// # Errors
/// `Corrupt` if a row between the mark and the last one is not among them.
pub(in crate::store) fn index_rows(
    tx: &Connection,
    rules: i64,
    rows: &[IndexRow],
) -> Result<(), StoreError> {
    let Some(last) = rows.last() else {
        return Ok(());
    };
    let stored = read_mark(tx)?;
    let mut n_whole = 0;
    for row in rows {
        if is_large(row) {
            let pieces = numbered(&row.tokens);
            let n_pieces = count(pieces.len());
            for (ordinal, piece) in pieces {
                insert_piece(tx, row.id, ordinal, n_pieces, piece)?;
            }
        } else {
            insert_row(tx, row)?;
            n_whole += 1;
        }
    }
    let next = IndexMark {
        id: last.id,
        pieces: 0,
    };
    move_mark(tx, stored, rules, next, n_whole)
}

/// Empties the index and sets the mark to 0.
fn reset(conn: &Connection, rules: i64) -> Result<(), StoreError> {
    for sql in [EMPTY_INDEX, EMPTY_PIECES, EMPTY_OWNERS, EMPTY_RUNS] {
        conn.execute(sql, [])?;
    }
    conn.execute(RESET_STATE, [rules])?;
    Ok(())
}

fn insert_row(conn: &Connection, row: &IndexRow) -> Result<(), StoreError> {
    make_room(conn, row.id)?;
    conn.prepare_cached(INSERT_ROW)
        .and_then(|mut statement| statement.execute(params![row.id, row.tokens]))
        .map_err(broken)?;
    Ok(())
}

/// Deletes what the index holds of a row, if anything.
fn make_room(conn: &Connection, id: i64) -> Result<(), StoreError> {
    // A second entry under one rowid would answer for words of the first and of neither.
    if exists(conn, IS_INDEXED, id)? {
        let deleted = conn
            .prepare_cached(DELETE_ROW)
            .and_then(|mut statement| statement.execute([id]))
            .map_err(broken)?;
        if deleted != 1 {
            return Err(StoreError::corrupt(format!(
                "the search index holds row {id} and does not let it go"
            )));
        }
    }
    Ok(())
}

fn insert_piece(
    conn: &Connection,
    id: i64,
    ordinal: u32,
    n_pieces: u32,
    tokens: &str,
) -> Result<(), StoreError> {
    conn.prepare_cached(INSERT_PIECE_OWNER)?
        .execute(params![id, ordinal, n_pieces])?;
    let rowid = conn.last_insert_rowid();
    conn.prepare_cached(INSERT_PIECE)
        .and_then(|mut statement| statement.execute(params![rowid, tokens]))
        .map_err(broken)?;
    Ok(())
}

/// Moves the mark over rows that are all indexed, and writes down their times.
fn move_mark(
    conn: &Connection,
    stored: MarkRow,
    rules: i64,
    next: IndexMark,
    n_rows: i64,
) -> Result<(), StoreError> {
    if next.id > stored.mark.id {
        let mut passed = rows_between(
            conn,
            MESSAGES_BETWEEN,
            stored.mark.id,
            next.id,
            RowKind::Message,
        )?;
        passed.extend(rows_between(
            conn,
            SUMMARIES_BETWEEN,
            stored.mark.id,
            next.id,
            RowKind::Summary,
        )?);
        passed.sort_unstable_by_key(|row| row.id);
        for row in &passed {
            if !exists(conn, IS_INDEXED, row.id)? && !has_pieces(conn, row.id)? {
                return Err(StoreError::corrupt(format!(
                    "row {} was to be passed over without being indexed",
                    row.id
                )));
            }
        }
        time_run::extend(conn, stored.mark.id, next.id, &passed)?;
    }
    conn.prepare_cached(MOVE_MARK)?
        .execute(params![next.id, next.pieces, rules, n_rows])?;
    Ok(())
}

fn has_pieces(conn: &Connection, id: i64) -> Result<bool, StoreError> {
    let count: i64 = conn
        .prepare_cached(COUNT_PIECES)?
        .query_row([id], |row| row.get(0))?;
    Ok(count > 0)
}

fn rows_between(
    conn: &Connection,
    sql: &str,
    above: i64,
    to: i64,
    kind: RowKind,
) -> Result<Vec<IndexedRow>, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([above, to], |row| {
        Ok(IndexedRow {
            id: row.get(0)?,
            kind,
            // A time that cannot be read is none.
            from: row.get(1).unwrap_or(None),
            to: row.get(2).unwrap_or(None),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn exists(conn: &Connection, sql: &str, id: i64) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let found: Option<i64> = statement.query_row([id], |row| row.get(0)).optional()?;
    Ok(found.is_some())
}
