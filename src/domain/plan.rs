//! Plans: what a planner decided and a commit will check again.
//! May not be made from anything but a frontier, and hold the ids it was made from.

use super::clear::ClearPlan;
use super::ids::{ConversationId, Depth, Generation, Seq, SummaryId};
use super::span::Span;
use super::summary::Origin;
use super::time::Timestamp;
use super::tokens::Tokens;

/// Turns the oldest uncovered messages into a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafPlan {
    /// The branch it was made for.
    pub conversation: ConversationId,
    /// All rows of the chunk, meta rows inside included. It starts right after the last node (or
    /// the leading system prompt): the commit requires that.
    pub span: Span,
    /// How many visible messages it holds.
    pub n_messages: u64,
    /// Their tokens as rendered.
    pub source_tokens: Tokens,
    /// What the line before the summaries grows by: all of it with a view's first summary.
    pub note: Tokens,
    /// What the summary should hold at most.
    pub target: Tokens,
}

/// At least two adjacent children, old to new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Children(Vec<SummaryId>);

impl Children {
    /// Takes ids, old to new; `None` for fewer than two.
    #[must_use]
    pub fn new(ids: Vec<SummaryId>) -> Option<Self> {
        (ids.len() >= 2).then_some(Self(ids))
    }

    /// Returns the ids.
    #[must_use]
    pub fn ids(&self) -> &[SummaryId] {
        &self.0
    }
}

/// Merges adjacent nodes into one above them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CondensePlan {
    /// The branch it was made for.
    pub conversation: ConversationId,
    /// The nodes it replaces, which the commit requires to be the walk's result now.
    pub children: Children,
    /// Their union.
    pub span: Span,
    /// One above the deepest child.
    pub depth: Depth,
    /// The children's tokens as rendered.
    pub source_tokens: Tokens,
    /// What the line before the summaries grows by.
    pub note: Tokens,
    /// What the summary should hold at most.
    pub target: Tokens,
}

/// Writes a new generation of one node over exactly its span and depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairPlan {
    /// The branch it was made for.
    pub conversation: ConversationId,
    /// The newest generation now.
    pub replaces: SummaryId,
    /// Its span.
    pub span: Span,
    /// Its depth.
    pub depth: Depth,
    /// The generation to be written.
    pub generation: Generation,
    /// The children that were read; empty for a leaf.
    pub children: Vec<SummaryId>,
    /// The source's tokens as rendered.
    pub source_tokens: Tokens,
    /// What the summary should hold at most.
    pub target: Tokens,
}

/// One unit of compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// A leaf.
    Leaf(LeafPlan),
    /// A merge.
    Condense(CondensePlan),
    /// A better version.
    Repair(RepairPlan),
}

impl Plan {
    /// Returns the branch it was made for.
    #[must_use]
    pub const fn conversation(&self) -> ConversationId {
        match self {
            Self::Leaf(plan) => plan.conversation,
            Self::Condense(plan) => plan.conversation,
            Self::Repair(plan) => plan.conversation,
        }
    }

    /// Returns the messages covered.
    #[must_use]
    pub const fn span(&self) -> Span {
        match self {
            Self::Leaf(plan) => plan.span,
            Self::Condense(plan) => plan.span,
            Self::Repair(plan) => plan.span,
        }
    }

    /// Returns the depth of the node to be written.
    #[must_use]
    pub const fn depth(&self) -> Depth {
        match self {
            Self::Leaf(_) => Depth::LEAF,
            Self::Condense(plan) => plan.depth,
            Self::Repair(plan) => plan.depth,
        }
    }

    /// Returns the tokens of what is replaced, as rendered.
    #[must_use]
    pub const fn source_tokens(&self) -> Tokens {
        match self {
            Self::Leaf(plan) => plan.source_tokens,
            Self::Condense(plan) => plan.source_tokens,
            Self::Repair(plan) => plan.source_tokens,
        }
    }

    /// Returns what the line before the summaries grows by; a repair stands where one stood.
    #[must_use]
    pub const fn note(&self) -> Tokens {
        match self {
            Self::Leaf(plan) => plan.note,
            Self::Condense(plan) => plan.note,
            Self::Repair(_) => Tokens::ZERO,
        }
    }

    /// Returns what the summary should hold at most.
    #[must_use]
    pub const fn target(&self) -> Tokens {
        match self {
            Self::Leaf(plan) => plan.target,
            Self::Condense(plan) => plan.target,
            Self::Repair(plan) => plan.target,
        }
    }
}

/// A summary ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The labelled text.
    pub body: String,
    /// Its tokens as rendered, wrapper and all.
    pub tokens: Tokens,
    /// Who wrote it.
    pub origin: Origin,
    /// The model that wrote it.
    pub model: Option<String>,
}

/// Whether views see a commit at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveMove {
    /// `live_id` moves to the new row.
    Now,
    /// The row waits beyond `live_id` for a promotion.
    Later,
}

/// What the store executes in one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCommit {
    /// The decision.
    pub plan: Plan,
    /// The text.
    pub draft: Draft,
    /// Whether views see it at once.
    pub live: LiveMove,
    /// Clears that the plan reckons with and that are not recorded yet; they are with it.
    pub clear: Option<ClearPlan>,
    /// Pressure when the plan was made, for the event.
    pub tokens_before: Tokens,
    /// One `snake_case` word for the event: `turn`, `manual`, `until_under`, `stage`, `background`.
    pub reason: String,
    /// When.
    pub now: Timestamp,
}

impl LeafPlan {
    /// Returns where the chunk starts.
    #[must_use]
    pub const fn first(&self) -> Seq {
        self.span.first()
    }
}
