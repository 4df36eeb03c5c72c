//! The one sequence. Owns the next id of messages, summaries and events.
//! May only be used inside a write transaction: order of ids is order of commit.

use rusqlite::Connection;

use super::error::StoreError;

/// Ids to give out in this transaction.
#[derive(Debug)]
pub(super) struct Sequence {
    last: i64,
}

impl Sequence {
    /// Reads how far the store has come.
    pub(super) fn load(conn: &Connection) -> Result<Self, StoreError> {
        Ok(Self {
            last: last_id(conn)?,
        })
    }

    /// Gives out an id.
    pub(super) fn take(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// Writes how far the store has come.
    pub(super) fn save(&self, conn: &Connection) -> Result<(), StoreError> {
        conn.prepare_cached("UPDATE sequence SET last_id = ?1 WHERE one = 1")?
            .execute([self.last])?;
        Ok(())
    }
}

/// Reads the greatest id given out.
pub(super) fn last_id(conn: &Connection) -> Result<i64, StoreError> {
    Ok(conn
        .prepare_cached("SELECT last_id FROM sequence WHERE one = 1")?
        .query_row([], |row| row.get(0))?)
}
