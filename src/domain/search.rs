//! A search and its answer, an expansion and its answer: what tools and people see.

use super::handle::ItemId;
use super::ids::{ConversationId, Depth, MessageId, Seq};
use super::message::{Message, Role};
use super::query::{MatchKind, SearchScope, Sort, TimeRange};
use super::session::SessionKey;
use super::span::Span;
use super::summary::Summary;
use super::time::Timestamp;
use super::tokens::Tokens;

/// Which conversations a caller may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// The conversation bound to a session, with what it inherits.
    Session(SessionKey),
    /// All of the store.
    All,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrepRequest {
    /// The pattern as written.
    pub pattern: String,
    /// Where.
    pub reach: Reach,
    /// Which kinds of rows.
    pub kinds: SearchScope,
    /// Which role; excludes summaries.
    pub role: Option<Role>,
    /// When. `last` has been turned into `since` by the caller.
    pub time: TimeRange,
    /// Which rows come first.
    pub sort: Sort,
    /// How many rows, 1 to 200; more is capped.
    pub limit: u64,
    /// Where an earlier answer ended.
    pub cursor: Option<String>,
}

impl GrepRequest {
    /// Asks for 20 rows of both kinds with no filter.
    #[must_use]
    pub fn new(pattern: impl Into<String>, reach: Reach) -> Self {
        Self {
            pattern: pattern.into(),
            reach,
            kinds: SearchScope::Both,
            role: None,
            time: TimeRange::default(),
            sort: Sort::Relevance,
            limit: 20,
            cursor: None,
        }
    }
}

/// Where a hit stands in its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// In the present view's frontier.
    InView,
    /// Under this live summary.
    Under(ItemId),
    /// On a branch its key no longer points at.
    OtherBranch,
    /// A meta row or an older prompt: stored, never shown as talk.
    Hidden,
    /// A summary that a newer one has replaced or that waits for promotion.
    NotLive,
}

/// What kind of row a hit is, and what part of it was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HitKind {
    /// Words.
    Text,
    /// Thoughts.
    Reasoning,
    /// A call.
    ToolUse,
    /// A result.
    ToolResult,
    /// Media or an unknown block.
    Other,
    /// A meta row.
    Meta,
    /// A summary.
    Summary,
}

impl HitKind {
    /// Returns the word printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::ToolUse => "tool_use",
            Self::ToolResult => "tool_result",
            Self::Other => "other",
            Self::Meta => "meta",
            Self::Summary => "summary",
        }
    }
}

/// A bounded piece of the text around a match.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snippet {
    /// The piece.
    pub text: String,
    /// Byte ranges of it that match, in order, disjoint.
    pub highlights: Vec<(usize, usize)>,
}

/// One row found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Its id.
    pub id: ItemId,
    /// Its place; a summary's first.
    pub seq: Seq,
    /// The messages it covers; one for a message.
    pub span: Span,
    /// What was hit.
    pub kind: HitKind,
    /// Who speaks; none for a summary.
    pub role: Option<Role>,
    /// A summary's depth.
    pub depth: Option<Depth>,
    /// The branch whose row it is.
    pub conversation: ConversationId,
    /// That branch's session key.
    pub session: SessionKey,
    /// When; a summary's latest covered time.
    pub at: Option<Timestamp>,
    /// How well it matches; more negative is better. None in a purely fuzzy search, and in one that
    /// is sorted by time.
    pub rank: Option<f64>,
    /// The text around the match.
    pub snippet: Snippet,
    /// Where it stands.
    pub standing: Standing,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GrepReply {
    /// The rows, best first, kinds taking turns.
    pub hits: Vec<Hit>,
    /// How many rows match in all.
    pub total: u64,
    /// Whether counting stopped there and more may match: in large stores no texts are read for the
    /// sake of a count, and what plain words find is counted up to 1,000, in order of time up to 200.
    pub total_capped: bool,
    /// The limit that applied.
    pub limit: u64,
    /// Whether the limit asked for was larger.
    pub limit_capped: bool,
    /// Whether all terms matched.
    pub matched: MatchKind,
    /// The pattern as it was understood.
    pub read_as: String,
    /// Advice on the pattern.
    pub hint: Option<String>,
    /// Whether every stored row was considered.
    pub complete: bool,
    /// How to go on.
    pub cursor: Option<String>,
}

/// One message of the talk around a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// Its id.
    pub id: MessageId,
    /// Its place; where records continue it, its first.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// When it was said, where known.
    pub at: Option<Timestamp>,
    /// The beginning of what it says, on one line.
    pub text: String,
}

/// What stands around a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The message asked about.
    pub id: MessageId,
    /// Its turn and those beside it, old to new; empty if no row in reach has the id.
    pub messages: Vec<Neighbour>,
}

/// Which rows to show whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpandRequest {
    /// The rows, in the order asked for; repeats count once.
    pub ids: Vec<ItemId>,
    /// Whose rows may be shown.
    pub reach: Reach,
    /// Whether tool results come whole or only with their size.
    pub tool_results: ToolResults,
    /// A page's tokens.
    pub max_tokens: Tokens,
    /// Where an earlier answer ended.
    pub cursor: Option<String>,
}

impl ExpandRequest {
    /// A page's tokens where nothing else is asked for.
    pub const PAGE: Tokens = Tokens::new(4_000);

    /// Asks for the first page of rows, tool results left out.
    #[must_use]
    pub const fn new(ids: Vec<ItemId>, reach: Reach) -> Self {
        Self {
            ids,
            reach,
            tool_results: ToolResults::Omit,
            max_tokens: Self::PAGE,
            cursor: None,
        }
    }

    /// Sets whether tool results come whole.
    #[must_use]
    pub const fn tool_results(mut self, tool_results: ToolResults) -> Self {
        self.tool_results = tool_results;
        self
    }

    /// Sets a page's tokens.
    #[must_use]
    pub const fn max_tokens(mut self, max_tokens: Tokens) -> Self {
        self.max_tokens = max_tokens;
        self
    }
}

/// What an expansion shows of tool results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolResults {
    /// Their size.
    #[default]
    Omit,
    /// Their bodies.
    Include,
}

/// A message shown whole, or a marked piece of one too large for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpandedMessage {
    /// The message; parts are cut only where `cut` says so.
    pub message: Message,
    /// Its branch's key.
    pub session: SessionKey,
    /// The sizes in bytes of tool results left out, by part index.
    pub omitted: Vec<(usize, u64)>,
    /// Set if this is a piece: the bytes shown, of all bytes of all parts.
    pub cut: Option<Piece>,
}

/// Which bytes of a message are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// The first byte shown, counted over all parts in order.
    pub from: u64,
    /// The first byte not shown.
    pub to: u64,
    /// All bytes.
    pub of: u64,
}

/// What a summary was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sources {
    /// Summaries, old to new.
    Children(Vec<Summary>),
    /// A leaf's messages are listed with the messages of the answer.
    Messages(Span),
}

/// A summary shown with what it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpandedSummary {
    /// The summary.
    pub summary: Summary,
    /// Its branch's key.
    pub session: SessionKey,
    /// What it was made from.
    pub sources: Sources,
}

/// Rows shown whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpandReply {
    /// Messages asked for, and the messages of leaves asked for.
    pub messages: Vec<ExpandedMessage>,
    /// Summaries asked for.
    pub summaries: Vec<ExpandedSummary>,
    /// The tokens of this page.
    pub tokens: Tokens,
    /// How to go on.
    pub cursor: Option<String>,
    /// Ids that no row in reach has.
    pub missing: Vec<ItemId>,
}
