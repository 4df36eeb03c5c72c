//! Rows one after another, newest first, with their bodies, for a matcher to decide on.
//! May not read further than the visitor asks.

use std::ops::ControlFlow;

use rusqlite::Connection;

use crate::domain::{Answers, ItemId, RowFilter, SearchRow};
use crate::store::error::StoreError;
use crate::store::ids::RowKind;
use crate::store::index::read_mark;
use crate::store::reader::Reader;
use crate::store::search_row::{RowLoader, item};

use super::check::Check;
use super::heads::Heads;
use super::look::{Look, Looker};

impl Reader {
    /// Shows every row that passes the filter and the look, newest first, until `visit` breaks; with `above`
    /// only rows of greater ids. All rows come from one moment of the store.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read; what the database says otherwise.
    pub fn scan(
        &self,
        filter: &RowFilter,
        look: &Look<'_>,
        above: Option<i64>,
        visit: &mut dyn FnMut(SearchRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.one_state(|| scan(self.conn(), filter, look, above, visit))
    }

    /// Loads rows whole, in the order asked for; ids that no row has are left out.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read; what the database says otherwise.
    pub fn search_rows(
        &self,
        ids: &[ItemId],
        answers: Answers,
    ) -> Result<Vec<SearchRow>, StoreError> {
        self.one_state(|| {
            let mut loader = RowLoader::new(self.conn(), answers)?;
            let mut rows = Vec::with_capacity(ids.len());
            for id in ids {
                rows.extend(loader.find(*id)?);
            }
            Ok(rows)
        })
    }
}

fn scan(
    conn: &Connection,
    filter: &RowFilter,
    look: &Look<'_>,
    above: Option<i64>,
    visit: &mut dyn FnMut(SearchRow) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let check = Check::load(conn, filter, look)?;
    let mark = read_mark(conn)?.mark.id;
    let first = above.map_or(1, |above| above.saturating_add(1));
    let mut messages = Heads::new(conn, &check, RowKind::Message, first, mark)?;
    let mut summaries = Heads::new(conn, &check, RowKind::Summary, first, mark)?;
    let mut looker = Looker::new(conn, look, filter.answers)?;
    let mut loader = RowLoader::new(conn, filter.answers)?;
    loop {
        let next = match (messages.peek()?, summaries.peek()?) {
            (None, None) => return Ok(()),
            (Some(message), Some(summary)) if message < summary => summaries.next()?,
            (Some(_), _) => messages.next()?,
            (None, Some(_)) => summaries.next()?,
        };
        let Some(head) = next else {
            return Ok(());
        };
        if !looker.takes(&head)? {
            continue;
        }
        if visit(loader.row(item(head.kind, head.id))?).is_break() {
            return Ok(());
        }
    }
}
