//! After a provider's error: a smaller view, a plainer one, or the reason why there is none.
//! Decides nothing of what an error means: `policy/overflow` reads it.

use super::core::Engine;
use super::error::EngineError;
use super::report::CompactReport;
use super::state::State;
use crate::domain::{
    Attempts, CurrentModel, Factor, KnownBy, Learned, MessageId, SessionKey, Tokens, View,
    ViewVersion, Window,
};
use crate::policy::assemble::spell_out;
use crate::policy::overflow::{Overflow, ProviderError, classify, shrink_to};

/// A call that a provider refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct FailedCall {
    /// The error's message or its whole body.
    pub text: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// The model that was called.
    pub model: Option<String>,
    /// The view that it was called with.
    pub view: Option<ViewVersion>,
}

impl FailedCall {
    /// Makes a failed call of what the provider said.
    pub fn new(text: impl Into<String>, status: Option<u16>) -> Self {
        Self {
            text: text.into(),
            status,
            model: None,
            view: None,
        }
    }

    /// Sets the model that was called.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the view that it was called with.
    pub fn view(mut self, version: Option<ViewVersion>) -> Self {
        self.view = version;
        self
    }
}

/// What to do about a provider's error.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorOutcome {
    /// Call again with this view: it is smaller than the one that was too long.
    Retry {
        /// The view.
        view: View,
        /// What was compacted for it.
        report: CompactReport,
        /// Which attempt of this turn it is, from 1.
        attempt: u32,
    },
    /// Call again with this view: its calls and results are texts, so that nothing must pair.
    RepairView {
        /// The view.
        view: View,
    },
    /// Nothing more is tried in this turn.
    GaveUp {
        /// Why.
        reason: GaveUpReason,
    },
    /// The error is another one, and the view is as good as it was.
    NotOverflow(ProviderError),
    /// The conversation is with another model than the one that failed.
    OtherModel {
        /// The model that it is with.
        current: String,
    },
}

/// Why a provider's error was not answered with a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GaveUpReason {
    /// As often as a turn allows, smaller views were given already.
    RetriesSpent,
    /// No view could be made smaller than the one that was too long.
    NoProgress,
    /// The limit that the error names leaves no room beside the overhead and the reserve.
    NoRoom,
}

impl GaveUpReason {
    /// Returns the word printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RetriesSpent => "retries_spent",
            Self::NoProgress => "no_progress",
            Self::NoRoom => "no_room",
        }
    }
}

impl Engine {
    /// Says what to do about a provider's error, and does its part: for a prompt that was too long
    /// it goes by the counts that the error names, compacts and assembles a smaller view.
    ///
    /// At most 2 views are given in one turn of a user, each smaller than the one before. What is
    /// compacted here passes every breaker. The error is not stored: it is no part of the talk.
    ///
    /// # Errors
    /// `UnknownSession` where the error asks for another view; `Store` if a row could not be read or
    /// written.
    pub async fn on_provider_error(
        &self,
        session: &SessionKey,
        failed: &FailedCall,
    ) -> Result<ErrorOutcome, EngineError> {
        let kind = classify(&failed.text, failed.status);
        tracing::info!(
            kind = kind.as_str(),
            status = failed.status,
            "provider error"
        );
        match kind {
            ProviderError::Overflow(overflow) => {
                self.after_overflow(session, overflow, failed).await
            }
            ProviderError::MalformedHistory => self.after_malformed(session, failed).await,
            other => Ok(ErrorOutcome::NotOverflow(other)),
        }
    }

    /// Gets a conversation under a limit that a call has shown.
    pub(super) async fn after_overflow(
        &self,
        session: &SessionKey,
        overflow: Overflow,
        failed: &FailedCall,
    ) -> Result<ErrorOutcome, EngineError> {
        if let Some(other) = self.of_another_model(session, failed).await? {
            return Ok(other);
        }
        let mut state = self.core.state(session).await?;
        let id = state.conversation.id;
        let tried = self.tried(&state).await?;
        if tried.count >= self.core.limits.overflow_retries {
            return Ok(gave_up(GaveUpReason::RetriesSpent));
        }
        let failed_tokens = self.failed_tokens(&state, tried, failed).await?;
        let Some(window) = self.named_window(&state, overflow) else {
            return Ok(gave_up(GaveUpReason::NoRoom));
        };
        if self
            .learn_from(&state, window, overflow, failed_tokens)
            .await?
        {
            state = self.core.state_of(id).await?;
        }
        let goal = shrink_to(failed_tokens, state.budget, tried.count, &self.core.limits);
        let Some(goal) = goal else {
            return Ok(gave_up(GaveUpReason::NoProgress));
        };
        let report = self.until_under(session, goal, "overflow").await?;
        let view = self.core.view_of(id, goal).await?;
        if view.tokens >= failed_tokens {
            return Ok(gave_up(GaveUpReason::NoProgress));
        }
        let attempt = tried.count + 1;
        let attempts = Attempts {
            turn: tried.turn,
            count: attempt,
            tokens: view.tokens,
        };
        self.core
            .steer(id, |state| {
                state.attempts = Some(attempts);
                // The agent's own wish is met by this.
                state.request = None;
            })
            .await?;
        Ok(ErrorOutcome::Retry {
            view,
            report,
            attempt,
        })
    }

