//! The gate. Owns whether a model's answer may become a summary.
//! May not mend an answer beyond taking thinking and an outer fence away.

mod clean;
mod copied;
mod signs;
#[cfg(test)]
mod tests;

use crate::domain::{Tokens, cost, estimate};

use super::language::{self, Language};
use super::limits::Limits;
use super::prompt::Prompt;

/// Why a model stopped, in the words of no provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StopReason {
    /// It had said all (`stop`, `end_turn`, `STOP`), or the host does not know.
    #[default]
    End,
    /// Its tokens ran out (`length`, `max_tokens`, `MAX_TOKENS`): what it said is cut off.
    MaxTokens,
    /// It declined, or a filter stopped it (`refusal`, `content_filter`, `SAFETY`).
    Refusal,
    /// For anything else, such as to call a tool. Its text is judged as it is.
    Other,
}

/// What an answer is held against.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// What was asked, source and all.
    pub prompt: &'a Prompt,
    /// Why the model stopped.
    pub stop: StopReason,
    /// What the summary should hold at most.
    pub target: Tokens,
    /// The source's tokens as rendered.
    pub source_tokens: Tokens,
    /// The language of the talk, where it is clear.
    pub language: Option<Language>,
}

/// What becomes of an answer.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This text is a summary.
    Accept(String),
    /// It is none, and is not stored.
    Reject(Rejection),
}

/// Why an answer is no summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// It says nothing that shows.
    Empty,
    /// It thinks and never answers.
    OnlyThinking,
    /// Its thinking never ends.
    UnclosedThinking,
    /// It is a code fence around nothing.
    LoneFence,
    /// It is cut off where the model's tokens ran out.
    CutOff,
    /// It declines, or asks for the text it was given.
    Refusal,
    /// It is the text of an error.
    ErrorText,
    /// It repeats what it was given.
    Copy,
    /// It is in another language than the talk.
    WrongLanguage,
    /// It is longer than asked by more than is allowed.
    TooLong,
    /// As rendered it is no smaller than its source.
    NotSmaller,
}

impl Rejection {
    /// Returns the word for events and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::OnlyThinking => "only_thinking",
            Self::UnclosedThinking => "unclosed_thinking",
            Self::LoneFence => "lone_fence",
            Self::CutOff => "cut_off",
            Self::Refusal => "refusal",
            Self::ErrorText => "error_text",
            Self::Copy => "copy",
            Self::WrongLanguage => "wrong_language",
            Self::TooLong => "too_long",
            Self::NotSmaller => "not_smaller",
        }
    }
}

/// Judges a model's answer.
pub fn judge(answer: &str, facts: &Facts<'_>, limits: &Limits) -> Verdict {
    match accept(answer, facts, limits) {
        Ok(text) => Verdict::Accept(text.to_owned()),
        Err(rejection) => Verdict::Reject(rejection),
    }
}

fn accept<'answer>(
    answer: &'answer str,
    facts: &Facts<'_>,
    limits: &Limits,
) -> Result<&'answer str, Rejection> {
    match facts.stop {
        StopReason::End | StopReason::Other => {}
        StopReason::MaxTokens => return Err(Rejection::CutOff),
        StopReason::Refusal => return Err(Rejection::Refusal),
    }
    let text = clean::without_thinking(answer)?;
    let text = clean::without_fence(text)?;
    // Some models think inside the fence.
    let text = clean::without_thinking(text)?;
    if text.is_empty() {
        return Err(Rejection::Empty);
    }
    if signs::is_refusal(text) {
        return Err(Rejection::Refusal);
    }
    if signs::is_error(text) {
        return Err(Rejection::ErrorText);
    }
    let tokens = estimate(text);
    if tokens > facts.target.percent(limits.answer_percent) {
        return Err(Rejection::TooLong);
    }
    if cost::SUMMARY + tokens + escapes(text) >= facts.source_tokens {
        return Err(Rejection::NotSmaller);
    }
    if copied::is_copy(text, [&facts.prompt.text, &facts.prompt.system]) {
        return Err(Rejection::Copy);
    }
    if let (Some(spoken), Some(written)) = (facts.language, language::guess(text))
        && spoken != written
    {
        return Err(Rejection::WrongLanguage);
    }
    Ok(text)
}

/// What the wrapper's escapes add: `<` and `>` become four bytes, `&` becomes five.
fn escapes(text: &str) -> Tokens {
    let extra = |byte| match byte {
        b'<' | b'>' => 3,
        b'&' => 4,
        _ => 0_u64,
    };
    Tokens::new(text.bytes().map(extra).sum::<u64>().div_ceil(4))
}
