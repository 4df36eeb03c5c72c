//! What the engine's calls return, beside views and search answers.

use crate::domain::{
    Appended, CompactRequest, Factor, IndexState, Pause, SessionKey, SummaryId, Timestamp, Tokens,
    View,
};

/// Why a compaction ended where it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompactReason {
    /// Something was written and nothing is left to do.
    Done,
    /// There was nothing worth summarising: both bounds unmet.
    BelowThreshold,
    /// Everything outside the fresh tail is covered, or it cannot shrink.
    NothingToGain,
    /// The model failed and pressure is within the budget: rows stay raw until it is back.
    ModelFailed,
    /// The breaker or the spend guard holds calls back.
    HeldBack,
    /// The budget asked for is reached.
    Reached,
    /// The passes ran out, or a pass made no progress.
    NoProgress,
    /// Another writer was first.
    Stale,
    /// The store failed while a summary was written; the messages themselves are stored.
    StoreFailed,
    /// A leaf would be due, but `leaf_from_percent` of the budget is not reached.
    BelowLeafPercent,
    /// A leaf would be due, but would part a turn, and pressure is within the soft limit.
    WaitsForTurn,
    /// The provider compacts this conversation.
    Managed,
    /// Too many compactions in a row did not help: nothing is made unasked for a while.
    Paused,
    /// The host's hook is against it.
    Vetoed,
}

impl CompactReason {
    /// Returns the word printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::BelowThreshold => "below_threshold",
            Self::NothingToGain => "nothing_to_gain",
            Self::ModelFailed => "model_failed",
            Self::HeldBack => "held_back",
            Self::Reached => "reached",
            Self::NoProgress => "no_progress",
            Self::Stale => "stale",
            Self::StoreFailed => "store_failed",
            Self::BelowLeafPercent => "below_leaf_percent",
            Self::WaitsForTurn => "waits_for_turn",
            Self::Managed => "managed",
            Self::Paused => "paused",
            Self::Vetoed => "vetoed",
        }
    }
}

/// What a compaction did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactReport {
    /// Leaves written.
    pub leaf: Vec<SummaryId>,
    /// Condensed nodes written.
    pub condensed: Vec<SummaryId>,
    /// How many old tool results became a line each.
    pub n_cleared: usize,
    /// Pressure before.
    pub tokens_before: Tokens,
    /// Pressure after.
    pub tokens_after: Tokens,
    /// Whether pressure is within the budget now.
    pub fits: bool,
    /// Why it ended.
    pub reason: CompactReason,
}

/// What a turn did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnReport {
    /// What was stored.
    pub appended: Appended,
    /// What tier 1 did.
    pub compacted: CompactReport,
    /// What the model sees now.
    pub view: View,
}

/// What `sync` found the host's list to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncKind {
    /// The stored list or a prefix of it.
    Unchanged,
    /// An extension.
    Extended,
    /// Another branch; the key points there now.
    Switched,
    /// A new branch.
    Forked,
}

/// What `sync` did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncReport {
    /// What the list was found to be.
    pub kind: SyncKind,
    /// What was stored.
    pub appended: Appended,
    /// The last message inherited, for a new branch that inherits any.
    pub fork_seq: Option<u64>,
    /// How many messages of the list were stored before.
    pub known: u64,
    /// What tier 1 did.
    pub compacted: CompactReport,
    /// What the model sees now.
    pub view: View,
}

/// One session's state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionStatus {
    /// The key.
    pub session: SessionKey,
    /// What its view would hold.
    pub pressure: Tokens,
    /// What it may hold.
    pub budget: Tokens,
    /// Visible messages that would make leaves now.
    pub leaf_candidates: u64,
    /// The model it is with, where the host or a measurement named one.
    pub model: Option<String>,
    /// How many of the model's tokens one estimated token is.
    pub factor: Factor,
    /// The provider that compacts it in our place.
    pub managed_by: Option<String>,
    /// Why nothing is compacted unasked: too many compactions in a row did not help.
    pub pause: Option<Pause>,
    /// Whether the agent's request waits for the end of its turn.
    pub request: Option<CompactRequest>,
}

/// A breaker's state for people.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BreakerStatus {
    /// The completer's name.
    pub name: String,
    /// `closed`, `open` or `spent`.
    pub state: &'static str,
    /// When it closes.
    pub until: Option<Timestamp>,
}

/// The engine's state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// Each session asked for that can be read.
    pub sessions: Vec<SessionStatus>,
    /// Those with a damaged row, and what is wrong with it.
    pub damaged: Vec<(SessionKey, String)>,
    /// How far the index has come.
    pub index: IndexState,
    /// Completers with failures.
    pub breakers: Vec<BreakerStatus>,
    /// The size of the write-ahead log in bytes.
    pub wal_bytes: u64,
    /// The last failure of a background task, in words.
    pub background: Option<String>,
}
