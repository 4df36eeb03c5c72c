//! Leases. Owns who may pay for a summary; a lease that ran out is free.
//! May not read a clock: the request says what time it is.

use rusqlite::{Connection, OptionalExtension, params};

use super::check::check;
use super::error::StoreError;
use super::frontier::counters;
use super::lineage::Lineage;
use super::op::LeaseOutcome;
use crate::domain::{LeaseRequest, Timestamp};

/// Gives the unit to the holder unless another one has it, or has written it already.
pub(super) fn lease(conn: &Connection, request: &LeaseRequest) -> Result<LeaseOutcome, StoreError> {
    let conversation = request.plan.conversation().get();
    let counters = counters(conn, conversation)?;
    let lineage = Lineage::load(conn, conversation)?;
    if check(conn, &lineage, &counters, &request.plan)?.is_none() {
        return Ok(LeaseOutcome::Stale);
    }
    let taken: Option<i64> = conn
        .prepare_cached(
            "INSERT INTO lease (unit, holder, until) VALUES (?1, ?2, ?3)
             ON CONFLICT (unit) DO UPDATE SET holder = excluded.holder, until = excluded.until
             WHERE holder = excluded.holder OR until <= ?4
             RETURNING until",
        )?
        .query_row(
            params![
                request.unit,
                request.holder,
                request.until.millis(),
                request.now.millis()
            ],
            |row| row.get(0),
        )
        .optional()?;
    if taken.is_some() {
        return Ok(LeaseOutcome::Granted);
    }
    let until: i64 = conn
        .prepare_cached("SELECT until FROM lease WHERE unit = ?1")?
        .query_row([&request.unit], |row| row.get(0))?;
    Ok(LeaseOutcome::Held(Timestamp::from_millis(until)))
}

/// Gives a unit back, if the holder has it.
pub(super) fn release(conn: &Connection, unit: &str, holder: &str) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM lease WHERE unit = ?1 AND holder = ?2")?
        .execute([unit, holder])?;
    Ok(())
}
