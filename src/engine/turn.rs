//! One turn, front to back: store, summarise if due, show.
//! A failing model never fails it, and it never waits for tier 2.

use std::time::Duration;

use tokio::time::Instant;

use super::builder::LeafMode;
use super::core::{Engine, resolve};
use super::error::EngineError;
use super::report::{CompactReason, CompactReport, TurnReport};
use super::run_step::{Need, Order, StepOutcome};
use super::state::State;
use crate::domain::{
    AppendRequest, Appended, ClearPlan, ConversationId, LiveMove, NewMessage, PinScan, Plan,
    SessionKey, Tokens, Window,
};
use crate::policy::leaf::{self, LeafDecision, NoLeaf, Trigger};
use crate::store::{WriteOp, WriteReply};

/// Chunks of backlog that turns drain themselves, one leaf each; more drain in the background.
pub(super) const LEFT_TO_TURNS: usize = 2;

impl Engine {
    /// Stores new messages at the end of a conversation, and nothing else. An unknown key begins
    /// a conversation; a message whose `key` is stored already is not stored again. No messages
    /// store nothing, and begin nothing.
    ///
    /// # Errors
    /// `UnknownSession` for no messages to an unknown key; `Store` if nothing could be stored.
    pub async fn append(
        &self,
        session: &SessionKey,
        messages: Vec<NewMessage>,
    ) -> Result<Appended, EngineError> {
        if messages.is_empty() {
            return self.append_nothing(session).await;
        }
        let tools = self.core.tools_of(session, &messages).await?;
        let messages = self.core.stamp_now(messages, tools);
        let speaks = messages.iter().any(|row| row.pin_scan == PinScan::Speaks);
        let request = AppendRequest {
            session: session.clone(),
            messages,
            now: self.core.clock.now(),
        };
        match self.core.db.write(WriteOp::Append(request)).await? {
            WriteReply::Appended(appended) => {
                self.core.tasks.rows_stored();
                if speaks && let Err(error) = self.core.find_pins(appended.conversation).await {
                    // The messages are stored; what they say is looked through at the next turn.
                    self.core.tasks.note_failure(&error);
                }
                Ok(appended)
            }
            _ => Err(EngineError::unexpected_reply()),
        }
    }

    /// What an append of no messages says: a conversation begins with a message.
    async fn append_nothing(&self, session: &SessionKey) -> Result<Appended, EngineError> {
        let key = session.clone();
        let conversation = self
            .core
            .db
            .read(move |reader| resolve(reader, &key))
            .await??;
        Ok(Appended {
            conversation: conversation.id,
            rows: Vec::new(),
        })
    }

    /// Takes one turn: stores `messages`, writes at most one leaf, wakes tier 2 if the view is
    /// over its threshold, and returns what the model sees now.
    ///
    /// # Errors
    /// `UnknownSession` for no messages to an unknown key; `Store` if the messages could not be
    /// stored or the view not read. A failing model is a report inside the result.
    pub async fn turn(
        &self,
        session: &SessionKey,
        messages: Vec<NewMessage>,
        window: Window,
    ) -> Result<TurnReport, EngineError> {
        let appended = self.append(session, messages).await?;
        let (compacted, view) = self.after_rows(appended.conversation, window).await?;
        Ok(TurnReport {
            appended,
            compacted,
            view,
        })
    }

    /// What follows the rows of a turn or a sync.
    pub(super) async fn after_rows(
        &self,
        id: ConversationId,
        window: Window,
    ) -> Result<(CompactReport, crate::domain::View), EngineError> {
        let mut state = self.core.state_of(id).await?;
        // What the model takes bounds what the host sets. A host that has come to reserve all of
        // that gets its own window, and the model's error again.
        let limit = state.conversation.gauge.limit;
        let window = window.capped(limit).unwrap_or(window);
        if state.conversation.window != Some(window) {
            let now = self.core.clock.now();
            self.core
                .db
                .write(WriteOp::Window {
                    conversation: id,
                    window,
                    now,
                })
                .await?;
            state.set_window(window);
        }
        match self.core.with_pins(&state).await {
            Ok(changed) => state = changed.unwrap_or(state),
            // The messages are stored; what they say is looked through again next turn.
            Err(error) => self.core.tasks.note_failure(&error),
        }
        match self.core.recounted(&state).await {
            Ok(changed) => state = changed.unwrap_or(state),
            // The messages are stored; they are counted anew next turn.
            Err(error) => self.core.tasks.note_failure(&error),
        }
        let budget = state.budget;
        let asked = match self.compact_as_asked(&state).await {
            Ok(asked) => asked,
            Err(error) => {
                // The messages are stored; what is due is tried again next turn.
                self.core.tasks.note_failure(&error);
                None
            }
        };
        let compacted = match asked {
            Some(report) => report,
            None => self.rungs_of_turn(state).await?,
        };
        let view = self.core.view_of(id, budget).await?;
        Ok((compacted, view))
    }

