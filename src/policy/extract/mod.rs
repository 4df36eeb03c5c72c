//! The local floor: a summary without a model.
//! Pure: messages or summaries in, labelled text out. May not invent a word: all it writes was said.

mod cues;
mod fit;
mod gather;
mod merge;
mod salience;
mod sentence;
mod squeeze;
#[cfg(test)]
mod tests;
mod weighed;

pub use self::squeeze::{Spoken, squeeze};

use crate::domain::{Message, Summary, TokenCounter, Tokens};

/// Summarises messages within `target` tokens, counted as views print them without the wrapper.
///
/// Keeps what the user demands, the goal, decisions, the newest state of files, errors, and then
/// the sentences that say most. Reasoning and encoded bytes never enter.
#[must_use]
pub fn floor_leaf(messages: &[Message], target: Tokens, counter: &dyn TokenCounter) -> String {
    fit::fit(gather::gather(messages), target, counter).render()
}

/// Summarises summaries, old to new, within `target` tokens.
///
/// Newer states of files and things replace older ones, repeats are said once, and the oldest
/// narrative goes first.
#[must_use]
pub fn floor_condense(children: &[Summary], target: Tokens, counter: &dyn TokenCounter) -> String {
    fit::fit(merge::merge(children), target, counter).render()
}
