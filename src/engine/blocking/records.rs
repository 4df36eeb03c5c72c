//! Where messages came from, for programs without a runtime.

use super::Engine;
use crate::domain::{Hit, MessageId, RecordCopy, RecordSource};
use crate::engine::EngineError;

impl Engine {
    /// Blocks on [`crate::engine::Engine::record_sources`].
    ///
    /// # Errors
    /// As there.
    pub fn record_sources(&self, ids: &[MessageId]) -> Result<Vec<Vec<RecordSource>>, EngineError> {
        let sources = self.engine.record_sources(ids);
        self.driver.runtime.block_on(sources)
    }

    /// Blocks on [`crate::engine::Engine::record_copies`].
    ///
    /// # Errors
    /// As there.
    pub fn record_copies(&self, ids: &[MessageId]) -> Result<Vec<Vec<RecordCopy>>, EngineError> {
        let copies = self.engine.record_copies(ids);
        self.driver.runtime.block_on(copies)
    }

    /// Blocks on [`crate::engine::Engine::hit_copies`].
    ///
    /// # Errors
    /// As there.
    pub fn hit_copies(&self, hits: &[Hit]) -> Result<Vec<Vec<RecordCopy>>, EngineError> {
        self.driver.runtime.block_on(self.engine.hit_copies(hits))
    }
}
