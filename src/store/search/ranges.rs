//! A question's filters as ranges of ids. Owns what may be left unread.
//! May not leave out a row that passes: ranges hold at least those.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension};

use crate::store::error::StoreError;
use crate::store::ids::{IdRange, RowKind, coarsen, meet};
use crate::store::index::{runs_of_messages, runs_of_summaries};

use super::check::{Branch, Check};

/// Ranges of one question at most: each costs a start of the index's cursor, and a common word's
/// score walks its whole list at each start.
const RANGES: usize = 8;

const FIRST_MESSAGE: &str =
    "SELECT id FROM message WHERE conversation_id = ?1 ORDER BY seq LIMIT 1";
const LAST_MESSAGE: &str =
    "SELECT id FROM message WHERE conversation_id = ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT 1";

/// Returns the ids, `first` and above, that rows passing the filters may have, newest first. Runs
/// of times are known up to `mark`.
pub(super) fn ranges(
    conn: &Connection,
    check: &Check,
    kind: RowKind,
    first: i64,
    mark: i64,
) -> Result<Vec<IdRange>, StoreError> {
    let mut ranges = vec![IdRange {
        first,
        last: i64::MAX,
    }];
    if let Some(branch) = &check.branch {
        ranges = meet(&ranges, &of_branch(conn, branch, kind)?);
    }
    if let Some(within) = &check.within {
        ranges = meet(&ranges, &of_conversations(conn, within, kind)?);
    }
    if !check.time.is_open() {
        let mut runs = vec![IdRange {
            first: mark.saturating_add(1),
            last: i64::MAX,
        }];
        runs.extend(match kind {
            RowKind::Message => runs_of_messages(conn, check.time)?,
            RowKind::Summary => runs_of_summaries(conn, check.time)?,
        });
        ranges = meet(&ranges, &runs);
    }
    Ok(coarsen(&ranges, RANGES))
}

/// Where the own rows of conversations lie, newest first.
fn of_conversations(
    conn: &Connection,
    within: &BTreeSet<i64>,
    kind: RowKind,
) -> Result<Vec<IdRange>, StoreError> {
    let mut found: Vec<IdRange> = Vec::new();
    for conversation in within {
        let first: Option<i64> = conn
            .prepare_cached(FIRST_MESSAGE)?
            .query_row([conversation], |row| row.get(0))
            .optional()?;
        let last: Option<i64> = conn
            .prepare_cached(LAST_MESSAGE)?
            .query_row([*conversation, i64::MAX], |row| row.get(0))
            .optional()?;
        found.extend(first.zip(last).map(|(first, last)| IdRange {
            first,
            last: match kind {
                RowKind::Message => last,
                // A summary comes after the first message of its branch, and may come last of all.
                RowKind::Summary => i64::MAX,
            },
        }));
    }
    Ok(joined(found))
}

/// Puts ranges in order, newest first, those that overlap as one.
fn joined(mut ranges: Vec<IdRange>) -> Vec<IdRange> {
    ranges.sort_unstable_by_key(|range| std::cmp::Reverse(range.last));
    let mut joined: Vec<IdRange> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(newer) if newer.first <= range.last => newer.first = newer.first.min(range.first),
            _ => joined.push(range),
        }
    }
    joined
}

fn of_branch(
    conn: &Connection,
    branch: &Branch,
    kind: RowKind,
) -> Result<Vec<IdRange>, StoreError> {
    let mut ranges = Vec::new();
    for ancestor in branch.lineage.ancestors().iter().rev() {
        let mut statement = conn.prepare_cached(FIRST_MESSAGE)?;
        let first: Option<i64> = statement
            .query_row([ancestor.id], |row| row.get(0))
            .optional()?;
        let mut statement = conn.prepare_cached(LAST_MESSAGE)?;
        let last: Option<i64> = statement
            .query_row([ancestor.id, ancestor.max_seq], |row| row.get(0))
            .optional()?;
        if let (Some(first), Some(last)) = (first, last) {
            ranges.push(IdRange { first, last });
        }
    }
    match kind {
        RowKind::Message => Ok(ranges),
        // A summary comes after the first message of the branch it belongs to.
        RowKind::Summary => Ok(ranges
            .last()
            .map(|oldest| IdRange {
                first: oldest.first,
                last: branch.live_id,
            })
            .into_iter()
            .filter(|range| range.first <= range.last)
            .collect()),
    }
}
