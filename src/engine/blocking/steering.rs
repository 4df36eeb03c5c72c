//! What hosts and providers say of a conversation, for programs without a runtime.

use super::Engine;
use crate::domain::{SessionKey, Window};
use crate::engine::{EngineError, ErrorOutcome, FailedCall};

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
}
