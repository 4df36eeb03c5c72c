//! Calls of models: each event of one says which model, what came of it and what was replaced.

use rusqlite::{Connection, OptionalExtension};

use super::{Found, Thoroughness, damaged, sound};
use crate::store::event::to_counts;

const WITHOUT: &str = "SELECT id FROM event WHERE kind = 'call' \
     AND (model IS NULL OR reason IS NULL OR redactions IS NULL OR first_seq IS NULL \
       OR (input_tokens IS NULL) <> (output_tokens IS NULL)) LIMIT 1";
const STRAY: &str = "SELECT id FROM event WHERE kind <> 'call' \
     AND (input_tokens IS NOT NULL OR redactions IS NOT NULL) LIMIT 1";
const REDACTIONS: &str =
    "SELECT id, redactions FROM event WHERE kind = 'call' AND redactions <> '{}' ORDER BY id";
const COUNT: &str = "SELECT COUNT(*) FROM event WHERE kind = 'call'";

/// Every call is whole, and no other event has what only calls have.
pub(super) fn calls(conn: &Connection, _: Thoroughness) -> Found {
    let first = |sql: &str| {
        conn.query_row(sql, [], |row| row.get::<_, i64>(0))
            .optional()
    };
    if let Some(id) = first(WITHOUT)? {
        return damaged(format!("event {id} is a call that does not say all of it"));
    }
    if let Some(id) = first(STRAY)? {
        return damaged(format!("event {id} is no call and holds what one cost"));
    }
    let mut statement = conn.prepare_cached(REDACTIONS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, text): (i64, String) = (row.get(0)?, row.get(1)?);
        if to_counts(&text).is_err() {
            return damaged(format!("the redactions of event {id} are no counts"));
        }
    }
    let count: i64 = conn.query_row(COUNT, [], |row| row.get(0))?;
    sound(format!("calls of models: {count}"))
}
