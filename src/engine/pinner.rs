//! Pins that come and go by themselves: found in what users said, given way to a smaller window.

use std::sync::Arc;

use super::core::Core;
use super::error::EngineError;
use super::pins::{ATTEMPTS, busy, read_ground};
use super::state::State;
use crate::domain::{ConversationId, Pin, PinCommit, PinState};
use crate::policy::assemble::block_tokens;
use crate::policy::pin::{pins_room, plan_found, plan_return};

/// Rows that are looked through for constraints in one step.
const ROWS_OF_A_STEP: u64 = 4_096;

impl Core {
    /// Looks through what users said since the last time; says whether any pin changed. A history
    /// that was imported is looked through when it is first used.
    pub(super) async fn find_pins(&self, id: ConversationId) -> Result<bool, EngineError> {
        let mut is_changed = false;
        let mut stale = 0;
        while stale < ATTEMPTS {
            let (window, limits, auto) = (self.window, self.limits.clone(), self.auto_pins);
            let counter = Arc::clone(&self.counter);
            let planned = self
                .db
                .read(move |reader| {
                    let ground = read_ground(reader, id, window, &limits)?;
                    let page = reader.said_after(id, ground.board.mark, ROWS_OF_A_STEP)?;
                    let said = &page.said;
                    let changes =
                        plan_found(&ground.board, said, auto, ground.room, counter.as_ref());
                    Ok((ground.board, page.last, changes))
                })
                .await?;
            let (board, Some(last), changes) = planned else {
                return Ok(is_changed);
            };
            let changes_any = !changes.is_empty();
            let commit = PinCommit {
                conversation: id,
                newest: board.newest,
                mark: board.mark,
                new_mark: Some(last),
                changes,
                now: self.clock.now(),
            };
            match self.commit_pins(commit).await? {
                Some(_) => is_changed |= changes_any,
                None => stale += 1,
            }
        }
        Err(busy())
    }

    /// Says whether live pins that may give way take more than a share of the budget.
    pub(super) fn is_over_room(&self, state: &State) -> bool {
        let room = pins_room(state.budget, &self.limits);
        let pins = &state.planner.pins;
        block_tokens(pins) > room && !plan_return(pins, room).is_empty()
    }

    /// Returns the oldest automatic pins over their share of the budget to proposed; says whether
    /// there were any.
    pub(super) async fn return_pins(&self, id: ConversationId) -> Result<bool, EngineError> {
        for _ in 0..ATTEMPTS {
            let ground = self.ground(id).await?;
            let live: Vec<_> = ground
                .board
                .standing
                .iter()
                .filter(|pin| pin.state == PinState::Live)
                .map(Pin::meta)
                .collect();
            let changes = plan_return(&live, ground.room);
            if changes.is_empty() {
                return Ok(false);
            }
            let made = self.write_pins(id, &ground.board, changes).await?;
            if made.is_some() {
                return Ok(true);
            }
        }
        Err(busy())
    }
}
