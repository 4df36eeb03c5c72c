//! The model's callback. Owns the seam through which a host's model is called.
//! May not know any provider.

use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;

use crate::domain::Tokens;
use crate::policy::prompt::Prompt;

/// How a completion is asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompleteOptions {
    /// What the answer should hold at most.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text.
    pub text: String,
    /// The model that gave it, where the host says so.
    pub model: Option<String>,
}

/// A call that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the model call failed: {message}")]
pub struct CompleteError {
    /// Why, in the host's words.
    pub message: String,
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
