//! The door for importers, for programs without a runtime.

use super::Engine;
use crate::domain::{Checkpoint, ImportBatch, ImportReply, KnownKey, SessionKey, Timestamp};
use crate::engine::EngineError;

impl Engine {
    /// Blocks on [`crate::engine::Engine::import`].
    ///
    /// # Errors
    /// As there.
    pub fn import(&self, batch: ImportBatch) -> Result<ImportReply, EngineError> {
        self.driver.runtime.block_on(self.engine.import(batch))
    }

    /// Blocks on [`crate::engine::Engine::checkpoint`].
    ///
    /// # Errors
    /// As there.
    pub fn checkpoint(&self, path: &str) -> Result<Option<Checkpoint>, EngineError> {
        self.driver.runtime.block_on(self.engine.checkpoint(path))
    }

    /// Blocks on [`crate::engine::Engine::find_keys`].
    ///
    /// # Errors
    /// As there.
    pub fn find_keys(&self, keys: &[String]) -> Result<Vec<KnownKey>, EngineError> {
        self.driver.runtime.block_on(self.engine.find_keys(keys))
    }

    /// Blocks on [`crate::engine::Engine::keys_of_session`].
    ///
    /// # Errors
    /// As there.
    pub fn keys_of_session(&self, session: &SessionKey) -> Result<Vec<KnownKey>, EngineError> {
        let keys = self.engine.keys_of_session(session);
        self.driver.runtime.block_on(keys)
    }

    /// Blocks on [`crate::engine::Engine::keys_of_moments`].
    ///
    /// # Errors
    /// As there.
    pub fn keys_of_moments(&self, moments: Vec<Timestamp>) -> Result<Vec<KnownKey>, EngineError> {
        let keys = self.engine.keys_of_moments(moments);
        self.driver.runtime.block_on(keys)
    }
}
