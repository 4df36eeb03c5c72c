//! Fields of a pattern. Owns what each asks of a row besides its words.
//! May not read one: `policy/pattern` does.

use std::collections::BTreeSet;

use super::ids::{ConversationId, Depth};
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
    /// A row of a session whose key begins with this text.
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
    /// A row of these conversations: what a session or a project is, once it has been looked up.
    Within(BTreeSet<ConversationId>),
}
