//! What calls of models cost. Owns the tokens a provider reports and the record of one call.
//! May not hold a price or a text.

use super::ids::ConversationId;
use super::redact::RedactionCounts;
use super::span::Span;
use super::time::Timestamp;
use super::tokens::Tokens;

/// The tokens of one call, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the prompt, those read from a cache among them.
    pub input: Tokens,
    /// Tokens of the answer, hidden thinking among them.
    pub output: Tokens,
    /// Tokens of the prompt that were read from a cache.
    pub cached: Tokens,
}

impl Usage {
    /// Makes a usage with nothing read from a cache.
    #[must_use]
    pub const fn new(input: Tokens, output: Tokens) -> Self {
        Self {
            input,
            output,
            cached: Tokens::ZERO,
        }
    }

    /// Sets the tokens read from a cache.
    #[must_use]
    pub const fn cached(mut self, cached: Tokens) -> Self {
        self.cached = cached;
        self
    }
}

/// One call of a model, for its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// The branch it was made for.
    pub conversation: ConversationId,
    /// The messages it was asked about.
    pub span: Span,
    /// The model that answered, or else was asked.
    pub model: String,
    /// What it cost, where the provider says so.
    pub usage: Option<Usage>,
    /// What was replaced in the prompt and in the answer.
    pub redactions: RedactionCounts,
    /// What came of it: one `snake_case` word.
    pub outcome: String,
    /// When.
    pub now: Timestamp,
}
