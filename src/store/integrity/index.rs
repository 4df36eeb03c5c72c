//! The search index: every row up to the mark is in it once, whole, and in a run of times.

use std::collections::HashMap;

use rusqlite::{Connection, Row};

use super::{Found, Thoroughness, damaged, sound};
use crate::store::error::StoreError;
use crate::store::index::{MarkRow, Words, averages, read_mark, varint};

const CHECK_ROWS: &str = "PRAGMA integrity_check('search_index')";
const CHECK_PIECES: &str = "PRAGMA integrity_check('search_piece')";
const MESSAGE_TIMES: &str = "SELECT id, at, at FROM message WHERE id <= ?1 ORDER BY id";
const SUMMARY_TIMES: &str = "SELECT id, from_at, to_at FROM summary WHERE id <= ?1 ORDER BY id";
const INDEXED_ROWS: &str = "SELECT id, sz FROM search_index_docsize";
const INDEXED_PIECES: &str = "SELECT id, sz FROM search_piece_docsize";
const PIECES: &str =
    "SELECT id, row_id, ordinal, n_pieces FROM index_piece ORDER BY row_id, ordinal";
const TOKENS_OF_ROWS: &str = "SELECT doc FROM search_instance WHERE col = 'tokens'";
const FACETS_OF_ROWS: &str = "SELECT doc FROM search_instance WHERE col = 'facet'";
const TOKENS_OF_PIECES: &str = "SELECT doc FROM search_piece_instance";
const RUNS: &str = "SELECT first_id, last_id, min_at, max_at, from_at, to_at FROM time_run \
     ORDER BY first_id";

/// What FTS5 says of itself, and our own count: a contentless index that has lost a row passes its
/// own check.
pub(super) fn index(conn: &Connection, thoroughness: Thoroughness) -> Found {
    for sql in [CHECK_ROWS, CHECK_PIECES] {
        let first: String = conn.query_row(sql, [], |row| row.get(0))?;
        if first != "ok" {
            return damaged(first.replace('\n', " "));
        }
    }
    let stored = read_mark(conn)?;
    let rows = sizes(conn, INDEXED_ROWS)?;
    let pieces = sizes(conn, INDEXED_PIECES)?;
    let large = match large_rows(conn, stored, &pieces)? {
        Ok(large) => large,
        Err(detail) => return damaged(detail),
    };
    if let Some(detail) = missing_row(conn, stored, &rows, &large)? {
        return damaged(detail);
    }
    let said = averages(conn, Words::Rows)?;
    let counted: u64 = rows.values().sum();
    if (said.rows, said.tokens) != (rows.len() as u64, counted) || said.rows != stored.n_rows {
        return damaged(format!(
            "the index says {} rows and {} tokens, its state {} rows, a count gives {} and {counted}",
            said.rows,
            said.tokens,
            stored.n_rows,
            rows.len()
        ));
    }
    if thoroughness == Thoroughness::Full {
        let one_facet = rows.keys().map(|id| (*id, 1)).collect();
        for (sql, sizes, what) in [
            (TOKENS_OF_ROWS, &rows, "row"),
            (FACETS_OF_ROWS, &one_facet, "the facet of row"),
            (TOKENS_OF_PIECES, &pieces, "piece"),
        ] {
            if let Some(detail) = other_tokens(conn, sql, sizes, what)? {
                return damaged(detail);
            }
        }
    }
    sound(format!(
        "rows: {}, up to row {}; in pieces: {}",
        rows.len() + large.len(),
        stored.mark.id,
        large.len()
    ))
}

/// Reads the number of tokens of each indexed row.
fn sizes(conn: &Connection, sql: &str) -> Result<HashMap<i64, u64>, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut sizes = HashMap::new();
    while let Some(row) = rows.next()? {
        let size = varint(row.get_ref(1)?.as_blob().unwrap_or_default());
        sizes.insert(row.get(0)?, size.map_or(0, |(size, _)| size));
    }
    Ok(sizes)
}

/// Returns how many pieces each large row has, or the first one that is incomplete.
fn large_rows(
    conn: &Connection,
    stored: MarkRow,
    pieces: &HashMap<i64, u64>,
) -> Result<Result<HashMap<i64, i64>, String>, StoreError> {
    let mut found: HashMap<i64, i64> = HashMap::new();
    let mut wanted: HashMap<i64, i64> = HashMap::new();
    let mut statement = conn.prepare_cached(PIECES)?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let (piece, of): (i64, i64) = (row.get(0)?, row.get(1)?);
        if !pieces.contains_key(&piece) {
            return Ok(Err(format!(
                "piece {piece} of row {of} is not in the index"
            )));
        }
        *found.entry(of).or_default() += 1;
        wanted.insert(of, row.get(3)?);
        count += 1;
    }
    if pieces.len() != count {
        return Ok(Err(format!(
            "the index holds {} pieces, {count} of them of a row",
            pieces.len()
        )));
    }
    for (row, count) in &found {
        // The row after the mark may be in the making.
        if *row <= stored.mark.id && wanted.get(row) != Some(count) {
            return Ok(Err(format!(
                "row {row} has {count} pieces and should have more"
            )));
        }
    }
    Ok(Ok(found))
}

