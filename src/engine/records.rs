//! Where messages came from: the records of the files they were imported from, and where else these
//! were read. May not open those files.

use std::collections::HashMap;

use super::core::Engine;
use super::error::EngineError;
use crate::domain::{Hit, ItemId, MessageId, RecordCopy, RecordSource};
use crate::store::{Reader, StoreError};

impl Engine {
    /// Returns the records that messages were imported from, one list for each id in the order
    /// asked for: the record of the row itself and those of the rows that continue it. The list of
    /// a message that was not imported, or is unknown, is empty.
    ///
    /// # Errors
    /// `Store`.
    pub async fn record_sources(
        &self,
        ids: &[MessageId],
    ) -> Result<Vec<Vec<RecordSource>>, EngineError> {
        let ids = ids.to_vec();
        self.core
            .db
            .read(move |reader| {
                let sources = ids.iter().map(|id| {
                    let mut sources = Vec::new();
                    for row in rows_of_message(reader, *id)? {
                        sources.extend(reader.record_source(row)?);
                    }
                    Ok(sources)
                });
                sources.collect()
            })
            .await
    }

    /// Returns where else the records of messages were read, one list for each id as for
    /// [`Engine::record_sources`]: once for each row and file, in the order of the files' first
    /// import.
    ///
    /// # Errors
    /// `Store`.
    pub async fn record_copies(
        &self,
        ids: &[MessageId],
    ) -> Result<Vec<Vec<RecordCopy>>, EngineError> {
        let ids = ids.to_vec();
        self.core
            .db
            .read(move |reader| {
                let rows = ids.iter().map(|id| rows_of_message(reader, *id));
                let rows: Vec<Vec<MessageId>> = rows.collect::<Result<_, StoreError>>()?;
                copies(reader, &rows)
            })
            .await
    }

    /// Returns where else the records of rows that were found were read, one list for each hit. A
    /// summary has none.
    ///
    /// # Errors
    /// `Store`.
    pub async fn hit_copies(&self, hits: &[Hit]) -> Result<Vec<Vec<RecordCopy>>, EngineError> {
        let rows = hits.iter().map(|hit| match hit.id {
            ItemId::Message(id) => vec![id],
            ItemId::Summary(_) => Vec::new(),
        });
        let rows: Vec<Vec<MessageId>> = rows.collect();
        self.core.db.read(move |reader| copies(reader, &rows)).await
    }
}

/// Returns a message's own row and those that continue it.
fn rows_of_message(reader: &Reader, id: MessageId) -> Result<Vec<MessageId>, StoreError> {
    let mut rows = Vec::new();
    for row in reader.messages_by_id(&[id])? {
        let whole = reader.whole_message(row.conversation, row.seq)?;
        rows.extend(whole.iter().map(|row| row.id));
    }
    Ok(rows)
}

/// Reads the copies of all rows at once, and gives each message those of its rows.
fn copies(
    reader: &Reader,
    messages: &[Vec<MessageId>],
) -> Result<Vec<Vec<RecordCopy>>, StoreError> {
    let mut of_row: HashMap<MessageId, Vec<RecordCopy>> = HashMap::new();
    for (row, copy) in reader.record_copies(&messages.concat())? {
        of_row.entry(row).or_default().push(copy);
    }
    let copies = messages.iter().map(|rows| {
        let copies = rows.iter().filter_map(|row| of_row.get(row));
        copies.flatten().cloned().collect()
    });
    Ok(copies.collect())
}
