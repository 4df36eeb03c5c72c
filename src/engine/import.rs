//! The door for importers: batches in, checkpoints and known records out.
//! Makes no summaries: an imported conversation is compacted when it is used.

use std::time::Duration;

use super::core::Engine;
use super::error::EngineError;
use super::tools::Tools;
use crate::domain::{
    Checkpoint, ImportBatch, ImportReply, ImportRow, KnownKey, NewMessage, SessionKey, Timestamp,
};
use crate::policy::pattern::index_tokens;

impl Engine {
    /// Computes what is stored beside an imported message's words. Its time stays as it is: an
    /// unknown one stays unknown. A result is counted as of any tool: its call may be elsewhere.
    #[must_use]
    pub fn stamp_import(&self, session: SessionKey, message: NewMessage) -> ImportRow {
        let index_text = index_tokens(&message.parts, message.name.as_deref(), message.at);
        ImportRow {
            session,
            message: self.core.stamp(message, &mut Tools::default()),
            index_text,
        }
    }

    /// Lets what is written from now on wait only so long for other processes. A caller that cannot wait
    /// longer gets `Busy`, and comes again.
    ///
    /// # Errors
    /// `Store`.
    pub async fn wait_at_most(&self, patience: Duration) -> Result<(), EngineError> {
        self.core.db.hurry(patience).await
    }

    /// Stores one batch with its file's checkpoint, in one transaction.
    ///
    /// # Errors
    /// `Store`; then nothing of the batch is stored.
    pub async fn import(&self, batch: ImportBatch) -> Result<ImportReply, EngineError> {
        let reply = self.core.db.import(batch).await?;
        self.core.tasks.rows_stored();
        Ok(reply)
    }

    /// Returns how far a file has been read, by its canonical path.
    ///
    /// # Errors
    /// `Store`.
    pub async fn checkpoint(&self, path: &str) -> Result<Option<Checkpoint>, EngineError> {
        let path = path.to_owned();
        self.core
            .db
            .read(move |reader| reader.checkpoint(&path))
            .await
    }

    /// Returns the rows that have these keys, in whatever conversation.
    ///
    /// # Errors
    /// `Store`.
    pub async fn find_keys(&self, keys: &[String]) -> Result<Vec<KnownKey>, EngineError> {
        let keys = keys.to_vec();
        self.core
            .db
            .read(move |reader| reader.find_keys(&keys))
            .await
    }

    /// Returns the rows of a session, all its branches, that have keys, in the order they were
    /// stored.
    ///
    /// # Errors
    /// `Store`.
    pub async fn keys_of_session(
        &self,
        session: &SessionKey,
    ) -> Result<Vec<KnownKey>, EngineError> {
        let session = session.clone();
        self.core
            .db
            .read(move |reader| reader.keys_of_session(&session))
            .await
    }

    /// Returns the imported rows of these times that have keys, whatever the conversation.
    ///
    /// # Errors
    /// `Store`.
    pub async fn keys_of_moments(
        &self,
        moments: Vec<Timestamp>,
    ) -> Result<Vec<KnownKey>, EngineError> {
        self.core
            .db
            .read(move |reader| reader.keys_of_moments(&moments))
            .await
    }
}
