//! The schema. Owns its versions and how a file is brought forward.
//! May not guess: the file says in `user_version` and `application_id` what it is.
//!
//! A runner of our own: the migration crates (`rusqlite_migration` 2.6, `refinery` 0.10) hold
//! rusqlite at 0.40, and all that is needed is this page.

use rusqlite::{Connection, TransactionBehavior};

use super::error::StoreError;

/// Marks a file as ours: `Hipp` in the header's application id.
pub(super) const APPLICATION_ID: i32 = 0x4869_7070;

/// The schema, step by step.
pub(super) const MIGRATIONS: [&str; 11] = [
    include_str!("../../migrations/0001_messages.sql"),
    include_str!("../../migrations/0002_tree.sql"),
    include_str!("../../migrations/0003_search.sql"),
    include_str!("../../migrations/0004_sha256.sql"),
    include_str!("../../migrations/0005_copies.sql"),
    include_str!("../../migrations/0006_moments.sql"),
    include_str!("../../migrations/0007_calls.sql"),
    include_str!("../../migrations/0008_steering.sql"),
    include_str!("../../migrations/0009_clears.sql"),
    include_str!("../../migrations/0010_pins.sql"),
    include_str!("../../migrations/0011_recounts.sql"),
];

/// The schema this library reads and writes.
pub const SCHEMA_VERSION: i64 = 11;

/// Returns the version of the SQLite that is built in.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// Reads the schema version that the file has now.
pub(super) fn version(conn: &Connection) -> Result<i64, StoreError> {
    Ok(conn.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Brings the file forward by the steps it has not had, all or none.
///
/// # Errors
/// `Newer` if another process brought it further than is known here, in the meantime.
pub(super) fn migrate(conn: &mut Connection, steps: &[&str], path: &str) -> Result<(), StoreError> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited for the lock.
    let found = version(&tx)?;
    if found > known {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    let done = usize::try_from(found).unwrap_or(0);
    for step in steps.iter().skip(done) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", known)?;
    tx.commit()?;
    Ok(())
}
