//! What a summarizer is asked. Owns the instructions and the form in which source text goes in.
//! May not drop a message: what is too long enters as a cut that shows.

mod fence;
mod fit;
mod source;
#[cfg(test)]
mod tests;
mod words;

use crate::domain::{Message, Summary, Tokens, estimate};

use super::limits::Limits;

pub use words::SECTIONS;

use fence::Fence;
use source::Block;

/// What goes to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The instructions.
    pub system: String,
    /// The source, fenced as data.
    pub text: String,
}

impl Prompt {
    /// Makes a prompt by hand: for the tests of a host's completer.
    #[must_use]
    pub fn new(system: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            system: system.into(),
            text: text.into(),
        }
    }
}

/// How hard to press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A summary with all its sections.
    Normal,
    /// Only what lasts: durable facts, open tasks, how the work stands.
    Aggressive,
}

/// How a summary is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// What the summary should hold at most.
    pub target: Tokens,
    /// How hard to press.
    pub level: Level,
    /// The model's window, where known.
    pub window: Option<Tokens>,
    /// The shares and caps.
    pub limits: &'a Limits,
}

/// One child of a merge as views show it: a summary, or a message where a row was passed over.
#[derive(Debug, Clone, Copy)]
pub enum Child<'a> {
    /// A summary.
    Summary(&'a Summary),
    /// A message.
    Message(&'a Message),
}

/// Asks for a leaf over `messages`, old to new, hidden rows among them. `earlier` are the
/// summaries before them: context, not source.
#[must_use]
pub fn leaf_prompt(messages: &[Message], earlier: &[Summary], ask: &Ask<'_>) -> Prompt {
    let mut blocks: Vec<Block<'_>> = earlier.iter().map(source::earlier).collect();
    blocks.extend(source::blocks(messages.iter().map(Child::Message)));
    build(&blocks, &words::leaf(ask), ask, ask.limits.chunk_tokens)
}

/// Asks for a summary above `children`, old to new.
#[must_use]
pub fn condense_prompt(children: &[Child<'_>], ask: &Ask<'_>) -> Prompt {
    let blocks = source::blocks(children.iter().copied());
    build(
        &blocks,
        &words::condense(ask),
        ask,
        ask.limits.condense_input,
    )
}

fn build(blocks: &[Block<'_>], instructions: &str, ask: &Ask<'_>, body_cap: Tokens) -> Prompt {
    let fence = Fence::around(&blocks.iter().flat_map(Block::texts));
    let system = instructions.replace(words::MARK, fence.mark());
    let window_cap = ask
        .window
        .map(|window| window.percent(ask.limits.prompt_window_percent))
        .map(|cap| cap.saturating_sub(estimate(&system)));
    let text = fit::fit(blocks, &fence, body_cap, window_cap);
    Prompt { system, text }
}
