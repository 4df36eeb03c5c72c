//! What every decision reads: a branch, its frontier, its pressure, its budget.

use super::core::{Core, resolve};
use super::error::EngineError;
use crate::domain::{
    Conversation, ConversationId, Factor, Frontier, SessionKey, Steering, SummaryId, Tokens, Window,
};
use crate::policy::assemble::pressure;
use crate::store::{Reader, StoreError, WriteOp};

/// A branch as it stood in one snapshot.
pub(super) struct State {
    pub(super) conversation: Conversation,
    /// What is said of it beside the record.
    pub(super) steering: Steering,
    /// All rows, for planners.
    pub(super) planner: Frontier,
    /// What views show, where it is not the same: rows wait for a promotion.
    pub(super) view: Option<Frontier>,
    /// What views hold: the live rows only.
    pub(super) pressure: Tokens,
    pub(super) window: Window,
    /// What a view may hold, in estimated tokens.
    pub(super) budget: Tokens,
}

impl State {
    /// Says whether rows wait beyond `live_id` for a promotion.
    pub(super) fn waits_for_promotion(&self) -> bool {
        newest_node(&self.planner) > self.conversation.live_id
    }

    /// Sets the window and what follows from it.
    pub(super) fn set_window(&mut self, window: Window) {
        self.window = window;
        self.budget = self.conversation.gauge.budget(window);
    }

    /// Returns a share of the window's room as a trigger, by the model's own counts where they
    /// are known.
    pub(super) fn share(&self, percent: u64) -> Tokens {
        self.conversation.gauge.share(self.window, percent)
    }

    /// Returns the pressure to be set against plain shares of the budget, as a merge does: what is
    /// over the budget of a view stays so, whatever the model counts.
    pub(super) fn weight(&self, pressure: Tokens) -> Tokens {
        let factor = self.conversation.gauge.factor;
        if pressure > self.budget || factor >= Factor::ONE {
            return pressure;
        }
        factor.measured(pressure)
    }
}

impl Core {
    /// Makes rows that wait beyond `live_id` live, if any do.
    pub(super) async fn promote(
        &self,
        state: &State,
        reason: &'static str,
    ) -> Result<(), EngineError> {
        if state.waits_for_promotion() {
            let op = WriteOp::Promote {
                conversation: state.conversation.id,
                reason: reason.to_owned(),
                tokens_before: state.pressure,
                tokens_after: pressure(&state.planner),
                now: self.clock.now(),
            };
            self.db.write(op).await?;
        }
        Ok(())
    }

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

    /// Looks through words that have not been looked through yet and lets pins give way that a
    /// smaller window has no room for; returns the state anew if that changed any.
    pub(super) async fn with_pins(&self, state: &State) -> Result<Option<State>, EngineError> {
        let id = state.conversation.id;
        let mut is_changed = false;
        if state.conversation.pin_mark < state.conversation.head {
            is_changed = self.find_pins(id).await?;
        }
        if is_changed || self.is_over_room(state) {
            is_changed |= self.return_pins(id).await?;
        }
        if is_changed {
            Ok(Some(self.state_of(id).await?))
        } else {
            Ok(None)
        }
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

fn newest_node(planner: &Frontier) -> Option<SummaryId> {
    planner.nodes().map(|node| node.id).max()
}

fn read_state(
    reader: &Reader,
    conversation: Conversation,
    window: Window,
) -> Result<State, StoreError> {
    let planner = reader.planner_frontier(conversation.id)?;
    // Where no row waits for promotion and none was passed over, both walks are one.
    let view = if newest_node(&planner) <= conversation.live_id {
        None
    } else {
        let (view, _) = reader.view_frontier(conversation.id)?;
        Some(view)
    };
    let pressure = pressure(view.as_ref().unwrap_or(&planner));
    let window = conversation.window_or(window);
    let budget = conversation.budget_or(window);
    let steering = reader.steering(conversation.id)?;
    Ok(State {
        conversation,
        steering,
        planner,
        view,
        pressure,
        window,
        budget,
    })
}
