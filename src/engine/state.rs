//! What every decision reads: a branch, its frontier, its pressure, its budget.

use super::core::{Core, resolve};
use super::error::EngineError;
use crate::domain::{Conversation, ConversationId, Frontier, SessionKey, Tokens};
use crate::policy::assemble::pressure;
use crate::store::{Reader, StoreError};

/// A branch as it stood in one snapshot.
pub(super) struct State {
    pub(super) conversation: Conversation,
    /// All rows, for planners.
    pub(super) planner: Frontier,
    /// What views hold: the live rows only.
    pub(super) pressure: Tokens,
    pub(super) budget: Tokens,
}

impl Core {
    /// Reads the state of the branch a key points at.
    pub(super) async fn state(&self, session: &SessionKey) -> Result<State, EngineError> {
        let wanted = session.clone();
        let window = self.window;
        self.db
            .read(move |reader| match resolve(reader, &wanted)? {
                Ok(conversation) => read_state(reader, conversation, window).map(Ok),
                Err(unknown) => Ok(Err(unknown)),
            })
            .await?
    }

    /// Reads the state of one branch.
    pub(super) async fn state_of(&self, id: ConversationId) -> Result<State, EngineError> {
        let window = self.window;
        self.db
            .read(move |reader| {
                let conversation = reader.branch(id)?;
                read_state(reader, conversation, window)
            })
            .await
    }
}

fn read_state(
    reader: &Reader,
    conversation: Conversation,
    window: crate::domain::Window,
) -> Result<State, StoreError> {
    let planner = reader.planner_frontier(conversation.id)?;
    let newest = planner.nodes().map(|node| node.id).max();
    // Where no row waits for promotion and none was passed over, both walks are one.
    let pressure = if newest <= conversation.live_id {
        pressure(&planner)
    } else {
        let (view, _) = reader.view_frontier(conversation.id)?;
        pressure(&view)
    };
    let budget = conversation.window.unwrap_or(window).budget();
    Ok(State {
        conversation,
        planner,
        pressure,
        budget,
    })
}
