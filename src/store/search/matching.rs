//! Ids of rows that the index proposes, newest first, those that it keeps apart among them.
//! May not read a row.

use std::collections::HashSet;
use std::ops::ControlFlow;

use rusqlite::Connection;

use crate::store::error::StoreError;
use crate::store::ids::IdRange;
use crate::store::index::broken;

use super::find::unread;
use super::match_text::Condition;
use super::pieces;

/// Ids that match, the newest first.
pub(super) const MATCHING_IDS: &str = "SELECT rowid FROM search_index \
     WHERE search_index MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC";

/// Rows that the index has nowhere among the others, newest first.
pub(super) struct Apart {
    /// In pieces.
    pub(super) large: Vec<i64>,
    /// Without words, since they could not be read.
    pub(super) unread: HashSet<i64>,
}

impl Apart {
    /// Reads which there are.
    pub(super) fn load(conn: &Connection, condition: &Condition) -> Result<Self, StoreError> {
        let unread: HashSet<i64> = unread(conn)?.into_iter().map(|(id, _)| id).collect();
        let mut large: Vec<i64> = pieces::matching(conn, condition)?.into_keys().collect();
        large.extend(&unread);
        large.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
        large.dedup();
        Ok(Self { large, unread })
    }
}

/// Where an id comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// From the index, where only rows of the kind were asked for.
    Index,
    /// From those apart, which may be of any kind.
    Apart,
}

/// Calls back with the ids that match within ranges, newest first, those apart among them.
pub(super) fn each(
    conn: &Connection,
    text: &str,
    ranges: &[IdRange],
    apart: &[i64],
    visit: &mut dyn FnMut(i64, Source) -> Result<ControlFlow<()>, StoreError>,
) -> Result<ControlFlow<()>, StoreError> {
    let mut statement = conn.prepare_cached(MATCHING_IDS).map_err(broken)?;
    for range in ranges {
        let is_within = |id: &&i64| (range.first..=range.last).contains(*id);
        let mut apart = apart.iter().filter(is_within).peekable();
        let mut rows = statement
            .query((text, range.first, range.last))
            .map_err(broken)?;
        loop {
            let next: Option<i64> = match rows.next().map_err(broken)? {
                Some(row) => Some(row.get(0).map_err(broken)?),
                None => None,
            };
            while let Some(id) = apart.next_if(|id| next.is_none_or(|next| **id > next)) {
                if visit(*id, Source::Apart)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            let Some(next) = next else { break };
            if visit(next, Source::Index)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}
