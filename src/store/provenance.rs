//! Where imported messages came from: file, place and hash of their records.
//! May not open a file: what is kept is what the import said.

use rusqlite::{Connection, OptionalExtension, params};

use super::error::StoreError;
use super::reader::Reader;
use super::row::{column, to_count, to_sql};
use crate::domain::{MessageId, Provenance, RecordSource};

const SOURCE: &str = "SELECT s.path, s.format, v.line, v.offset, v.length, v.record_id, v.sha256 \
     FROM provenance AS v CROSS JOIN source AS s ON s.id = v.source_id \
     WHERE v.message_id = ?1";

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
}
