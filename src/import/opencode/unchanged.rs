//! Sessions that are as they were. Owns the mark by which one is known that an earlier import read
//! and the host has not touched since. May not read what a row says: the host notes on each when it
//! changed it.

use std::collections::HashSet;

use super::session::Session;
use crate::store::{Foreign, ForeignError, ForeignRow, ForeignValue, Rows};

/// Hexadecimal digits of a mark.
const DIGITS: usize = 20;

/// The tables that hold a session's words, and what says that a row of theirs is as it was.
const TABLES: [(&str, &[&str]); 3] = [
    ("message", &["id", "time_created", "time_updated"]),
    (
        "part",
        &["id", "message_id", "time_created", "time_updated"],
    ),
    ("session_message", &["id", "type", "seq", "time_updated"]),
];

/// What a session's rows say of when they were changed.
struct Mark {
    text: String,
    /// The newest change.
    newest: i64,
}

/// The marks of all sessions, now and at the import before.
pub(super) struct Marks {
    earlier: HashSet<String>,
    now: Vec<Option<Mark>>,
}

impl Marks {
    /// Takes the marks of sessions, beside those that were remembered.
    pub(super) fn of(foreign: &Foreign, sessions: &[Session], earlier: &str) -> Self {
        let mark = |session| Mark::of(foreign, session).ok().flatten();
        Self {
            earlier: earlier.split_whitespace().map(str::to_owned).collect(),
            now: sessions.iter().map(mark).collect(),
        }
    }

    /// Returns whether the session with this place in the list was read as it is now.
    pub(super) fn is_unchanged(&self, idx: usize) -> bool {
        let mark = self.now.get(idx).and_then(Option::as_ref);
        mark.is_some_and(|mark| self.earlier.contains(&mark.text))
    }

    /// Returns what is to be remembered. A session with the newest change of all is left out: it may
    /// be changed once more in the same millisecond.
    pub(super) fn to_remember(&self) -> String {
        let newest = self.now.iter().flatten().map(|mark| mark.newest).max();
        let settled = self.now.iter().flatten();
        let settled = settled.filter(|mark| Some(mark.newest) != newest);
        let texts: Vec<&str> = settled.map(|mark| mark.text.as_str()).collect();
        texts.join(" ")
    }
}

impl Mark {
    /// Takes the mark of a session; `None` if a row of it does not say when it was changed.
    fn of(foreign: &Foreign, session: &Session) -> Result<Option<Self>, ForeignError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{session:?}").as_bytes());
        let mut newest = i64::MIN;
        for (table, columns) in TABLES {
            let rows = foreign.rows(Rows {
                table,
                columns,
                only: Some(("session_id", &session.value())),
                order: &["id"],
            })?;
            hasher.update(table.as_bytes());
            for row in &rows {
                let Some(changed) = row.integer(columns.len() - 1) else {
                    return Ok(None);
                };
                newest = newest.max(changed);
                update(&mut hasher, row, columns.len());
            }
        }
        let hash = hasher.finalize().to_hex();
        let text = hash.get(..DIGITS).unwrap_or_default().to_owned();
        Ok(Some(Self { text, newest }))
    }
}

fn update(hasher: &mut blake3::Hasher, row: &ForeignRow, n_columns: usize) {
    for idx in 0..n_columns {
        match row.get(idx) {
            ForeignValue::Text(text) => {
                hasher.update(&text.len().to_le_bytes());
                hasher.update(text.as_bytes());
            }
            ForeignValue::Integer(number) => {
                hasher.update(&number.to_le_bytes());
            }
            other => {
                hasher.update(format!("{other:?}").as_bytes());
            }
        }
    }
}