    async fn after_malformed(
        &self,
        session: &SessionKey,
        failed: &FailedCall,
    ) -> Result<ErrorOutcome, EngineError> {
        if let Some(other) = self.of_another_model(session, failed).await? {
            return Ok(other);
        }
        let state = self.core.state(session).await?;
        let id = state.conversation.id;
        let tried = self.tried(&state).await?;
        if tried.count >= self.core.limits.overflow_retries {
            return Ok(gave_up(GaveUpReason::RetriesSpent));
        }
        // A view that was made smaller in this turn stays so.
        let budget = match tried.count {
            0 => state.budget,
            _ => state.budget.min(tried.tokens.max(Tokens::new(1))),
        };
        let view = self.core.view_of(id, budget).await?;
        let view = spell_out(view, self.core.counter.as_ref());
        let attempts = Attempts {
            turn: tried.turn,
            count: tried.count + 1,
            tokens: view.tokens,
        };
        self.core
            .steer(id, |state| state.attempts = Some(attempts))
            .await?;
        Ok(ErrorOutcome::RepairView { view })
    }

    /// Says whether the conversation is with another model than the one that failed; a model that
    /// nobody has spoken of becomes the one it is with.
    async fn of_another_model(
        &self,
        session: &SessionKey,
        failed: &FailedCall,
    ) -> Result<Option<ErrorOutcome>, EngineError> {
        let Some(name) = &failed.model else {
            return Ok(None);
        };
        let id = self.core.conversation(session).await?.id;
        match self.core.steering(id).await?.model {
            Some(current) if current.name == *name => Ok(None),
            Some(current) if current.known_by == KnownBy::Host => {
                Ok(Some(ErrorOutcome::OtherModel {
                    current: current.name,
                }))
            }
            _ => {
                let model = CurrentModel {
                    name: name.clone(),
                    known_by: KnownBy::Usage,
                };
                self.core
                    .steer(id, |state| state.model = Some(model.clone()))
                    .await?;
                Ok(None)
            }
        }
    }

    /// Returns what was tried in the turn that is under way.
    async fn tried(&self, state: &State) -> Result<Attempts, EngineError> {
        let id = state.conversation.id;
        let request = self
            .core
            .db
            .read(move |reader| reader.newest_request(id))
            .await?;
        let turn: Option<MessageId> = request.first().map(|row| row.id);
        let known = self.core.steering(id).await?.attempts;
        Ok(known
            .filter(|tried| tried.turn == turn)
            .unwrap_or(Attempts {
                turn,
                count: 0,
                tokens: Tokens::ZERO,
            }))
    }

    /// Returns what the view that failed held: as the host says, else as it would be now, and no
    /// more than the one given last in this turn.
    async fn failed_tokens(
        &self,
        state: &State,
        tried: Attempts,
        failed: &FailedCall,
    ) -> Result<Tokens, EngineError> {
        let id = state.conversation.id;
        if let Some(version) = failed.view.filter(|version| version.conversation == id) {
            return Ok(version.tokens);
        }
        let view = self.core.view_of(id, state.budget).await?;
        Ok(match tried.count {
            0 => view.tokens,
            _ => view.tokens.min(tried.tokens),
        })
    }

    /// Returns the window with the limit that an error names; none if that leaves no room.
    fn named_window(&self, state: &State, overflow: Overflow) -> Option<Window> {
        let least = self.core.limits.least_named_window;
        let limit = overflow.limit.filter(|&limit| limit >= least);
        state.window.capped(limit).ok()
    }

    /// Records what an error's counts say of the model, and says whether they said anything.
    async fn learn_from(
        &self,
        state: &State,
        window: Window,
        overflow: Overflow,
        failed: Tokens,
    ) -> Result<bool, EngineError> {
        let core = &self.core;
        let mut has_learned = false;
        if window != state.window {
            let learned = Learned::Limit(window);
            core.learn(&state.conversation, learned, "overflow").await?;
            has_learned = true;
        }
        let Some(used) = overflow
            .used
            .filter(|_| failed >= core.limits.least_measured)
        else {
            return Ok(has_learned);
        };
        let measured = used.saturating_sub(state.window.overhead());
        let factor = Factor::of(failed, measured);
        // An error shows that more was sent than thought; that it was less is for usage to say.
        let known = state.conversation.gauge.factor;
        if factor > known && factor.differs(known) {
            let conversation = core.state_of(state.conversation.id).await?.conversation;
            let learned = Learned::Factor {
                estimated: failed,
                measured,
            };
            core.learn(&conversation, learned, "overflow").await?;
            has_learned = true;
        }
        Ok(has_learned)
    }
}

const fn gave_up(reason: GaveUpReason) -> ErrorOutcome {
    ErrorOutcome::GaveUp { reason }
}
