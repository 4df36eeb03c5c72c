//! Which records of a file are copies under new ids. Owns what must be remembered of them when the
//! file goes on later. May not grow with the file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Copies that are remembered: enough for those of one moment and for what goes on from one.
const MAX_COPIED: usize = 64;

/// What a file repeats of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Replays {
    /// Of each session, the one whose records it repeated last.
    followed: BTreeMap<String, String>,
    /// The newest copies, the oldest of them first.
    copied: Vec<Copied>,
}

/// A record that is the copy of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Copied {
    session: String,
    id: String,
    original: String,
}

impl Replays {
    /// Returns whether nothing is repeated.
    pub(crate) fn is_empty(&self) -> bool {
        self.copied.is_empty()
    }

    /// Notes the copy of a record of another session.
    pub(crate) fn note(&mut self, session: &str, followed: &str, id: String, original: String) {
        self.followed
            .insert(session.to_owned(), followed.to_owned());
        if self.copied.len() >= MAX_COPIED {
            self.copied.remove(0);
        }
        self.copied.push(Copied {
            session: session.to_owned(),
            id,
            original,
        });
    }

    /// Returns the session that one repeats.
    pub(crate) fn followed(&self, session: &str) -> Option<&str> {
        self.followed.get(session).map(String::as_str)
    }

    /// Returns the key of what a record is the copy of.
    pub(crate) fn original(&self, id: &str) -> Option<&str> {
        let copied = self.copied.iter().rfind(|copied| copied.id == id)?;
        Some(&copied.original)
    }

    /// Returns whether a session has its copy of a row.
    pub(crate) fn has_copied(&self, session: &str, original: &str) -> bool {
        let mut copied = self.copied.iter().rev();
        copied.any(|copied| copied.session == session && copied.original == original)
    }
}
