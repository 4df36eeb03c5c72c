//! Sessions. Owns which conversation a session is: one that another began is a sub-agent of the
//! first of its line. May not read a message.

use std::collections::{HashMap, HashSet};

use crate::import::column::words_of;
use crate::import::entry::{Entry, Side, Title, clean_id};
use crate::store::{Foreign, ForeignError, ForeignValue, Rows};

/// A session of the database.
#[derive(Debug, Clone)]
pub(super) struct Session {
    /// Its own id.
    pub(super) id: String,
    /// The first session of its line; its own id if nobody began it.
    root: String,
    title: Option<String>,
    cwd: Option<String>,
}

impl Session {
    /// Reads a table of sessions.
    pub(super) fn read(foreign: &Foreign, table: &str) -> Result<Vec<Self>, ForeignError> {
        let rows = foreign.rows(Rows {
            table,
            columns: &["id", "parent_id", "title", "directory"],
            only: None,
            order: &["time_created", "id"],
        })?;
        let mut parents = HashMap::new();
        for row in &rows {
            if let (Some(id), Some(parent)) = (row.text(0), row.text(1)) {
                parents.insert(id, parent);
            }
        }
        let sessions = rows.iter().filter_map(|row| {
            let id = clean_id(row.text(0).map(str::to_owned))?;
            let words = |idx| words_of(row, idx).map(str::to_owned);
            Some(Self::of(id, &parents, words(2), words(3)))
        });
        Ok(sessions.collect())
    }

    /// Makes a session, from the sessions that began others.
    pub(super) fn of(
        id: String,
        parents: &HashMap<&str, &str>,
        title: Option<String>,
        cwd: Option<String>,
    ) -> Self {
        Self {
            root: root_of(&id, parents),
            id,
            title,
            cwd,
        }
    }

    /// Returns the value that rows of this session carry.
    pub(super) fn value(&self) -> ForeignValue {
        ForeignValue::Text(self.id.clone())
    }

    /// Says of an entry that it belongs to this session.
    pub(super) fn owns(&self, entry: Entry) -> Entry {
        let is_root = self.root == self.id;
        Entry {
            session: Some(self.root.clone()),
            side: if is_root {
                Side::Main
            } else {
                Side::Agent(Some(self.id.clone()))
            },
            title: self.title.clone().map(Title::OfSession),
            cwd: self.cwd.clone(),
            ..entry
        }
    }
}

fn root_of(id: &str, parents: &HashMap<&str, &str>) -> String {
    let mut seen = HashSet::new();
    let mut root = id;
    while let Some(parent) = parents.get(root) {
        // A line that ends in itself has no first: the session stands for itself.
        if !seen.insert(root) {
            return id.to_owned();
        }
        root = parent;
    }
    root.to_owned()
}
