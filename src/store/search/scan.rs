//! Rows one after another, newest first, with their bodies, for a matcher to decide on.
//! May not read further than the visitor asks.

use std::ops::ControlFlow;

use rusqlite::Connection;

use crate::domain::{Answers, ItemId, RowFilter, SearchRow};
use crate::store::error::StoreError;
use crate::store::ids::RowKind;
use crate::store::index::read_mark;
use crate::store::reader::Reader;
use crate::store::search_row::{Loaded, RowLoader, SearchRows, item};

use super::check::Check;
use super::heads::Heads;
use super::look::{Look, Looker};

impl Reader {
    /// Shows every row that passes the filter and the look, newest first, until `visit` breaks; with `above`
    /// only rows of greater ids. All rows come from one moment of the store. Returns the rows that
    /// are damaged and were passed over.
    ///
    /// # Errors
    /// What the database says.
    pub fn scan(
        &self,
        filter: &RowFilter,
        look: &Look<'_>,
        above: Option<i64>,
        visit: &mut dyn FnMut(SearchRow) -> ControlFlow<()>,
    ) -> Result<Vec<ItemId>, StoreError> {
        self.one_state(|| scan(self.conn(), filter, look, above, visit))
    }

    /// Loads rows whole, in the order asked for; ids that no row has are left out.
    ///
    /// # Errors
    /// What the database says.
    pub fn search_rows(&self, ids: &[ItemId], answers: Answers) -> Result<SearchRows, StoreError> {
        self.one_state(|| {
            let mut loader = RowLoader::new(self.conn(), answers)?;
            let mut found = SearchRows::default();
            for id in ids {
                if let Some(loaded) = loader.find(*id)? {
                    found.push(*id, loaded);
                }
            }
            Ok(found)
        })
    }
}

fn scan(
    conn: &Connection,
    filter: &RowFilter,
    look: &Look<'_>,
    above: Option<i64>,
    visit: &mut dyn FnMut(SearchRow) -> ControlFlow<()>,
) -> Result<Vec<ItemId>, StoreError> {
    let check = Check::load(conn, filter, look)?;
    let mark = read_mark(conn)?.mark.id;
    let first = above.map_or(1, |above| above.saturating_add(1));
    let mut messages = Heads::new(conn, &check, RowKind::Message, first, mark)?;
    let mut summaries = Heads::new(conn, &check, RowKind::Summary, first, mark)?;
    let mut looker = Looker::new(conn, look, filter.answers)?;
    let mut loader = RowLoader::new(conn, filter.answers)?;
    let mut damaged = Vec::new();
    loop {
        let next = match (messages.peek()?, summaries.peek()?) {
            (None, None) => return Ok(damaged),
            (Some(message), Some(summary)) if message < summary => summaries.next()?,
            (Some(_), _) => messages.next()?,
            (None, Some(_)) => summaries.next()?,
        };
        let Some(head) = next else {
            return Ok(damaged);
        };
        if !looker.takes(&head)? {
            continue;
        }
        let id = item(head.kind, head.id);
        match loader.row(id)? {
            Loaded::Damaged => damaged.push(id),
            Loaded::Row(row) => {
                if visit(row).is_break() {
                    return Ok(damaged);
                }
            }
        }
    }
}
