//! What a summarizer is asked. Owns the instructions and the form in which source text goes in.
//! May not drop a message: what is too long enters as a cut that shows.

mod fence;
mod fit;
mod slots;
mod source;
#[cfg(test)]
mod tests;
mod tongue;
mod words;

use crate::domain::{Depth, Message, Summary, Tokens, estimate};

use super::carry::exact::Unfounded;
use super::language::Language;
use super::limits::Limits;

pub use tongue::language_of;
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

    /// Returns the prompt with each body of its text as `clean` gives it back: what stands between
    /// lines of ours, which stay as they are.
    #[must_use]
    pub fn with_bodies(&self, clean: impl FnMut(&str) -> String) -> Self {
        Self::new(self.system.as_str(), fence::with_bodies(&self.text, clean))
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
#[non_exhaustive]
pub struct Ask<'a> {
    /// What the summary should hold at most.
    pub target: Tokens,
    /// How hard to press.
    pub level: Level,
    /// The model's window, where known.
    pub window: Option<Tokens>,
    /// The shares and caps.
    pub limits: &'a Limits,
    /// How deep the summary will stand: a leaf records, what is above it keeps what lasts.
    pub depth: Depth,
    /// What the operator wants of this summary.
    pub instructions: Option<&'a str>,
    /// What the assistant asked the summary to keep to: a wish, of no rank.
    pub focus: Option<&'a str>,
    /// The language of the talk, where it is clear.
    pub language: Option<Language>,
    /// What the answer before this one stated and the source does not.
    pub doubts: &'a [Unfounded],
}

impl<'a> Ask<'a> {
    /// Asks for a leaf with all its sections.
    #[must_use]
    pub const fn new(target: Tokens, limits: &'a Limits) -> Self {
        Self {
            target,
            level: Level::Normal,
            window: None,
            limits,
            depth: Depth::LEAF,
            instructions: None,
            focus: None,
            language: None,
            doubts: &[],
        }
    }
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
    let theirs = ask
        .instructions
        .into_iter()
        .chain(ask.focus)
        .chain(ask.doubts.iter().map(|doubt| &*doubt.words));
    let fence = Fence::around(&blocks.iter().flat_map(Block::texts).chain(theirs));
    let mut system = instructions.replace(words::MARK, fence.mark());
    slots::add(&mut system, ask, &fence);
    let window_cap = ask
        .window
        .map(|window| window.percent(ask.limits.prompt_window_percent))
        .map(|cap| cap.saturating_sub(estimate(&system)));
    let text = fit::fit(blocks, &fence, body_cap, window_cap);
    Prompt { system, text }
}