    /// Rung 2 and tier 1 of a turn.
    async fn rungs_of_turn(&self, mut state: State) -> Result<CompactReport, EngineError> {
        let core = &self.core;
        let before = state.pressure;
        let room = state.room(&core.limits);
        let clear = core.clear_due(&mut state, room).await?;
        let mut report = self.leaf_of_turn(&state, clear.as_ref()).await?;
        report.tokens_before = before;
        if let Some(clear) = clear {
            report.n_cleared = clear.results.len();
            // A leaf that was written has taken them along.
            if report.leaf.is_empty()
                && let Err(error) = core.record_clear(clear, "turn").await
            {
                core.tasks.note_failure(&error);
                report.reason = CompactReason::StoreFailed;
            }
        }
        Ok(report)
    }

    /// Tier 1 of a turn.
    async fn leaf_of_turn(
        &self,
        state: &State,
        clear: Option<&ClearPlan>,
    ) -> Result<CompactReport, EngineError> {
        let core = &self.core;
        let id = state.conversation.id;
        let mut report = CompactReport::idle(state.pressure, state.budget);
        let least = state.share(core.limits.leaf_from_percent);
        let decision = if let Some(held) = core.hold(state) {
            report.reason = held;
            None
        } else if state.pressure < least {
            report.reason = CompactReason::BelowLeafPercent;
            None
        } else {
            let trigger = Trigger::of(state.pressure, state.share(core.limits.soft_percent));
            let (planner, budget) = (&state.planner, state.budget);
            match leaf::plan_leaf_of_turn(planner, &core.limits, budget, trigger) {
                LeafDecision::Plan(plan) => Some(plan),
                LeafDecision::Nothing(nothing) => {
                    report.reason = nothing.into();
                    None
                }
            }
        };
        let mut pressure = state.pressure;
        if let Some(plan) = decision {
            if core.leaf_mode == LeafMode::Deferred {
                core.tasks.look_at(id);
            } else {
                let limit = Duration::from_millis(core.limits.turn_leaf_millis);
                let order = Order {
                    need: need(state.pressure, state.budget),
                    caller: core.unasked(state),
                    live: LiveMove::Now,
                    deadline: Some(Instant::now() + limit),
                    pressure: state.pressure,
                    clear,
                    reason: "turn",
                    instructions: None,
                    focus: None,
                };
                report.reason = match core.run_step(Plan::Leaf(plan), order).await {
                    Ok(StepOutcome::Applied(committed, _)) => {
                        report.leaf.push(committed.summary);
                        pressure = core.state_of(id).await?.pressure;
                        CompactReason::Done
                    }
                    Ok(other) => other.into(),
                    // The messages are stored; a leaf that could not be is tried again next turn.
                    Err(error) => {
                        core.tasks.note_failure(&error);
                        CompactReason::StoreFailed
                    }
                };
            }
        }
        report.tokens_after = pressure;
        report.fits = pressure <= state.budget;
        let threshold = state.share(core.limits.summarize_token_percent);
        let has_backlog =
            || leaf::backlog_chunks(&state.planner, &core.limits, state.budget) > LEFT_TO_TURNS;
        if pressure > threshold || !report.leaf.is_empty() || has_backlog() {
            core.tasks.look_at(id);
        }
        Ok(report)
    }
}

/// Whether a failed model leaves rows raw.
pub(super) fn need(pressure: Tokens, budget: Tokens) -> Need {
    if pressure > budget {
        Need::Now
    } else {
        Need::CanWait
    }
}

impl CompactReport {
    /// A report of nothing done yet.
    pub(super) fn idle(pressure: Tokens, budget: Tokens) -> Self {
        Self {
            leaf: Vec::new(),
            condensed: Vec::new(),
            n_cleared: 0,
            tokens_before: pressure,
            tokens_after: pressure,
            fits: pressure <= budget,
            reason: CompactReason::BelowThreshold,
        }
    }
}

impl From<NoLeaf> for CompactReason {
    fn from(nothing: NoLeaf) -> Self {
        match nothing {
            NoLeaf::NothingToGain => Self::NothingToGain,
            NoLeaf::WaitsForTurn => Self::WaitsForTurn,
            _ => Self::BelowThreshold,
        }
    }
}

impl From<StepOutcome> for CompactReason {
    fn from(outcome: StepOutcome) -> Self {
        match outcome {
            StepOutcome::Applied(..) => Self::Done,
            StepOutcome::Stale => Self::Stale,
            StepOutcome::NothingToGain => Self::NothingToGain,
            StepOutcome::ModelFailed => Self::ModelFailed,
            StepOutcome::HeldBack => Self::HeldBack,
            StepOutcome::Vetoed => Self::Vetoed,
        }
    }
}
