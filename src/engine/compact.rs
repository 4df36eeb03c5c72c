//! Compaction by hand: `compact`, `finish_stage`, `compact_until_under`.
//! Promotes first, bypasses the breaker, and says what it reached and why it stopped.

use tokio::time::Instant;

use super::core::Engine;
use super::error::EngineError;
use super::report::{CompactReason, CompactReport};
use super::run_step::{Caller, MOST_UNITS, Order, StepOutcome};
use super::state::State;
use super::turn::need;
use crate::domain::{ConversationId, LiveMove, Origin, Plan, SessionKey, Tokens};
use crate::policy::clear::Room;
use crate::policy::condense::{self, CondenseDecision};
use crate::policy::leaf;
use crate::policy::until_under::{EndReason, NextStep, UntilUnder};

impl Engine {
    /// Writes every leaf that is due now, then merges while the view is over its threshold.
    ///
    /// # Errors
    /// `UnknownSession`; `Store` if a row could not be read or written.
    pub async fn compact(&self, session: &SessionKey) -> Result<CompactReport, EngineError> {
        let id = self.core.conversation(session).await?.id;
        self.compact_branch(id, &Compaction::by_hand("manual"))
            .await
    }

    /// As [`Engine::compact`], and tells the model what the summaries should keep to: a person's
    /// words, which go into its instructions and are no source.
    ///
    /// # Errors
    /// As [`Engine::compact`].
    pub async fn compact_with(
        &self,
        session: &SessionKey,
        instructions: &str,
    ) -> Result<CompactReport, EngineError> {
        let id = self.core.conversation(session).await?.id;
        let compaction = Compaction {
            instructions: Some(instructions).filter(|words| !words.trim().is_empty()),
            ..Compaction::by_hand("manual")
        };
        self.compact_branch(id, &compaction).await
    }

    /// Compacts because the work has reached the end of a stage, a good moment to change the
    /// beginning of the prompt.
    ///
    /// # Errors
    /// As [`Engine::compact`].
    pub async fn finish_stage(&self, session: &SessionKey) -> Result<CompactReport, EngineError> {
        let id = self.core.conversation(session).await?.id;
        self.compact_branch(id, &Compaction::by_hand("stage")).await
    }

