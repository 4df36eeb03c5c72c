//! Runs of ids with the times of their rows: they turn a time filter into ranges of ids.
//! May not decide alone: a run says where rows of a time may be, each row is then compared itself.

use rusqlite::{Connection, OptionalExtension, params};

use crate::domain::{TimeRange, Timestamp};
use crate::store::error::StoreError;
use crate::store::ids::{IdRange, RowKind};

/// Ids of one run at most. Smaller runs name fewer rows in vain, larger ones make a smaller table.
const RUN_IDS: i64 = 256;

const LAST_RUN: &str = "SELECT first_id, last_id, min_at, max_at, from_at, to_at \
     FROM time_run ORDER BY first_id DESC LIMIT 1";
const PUT_RUN: &str = "INSERT INTO time_run (first_id, last_id, min_at, max_at, from_at, to_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (first_id) DO UPDATE SET last_id = excluded.last_id, min_at = excluded.min_at, \
     max_at = excluded.max_at, from_at = excluded.from_at, to_at = excluded.to_at";
const RUNS_OF_MESSAGES: &str = "SELECT first_id, last_id FROM time_run \
     WHERE max_at >= ?1 AND min_at < ?2 ORDER BY first_id DESC";
const RUNS_OF_SUMMARIES: &str = "SELECT first_id, last_id FROM time_run \
     WHERE to_at >= ?1 AND from_at < ?2 ORDER BY first_id DESC";
/// By time, where that leaves fewer runs to be looked at than the ids do, and by ids.
const MESSAGES_LATER: &str = "SELECT first_id, last_id, max_at FROM time_run \
     WHERE max_at > ?1 AND +first_id <= ?3 AND last_id >= ?2 ORDER BY max_at DESC LIMIT ?4";
const MESSAGES_LATER_BY_ID: &str = "SELECT first_id, last_id, max_at FROM time_run \
     WHERE +max_at > ?1 AND first_id <= ?3 AND last_id >= ?2 ORDER BY +max_at DESC LIMIT ?4";
const SUMMARIES_LATER: &str = "SELECT first_id, last_id, to_at FROM time_run \
     WHERE to_at > ?1 AND +first_id <= ?3 AND last_id >= ?2 ORDER BY to_at DESC LIMIT ?4";
const SUMMARIES_LATER_BY_ID: &str = "SELECT first_id, last_id, to_at FROM time_run \
     WHERE +to_at > ?1 AND first_id <= ?3 AND last_id >= ?2 ORDER BY +to_at DESC LIMIT ?4";

/// An indexed row with its times; a message has one, twice.
pub(super) struct IndexedRow {
    pub(super) id: i64,
    pub(super) kind: RowKind,
    pub(super) from: Option<i64>,
    pub(super) to: Option<i64>,
}

/// A run as stored.
struct Run {
    first: i64,
    last: i64,
    messages: Option<(i64, i64)>,
    summaries: Option<(i64, i64)>,
}

impl Run {
    fn after(last: i64) -> Self {
        Self {
            first: last + 1,
            last: last + 1,
            messages: None,
            summaries: None,
        }
    }

    fn take(&mut self, row: &IndexedRow) {
        self.last = row.id;
        let times = match row.kind {
            RowKind::Message => &mut self.messages,
            RowKind::Summary => &mut self.summaries,
        };
        if let (Some(from), Some(to)) = (row.from, row.to) {
            let (least, most) = times.unwrap_or((from, to));
            *times = Some((least.min(from), most.max(to)));
        }
    }
}

/// Takes rows, in order of ids, into the last run or new ones, so that runs cover `above+1..=to`.
pub(super) fn extend(
    conn: &Connection,
    above: i64,
    to: i64,
    rows: &[IndexedRow],
) -> Result<(), StoreError> {
    let mut run = last_run(conn)?.unwrap_or_else(|| Run::after(above));
    for row in rows {
        if row.id - run.first >= RUN_IDS {
            put(conn, &run)?;
            run = Run::after(run.last);
        }
        run.take(row);
    }
    run.last = to;
    put(conn, &run)
}

fn last_run(conn: &Connection) -> Result<Option<Run>, StoreError> {
    let mut statement = conn.prepare_cached(LAST_RUN)?;
    let run = statement.query_row([], |row| {
        let pair = |from: Option<i64>, to: Option<i64>| from.zip(to);
        Ok(Run {
            first: row.get(0)?,
            last: row.get(1)?,
            messages: pair(row.get(2)?, row.get(3)?),
            summaries: pair(row.get(4)?, row.get(5)?),
        })
    });
    Ok(run.optional()?)
}

fn put(conn: &Connection, run: &Run) -> Result<(), StoreError> {
    let (min_at, max_at) = run.messages.unzip();
    let (from_at, to_at) = run.summaries.unzip();
    conn.prepare_cached(PUT_RUN)?
        .execute(params![run.first, run.last, min_at, max_at, from_at, to_at])?;
    Ok(())
}

/// Returns the runs that may hold messages of a time, newest first.
pub(in crate::store) fn runs_of_messages(
    conn: &Connection,
    time: TimeRange,
) -> Result<Vec<IdRange>, StoreError> {
    runs(conn, RUNS_OF_MESSAGES, time)
}

/// Returns the runs that may hold summaries of a time, newest first.
pub(in crate::store) fn runs_of_summaries(
    conn: &Connection,
    time: TimeRange,
) -> Result<Vec<IdRange>, StoreError> {
    runs(conn, RUNS_OF_SUMMARIES, time)
}

fn runs(conn: &Connection, sql: &str, time: TimeRange) -> Result<Vec<IdRange>, StoreError> {
    let since = time.since.map_or(i64::MIN, Timestamp::millis);
    // An open end takes in the last moment too.
    let before = time.before.map_or(i64::MAX, Timestamp::millis);
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([since, before], |row| {
        Ok(IdRange {
            first: row.get(0)?,
            last: row.get(1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the runs among `within` that may hold rows said after a moment, the latest first, each
/// with its latest time; one more than `most` where there are more.
pub(in crate::store) fn runs_later_than(
    conn: &Connection,
    kind: RowKind,
    after: i64,
    within: IdRange,
    mark: i64,
    most: usize,
) -> Result<Vec<(IdRange, i64)>, StoreError> {
    let is_old = within.last < mark / 2;
    let sql = match (kind, is_old) {
        (RowKind::Message, false) => MESSAGES_LATER,
        (RowKind::Message, true) => MESSAGES_LATER_BY_ID,
        (RowKind::Summary, false) => SUMMARIES_LATER,
        (RowKind::Summary, true) => SUMMARIES_LATER_BY_ID,
    };
    let most = i64::try_from(most.saturating_add(1)).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(params![after, within.first, within.last, most], |row| {
        let range = IdRange {
            first: row.get(0)?,
            last: row.get(1)?,
        };
        Ok((range, row.get(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
