//! One unit of compaction, from plan to row. Serves leaf, merge and repair alike.
//! Holds no transaction while a model is asked; a commit checks its plan again.

use tokio::time::Instant;

use super::breaker;
use super::claims::Claim;
use super::completer::{Completer, Completion};
use super::core::Core;
use super::error::EngineError;
use super::source::{Source, load_source};
use crate::domain::{
    Breaker, ClearPlan, CommitOutcome, Committed, Draft, LiveMove, Origin, Plan, PlanCommit, Tokens,
};
use crate::policy::assemble::summary_tokens;
use crate::policy::carry::{carry, tells_of_files};
use crate::policy::prompt::Level;
use crate::store::{LeaseOutcome, WriteOp, WriteReply};

/// Units one call or wake runs at most, against a planner that would never end.
pub(super) const MOST_UNITS: u32 = 100_000;

/// How calls are asked for at each level: first close to the words, then a little freer.
pub(super) const LEVELS: [(Level, f32); 2] = [(Level::Normal, 0.2), (Level::Aggressive, 0.4)];

/// Whether a failed model leaves rows raw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Pressure is within the budget: rows stay raw and are tried again later.
    CanWait,
    /// Pressure exceeds the budget: the floor writes in place of a failed model.
    Now,
}

/// Whether the breaker and the spend guard are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    /// They are.
    Automatic,
    /// A person asked: they are not.
    Manual,
    /// No model is asked at all: a recovery past its calls.
    FloorOnly,
}

/// How a unit is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) need: Need,
    pub(super) caller: Caller,
    pub(super) live: LiveMove,
    /// When all its calls must have ended.
    pub(super) deadline: Option<Instant>,
    /// Pressure now, for the event.
    pub(super) pressure: Tokens,
    /// Clears that the plan reckons with, to be recorded with it.
    pub(super) clear: Option<&'a ClearPlan>,
    /// The event's word.
    pub(super) reason: &'static str,
    /// What the model is told beside its task.
    pub(super) instructions: Option<&'a str>,
    /// What the agent that asked for it would keep to.
    pub(super) focus: Option<&'a str>,
}

/// What came of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepOutcome {
    /// It is stored.
    Applied(Committed, Origin),
    /// The frontier has moved on.
    Stale,
    /// No text could be smaller than what it replaces.
    NothingToGain,
    /// The model failed and the rows can wait.
    ModelFailed,
    /// The breaker, the spend guard or another process's lease holds it back.
    HeldBack,
    /// The host's hook is against it.
    Vetoed,
}

impl StepOutcome {
    /// Returns what the view holds since, if the unit is stored.
    pub(super) const fn pressure(self) -> Option<Tokens> {
        match self {
            Self::Applied(committed, _) => Some(committed.pressure),
            _ => None,
        }
    }
}

/// How a model answered a unit.
pub(super) enum Answer {
    /// With a text that is taken.
    Taken(Completion),
    /// Only with texts that are refused: the floor writes for good.
    Refused,
    /// Not at all, or not at one of the levels.
    Failed,
    /// It was not asked.
    NotAsked,
}

impl Core {
    /// Runs one unit that no hook is against.
    pub(super) async fn run_unit(
        &self,
        plan: Plan,
        order: Order<'_>,
    ) -> Result<StepOutcome, EngineError> {
        let source = load_source(&self.db, &plan).await?;
        let completer = match (&self.completer, order.caller) {
            (None, _) | (_, Caller::FloorOnly) => {
                return self.write(plan, &source, Answer::NotAsked, order).await;
            }
            (Some(completer), Caller::Automatic | Caller::Manual) => completer.as_ref(),
        };
        // The unit stays claimed until its row is stored, so that nobody pays for it meanwhile.
        let Some(mut claim) = self.claim(&plan, order).await else {
            return Ok(StepOutcome::HeldBack);
        };
        let done = self
            .ask_and_write(completer, &mut claim, plan, &source, order)
            .await;
        self.release(claim).await;
        done
    }