    /// Compacts one branch for a reason that its events name.
    pub(super) async fn compact_branch(
        &self,
        id: ConversationId,
        compaction: &Compaction<'_>,
    ) -> Result<CompactReport, EngineError> {
        let reason = compaction.reason;
        let mut state = self.core.state_of(id).await?;
        state = self.core.with_pins(&state).await?.unwrap_or(state);
        state = self.core.recounted(&state).await?.unwrap_or(state);
        if self.core.managed_by(&state).is_some() {
            let (budget, room) = (state.budget, state.room(&self.core.limits));
            return self.clear_alone(state, budget, room, reason).await;
        }
        self.core.promote(&state, reason).await?;
        state = self.core.state_of(id).await?;
        let mut report = CompactReport::idle(state.pressure, state.budget);
        'readings: for _ in 0..MOST_UNITS {
            let next = self.next_by_hand(&state);
            let is_leaf =
                matches!(&next, Ok(plans) if matches!(plans.first(), Some(Plan::Leaf(_))));
            // What becomes a leaf needs no line; what is left may.
            if !is_leaf && self.clear_by_hand(&mut state, &mut report, reason).await? {
                continue;
            }
            let plans = match next {
                Ok(plans) => plans,
                Err(nothing) => {
                    report.reason = nothing;
                    break;
                }
            };
            for plan in plans {
                let order = compaction.order(&state, state.budget);
                let outcome = self.core.run_step(plan.clone(), order).await?;
                if !report.note(&plan, outcome) {
                    break 'readings;
                }
                let Some(pressure) = outcome.pressure() else {
                    break;
                };
                state.pressure = pressure;
            }
            state = self.core.state_of(id).await?;
        }
        // A model that failed has left rows raw.
        self.clear_by_hand(&mut state, &mut report, reason).await?;
        report.close(state.pressure, state.budget);
        self.core.tasks.rows_stored();
        Ok(report)
    }

    /// Does what is left to do by hand where the provider compacts: what costs no call.
    async fn clear_alone(
        &self,
        mut state: State,
        budget: Tokens,
        room: Room,
        reason: &str,
    ) -> Result<CompactReport, EngineError> {
        let mut report = CompactReport::idle(state.pressure, budget);
        report.n_cleared = self.core.clear_now(&mut state, room, reason).await?;
        report.close(state.pressure, budget);
        report.reason = CompactReason::Managed;
        Ok(report)
    }

    /// Clears what is due; says whether anything was.
    async fn clear_by_hand(
        &self,
        state: &mut State,
        report: &mut CompactReport,
        reason: &str,
    ) -> Result<bool, EngineError> {
        let room = state.room(&self.core.limits);
        let n_cleared = self.core.clear_now(state, room, reason).await?;
        report.n_cleared += n_cleared;
        Ok(n_cleared > 0)
    }

    /// Leaves while any is due, then one merge while the view is over its threshold.
    fn next_by_hand(&self, state: &State) -> Result<Vec<Plan>, CompactReason> {
        let (limits, budget) = (&self.core.limits, state.budget);
        let demand = leaf::Demand::Routine;
        let no_leaf = match leaf::plan_ahead(&state.planner, limits, budget, demand) {
            Ok(_) if !leaf::pays(&state.planner, limits, budget, demand) => {
                return Err(CompactReason::NothingToGain);
            }
            Ok(leaves) => return Ok(leaves.into_iter().map(Plan::Leaf).collect()),
            Err(no_leaf) => no_leaf,
        };
        let demand = condense::Demand::Routine;
        let weight = state.weight(state.pressure);
        match condense::plan_condense(&state.planner, limits, budget, weight, demand) {
            CondenseDecision::Plan(plan) => Ok(vec![Plan::Condense(plan)]),
            CondenseDecision::Nothing(_) => Err(no_leaf.into()),
        }
    }

    /// Compacts until the view's pressure is at most `budget`, or nothing more can be done.
    ///
    /// The recovery after a provider's "prompt too long": ignores the fresh tail but for its
    /// newest group. With no model, or past its calls, it goes on at the floor.
    ///
    /// # Errors
    /// `Usage` for a budget of 0; `UnknownSession`; `Store`.
    pub async fn compact_until_under(
        &self,
        session: &SessionKey,
        budget: Tokens,
    ) -> Result<CompactReport, EngineError> {
        if budget == Tokens::ZERO {
            return Err(EngineError::wrong_use(
                "a budget of 0 tokens holds nothing",
                "give at least 1 token",
            ));
        }
        self.until_under(session, budget, "until_under").await
    }

    /// Compacts until under a budget, for a reason that its events name.
    pub(super) async fn until_under(
        &self,
        session: &SessionKey,
        budget: Tokens,
        reason: &'static str,
    ) -> Result<CompactReport, EngineError> {
        let mut state = self.core.state(session).await?;
        state = self.core.with_pins(&state).await?.unwrap_or(state);
        state = self.core.recounted(&state).await?.unwrap_or(state);
        let id = state.conversation.id;
        if self.core.managed_by(&state).is_some() {
            let room = Room::of(budget, &self.core.limits);
            return self.clear_alone(state, budget, room, reason).await;
        }
        self.core.promote(&state, reason).await?;
        state = self.core.state_of(id).await?;
        let mut report = CompactReport::idle(state.pressure, budget);
        if state.pressure > budget {
            // What costs no call comes first.
            let room = Room::of(budget, &self.core.limits);
            report.n_cleared = self.core.clear_now(&mut state, room, reason).await?;
        }
        let mut machine = UntilUnder::new(budget, &self.core.limits);
        let mut calls_left = self.core.limits.spend_calls;
        let mut refused: Option<StepOutcome> = None;
        let mut ahead = None;
        for _ in 0..MOST_UNITS {
            let step = ahead
                .take()
                .unwrap_or_else(|| machine.next(&state.planner, state.pressure));
            let plan = match step {
                NextStep::Leaf(plan) => Plan::Leaf(plan),
                NextStep::Condense(plan) => Plan::Condense(plan),
                NextStep::End(end) => {
                    report.reason = refused.map_or_else(|| end.into(), CompactReason::from);
                    break;
                }
            };
            let caller = if calls_left == 0 {
                Caller::FloorOnly
            } else {
                Caller::Manual
            };
            calls_left = calls_left.saturating_sub(1);
            let compaction = Compaction {
                caller,
                ..Compaction::by_hand(reason)
            };
            let order = compaction.order(&state, budget);
            let outcome = self.core.run_step(plan.clone(), order).await?;
            // The machine sees by the frontier whether its plan was written.
            refused = if report.note(&plan, outcome) {
                None
            } else {
                Some(outcome)
            };
            if let Some(pressure) = outcome.pressure() {
                ahead = machine.next_ahead(pressure);
                state.pressure = pressure;
            }
            if ahead.is_none() {
                state = self.core.state_of(id).await?;
            }
        }
        report.close(state.pressure, budget);
        if report.fits {
            report.reason = CompactReason::Reached;
        }
        self.core.tasks.rows_stored();
        Ok(report)
    }
}

