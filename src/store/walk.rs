//! The walk. Owns how the tree follows from spans and depths: the deepest row that starts here,
//! the newest generation of it, then on from its end.
//! May not read bodies, but for the question whether one is there.

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::lineage::{Ancestor, Lineage};
use super::row::{SummaryRow, summary, summary_columns, to_sql};
use crate::domain::{Health, Span};

/// Which rows a walk may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The last message a row may cover.
    pub last: i64,
    /// The greatest id.
    pub max_id: i64,
    /// Rows of smaller depth only.
    pub below: i64,
}

impl Bounds {
    /// All rows up to `last`.
    pub(super) const fn all(last: i64) -> Self {
        Self {
            last,
            max_id: i64::MAX,
            below: i64::MAX,
        }
    }

    /// Rows that views may use.
    pub(super) const fn live(last: i64, live_id: i64) -> Self {
        Self {
            last,
            max_id: live_id,
            below: i64::MAX,
        }
    }

    /// What a row stands above: rows inside its span, of smaller depth and smaller id.
    pub(super) fn children(row: &SummaryRow) -> Self {
        Self {
            last: last(row),
            max_id: row.id - 1,
            below: i64::from(row.depth),
        }
    }

    /// What a repair of a row would stand above now.
    pub(super) fn inside(span: Span, depth: u32) -> Self {
        Self {
            last: to_sql(span.last().get()),
            max_id: i64::MAX,
            below: i64::from(depth),
        }
    }

    /// Narrows the bounds to what is seen of one ancestor.
    fn of(self, ancestor: &Ancestor) -> Self {
        Self {
            last: self.last.min(ancestor.max_seq),
            max_id: self.max_id.min(ancestor.max_id),
            below: self.below,
        }
    }
}

/// Returns where a row starts.
pub(super) fn first(row: &SummaryRow) -> i64 {
    to_sql(row.span.first().get())
}

/// Returns where a row ends.
pub(super) fn last(row: &SummaryRow) -> i64 {
    to_sql(row.span.last().get())
}

const STARTING_HERE: &str = concat!(
    "SELECT ",
    summary_columns!(),
    " FROM summary AS s
     WHERE s.conversation_id = ?1 AND s.first_seq = ?2 AND s.last_seq BETWEEN s.first_seq AND ?3
       AND s.id <= ?4 AND s.depth < ?5
     ORDER BY s.depth DESC, s.generation DESC"
);

/// Returns the order of preference among rows that start at one place.
fn preference(row: &SummaryRow) -> (u32, u32, i64) {
    (row.depth, row.generation, row.id)
}

/// How many of the rows that start at one place are read of each conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Take {
    /// The preferred one that can be read.
    First,
    /// All that can be read.
    All,
}

/// Reads rows that start at `seq` along the lineage, of each conversation in order of preference.
fn starting_at(
    conn: &Connection,
    lineage: &Lineage,
    seq: i64,
    bounds: Bounds,
    take: Take,
) -> Result<Vec<SummaryRow>, StoreError> {
    let mut found = Vec::new();
    let mut statement = conn.prepare_cached(STARTING_HERE)?;
    for ancestor in lineage.ancestors() {
        let seen = bounds.of(ancestor);
        let mut rows = statement.query(params![
            ancestor.id,
            seq,
            seen.last,
            seen.max_id,
            seen.below
        ])?;
        while let Some(row) = rows.next()? {
            let read = summary(row)?;
            let is_last = take == Take::First && read.is_some();
            found.extend(read);
            if is_last {
                break;
            }
        }
    }
    Ok(found)
}

/// Returns the row that the walk takes at `seq`.
pub(super) fn deepest(
    conn: &Connection,
    lineage: &Lineage,
    seq: i64,
    bounds: Bounds,
) -> Result<Option<SummaryRow>, StoreError> {
    let found = starting_at(conn, lineage, seq, bounds, Take::First)?;
    Ok(found.into_iter().max_by_key(preference))
}

/// Returns all rows that start at `seq`, in the order in which views try them.
pub(super) fn candidates(
    conn: &Connection,
    lineage: &Lineage,
    seq: i64,
    bounds: Bounds,
) -> Result<Vec<SummaryRow>, StoreError> {
    let mut found = starting_at(conn, lineage, seq, bounds, Take::All)?;
    found.sort_by_key(|row| std::cmp::Reverse(preference(row)));
    Ok(found)
}

