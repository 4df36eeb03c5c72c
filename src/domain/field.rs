//! Fields of a pattern. Owns what each asks of a row besides its words.
//! May not read one: `policy/pattern` does.

use std::collections::BTreeMap;

use super::ids::{ConversationId, Depth, Seq, SummaryId};
use super::last::Last;
use super::message::Role;
use super::search::HitKind;
use super::time::Timestamp;

/// What a row must be, whatever its words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Field {
    /// A message of this role.
    Role(Role),
    /// A row that has this kind of part, or is of this kind.
    Kind(HitKind),
    /// A call of the tool of this name, whatever its case, or its result.
    Tool(String),
    /// A call with this text in a path among its arguments, whatever its case.
    Path(String),
    /// A message of a model whose name has this text, whatever its case.
    Model(String),
    /// A row of a session whose key begins with this text, inherited ones too.
    Session(String),
    /// A row of a session whose working directory has this text, whatever its case.
    Project(String),
    /// A result that its tool called a failure.
    Error,
    /// A summary of this depth.
    Depth(Depth),
    /// Before this moment.
    Before(Timestamp),
    /// At this moment or after it.
    After(Timestamp),
    /// In this stretch up to now.
    Last(Last),
    /// A row of these conversations, as far as is said of each: what a session or a project is,
    /// once it has been looked up.
    Within(BTreeMap<ConversationId, Bounds>),
}

/// How far a conversation's rows belong to one that inherits from it, or to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The last message.
    pub message: Seq,
    /// The greatest id of a summary.
    pub summary: SummaryId,
}

impl Bounds {
    /// Says whether they leave nothing out: a conversation's own rows, those to come too.
    #[must_use]
    pub const fn is_open(self) -> bool {
        self.message.get() >= i64::MAX.unsigned_abs()
    }
}
