//! What hosts and providers say of a conversation, for programs without a runtime.

use super::Engine;
use crate::domain::{SessionKey, Window};
use crate::engine::{
    Compactor, EngineError, ErrorOutcome, FailedCall, Observed, RequestOutcome, UsageReport,
};

impl Engine {
    /// Blocks on [`crate::engine::Engine::set_model`].
    ///
    /// # Errors
    /// As there.
    pub fn set_model(
        &self,
        session: &SessionKey,
        model: &str,
        window: Window,
    ) -> Result<Window, EngineError> {
        let set = self.engine.set_model(session, model, window);
        self.driver.runtime.block_on(set)
    }

    /// Blocks on [`crate::engine::Engine::on_provider_error`].
    ///
    /// # Errors
    /// As there.
    pub fn on_provider_error(
        &self,
        session: &SessionKey,
        failed: &FailedCall,
    ) -> Result<ErrorOutcome, EngineError> {
        let handled = self.engine.on_provider_error(session, failed);
        self.driver.runtime.block_on(handled)
    }

    /// Blocks on [`crate::engine::Engine::observe_usage`].
    ///
    /// # Errors
    /// As there.
    pub fn observe_usage(
        &self,
        session: &SessionKey,
        observed: &Observed,
    ) -> Result<UsageReport, EngineError> {
        let taken = self.engine.observe_usage(session, observed);
        self.driver.runtime.block_on(taken)
    }

    /// Blocks on [`crate::engine::Engine::request_compaction`].
    ///
    /// # Errors
    /// As there.
    pub fn request_compaction(
        &self,
        session: &SessionKey,
        focus: Option<&str>,
    ) -> Result<RequestOutcome, EngineError> {
        let asked = self.engine.request_compaction(session, focus);
        self.driver.runtime.block_on(asked)
    }

    /// Blocks on [`crate::engine::Engine::set_compactor`].
    ///
    /// # Errors
    /// As there.
    pub fn set_compactor(
        &self,
        session: &SessionKey,
        compactor: &Compactor,
    ) -> Result<(), EngineError> {
        let set = self.engine.set_compactor(session, compactor);
        self.driver.runtime.block_on(set)
    }
}