/// Walks from `seq` until no row starts where the last one ended.
pub(super) fn walk(
    conn: &Connection,
    lineage: &Lineage,
    mut seq: i64,
    bounds: Bounds,
) -> Result<Vec<SummaryRow>, StoreError> {
    let mut nodes = Vec::new();
    while seq <= bounds.last
        && let Some(row) = deepest(conn, lineage, seq, bounds)?
    {
        seq = last(&row) + 1;
        nodes.push(row);
    }
    Ok(nodes)
}

/// Returns the first place after `seq` where any row starts.
pub(super) fn next_start(
    conn: &Connection,
    lineage: &Lineage,
    seq: i64,
    bounds: Bounds,
) -> Result<Option<i64>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT min(first_seq) FROM summary
         WHERE conversation_id = ?1 AND first_seq > ?2 AND first_seq <= ?3
           AND last_seq <= ?3 AND id <= ?4 AND depth < ?5",
    )?;
    let mut next: Option<i64> = None;
    for ancestor in lineage.ancestors() {
        let seen = bounds.of(ancestor);
        let found: Option<i64> = statement.query_row(
            params![ancestor.id, seq, seen.last, seen.max_id, seen.below],
            |row| row.get(0),
        )?;
        next = super::fork::least(next, found);
    }
    Ok(next)
}

/// Judges rows of one branch.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    conn: &'a Connection,
    lineage: &'a Lineage,
    /// Whether the branch sees any repair: only a repair makes the row above it stale.
    sees_repairs: bool,
}

impl<'a> Judge<'a> {
    /// Looks whether there is anything to be stale from.
    pub(super) fn new(conn: &'a Connection, lineage: &'a Lineage) -> Result<Self, StoreError> {
        let mut statement = conn.prepare_cached(
            "SELECT EXISTS (
               SELECT 1 FROM summary INDEXED BY summary_repair
               WHERE generation > 0 AND conversation_id = ?1)",
        )?;
        let mut sees_repairs = false;
        for ancestor in lineage.ancestors() {
            sees_repairs |= statement.query_row([ancestor.id], |row| row.get::<_, bool>(0))?;
        }
        Ok(Self {
            conn,
            lineage,
            sees_repairs,
        })
    }

    /// Says whether a row can be trusted.
    pub(super) fn health(&self, row: &SummaryRow) -> Result<Health, StoreError> {
        if self.is_broken(row)? {
            Ok(Health::Broken)
        } else if self.sees_repairs && self.is_stale(row)? {
            Ok(Health::Stale)
        } else {
            Ok(Health::Sound)
        }
    }

    fn is_broken(&self, row: &SummaryRow) -> Result<bool, StoreError> {
        if !row.has_body || row.tokens == 0 || row.origin.is_none() {
            return Ok(true);
        }
        if row.depth == 0 {
            return Ok(false);
        }
        // An inherited row has the same children here as on its own branch: they are older than it
        // and end no later, so that no bound cuts them off, and rows of this branch are newer.
        let inside = walk(self.conn, self.lineage, first(row), Bounds::children(row))?;
        let deepest = inside.iter().map(|child| child.depth).max();
        let is_sound = inside.len() >= 2
            && inside.last().map(last) == Some(last(row))
            && deepest.and_then(|depth| depth.checked_add(1)) == Some(row.depth);
        Ok(!is_sound)
    }

    fn is_stale(&self, row: &SummaryRow) -> Result<bool, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT EXISTS (
               SELECT 1 FROM summary INDEXED BY summary_repair
               WHERE generation > 0 AND conversation_id = ?1 AND first_seq BETWEEN ?2 AND ?3
                 AND last_seq <= ?3 AND depth < ?4 AND id > ?5 AND id <= ?6)",
        )?;
        for ancestor in self.lineage.ancestors() {
            let is_newer_inside: bool = statement.query_row(
                params![
                    ancestor.id,
                    first(row),
                    last(row).min(ancestor.max_seq),
                    row.depth,
                    row.id,
                    ancestor.max_id
                ],
                |found| found.get(0),
            )?;
            if is_newer_inside {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
