//! Pins, for programs without a runtime.

use super::Engine;
use crate::domain::{EventId, Pin, PinFilter, PinRequest, SessionKey};
use crate::engine::{EngineError, PinReport};

impl Engine {
    /// Blocks on [`crate::engine::Engine::pin`].
    ///
    /// # Errors
    /// As there.
    pub fn pin(&self, session: &SessionKey, request: PinRequest) -> Result<PinReport, EngineError> {
        let pinned = self.engine.pin(session, request);
        self.driver.runtime.block_on(pinned)
    }

    /// Blocks on [`crate::engine::Engine::accept_pin`].
    ///
    /// # Errors
    /// As there.
    pub fn accept_pin(
        &self,
        session: Option<&SessionKey>,
        pin: EventId,
    ) -> Result<PinReport, EngineError> {
        let accepted = self.engine.accept_pin(session, pin);
        self.driver.runtime.block_on(accepted)
    }

    /// Blocks on [`crate::engine::Engine::unpin`].
    ///
    /// # Errors
    /// As there.
    pub fn unpin(
        &self,
        session: Option<&SessionKey>,
        pin: EventId,
    ) -> Result<PinReport, EngineError> {
        let retired = self.engine.unpin(session, pin);
        self.driver.runtime.block_on(retired)
    }

    /// Blocks on [`crate::engine::Engine::find_pins`].
    ///
    /// # Errors
    /// As there.
    pub fn find_pins(&self, session: &SessionKey) -> Result<(), EngineError> {
        let found = self.engine.find_pins(session);
        self.driver.runtime.block_on(found)
    }

    /// Blocks on [`crate::engine::Engine::pins`].
    ///
    /// # Errors
    /// As there.
    pub fn pins(&self, session: &SessionKey, filter: PinFilter) -> Result<Vec<Pin>, EngineError> {
        let pins = self.engine.pins(session, filter);
        self.driver.runtime.block_on(pins)
    }
}
