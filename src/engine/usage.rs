//! What a provider counted of a view. Owns what follows: a calibration, a judgement of the
//! compactions before, and the recovery from an overflow that no error told of.

use super::core::Engine;
use super::error::EngineError;
use super::overflow::{ErrorOutcome, FailedCall};
use super::state::State;
use crate::domain::{
    CurrentModel, Factor, KnownBy, Learned, Seen, SessionKey, Timestamp, Tokens, Usage, ViewVersion,
};
use crate::policy::effect::{self, Effect, pause_at};
use crate::policy::judge::StopReason;
use crate::policy::overflow::{Overflow, Silent, silent};

/// A view as a provider measured it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Observed {
    /// The view: its `version`.
    pub view: ViewVersion,
    /// What the call used.
    pub usage: Usage,
    /// The model.
    pub model: Option<String>,
    /// Why it stopped.
    pub stop: StopReason,
}

impl Observed {
    /// Makes a measurement of a call that ended well.
    pub const fn new(view: ViewVersion, usage: Usage) -> Self {
        Self {
            view,
            usage,
            model: None,
            stop: StopReason::End,
        }
    }

    /// Sets the model.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets why it stopped.
    pub const fn stop(mut self, stop: StopReason) -> Self {
        self.stop = stop;
        self
    }
}

/// What became of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Calibration {
    /// The factor is a new one, told by an event.
    Recorded(Factor),
    /// The factor is about what it was.
    Unchanged(Factor),
    /// The conversation has moved on since the view: nothing follows.
    Stale,
    /// The conversation is with another model: nothing follows.
    OtherModel,
    /// The view is too small for its frame not to decide.
    TooSmall,
    /// Less than half or more than four times the estimate: a server that cut the prompt unsaid, or
    /// that counts only what its cache did not hold. Nothing follows.
    Unbelievable,
}

/// What followed from a measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageReport {
    /// What became of it.
    pub calibration: Calibration,
    /// What it says of the compactions since the last one.
    pub effect: Effect,
    /// Until when nothing is compacted unasked, if too many did not help.
    pub paused_until: Option<Timestamp>,
    /// An overflow that no error told of, and what was done about it.
    pub overflow: Option<(Silent, ErrorOutcome)>,
}

impl UsageReport {
    const fn of(calibration: Calibration) -> Self {
        Self {
            calibration,
            effect: Effect::NotJudged,
            paused_until: None,
            overflow: None,
        }
    }
}

impl Engine {
    /// Takes what a provider counted of a view. Call it before the answer is stored: usage of a
    /// view that the conversation has moved on from is ignored.
    ///
    /// The model's count is set beside the estimate and goes before it from then on: triggers come
    /// later where the model counts fewer tokens, and a view holds less where it counts more.
    /// Budgets stay in estimated tokens, and no view ever holds more of them than its window.
    ///
    /// # Errors
    /// `UnknownSession`; `Store` if a row could not be read or written.
    pub async fn observe_usage(
        &self,
        session: &SessionKey,
        observed: &Observed,
    ) -> Result<UsageReport, EngineError> {
        let state = self.core.state(session).await?;
        let id = state.conversation.id;
        let event = self
            .core
            .db
            .read(move |reader| reader.newest_event(id))
            .await?;
        let now = ViewVersion::new(id, state.conversation.head, event, observed.view.tokens);
        if !observed.view.is_same_state(now) {
            return Ok(UsageReport::of(Calibration::Stale));
        }
        let Some(state) = self.with_model(state, observed).await? else {
            return Ok(UsageReport::of(Calibration::OtherModel));
        };
        let mut report = UsageReport::of(self.calibrate(&state, observed).await?);
        let is_believed = matches!(
            report.calibration,
            Calibration::Recorded(_) | Calibration::Unchanged(_)
        );
        if is_believed {
            report.effect = self.judge(&state, observed).await?;
            let steering = self.core.steering(id).await?;
            report.paused_until =
                pause_at(&steering, self.core.clock.now()).map(|pause| pause.until);
        }
        let sign = silent(observed.usage, observed.stop, state.window.context());
        if let Some(sign) = sign {
            tracing::info!(
                conversation = id.get(),
                sign = sign.as_str(),
                "silent overflow"
            );
            let failed = FailedCall::new(sign.as_str(), None).view(Some(observed.view));
            let outcome = self
                .after_overflow(session, Overflow::default(), &failed)
                .await?;
            report.overflow = Some((sign, outcome));
        }
        Ok(report)
    }

    /// Makes the model that answered the one the conversation is with, unless the host has said
    /// otherwise; returns the state with what is known of it.
    async fn with_model(
        &self,
        state: State,
        observed: &Observed,
    ) -> Result<Option<State>, EngineError> {
        let Some(name) = &observed.model else {
            return Ok(Some(state));
        };
        match &state.steering.model {
            Some(current) if current.name == *name => return Ok(Some(state)),
            Some(current) if current.known_by == KnownBy::Host => return Ok(None),
            _ => {}
        }
        let id = state.conversation.id;
        let model = CurrentModel {
            name: name.clone(),
            known_by: KnownBy::Usage,
        };
        self.core
            .steer(id, |state| {
                state.model = Some(model.clone());
                // Another model's measurement judges nothing.
                state.seen = None;
            })
            .await?;
        Ok(Some(self.core.state_of(id).await?))
    }

    async fn calibrate(
        &self,
        state: &State,
        observed: &Observed,
    ) -> Result<Calibration, EngineError> {
        let estimated = observed.view.tokens;
        let measured = measured(state, observed);
        if estimated < self.core.limits.least_measured {
            return Ok(Calibration::TooSmall);
        }
        let (estimate, count) = (u128::from(estimated.get()), u128::from(measured.get()));
        if count * 2 < estimate || count > estimate * 4 {
            return Ok(Calibration::Unbelievable);
        }
        let factor = Factor::of(estimated, measured);
        let known = state.conversation.gauge.factor;
        if !factor.differs(known) {
            return Ok(Calibration::Unchanged(known));
        }
        let learned = Learned::Factor {
            estimated,
            measured,
        };
        self.core
            .learn(&state.conversation, learned, "usage")
            .await?;
        Ok(Calibration::Recorded(factor))
    }

    /// Judges the compactions since the last measurement, and remembers this one.
    async fn judge(&self, state: &State, observed: &Observed) -> Result<Effect, EngineError> {
        let id = state.conversation.id;
        let now = Seen {
            event: observed.view.event,
            estimated: observed.view.tokens,
            measured: measured(state, observed),
        };
        let limits = &self.core.limits;
        let effect = match state.steering.seen {
            None => Effect::NotJudged,
            Some(before) => {
                let saved = self
                    .core
                    .db
                    .read(move |reader| reader.saved_since(id, before.event))
                    .await?;
                effect::judge(before, now, saved, limits)
            }
        };
        let at = self.core.clock.now();
        self.core
            .steer(id, |state| {
                state.seen = Some(now);
                effect::note(state, effect, limits, at);
            })
            .await?;
        Ok(effect)
    }
}

/// Returns the model's count of the view alone.
fn measured(state: &State, observed: &Observed) -> Tokens {
    let overhead = state.window.overhead();
    observed
        .usage
        .input
        .saturating_sub(overhead)
        .max(Tokens::new(1))
}