/// Finds a row up to the mark that is not indexed, or an indexed one that is no row.
fn missing_row(
    conn: &Connection,
    stored: MarkRow,
    rows: &HashMap<i64, u64>,
    large: &HashMap<i64, i64>,
) -> Result<Option<String>, StoreError> {
    let mut n_rows = 0;
    for (sql, kind) in [(MESSAGE_TIMES, "message"), (SUMMARY_TIMES, "summary")] {
        let mut statement = conn.prepare_cached(sql)?;
        let mut ids = statement.query([stored.mark.id])?;
        while let Some(row) = ids.next()? {
            let id: i64 = row.get(0)?;
            match (rows.contains_key(&id), large.contains_key(&id)) {
                (false, false) => {
                    return Ok(Some(format!("{kind} {id} is not in the index")));
                }
                (true, true) => {
                    return Ok(Some(format!(
                        "{kind} {id} is in the index whole and in pieces"
                    )));
                }
                (true, false) => n_rows += 1,
                (false, true) => {}
            }
        }
    }
    if rows.len() == n_rows {
        return Ok(None);
    }
    let above = rows.keys().find(|id| **id > stored.mark.id);
    Ok(Some(match above {
        Some(id) => format!("row {id} is in the index, whose mark is {}", stored.mark.id),
        None => format!(
            "the index holds {} rows, {n_rows} of them exist",
            rows.len()
        ),
    }))
}

/// Counts the tokens that the index holds of each row: one indexed twice has more than its size
/// says, one whose words were lost has fewer.
fn other_tokens(
    conn: &Connection,
    sql: &str,
    sizes: &HashMap<i64, u64>,
    what: &str,
) -> Result<Option<String>, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut counted: HashMap<i64, u64> = HashMap::new();
    while let Some(row) = rows.next()? {
        *counted.entry(row.get(0)?).or_default() += 1;
    }
    let mut all: Vec<i64> = sizes.keys().chain(counted.keys()).copied().collect();
    all.sort_unstable();
    for id in all {
        let size = sizes.get(&id).copied().unwrap_or(0);
        let count = counted.get(&id).copied().unwrap_or(0);
        if size != count {
            return Ok(Some(format!(
                "{what} {id} was indexed with {size} tokens, the index holds {count} of it"
            )));
        }
    }
    Ok(None)
}

/// A run of ids as stored.
struct Run {
    first: i64,
    last: i64,
    messages: (Option<i64>, Option<i64>),
    summaries: (Option<i64>, Option<i64>),
}

impl Run {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            first: row.get(0)?,
            last: row.get(1)?,
            messages: (row.get(2)?, row.get(3)?),
            summaries: (row.get(4)?, row.get(5)?),
        })
    }
}

/// Every indexed row lies in a run, and its times within the run's.
pub(super) fn time_runs(conn: &Connection, _: Thoroughness) -> Found {
    let mark = read_mark(conn)?.mark.id;
    let mut statement = conn.prepare_cached(RUNS)?;
    let runs: Vec<Run> = statement
        .query_map([], Run::read)?
        .collect::<Result<_, _>>()?;
    let mut end = 0;
    for run in &runs {
        if run.first != end + 1 || run.last < run.first {
            return damaged(format!(
                "run {}-{} does not follow the one that ends at {end}",
                run.first, run.last
            ));
        }
        end = run.last;
    }
    if end != mark {
        return damaged(format!("runs end at {end}, the mark is {mark}"));
    }
    for (sql, kind) in [(MESSAGE_TIMES, "message"), (SUMMARY_TIMES, "summary")] {
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query([mark])?;
        let mut at = runs.iter().peekable();
        while let Some(row) = rows.next()? {
            let (id, from, to): (i64, Option<i64>, Option<i64>) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            while at.next_if(|run| run.last < id).is_some() {}
            let bounds = at.peek().map(|run| match kind {
                "message" => run.messages,
                _ => run.summaries,
            });
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            let is_within =
                matches!(bounds, Some((Some(least), Some(most))) if least <= from && to <= most);
            if !is_within {
                return damaged(format!("the times of {kind} {id} are not those of its run"));
            }
        }
    }
    sound(format!("runs: {}, up to row {mark}", runs.len()))
}