    async fn ask_and_write(
        &self,
        completer: &dyn Completer,
        claim: &mut Claim<'_>,
        plan: Plan,
        source: &Source,
        order: Order<'_>,
    ) -> Result<StepOutcome, EngineError> {
        let state = self.breaker_of(completer.name()).await?;
        let answer = if self.is_held(&state, order) {
            if order.need == Need::CanWait {
                return Ok(StepOutcome::HeldBack);
            }
            Answer::NotAsked
        } else {
            match self.lease(claim, &plan, order).await? {
                LeaseOutcome::Granted => self.ask(completer, &plan, source, order).await?,
                LeaseOutcome::Held(_) => return Ok(StepOutcome::HeldBack),
                LeaseOutcome::Stale => return Ok(StepOutcome::Stale),
            }
        };
        self.write(plan, source, answer, order).await
    }

    /// Stores what the answer gives, or the floor in its place.
    async fn write(
        &self,
        plan: Plan,
        source: &Source,
        answer: Answer,
        order: Order<'_>,
    ) -> Result<StepOutcome, EngineError> {
        let origin = match &answer {
            Answer::Taken(_) => Origin::Model,
            Answer::Refused => Origin::Floor,
            Answer::NotAsked if self.completer.is_none() => Origin::Floor,
            Answer::NotAsked => Origin::Fallback,
            Answer::Failed if order.need == Need::Now => Origin::Fallback,
            Answer::Failed => return Ok(StepOutcome::ModelFailed),
        };
        let is_fallback_again = matches!(plan, Plan::Repair(_)) && origin == Origin::Fallback;
        if is_fallback_again {
            return Ok(StepOutcome::ModelFailed);
        }
        let (body, model) = match answer {
            Answer::Taken(completion) => (completion.text, completion.model),
            Answer::Refused | Answer::Failed | Answer::NotAsked => {
                (self.floor(&plan, source), None)
            }
        };
        let room = self.room(&plan);
        let children = source.children();
        let earlier = if tells_of_files(&body, &children) {
            source.earlier(&self.db, &plan, usize::MAX).await?
        } else {
            Vec::new()
        };
        let body = carry(&body, &children, &earlier, room, self.counter.as_ref());
        let body = self.keep_proposed(&plan, body).await?;
        let tokens = summary_tokens(&body, self.counter.as_ref());
        if tokens >= plan.source_tokens() || body.trim().is_empty() {
            return Ok(StepOutcome::NothingToGain);
        }
        tracing::info!(
            conversation = plan.conversation().get(),
            depth = plan.depth().get(),
            span = %plan.span(),
            %origin,
            "summarised"
        );
        self.commit(
            plan,
            Draft {
                body,
                tokens,
                origin,
                model,
            },
            order,
        )
        .await
    }

    async fn commit(
        &self,
        plan: Plan,
        draft: Draft,
        order: Order<'_>,
    ) -> Result<StepOutcome, EngineError> {
        let origin = draft.origin;
        let conversation = plan.conversation().get();
        let commit = PlanCommit {
            plan,
            draft,
            live: order.live,
            clear: order.clear.cloned(),
            tokens_before: order.pressure,
            reason: order.reason.to_owned(),
            now: self.clock.now(),
        };
        match self.db.write(WriteOp::Commit(commit)).await? {
            WriteReply::Committed(CommitOutcome::Applied(committed)) => {
                tracing::info!(
                    conversation,
                    event = committed.event.get(),
                    reason = order.reason,
                    tokens_before = order.pressure.get(),
                    tokens_after = committed.pressure.get(),
                    "compacted"
                );
                Ok(StepOutcome::Applied(committed, origin))
            }
            WriteReply::Committed(CommitOutcome::Stale) => Ok(StepOutcome::Stale),
            _ => Err(EngineError::unexpected_reply()),
        }
    }

    fn floor(&self, plan: &Plan, source: &Source) -> String {
        source.floor(plan.target().min(shrunk(plan)), self.counter.as_ref())
    }

    /// Returns what a body may hold: as much as an answer may, and less than what it replaces.
    fn room(&self, plan: &Plan) -> Tokens {
        let most = plan.target().percent(self.limits.answer_percent);
        most.min(shrunk(plan))
    }

    pub(super) async fn breaker_of(&self, name: &str) -> Result<Breaker, EngineError> {
        let wanted = name.to_owned();
        let stored = self.db.read(move |reader| reader.breaker(&wanted)).await?;
        Ok(stored.unwrap_or_else(|| breaker::fresh(name, &self.limits)))
    }
}

/// Returns what stays below what a plan replaces, with the wrapper and a little slack.
fn shrunk(plan: &Plan) -> Tokens {
    let bare = plan
        .source_tokens()
        .saturating_sub(crate::domain::cost::SUMMARY);
    bare.percent(90)
}
