//! The frontier: what the model would see with no limit.
//! Owns the order of things; may not hold bodies.

use super::clear::Cleared;
use super::ids::{ConversationId, Depth, Generation, MessageId, Seq, SummaryId};
use super::message::{CallKey, Role, Visibility};
use super::pin::PinMeta;
use super::span::Span;
use super::summary::Origin;
use super::time::Timestamp;
use super::tokens::Tokens;

/// What the planner needs of a message: everything but its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageMeta {
    /// Its id.
    pub id: MessageId,
    /// Its place.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// How it shows.
    pub visibility: Visibility,
    /// The first row of the message that this row continues. Head and continuations are one
    /// message for counts, cuts and groups.
    pub continues: Option<Seq>,
    /// All its tokens, uncut and with its reasoning.
    pub tokens: Tokens,
    /// Its tokens in a view after the cut at source and the clears; 0 unless it is talk.
    pub view_tokens: Tokens,
    /// The tokens of its reasoning, which only the newest turn shows.
    pub reasoning_tokens: Tokens,
    /// Whether it says anything a summary could hold.
    pub has_words: bool,
    /// When it was said.
    pub at: Option<Timestamp>,
    /// The calls it makes.
    pub calls: Vec<CallKey>,
    /// The results it carries. A row with any is a tool message for cuts, whatever its role.
    pub results: Vec<CallKey>,
    /// Those of them that views show as a line, in order.
    pub cleared: Vec<Cleared>,
}

impl MessageMeta {
    /// Says whether the row is part of the talk.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.visibility == Visibility::Talk
    }

    /// Returns the role for cuts: a row with a result counts as a tool message.
    #[must_use]
    pub fn cut_role(&self) -> Role {
        if self.results.is_empty() {
            self.role
        } else {
            Role::Tool
        }
    }
}

/// Whether a summary row can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Health {
    /// As it should be.
    Sound,
    /// A newer row of smaller depth lies inside its span: it was made from what has been repaired.
    Stale,
    /// Its row cannot be read or contradicts itself. Views pass over it.
    Broken,
}

/// A summary as the planner sees it: everything but its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub id: SummaryId,
    /// The conversation whose row it is; an ancestor's for an inherited one.
    pub conversation: ConversationId,
    /// The messages it covers.
    pub span: Span,
    /// How far it stands above them.
    pub depth: Depth,
    /// Which version over this span and depth.
    pub generation: Generation,
    /// Who wrote it.
    pub origin: Origin,
    /// Its tokens as rendered, wrapper and all.
    pub tokens: Tokens,
    /// Whether it can be trusted.
    pub health: Health,
    /// The earliest time it covers.
    pub from: Option<Timestamp>,
    /// The latest time it covers.
    pub to: Option<Timestamp>,
}

/// The system prompt that opens the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptMeta {
    /// The rows of the newest version, old to new; usually one.
    pub rows: Vec<MessageId>,
    /// Their tokens in a view.
    pub tokens: Tokens,
}

/// One item behind the system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontierItem {
    /// A live summary.
    Node(Node),
    /// A message no live summary covers.
    Raw(MessageMeta),
}

impl FrontierItem {
    /// Returns the messages the item stands for.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Node(node) => node.span,
            Self::Raw(row) => Span::single(row.seq),
        }
    }
}

/// The system prompt, live summaries old to new, then raw messages.
///
/// In a planner's frontier the nodes come first and the raw rows last; in a view's frontier raw
/// rows may stand where a broken row was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frontier {
    /// The branch it was read for.
    pub conversation: ConversationId,
    /// The newest system prompt, if there is one.
    pub prompt: Option<PromptMeta>,
    /// The last row of the rows before the talk that hold the first system prompt.
    pub prompt_last: Option<Seq>,
    /// What follows, old to new, without gaps from `prompt_last + 1` to `head`.
    pub items: Vec<FrontierItem>,
    /// The newest row; `None` while nothing is stored.
    pub head: Option<Seq>,
    /// How many visible messages the whole branch holds (continuations not counted).
    pub n_visible: u64,
    /// The live pins, the oldest first.
    pub pins: Vec<PinMeta>,
}

impl Frontier {
    /// Returns the summaries, old to new.
    #[must_use]
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &Node> {
        self.items.iter().filter_map(|item| match item {
            FrontierItem::Node(node) => Some(node),
            FrontierItem::Raw(_) => None,
        })
    }

    /// Returns the raw messages, old to new.
    #[must_use]
    pub fn raw(&self) -> impl DoubleEndedIterator<Item = &MessageMeta> {
        self.items.iter().filter_map(|item| match item {
            FrontierItem::Raw(row) => Some(row),
            FrontierItem::Node(_) => None,
        })
    }
}
