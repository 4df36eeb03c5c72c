//! What the store says of itself: conversations, counts, checks, leases, breakers.

use super::gauge::Gauge;
use super::ids::{ConversationId, Depth, EventId, Generation, MessageId, Seq, SummaryId};
use super::message::Message;
use super::plan::Plan;
use super::session::SessionKey;
use super::span::Span;
use super::summary::Origin;
use super::time::Timestamp;
use super::tokens::Tokens;
use super::usage::Usage;
use super::window::Window;

/// One branch, with its counters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The key it was made under.
    pub session: SessionKey,
    /// What it branched from.
    pub parent: Option<ConversationId>,
    /// The last message it inherits.
    pub fork_seq: Option<Seq>,
    /// The newest row, inherited ones counted.
    pub head: Option<Seq>,
    /// The greatest summary id that views may use.
    pub live_id: Option<SummaryId>,
    /// The last recorded window.
    pub window: Option<Window>,
    /// What is known of the model it is with.
    pub gauge: Gauge,
    /// How far users' words were looked through for constraints.
    pub pin_mark: Option<Seq>,
    /// The caps on tool results that its raw messages are counted by, with ` +` where some may be
    /// counted by others; empty where nothing is known of them.
    pub counted_by: String,
    /// Whether its key points at it.
    pub is_current: bool,
}

impl Conversation {
    /// Returns the window that thresholds go by: the recorded one, else the process's.
    #[must_use]
    pub fn window_or(&self, process: Window) -> Window {
        self.window.unwrap_or(process)
    }

    /// Returns what a view may hold within that window, in estimated tokens.
    #[must_use]
    pub fn budget_or(&self, process: Window) -> Tokens {
        self.gauge.budget(self.window_or(process))
    }
}

/// What a branch is called, for finding rows by it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BranchName {
    /// The branch.
    pub id: ConversationId,
    /// The key it was made under.
    pub session: SessionKey,
    /// The working directory.
    pub project: Option<String>,
}

/// One line of a listing of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionRow {
    /// The key.
    pub session: SessionKey,
    /// The branch it points at.
    pub id: ConversationId,
    /// Visible messages of that branch, continuations not counted.
    pub messages: u64,
    /// All rows of that branch.
    pub rows: u64,
    /// Stored tokens of that branch.
    pub tokens: Tokens,
    /// The earliest time in it.
    pub first_at: Option<Timestamp>,
    /// The latest time in it.
    pub last_at: Option<Timestamp>,
    /// The format it was imported from.
    pub format: Option<String>,
    /// The working directory.
    pub project: Option<String>,
    /// A title, where the host gave one.
    pub title: Option<String>,
    /// The parent's key and the last message shared, for a branch.
    pub parent: Option<(SessionKey, Seq)>,
}

/// One node of the tree, for drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeNode {
    /// Its id.
    pub id: SummaryId,
    /// Its depth.
    pub depth: Depth,
    /// Its messages.
    pub span: Span,
    /// Its generation.
    pub generation: Generation,
    /// Its tokens as rendered.
    pub tokens: Tokens,
    /// Who wrote it.
    pub origin: Origin,
    /// Whether it is on the frontier of views.
    pub is_live: bool,
}

/// Counts over the whole store, or over one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StoreStats {
    /// Visible messages.
    pub messages: u64,
    /// All rows.
    pub rows: u64,
    /// Stored tokens.
    pub tokens: Tokens,
    /// Summaries.
    pub summaries: u64,
    /// The greatest depth.
    pub depth: Option<Depth>,
    /// Bytes of the file.
    pub bytes: u64,
    /// Conversations.
    pub conversations: u64,
    /// Calls of models; a branch's own, without inherited ones.
    pub calls: u64,
    /// What those calls cost, as far as providers say so.
    pub usage: Usage,
}

/// A point of the curve that a branch's frontier drew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CurveStep {
    /// The newest message then.
    pub seq: Seq,
    /// What the frontier held then, in a view's tokens.
    pub tokens: Tokens,
    /// The event that changed it, if it was one.
    pub event: Option<EventId>,
}

/// How far the search index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexState {
    /// The greatest id that is indexed.
    pub mark: i64,
    /// Rows beyond the mark.
    pub backlog: u64,
    /// Whether the index was made by the present token rules.
    pub is_current: bool,
}

/// Keeps two processes from paying for the same summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRequest {
    /// What is leased: `conversation/first/depth`.
    pub unit: String,
    /// What it is leased for: nobody pays for a plan that no longer holds.
    pub plan: Plan,
    /// Who asks, unique to an engine.
    pub holder: String,
    /// When.
    pub now: Timestamp,
    /// Until when.
    pub until: Timestamp,
}

/// A breaker's durable state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker {
    /// The completer's name.
    pub name: String,
    /// Failures without a success between.
    pub failures: u32,
    /// Closed again at this time; `None` while it was never opened.
    pub open_until: Option<Timestamp>,
    /// How long the next opening lasts, in milliseconds.
    pub next_open_millis: i64,
    /// The start of the current window of the spend guard.
    pub window_start: Option<Timestamp>,
    /// Calls in that window.
    pub calls: u32,
}

/// A change of a breaker's state. It is made only while the state is the one it was decided from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakerChange {
    /// The state it was decided from; `None` if there was none yet.
    pub before: Option<Breaker>,
    /// The state from now on.
    pub after: Breaker,
}

/// One finding of `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The check's name, `snake_case`.
    pub name: String,
    /// Whether it holds.
    pub is_ok: bool,
    /// What was counted, or the first damage, with ids.
    pub detail: String,
}

/// A stored message with what an export says of it besides.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryRow {
    /// The message.
    pub message: Message,
    /// The first row of its version, for a system prompt.
    pub prompt_first: Option<Seq>,
    /// The key under which it is stored once.
    pub key: Option<String>,
}

impl HistoryRow {
    /// Makes a row; only the store and tests do.
    #[must_use]
    pub const fn new(message: Message, prompt_first: Option<Seq>) -> Self {
        Self {
            message,
            prompt_first,
            key: None,
        }
    }
}

/// What is indexed of one row: its id in the one sequence and its tokens as ready text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexRow {
    /// The id of the message or summary.
    pub id: i64,
    /// Tokens, separated by blanks.
    pub tokens: String,
}

/// One searched row as the store returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRow {
    /// The id in the one sequence.
    pub id: super::handle::ItemId,
    /// The branch whose row it is.
    pub conversation: ConversationId,
    /// Its messages.
    pub span: Span,
    /// Who speaks; none for a summary.
    pub role: Option<super::message::Role>,
    /// How it shows; talk for a summary.
    pub visibility: super::message::Visibility,
    /// A summary's depth.
    pub depth: Option<Depth>,
    /// The time, or a summary's earliest.
    pub from: Option<Timestamp>,
    /// The time, or a summary's latest.
    pub to: Option<Timestamp>,
    /// The speaker.
    pub name: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The tools whose calls its results answer, where they were asked for.
    pub answers: Vec<String>,
    /// The parts; a summary's body is one text part.
    pub parts: Vec<super::message::Part>,
}

/// A row the index proposes, with FTS5's `bm25()`: more negative is better.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The id in the one sequence.
    pub id: super::handle::ItemId,
    /// The index's own score.
    pub bm25: f64,
}

/// One stored message's mark for `sync`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// Its place.
    pub seq: Seq,
    /// Its id.
    pub id: MessageId,
    /// What `sync` compares; none for an erased row.
    pub fingerprint: Option<[u8; 32]>,
    /// Whether it is a system prompt, which is compared apart.
    pub is_prompt: bool,
}
