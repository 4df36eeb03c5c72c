//! Breakers. Owns the durable state of a completer's failures and spending.
//! May not decide when one opens.

use rusqlite::{Connection, Row, params};

use super::error::StoreError;
use super::op::BreakerOutcome;
use super::row::{column, to_time};
use crate::domain::{Breaker, BreakerChange, Timestamp};

/// Writes a breaker's new state, if the stored one is still what it was decided from.
pub(super) fn change(
    conn: &Connection,
    change: &BreakerChange,
) -> Result<BreakerOutcome, StoreError> {
    if breaker(conn, &change.after.name)? != change.before {
        return Ok(BreakerOutcome::Stale);
    }
    save(conn, &change.after)?;
    Ok(BreakerOutcome::Applied)
}

fn save(conn: &Connection, breaker: &Breaker) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO breaker (name, failures, open_until, next_open_millis, window_start, calls)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (name) DO UPDATE
         SET failures = excluded.failures, open_until = excluded.open_until,
             next_open_millis = excluded.next_open_millis, window_start = excluded.window_start,
             calls = excluded.calls",
    )?
    .execute(params![
        breaker.name,
        breaker.failures,
        breaker.open_until.map(Timestamp::millis),
        breaker.next_open_millis,
        breaker.window_start.map(Timestamp::millis),
        breaker.calls
    ])?;
    Ok(())
}

/// Reads a breaker's state.
pub(super) fn breaker(conn: &Connection, name: &str) -> Result<Option<Breaker>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT name, failures, open_until, next_open_millis, window_start, calls
         FROM breaker WHERE name = ?1",
    )?;
    let mut rows = statement.query([name])?;
    rows.next()?.map(decode).transpose()
}

/// Reads every breaker's state.
pub(super) fn breakers(conn: &Connection) -> Result<Vec<Breaker>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT name, failures, open_until, next_open_millis, window_start, calls
         FROM breaker ORDER BY name",
    )?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(decode(row)?);
    }
    Ok(found)
}

fn decode(row: &Row<'_>) -> Result<Breaker, StoreError> {
    Ok(Breaker {
        name: column(row, 0)?,
        failures: column(row, 1)?,
        open_until: to_time(column(row, 2)?),
        next_open_millis: column(row, 3)?,
        window_start: to_time(column(row, 4)?),
        calls: column(row, 5)?,
    })
}
