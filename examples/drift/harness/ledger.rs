//! What is true at a moment of the talk: the facts that were planted and what became of them.
//! May not know how a thing was said to a tool, nor what a view shows.

use hippocamp::domain::{MessageId, Seq};

use super::files::FileTruth;

/// A row of the table that is no constraint and no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Decision,
    Identifier,
    Number,
    Open,
    Done,
}

impl Sort {
    pub(crate) const ALL: [Self; 5] = [
        Self::Decision,
        Self::Identifier,
        Self::Number,
        Self::Open,
        Self::Done,
    ];
}

/// What a user demanded.
#[derive(Debug, Clone)]
pub(crate) struct Constraint {
    pub(crate) sentence: String,
    /// The sentence that took it back.
    pub(crate) ended_by: Option<String>,
}

/// A thing said once that is told as long as its words stand in the view.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    pub(crate) sort: Sort,
    pub(crate) keys: Vec<String>,
}

/// Where a fact stands in the record.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    /// A word that stands nowhere else.
    pub(crate) key: String,
    /// What the message must hold, letter for letter.
    pub(crate) text: String,
    pub(crate) row: Option<(MessageId, Seq)>,
}

/// All that was planted.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) files: Vec<FileTruth>,
    pub(crate) words: Vec<Words>,
    pub(crate) said: Vec<Said>,
}

impl Ledger {
    /// Notes that something is said; its row is known once it is stored.
    pub(crate) fn say(&mut self, key: &str, text: &str) -> usize {
        self.said.push(Said {
            key: key.to_owned(),
            text: text.to_owned(),
            row: None,
        });
        self.said.len() - 1
    }

    /// Returns the place of something said in the conversation.
    pub(crate) fn seq_of(&self, said_idx: usize) -> Option<Seq> {
        self.said
            .get(said_idx)
            .and_then(|said| said.row)
            .map(|(_, seq)| seq)
    }
}
