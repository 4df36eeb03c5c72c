//! What is asked of an engine and what it answers: one line of JSON each. `README.md` has it in words.

use serde::{Deserialize, Serialize};

use crate::corpus::Said;
use crate::corpus::queries::Kind;

/// A request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Request {
    Open { folder: String, sync: Sync },
    Append(Batch),
    Turn(Batch),
    Import { path: String },
    Leaf { session: String, text: String },
    Condense { session: String, text: String },
    View(View),
    Grep(Grep),
    Expand { hits: usize },
    Settle,
    Close,
}

/// When a write counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sync {
    Normal,
    Full,
}

impl Sync {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Full => "full",
        }
    }
}

/// Messages of one transaction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Batch {
    pub(crate) session: String,
    pub(crate) messages: Vec<Message>,
}

/// One message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) text: String,
    /// Milliseconds.
    pub(crate) at: i64,
    /// Whose it is, where it is not the batch's session; only the bare statements are sent this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
}

impl Message {
    pub(crate) fn of(said: &Said) -> Self {
        Self {
            role: said.role.as_str().to_owned(),
            text: said.text.clone(),
            at: said.at,
            session: None,
        }
    }
}

/// The newest messages of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct View {
    pub(crate) session: String,
    pub(crate) items: usize,
    /// Which of several statements; only the bare statements know any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) way: Option<String>,
}

/// A search.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Grep {
    pub(crate) query: String,
    pub(crate) kind: Kind,
    pub(crate) order: Order,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    pub(crate) limit: usize,
    /// As in [`View`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) way: Option<String>,
}

/// Which hits come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    Newest,
    Ranked,
}

/// An answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) ok: bool,
    #[serde(default)]
    pub(crate) count: u64,
    #[serde(default)]
    pub(crate) bytes: u64,
    /// Microseconds that passed in the call.
    #[serde(default)]
    pub(crate) wall_us: f64,
    /// Microseconds on a processor in that time, all threads.
    #[serde(default)]
    pub(crate) cpu_us: f64,
    /// Of these, those of the threads that the caller waits for, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) thread_us: Option<f64>,
    /// Microseconds on a processor that work behind calls took since the call before.
    #[serde(default)]
    pub(crate) behind_us: f64,
    /// Why it cannot do this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unsupported: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}
