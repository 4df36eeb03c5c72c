//! Rung 2 in time: when old tool results are looked at, and what is recorded of it.
//! May not choose them: `policy/clear` does.

use super::core::Core;
use super::error::EngineError;
use super::state::State;
use crate::domain::{ClearCommit, ClearPlan, Frontier, Message, MessageId, TokenCounter, Tokens};
use crate::policy::assemble::{Bodies, pressure};
use crate::policy::clear::{Candidates, Room, apply, candidates, plan_clear};
use crate::policy::limits::Limits;
use crate::store::{Reader, StoreError, WriteOp, WriteReply};

impl State {
    /// Returns the room of its window, the soft limit by the model's own counts where they are known.
    pub(super) fn room(&self, limits: &Limits) -> Room {
        Room::new(self.budget, self.share(limits.soft_percent))
    }
}

impl Core {
    /// Plans the clears that are due in `room` and shows the state as it is with them. They
    /// ride with a leaf, or are recorded by [`Core::record_clear`].
    pub(super) async fn clear_due(
        &self,
        state: &mut State,
        room: Room,
    ) -> Result<Option<ClearPlan>, EngineError> {
        let frontier = state.view.as_ref().unwrap_or(&state.planner);
        let Some(found) = candidates(frontier, state.pressure, &self.limits, room) else {
            return Ok(None);
        };
        let needs = found.needs();
        let messages = self
            .db
            .read(move |reader| reader.messages_by_id(&needs))
            .await?;
        let plan = decide(&found, messages, &self.limits, self.counter.as_ref());
        if let Some(plan) = &plan {
            state.pressure = plan.tokens_after();
            apply(plan, &mut state.planner);
            if let Some(view) = &mut state.view {
                apply(plan, view);
            }
        }
        Ok(plan)
    }

    /// Records clears that no leaf has taken along.
    pub(super) async fn record_clear(
        &self,
        plan: ClearPlan,
        reason: &str,
    ) -> Result<(), EngineError> {
        let commit = ClearCommit {
            plan,
            reason: reason.to_owned(),
            now: self.clock.now(),
        };
        match self.db.write(WriteOp::Clear(commit)).await? {
            // Another writer may have cleared all of them meanwhile: views show the same.
            WriteReply::Cleared(_) => Ok(()),
            _ => Err(EngineError::unexpected_reply()),
        }
    }

    /// Clears what is due in `room` at once; returns how many results that were.
    pub(super) async fn clear_now(
        &self,
        state: &mut State,
        room: Room,
        reason: &str,
    ) -> Result<usize, EngineError> {
        let Some(plan) = self.clear_due(state, room).await? else {
            return Ok(0);
        };
        let n_results = plan.results.len();
        self.record_clear(plan, reason).await?;
        Ok(n_results)
    }
}

/// Clears in a frontier what a read below the configured budget shows as lines, and records nothing.
pub(super) fn clear_for_read(
    reader: &Reader,
    frontier: &mut Frontier,
    budget: Tokens,
    limits: &Limits,
    counter: &dyn TokenCounter,
) -> Result<(), StoreError> {
    if let Some(found) = candidates(
        frontier,
        pressure(frontier),
        limits,
        Room::of(budget, limits),
    ) {
        let messages = reader.messages_by_id(&found.needs())?;
        if let Some(plan) = decide(&found, messages, limits, counter) {
            apply(&plan, frontier);
        }
    }
    Ok(())
}

fn decide(
    found: &Candidates,
    messages: Vec<Message>,
    limits: &Limits,
    counter: &dyn TokenCounter,
) -> Option<ClearPlan> {
    let by_id = |message: Message| -> (MessageId, Message) { (message.id, message) };
    let bodies = Bodies {
        messages: messages.into_iter().map(by_id).collect(),
        ..Bodies::default()
    };
    plan_clear(found, &bodies, limits, counter)
}