/// How a compaction runs that was asked for.
pub(super) struct Compaction<'a> {
    /// The events' word.
    pub(super) reason: &'static str,
    /// What the model is told beside its task.
    pub(super) instructions: Option<&'a str>,
    /// What the agent that asked for it would keep to.
    pub(super) focus: Option<&'a str>,
    pub(super) caller: Caller,
    /// When all its calls must have ended.
    pub(super) deadline: Option<Instant>,
}

impl<'a> Compaction<'a> {
    /// As a person asks for it: no breaker is asked.
    const fn by_hand(reason: &'static str) -> Self {
        Self {
            reason,
            instructions: None,
            focus: None,
            caller: Caller::Manual,
            deadline: None,
        }
    }

    fn order(&self, state: &State, budget: Tokens) -> Order<'a> {
        Order {
            need: need(state.pressure, budget),
            caller: self.caller,
            live: LiveMove::Now,
            deadline: self.deadline,
            pressure: state.pressure,
            reason: self.reason,
            instructions: self.instructions,
            focus: self.focus,
            clear: None,
        }
    }
}

impl CompactReport {
    /// Notes a unit's outcome; says whether to go on.
    fn note(&mut self, plan: &Plan, outcome: StepOutcome) -> bool {
        self.reason = outcome.into();
        match outcome {
            StepOutcome::Applied(committed, Origin::Model | Origin::Floor | Origin::Fallback) => {
                match plan {
                    Plan::Leaf(_) => self.leaf.push(committed.summary),
                    Plan::Condense(_) | Plan::Repair(_) => self.condensed.push(committed.summary),
                }
                true
            }
            // Another writer was first; what it wrote is read before the next decision.
            StepOutcome::Stale => true,
            StepOutcome::NothingToGain
            | StepOutcome::ModelFailed
            | StepOutcome::HeldBack
            | StepOutcome::Vetoed => false,
        }
    }

    /// Fills in how it ended.
    fn close(&mut self, pressure: Tokens, budget: Tokens) {
        self.tokens_after = pressure;
        self.fits = pressure <= budget;
        let has_written = !self.leaf.is_empty() || !self.condensed.is_empty() || self.n_cleared > 0;
        let ended_well = matches!(
            self.reason,
            CompactReason::BelowThreshold | CompactReason::NothingToGain
        );
        if has_written && ended_well {
            self.reason = CompactReason::Done;
        }
    }
}

impl From<EndReason> for CompactReason {
    fn from(end: EndReason) -> Self {
        match end {
            EndReason::Reached => Self::Reached,
            EndReason::NothingToGain => Self::NothingToGain,
            EndReason::NoProgress => Self::NoProgress,
        }
    }
}
