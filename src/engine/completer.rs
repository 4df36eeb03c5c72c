//! The model's callback. Owns the seam through which a host's model is called.
//! May not know any provider.

use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;

use crate::domain::{Redacted, Tokens, Usage};
use crate::policy::judge::StopReason;
use crate::policy::prompt::Prompt;

/// How a completion is asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompleteOptions {
    /// Where the host may cut the answer off: half as much again as the prompt asks for. A longer
    /// summary is refused, and so is one that was cut.
    pub max_tokens: Tokens,
    /// Low for records, a little higher for the second try.
    pub temperature: f32,
    /// How long the engine waits before it counts the call as failed.
    pub timeout: Duration,
}

impl CompleteOptions {
    /// Makes options; the engine and tests do.
    #[must_use]
    pub const fn new(max_tokens: Tokens, temperature: f32, timeout: Duration) -> Self {
        Self {
            max_tokens,
            temperature,
            timeout,
        }
    }
}

/// A model's answer.
///
/// ```
/// use hippocamp::engine::{Completion, StopReason};
///
/// let whole = Completion::from("State: the pier is closed.");
/// assert_eq!(whole.stop, StopReason::End);
/// let cut = Completion::new("State: the pi").model("small").stop(StopReason::MaxTokens);
/// assert_eq!(cut.model.as_deref(), Some("small"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completion {
    /// The text.
    pub text: String,
    /// The model that gave it, where the host says so.
    pub model: Option<String>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// What the call cost, where the host knows.
    pub usage: Option<Usage>,
}

impl Completion {
    /// Makes an answer that says all, of a model that is not named.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            model: None,
            stop: StopReason::End,
            usage: None,
        }
    }

    /// Sets the model that gave it.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets what the call cost.
    #[must_use]
    pub const fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Sets why the model stopped: an answer that was cut off or declined is no summary.
    #[must_use]
    pub const fn stop(mut self, stop: StopReason) -> Self {
        self.stop = stop;
        self
    }
}

impl From<String> for Completion {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Completion {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FailureKind {
    /// A key is missing or refused: nothing is asked again until the next time.
    Auth,
    /// The account is out of money or of its share; as `Auth`.
    Quota,
    /// Too many requests or tokens in a stretch of time.
    RateLimited,
    /// The provider is down or overloaded.
    Overloaded,
    /// The prompt is longer than the model's window, which is told where it is known: the next prompt
    /// is made to fit.
    TooLong {
        /// The window.
        limit: Option<Tokens>,
    },
    /// No connection, or one that broke off.
    Network,
    /// The time was up.
    TimedOut,
    /// An answer in a form that nobody understands.
    Malformed,
    /// The request is not taken as it is.
    Rejected,
    /// Anything else, or the host does not say.
    #[default]
    Other,
}

impl FailureKind {
    /// Returns the word that events carry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Quota => "quota",
            Self::RateLimited => "rate_limited",
            Self::Overloaded => "overloaded",
            Self::TooLong { .. } => "too_long",
            Self::Network => "network",
            Self::TimedOut => "timed_out",
            Self::Malformed => "malformed",
            Self::Rejected => "rejected",
            Self::Other => "failed",
        }
    }
}

/// A call that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the model call failed: {message}")]
#[non_exhaustive]
pub struct CompleteError {
    /// Why, in the host's words.
    pub message: String,
    /// What kind of failure it was.
    pub kind: FailureKind,
}

impl CompleteError {
    /// Makes an error of the host's words.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            kind: FailureKind::Other,
        }
    }

    /// Sets what kind of failure it was.
    #[must_use]
    pub const fn kind(mut self, kind: FailureKind) -> Self {
        self.kind = kind;
        self
    }
}

/// Calls a model. The host implements it; without one the local floor serves.
#[async_trait]
pub trait Completer: Send + Sync + 'static {
    /// Returns the name that breakers and `status` use.
    #[expect(
        clippy::unnecessary_literal_bound,
        reason = "a host may compute its name"
    )]
    fn name(&self) -> &str {
        "model"
    }

    /// Replaces what the host alone knows to be secret, such as the keys it calls with (default:
    /// nothing). The engine asks for it before its own redactor, for prompts and answers alike.
    fn redact<'text>(&self, text: &'text str) -> Redacted<'text> {
        Redacted::unchanged(text)
    }

    /// Returns the model's window, where it is known: a prompt takes at most 80 % of it.
    fn context_window(&self) -> Option<Tokens> {
        None
    }

    /// Answers a prompt.
    ///
    /// # Errors
    /// [`CompleteError`] if there is no answer; the engine escalates and may try again later.
    async fn complete(
        &self,
        prompt: &Prompt,
        options: &CompleteOptions,
    ) -> Result<Completion, CompleteError>;
}
