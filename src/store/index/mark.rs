//! How far the index has come, and what it says of its own size.
//! May not move anything.

use rusqlite::{Connection, ErrorCode, OptionalExtension};

use crate::store::error::StoreError;
use crate::store::row::to_count;

/// Reads the mark.
const READ_MARK: &str = "SELECT mark, pieces, rules, n_rows FROM index_state WHERE one = 1";
/// Reads what FTS5 keeps of its own size: its number of rows and of tokens, as varints.
const READ_AVERAGES: &str = "SELECT block FROM search_index_data WHERE id = 1";
/// The same of the pieces.
const READ_PIECE_AVERAGES: &str = "SELECT block FROM search_piece_data WHERE id = 1";

/// A place in the order of ids up to which rows are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub struct IndexMark {
    /// The greatest id that is indexed.
    pub id: i64,
    /// How many pieces of the row after it are, if it is a large one.
    pub pieces: u32,
}

/// How much the index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct IndexTotals {
    /// Its rows; a large row counts once for each piece.
    pub rows: u64,
    /// Its tokens.
    pub tokens: u64,
}

impl IndexTotals {
    /// Returns the mean number of tokens of a row; 0 while there is none.
    #[must_use]
    pub fn average_tokens(&self) -> f64 {
        // Counts stay far below 2^32 rows; beyond it a mean is near enough.
        let real = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        if self.rows == 0 {
            0.0
        } else {
            real(self.tokens) / real(self.rows)
        }
    }
}

/// The stored state of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct MarkRow {
    pub(in crate::store) mark: IndexMark,
    pub(in crate::store) rules: i64,
    pub(in crate::store) n_rows: u64,
}

/// Reads the stored state.
pub(in crate::store) fn read_mark(conn: &Connection) -> Result<MarkRow, StoreError> {
    let mut statement = conn.prepare_cached(READ_MARK)?;
    Ok(statement.query_row([], |row| {
        Ok(MarkRow {
            mark: IndexMark {
                id: row.get(0)?,
                pieces: row.get(1)?,
            },
            rules: row.get(2)?,
            n_rows: to_count(row.get(3)?),
        })
    })?)
}

/// Which of the two tables of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Words {
    /// Rows of usual size.
    Rows,
    /// Pieces of large rows.
    Pieces,
}

/// Reads how much FTS5 says that it holds, at the cost of one look-up.
///
/// # Errors
/// `Corrupt` if its tables cannot be read.
pub(in crate::store) fn averages(
    conn: &Connection,
    words: Words,
) -> Result<IndexTotals, StoreError> {
    let sql = match words {
        Words::Rows => READ_AVERAGES,
        Words::Pieces => READ_PIECE_AVERAGES,
    };
    let block: Option<Vec<u8>> = conn
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)).optional())
        .map_err(broken)?;
    let block = block.ok_or_else(|| StoreError::corrupt("the search index has lost its totals"))?;
    // An index that never held a row has an empty record.
    let (rows, rest) = varint(&block).unwrap_or((0, &[]));
    let (tokens, _) = varint(rest).unwrap_or((0, &[]));
    Ok(IndexTotals { rows, tokens })
}

/// Reads one of `SQLite`'s variable-length integers of up to eight bytes.
pub(in crate::store) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (at, byte) in bytes.iter().take(8).enumerate() {
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(at + 1..)?));
        }
    }
    None
}

/// Makes an error of the index's tables a finding: whatever `SQLite` calls it, nothing that was
/// not found may pass for absent.
pub(in crate::store) fn broken(error: rusqlite::Error) -> StoreError {
    let is_damage = match &error {
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(
                failure.code,
                ErrorCode::Unknown | ErrorCode::DatabaseCorrupt
            )
        }
        rusqlite::Error::SqlInputError { .. } => true,
        _ => false,
    };
    if is_damage {
        StoreError::corrupt("the search index cannot be read")
    } else {
        error.into()
    }
}
