//! Reading for the index: what is to be indexed next, and how far it has come.
//! May not move the mark.

use rusqlite::Connection;

use crate::domain::{Answers, IndexRow, IndexState, ItemId, MessageId, SearchRow, SummaryId};
use crate::store::error::StoreError;
use crate::store::reader::Reader;
use crate::store::row::to_count;
use crate::store::search_row::{Loaded, RowLoader};

use super::mark::{IndexMark, IndexTotals, Words, averages, read_mark};
use super::step::{IndexStep, plan_steps};

const MESSAGES_ABOVE: &str = "SELECT id FROM message WHERE id > ?1 ORDER BY id LIMIT ?2";
const SUMMARIES_ABOVE: &str = "SELECT id FROM summary WHERE id > ?1 ORDER BY id LIMIT ?2";
const COUNT_MESSAGES_ABOVE: &str = "SELECT COUNT(*) FROM message WHERE id > ?1";
const COUNT_SUMMARIES_ABOVE: &str = "SELECT COUNT(*) FROM summary WHERE id > ?1";

/// Rows to be indexed next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexBatch {
    /// The mark they follow.
    pub mark: IndexMark,
    /// The version of the rules they were asked for.
    pub rules: i64,
    /// The rows, in order of ids, whole.
    pub rows: Vec<SearchRow>,
    /// The ids of rows among them that cannot be read.
    pub damaged: Vec<i64>,
}

impl IndexBatch {
    /// Says whether nothing is left to be indexed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.damaged.is_empty()
    }

    /// Deals the tokens of these rows, one entry a row and in the same order, out to short steps.
    #[must_use]
    pub fn steps(&self, rows: Vec<IndexRow>) -> Vec<IndexStep> {
        plan_steps(self.mark, self.rules, rows, &self.damaged)
    }
}

impl Reader {
    /// Returns the rows after the mark, in order of ids: at most `limit_rows`, and no further one
    /// once they hold `limit_bytes`. Empty when there is nothing to do, or when the index was made
    /// by newer rules than `rules`. With older ones it begins from the first row.
    ///
    /// # Errors
    /// What the database says.
    pub fn index_backlog(
        &self,
        rules: i64,
        limit_rows: usize,
        limit_bytes: usize,
    ) -> Result<IndexBatch, StoreError> {
        self.one_state(|| backlog(self.conn(), rules, limit_rows, limit_bytes))
    }

    /// Returns how far the index has come. One made by other rules counts for nothing.
    ///
    /// # Errors
    /// What the database says.
    pub fn index_state(&self, rules: i64) -> Result<IndexState, StoreError> {
        self.one_state(|| {
            let conn = self.conn();
            let stored = read_mark(conn)?;
            let is_current = stored.rules == rules;
            let mark = if is_current { stored.mark.id } else { 0 };
            let messages = count(conn, COUNT_MESSAGES_ABOVE, mark)?;
            let summaries = count(conn, COUNT_SUMMARIES_ABOVE, mark)?;
            Ok(IndexState {
                mark,
                backlog: messages + summaries,
                is_current,
            })
        })
    }

    /// Returns the greatest id that is indexed.
    ///
    /// # Errors
    /// What the database says.
    pub fn index_mark(&self) -> Result<i64, StoreError> {
        Ok(read_mark(self.conn())?.mark.id)
    }

    /// Returns how much the index holds, for ranking.
    ///
    /// # Errors
    /// `Corrupt` if its tables cannot be read.
    pub fn index_totals(&self) -> Result<IndexTotals, StoreError> {
        self.one_state(|| {
            let rows = averages(self.conn(), Words::Rows)?;
            let pieces = averages(self.conn(), Words::Pieces)?;
            Ok(IndexTotals {
                rows: rows.rows + pieces.rows,
                tokens: rows.tokens + pieces.tokens,
            })
        })
    }
}

fn backlog(
    conn: &Connection,
    rules: i64,
    limit_rows: usize,
    limit_bytes: usize,
) -> Result<IndexBatch, StoreError> {
    let stored = read_mark(conn)?;
    let mark = if stored.rules < rules {
        IndexMark::default()
    } else {
        stored.mark
    };
    let mut batch = IndexBatch {
        mark,
        rules,
        rows: Vec::new(),
        damaged: Vec::new(),
    };
    if stored.rules > rules {
        return Ok(batch);
    }
    let mut loader = RowLoader::new(conn, Answers::Unnamed)?;
    let mut bytes = 0;
    for (number, id) in items_above(conn, mark.id, limit_rows)? {
        if bytes >= limit_bytes {
            break;
        }
        let row = match loader.row(id)? {
            Loaded::Row(row) => row,
            Loaded::Damaged => {
                batch.damaged.push(number);
                continue;
            }
        };
        bytes += row
            .parts
            .iter()
            .map(|part| part.body().len())
            .sum::<usize>();
        batch.rows.push(row);
    }
    Ok(batch)
}

/// Returns the next ids of both kinds, in order.
fn items_above(
    conn: &Connection,
    above: i64,
    limit: usize,
) -> Result<Vec<(i64, ItemId)>, StoreError> {
    let mut ids: Vec<(i64, ItemId)> = Vec::new();
    for id in ids_above(conn, MESSAGES_ABOVE, above, limit)? {
        ids.push((id, ItemId::Message(MessageId::new(id))));
    }
    for id in ids_above(conn, SUMMARIES_ABOVE, above, limit)? {
        ids.push((id, ItemId::Summary(SummaryId::new(id))));
    }
    ids.sort_unstable();
    ids.truncate(limit);
    Ok(ids)
}

fn ids_above(
    conn: &Connection,
    sql: &str,
    above: i64,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([above, limit], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn count(conn: &Connection, sql: &str, above: i64) -> Result<u64, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    Ok(to_count(statement.query_row([above], |row| row.get(0))?))
}
