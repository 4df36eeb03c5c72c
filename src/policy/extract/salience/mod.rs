//! Salience: which sentences of a talk say most. Owns the order in which room is given to them.
//! May not count what they cost: characters and tokens are others' business.
//!
//! A sentence is worth what its words say, rare ones more, exact ones (numbers, names, paths) most;
//! more if it demands, decides or leaves something open; less if it was said again and again, was
//! pasted, or has been said anew. Of two that say the same, the second adds little.

mod order;
mod shape;
mod table;
mod update;
mod words;

#[cfg(test)]
mod tests;

use crate::domain::Role;

pub(super) use self::order::order;
pub(super) use self::update::Standing;

/// One sentence of a talk. Repeats are one unit, at the place of the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit<'t> {
    /// Who said it.
    pub(super) role: Role,
    /// The sentence.
    pub(super) text: &'t str,
    /// The message it stands in: what one message says beside each other, it does not take back.
    pub(super) message_idx: usize,
    /// How often it was said.
    pub(super) n_said: u32,
    /// How it came into the talk.
    pub(super) source: Source,
}

/// How a sentence came into the talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// In a message that a person types, or an agent answers with.
    Said,
    /// In the midst of a text too long to have been typed.
    Pasted,
}

/// A unit's place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ranked {
    /// Which unit.
    pub(super) unit_idx: usize,
    /// Whether what it says still stands.
    pub(super) standing: Standing,
}
