//! Where imported messages came from: file, place and hash of their records, and where else these
//! were read.
//! May not open a file: what is kept is what the import said.

use rusqlite::{Connection, OptionalExtension, params};

use super::error::StoreError;
use super::load::id_list;
use super::reader::Reader;
use super::row::{column, to_count, to_sql};
use crate::domain::{MessageId, Provenance, RecordCopy, RecordSource};

const SOURCE: &str = "SELECT s.path, s.format, v.line, v.offset, v.length, v.record_id, v.sha256 \
     FROM provenance AS v CROSS JOIN source AS s ON s.id = v.source_id \
     WHERE v.message_id = ?1";

const COPIES: &str = "SELECT c.message_id, s.path, s.format, c.line, c.offset, c.length, c.sha256 \
     FROM json_each(?1) AS j \
     CROSS JOIN copy AS c ON c.message_id = j.value \
     CROSS JOIN source AS s ON s.id = c.source_id \
     ORDER BY c.message_id, c.source_id";

/// Writes where a new row came from.
pub(super) fn store_provenance(
    conn: &Connection,
    id: i64,
    source: i64,
    provenance: &Provenance,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO provenance (message_id, source_id, offset, length, line, record_id, joins,
                                 output_tokens, sha256)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        id,
        source,
        to_sql(provenance.offset),
        to_sql(provenance.length),
        to_sql(provenance.line),
        provenance.record_id,
        provenance.joins,
        provenance.output_tokens.map(to_sql),
        provenance.sha256
    ])?;
    Ok(())
}

/// Writes where else a row's record was read. A file that is named already keeps its place.
pub(super) fn store_copy(
    conn: &Connection,
    id: i64,
    source: i64,
    place: &Provenance,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO copy (message_id, source_id, offset, length, line, sha256)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (message_id, source_id) DO NOTHING",
    )?
    .execute(params![
        id,
        source,
        to_sql(place.offset),
        to_sql(place.length),
        to_sql(place.line),
        place.sha256
    ])?;
    Ok(())
}

/// Returns whether a row was made from a record of this file.
pub(super) fn is_from(conn: &Connection, id: i64, source: i64) -> Result<bool, StoreError> {
    let found: Option<i64> = conn
        .prepare_cached("SELECT source_id FROM provenance WHERE message_id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    Ok(found == Some(source))
}

impl Reader {
    /// Returns the record that a row was made from; `None` for a row that was not imported.
    ///
    /// # Errors
    /// `Corrupt` if it cannot be read.
    pub fn record_source(&self, id: MessageId) -> Result<Option<RecordSource>, StoreError> {
        let found = self
            .conn()
            .prepare_cached(SOURCE)?
            .query_row([id.get()], |row| {
                Ok((|| {
                    Ok(RecordSource {
                        path: column(row, 0)?,
                        format: column(row, 1)?,
                        line: to_count(column(row, 2)?),
                        offset: to_count(column(row, 3)?),
                        length: to_count(column(row, 4)?),
                        record_id: column(row, 5)?,
                        sha256: column(row, 6)?,
                    })
                })())
            })
            .optional()?;
        found
            .transpose()
            .map_err(|error: StoreError| error.of_row("provenance", id.get()))
    }
    /// Returns where else the records of rows were read, each with the row it says the same as.
    ///
    /// # Errors
    /// `Corrupt` if one cannot be read.
    pub fn record_copies(
        &self,
        ids: &[MessageId],
    ) -> Result<Vec<(MessageId, RecordCopy)>, StoreError> {
        let mut statement = self.conn().prepare_cached(COPIES)?;
        let mut rows = statement.query([id_list(ids.iter().map(|id| id.get()))])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let copy = RecordCopy {
                path: column(row, 1)?,
                format: column(row, 2)?,
                line: to_count(column(row, 3)?),
                offset: to_count(column(row, 4)?),
                length: to_count(column(row, 5)?),
                sha256: column(row, 6)?,
            };
            found.push((MessageId::new(column(row, 0)?), copy));
        }
        Ok(found)
    }
}
