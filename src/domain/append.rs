//! Requests that write messages, and what came of them.
//! May not estimate or stamp: the engine did that before.

use super::ids::{ConversationId, MessageId, Seq};
use super::message::NewMessage;
use super::session::SessionKey;
use super::time::Timestamp;
use super::tokens::Tokens;

/// A message with all that is computed from its words, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamped {
    /// The message.
    pub message: NewMessage,
    /// All its tokens.
    pub tokens: Tokens,
    /// Its tokens in a view after the cut at source, without reasoning; what it would cost as
    /// talk. The store counts 0 for rows that are not talk.
    pub view_tokens: Tokens,
    /// The tokens of its reasoning.
    pub reasoning_tokens: Tokens,
    /// Whether it says anything a summary could hold.
    pub has_words: bool,
    /// BLAKE3 of role, name, key, given time and parts, unsalted: what `sync` compares.
    pub fingerprint: [u8; 32],
    /// What is known of constraints in its words.
    pub pin_scan: PinScan,
}

/// What is known of constraints in a message's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PinScan {
    /// Nothing: its words have not been looked through.
    #[default]
    Unread,
    /// It says none that a pin could come of or go by.
    Silent,
    /// It says some: its words are read again when pins are planned.
    Speaks,
}

/// New messages for the end of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendRequest {
    /// The conversation's key; an unknown one begins a conversation.
    pub session: SessionKey,
    /// The messages, in order.
    pub messages: Vec<Stamped>,
    /// When, for the conversation row.
    pub now: Timestamp,
}

/// What became of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppendedRow {
    /// Its id, the earlier one for a duplicate.
    pub id: MessageId,
    /// Its place, the earlier one for a duplicate.
    pub seq: Seq,
    /// Whether its key was there before.
    pub is_duplicate: bool,
}

/// What became of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Appended {
    /// The branch written to.
    pub conversation: ConversationId,
    /// One row for each message, in order.
    pub rows: Vec<AppendedRow>,
}

/// What `sync` decided to do, from what it read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncAction {
    /// Append the messages to the branch the key points at.
    Extend,
    /// Move the key to another branch, then append the messages.
    Switch(ConversationId),
    /// Begin a branch after `Some(seq)` (or with nothing inherited), then append the messages.
    Fork(Option<Seq>),
}

/// A whole-history write, with what must still hold for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncRequest {
    /// The conversation's key.
    pub session: SessionKey,
    /// The branch the key pointed at when the decision was made; `None` for a new key.
    pub expected: Option<ConversationId>,
    /// The head of the branch to be extended when the decision was made.
    pub expected_head: Option<Seq>,
    /// What to do.
    pub action: SyncAction,
    /// What to append after that.
    pub messages: Vec<Stamped>,
    /// Where the host's list began, for a key that slides: the place of its first message.
    pub list_first: Option<Seq>,
    /// When.
    pub now: Timestamp,
}

/// A branch asked for by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkRequest {
    /// The conversation to branch from.
    pub session: SessionKey,
    /// The last message the branch inherits.
    pub at: Seq,
    /// A key of its own; without one the session's key moves to the branch.
    pub new_session: Option<SessionKey>,
    /// When.
    pub now: Timestamp,
}

/// A branch that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forked {
    /// The branch.
    pub conversation: ConversationId,
    /// What it branches from.
    pub parent: ConversationId,
    /// The last message inherited.
    pub fork_seq: Seq,
}
