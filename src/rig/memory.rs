//! The memory of an agent built with rig. Owns how rig's conversations are sessions.
//! May not drop anything: what an agent forgets stays stored.

use rig_core::id::ConversationId;
use rig_core::memory::{ConversationMemory, MemoryError};
use rig_core::message::Message;
use rig_core::wasm_compat::WasmBoxedFuture;

use super::recall::history;
use super::record::new_messages;
use crate::domain::{SessionKey, Window};
use crate::engine::{Engine, EngineError, ViewBudget};

/// rig's memory over an engine: an agent is given a view that fits `window`, and what it said is a
/// turn, stored and compacted.
///
/// It goes to `AgentBuilder::memory` of `rig-agent`; the conversation's id is the session's key. rig
/// loads a history once for a prompt and adds the prompt and the steps of its tools to it: the
/// window's reserve is for them, its overhead for the preamble and the tools.
#[derive(Clone)]
pub struct Memory {
    engine: Engine,
    window: Window,
}

impl Memory {
    /// Makes a memory over an engine for a model with this window.
    #[must_use]
    pub fn new(engine: &Engine, window: Window) -> Self {
        let engine = engine.clone();
        Self { engine, window }
    }
}

impl ConversationMemory for Memory {
    fn load<'a>(
        &'a self,
        conversation_id: &'a ConversationId,
    ) -> WasmBoxedFuture<'a, Result<Vec<Message>, MemoryError>> {
        Box::pin(async move {
            let session = session_of(conversation_id)?;
            let budget = ViewBudget::Of(self.window.budget());
            match self.engine.view(&session, budget).await {
                Ok(view) => Ok(history(&view)),
                Err(EngineError::UnknownSession { .. }) => Ok(Vec::new()),
                Err(error) => Err(MemoryError::backend(error)),
            }
        })
    }

    fn append<'a>(
        &'a self,
        conversation_id: &'a ConversationId,
        messages: Vec<Message>,
    ) -> WasmBoxedFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move {
            let session = session_of(conversation_id)?;
            let new = new_messages(&messages);
            if new.is_empty() {
                return Ok(());
            }
            let turn = self.engine.turn(&session, new, self.window).await;
            turn.map(|_| ()).map_err(MemoryError::backend)
        })
    }

    /// Refuses: nothing is deleted here.
    fn clear<'a>(
        &'a self,
        conversation_id: &'a ConversationId,
    ) -> WasmBoxedFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move {
            Err(MemoryError::Policy(format!(
                "conversation `{conversation_id}` stays: messages are kept for ever; begin another \
                 with an id of its own"
            )))
        })
    }
}

fn session_of(conversation_id: &ConversationId) -> Result<SessionKey, MemoryError> {
    SessionKey::new(conversation_id.as_str()).map_err(MemoryError::backend)
}
