//! Values of an import: where a file stands, and what a batch of its records becomes.

use super::append::Stamped;
use super::ids::{ConversationId, MessageId, Seq, SourceId};
use super::session::SessionKey;
use super::time::Timestamp;

/// A file transcripts are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its canonical path.
    pub path: String,
    /// The format's name, `claude-code` say.
    pub format: String,
}

/// Where an imported message came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// The byte offset of the record in its file.
    pub offset: u64,
    /// The record's length in bytes.
    pub length: u64,
    /// The record's line, from 1.
    pub line: u64,
    /// The record's own id in its format, where it has one.
    pub record_id: Option<String>,
    /// The id that all records of one message share: a record with the id of the visible row
    /// before it continues that row's message.
    pub joins: Option<String>,
    /// What the record says about the model's output tokens.
    pub output_tokens: Option<u64>,
    /// SHA-256 of the record: of its bytes in the file, or, where the file holds none that are its
    /// own, of its text as the import decoded it. None for rows imported before it was kept.
    pub sha256: Option<[u8; 32]>,
}

impl Provenance {
    /// Says which message a record is part of, and what it counts; where it lies is not known yet.
    #[must_use]
    pub fn of_message(joins: Option<String>, output_tokens: Option<u64>) -> Self {
        Self {
            joins,
            output_tokens,
            ..Self::default()
        }
    }
}

/// The record of a file that an imported row was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordSource {
    /// The file, as its canonical path was then.
    pub path: String,
    /// The format it was read as.
    pub format: String,
    /// The record's line, from 1; 0 in a database.
    pub line: u64,
    /// Its first byte in the file's text; a row's id in a database.
    pub offset: u64,
    /// Its bytes; 0 in a database.
    pub length: u64,
    /// Its own id, where it has one.
    pub record_id: Option<String>,
    /// SHA-256 of those bytes, in a database of the record's text; none for rows imported before
    /// it was kept.
    pub sha256: Option<[u8; 32]>,
}

/// A record of another file, or a mirror in the same one, that says what a stored row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordCopy {
    /// The file, as its canonical path was then.
    pub path: String,
    /// The format it was read as.
    pub format: String,
    /// The record's line, from 1; 0 in a database.
    pub line: u64,
    /// Its first byte in the file's text; a row's id in a database.
    pub offset: u64,
    /// Its bytes; 0 in a database.
    pub length: u64,
    /// SHA-256 as for [`RecordSource`]: a copy's bytes may differ where its words do not.
    pub sha256: Option<[u8; 32]>,
}

/// How far a file has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The file.
    pub source: SourceId,
    /// The first byte not yet consumed.
    pub offset: u64,
    /// The number of lines before it.
    pub lines: u64,
    /// BLAKE3 of the bytes before it: if it no longer holds, the file is read from its start.
    pub prefix: [u8; 32],
    /// What the format's reader needs to go on (JSON of its own), or empty.
    pub state: String,
}

/// One record that gives a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// The conversation it belongs to.
    pub session: SessionKey,
    /// The message; its `provenance` is set.
    pub message: Stamped,
    /// Its words for the index, made by the token rules.
    pub index_text: String,
}

/// A record that says what a row says, to be named beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportCopy {
    /// The row.
    pub of: CopyOf,
    /// Where the copy lies in the batch's file.
    pub place: Provenance,
}

/// The row that a record is a copy of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOf {
    /// A stored one.
    Stored(MessageId),
    /// One of the same batch, by its place there from 0.
    Row(usize),
}

/// A stored row that has a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownKey {
    /// The key.
    pub key: String,
    /// The row.
    pub message: MessageId,
    /// The file it was read from; none for a row that was not imported.
    pub path: Option<String>,
    /// The session whose row it is.
    pub session: SessionKey,
    /// The branch of that session which has it as its own.
    pub conversation: ConversationId,
    /// Its place there.
    pub seq: Seq,
    /// Its time.
    pub at: Option<Timestamp>,
    /// The speaker's name.
    pub name: Option<String>,
    /// What `sync` compares; none for an erased row.
    pub fingerprint: Option<[u8; 32]>,
}

/// Records of one file, written in one transaction with the file's checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportBatch {
    /// The file.
    pub file: SourceFile,
    /// Conversations met, with what their rows should say: key, working directory, title.
    pub conversations: Vec<ImportConversation>,
    /// The records, in order.
    pub rows: Vec<ImportRow>,
    /// Records that gave no row because one says the same.
    pub copies: Vec<ImportCopy>,
    /// Where the file stands after them.
    pub offset: u64,
    /// The number of lines before that.
    pub lines: u64,
    /// BLAKE3 of all bytes before that.
    pub prefix: [u8; 32],
    /// What the reader needs to go on.
    pub state: String,
    /// When.
    pub now: Timestamp,
}

/// What is known of a conversation beside its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportConversation {
    /// Its key.
    pub session: SessionKey,
    /// The working directory.
    pub project: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The conversation it was branched from by the host and the last message it shares.
    pub forked_from: Option<(SessionKey, Seq)>,
    /// Where in its own past the host went back to, for a branch of the same key. The rows of the
    /// batch go on from there. With `forked_from`, the branch meant of that session.
    pub rewound: Option<Rewind>,
}

impl ImportConversation {
    /// Returns whether it goes on from messages of another branch.
    #[must_use]
    pub const fn is_branch(&self) -> bool {
        self.forked_from.is_some() || self.rewound.is_some()
    }
}

/// A place in the past of a session from which its host went on anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewind {
    /// Before its first message.
    ToStart,
    /// After this message of this branch.
    After(ConversationId, Seq),
}

/// What became of one row of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFate {
    /// Stored as a new row.
    Stored(MessageId, ConversationId, Seq),
    /// Its key was there before.
    Duplicate(MessageId),
}

/// What became of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportReply {
    /// The file's id.
    pub source: SourceId,
    /// One fate for each row, in order.
    pub fates: Vec<RowFate>,
}
