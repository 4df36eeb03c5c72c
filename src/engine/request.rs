//! A compaction that the agent asks for: written down, and made when its turn has ended.
//! May not make it in the middle of a turn.

use std::time::Duration;

use tokio::time::Instant;

use super::compact::Compaction;
use super::core::Engine;
use super::error::EngineError;
use super::report::CompactReport;
use super::run_step::Caller;
use super::state::State;
use crate::domain::{CompactRequest, SessionKey, Tokens};
use crate::policy::request::{Boundary, boundary, least_pressure};

/// Characters of what an agent may ask a summary to keep to: a few sentences, not a text to copy.
pub const FOCUS_CHARS: usize = 2_000;

/// What became of a request.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestOutcome {
    /// It is made when the turn has ended.
    Scheduled,
    /// One was waiting already; its focus is the new one.
    Updated,
    /// It is not worth its price yet: views hold `pressure`, and asking is of use from `least` on.
    Refused {
        /// What views hold.
        pressure: Tokens,
        /// From when on asking is of use.
        least: Tokens,
    },
    /// The provider compacts this conversation.
    Managed,
}

impl RequestOutcome {
    /// Returns the word printed.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Updated => "updated",
            Self::Refused { .. } => "refused",
            Self::Managed => "managed",
        }
    }
}

impl Engine {
    /// Asks for a compaction at the end of the turn that is under way, as an agent may. A second
    /// request replaces the first one's focus. It is dropped if the user speaks before the model
    /// has answered, and if a provider's error is dealt with first.
    ///
    /// # Errors
    /// `Usage` for a focus of more than [`FOCUS_CHARS`] characters; `UnknownSession`; `Store`.
    pub async fn request_compaction(
        &self,
        session: &SessionKey,
        focus: Option<&str>,
    ) -> Result<RequestOutcome, EngineError> {
        let n_chars = focus.map_or(0, |words| words.chars().count());
        if n_chars > FOCUS_CHARS {
            return Err(EngineError::wrong_use(
                format!("a focus of {n_chars} characters is too long"),
                format!("name what the summaries should keep to in at most {FOCUS_CHARS}"),
            ));
        }
        let state = self.core.state(session).await?;
        if self.core.managed_by(&state).is_some() {
            return Ok(RequestOutcome::Managed);
        }
        let limits = &self.core.limits;
        let least = least_pressure(state.share(limits.summarize_token_percent), limits);
        if state.pressure < least {
            return Ok(RequestOutcome::Refused {
                pressure: state.pressure,
                least,
            });
        }
        let request = CompactRequest {
            focus: focus
                .map(str::trim)
                .filter(|words| !words.is_empty())
                .map(str::to_owned),
            after: state.conversation.head,
        };
        let was_waiting = state.steering.request.is_some();
        self.core
            .steer(state.conversation.id, |state| {
                state.request = Some(request.clone());
            })
            .await?;
        Ok(if was_waiting {
            RequestOutcome::Updated
        } else {
            RequestOutcome::Scheduled
        })
    }

    /// Makes what was asked for, if its turn has ended; none if nothing was or it goes on.
    pub(super) async fn compact_as_asked(
        &self,
        state: &State,
    ) -> Result<Option<CompactReport>, EngineError> {
        let Some(request) = &state.steering.request else {
            return Ok(None);
        };
        let boundary = boundary(&state.planner.items, request);
        if boundary == Boundary::Within {
            return Ok(None);
        }
        let id = state.conversation.id;
        self.core.steer(id, |state| state.request = None).await?;
        if boundary == Boundary::Aborted {
            tracing::info!(
                conversation = id.get(),
                "a request is dropped with its turn"
            );
            return Ok(None);
        }
        let limit = Duration::from_millis(self.core.limits.turn_leaf_millis);
        let compaction = Compaction {
            reason: "agent",
            instructions: None,
            focus: request.focus.as_deref(),
            caller: Caller::Automatic,
            deadline: Some(Instant::now() + limit),
        };
        self.compact_branch(id, &compaction).await.map(Some)
    }
}
