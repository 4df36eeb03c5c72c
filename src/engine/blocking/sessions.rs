//! Which sessions there are, for programs without a runtime.

use super::Engine;
use crate::domain::{ConversationId, SessionKey, SessionRow};
use crate::engine::EngineError;

impl Engine {
    /// Blocks on [`crate::engine::Engine::sessions`].
    ///
    /// # Errors
    /// As there.
    pub fn sessions(&self) -> Result<Vec<SessionRow>, EngineError> {
        self.driver.runtime.block_on(self.engine.sessions())
    }

    /// Blocks on [`crate::engine::Engine::has_session`].
    ///
    /// # Errors
    /// As there.
    pub fn has_session(&self, session: &SessionKey) -> Result<bool, EngineError> {
        let found = self.engine.has_session(session);
        self.driver.runtime.block_on(found)
    }

    /// Blocks on [`crate::engine::Engine::session_of`].
    ///
    /// # Errors
    /// As there.
    pub fn session_of(&self, branch: ConversationId) -> Result<SessionKey, EngineError> {
        self.driver.runtime.block_on(self.engine.session_of(branch))
    }

    /// Blocks on [`crate::engine::Engine::first_words`].
    ///
    /// # Errors
    /// As there.
    pub fn first_words(
        &self,
        conversations: Vec<ConversationId>,
    ) -> Result<Vec<(ConversationId, String)>, EngineError> {
        let words = self.engine.first_words(conversations);
        self.driver.runtime.block_on(words)
    }
}
