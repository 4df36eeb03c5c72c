//! What a provider's error says. Owns which words mean that the prompt was too long, and by how much.
//! May not act on it: the engine shrinks, repairs or leaves the error to the host.
//!
//! Words are looked for in the text as `plain` folds it. What is certainly something else is
//! looked for first, since a rate limit speaks of tokens too; short words that other errors use
//! count only with a status that an overflow has.

mod counts;
mod plain;
mod shrink;
mod silent;
#[cfg(test)]
mod tests;
mod words;

use crate::domain::Tokens;

use counts::Counts;
use plain::{Plain, plain};
pub use shrink::shrink_to;
pub use silent::{Silent, silent};
use words::{
    CACHE_MINIMUM, CONFIGURATION, MALFORMED, NOT_TEXT, OUTPUT, OUTPUT_ALWAYS, QUOTA, RATE_LIMIT,
    RISKY, STRONG, UNAVAILABLE,
};

/// What a provider's error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProviderError {
    /// The prompt is too long for the model.
    Overflow(Overflow),
    /// Calls and results do not pair, or arguments are no JSON: the view wants repair, not
    /// shrinking.
    MalformedHistory,
    /// The prompt is too short to be cached: the same request without cache markers will do.
    CacheMinimum,
    /// Too many requests or tokens in a stretch of time: later the same request will do.
    RateLimit,
    /// The account is out of money or of its share.
    Quota,
    /// The answer asked for is longer than the model gives, whatever the prompt.
    OutputLimit,
    /// A setting of the request is wrong.
    Configuration,
    /// The provider is down or overloaded.
    Unavailable,
    /// Nothing that is known here.
    Other,
}

impl ProviderError {
    /// Returns the word printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Overflow(_) => "overflow",
            Self::MalformedHistory => "malformed_history",
            Self::CacheMinimum => "cache_minimum",
            Self::RateLimit => "rate_limit",
            Self::Quota => "quota",
            Self::OutputLimit => "output_limit",
            Self::Configuration => "configuration",
            Self::Unavailable => "unavailable",
            Self::Other => "other",
        }
    }
}

/// The counts that an overflow names, in the provider's own tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Overflow {
    /// What the model takes.
    pub limit: Option<Tokens>,
    /// What the prompt held.
    pub used: Option<Tokens>,
}

/// Says what a provider's error is about. `text` is the message or the whole body; `status` is the
/// HTTP status, where there was one (else the text's own, if it begins with it).
///
/// ```
/// use hippocamp::domain::Tokens;
/// use hippocamp::policy::overflow::{ProviderError, classify};
///
/// let said = "prompt is too long: 210000 tokens > 200000 maximum";
/// let ProviderError::Overflow(overflow) = classify(said, Some(400)) else { unreachable!() };
/// assert_eq!(overflow.limit, Some(Tokens::new(200_000)));
/// assert_eq!(classify("Rate limit reached", Some(429)), ProviderError::RateLimit);
/// ```
#[must_use]
pub fn classify(text: &str, status: Option<u16>) -> ProviderError {
    let said = plain(text);
    let status = status.or_else(|| said.stated_status());
    if let Some(other) = something_else(&said, status) {
        return other;
    }
    let counts = Counts::of(&said);
    if counts.is_output_alone() {
        return ProviderError::OutputLimit;
    }
    let has_status = matches!(status, Some(400 | 413));
    let is_overflow = said.has_any(&STRONG)
        || (has_status && said.is_bodiless())
        || (has_status && said.has_any(&RISKY) && !said.has_any(&NOT_TEXT));
    if is_overflow {
        return ProviderError::Overflow(counts.overflow());
    }
    match status {
        Some(413) => ProviderError::Overflow(Overflow::default()),
        Some(500..=599) => ProviderError::Unavailable,
        _ => ProviderError::Other,
    }
}

/// What the error is, if it is certainly no overflow.
fn something_else(said: &Plain, status: Option<u16>) -> Option<ProviderError> {
    let by_words = [
        (ProviderError::RateLimit, RATE_LIMIT.as_slice()),
        (ProviderError::Quota, &QUOTA),
        (ProviderError::CacheMinimum, &CACHE_MINIMUM),
        (ProviderError::MalformedHistory, &MALFORMED),
        (ProviderError::Configuration, &CONFIGURATION),
        (ProviderError::OutputLimit, &OUTPUT_ALWAYS),
    ];
    if UNAVAILABLE.iter().any(|words| said.starts_with(words)) {
        return Some(ProviderError::Unavailable);
    }
    for (kind, words) in by_words {
        if said.has_any(words) {
            return Some(kind);
        }
    }
    // Some speak of the answer's length and of the context's at once; counts decide those.
    if said.has_any(&OUTPUT) && !said.has_any(&STRONG) {
        return Some(ProviderError::OutputLimit);
    }
    match status {
        Some(429) => Some(ProviderError::RateLimit),
        Some(402) => Some(ProviderError::Quota),
        _ => None,
    }
}
