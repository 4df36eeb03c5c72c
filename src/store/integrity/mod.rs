//! What `doctor` finds. Owns one check for each invariant, on a real store.
//! May not write, repair or stop at a damage: each check stands alone.

pub(super) mod branch;
mod calls;
mod chain;
mod clears;
pub(super) mod file;
mod index;
pub(super) mod ledger;
pub(super) mod marks;
mod measure;
mod pins;
mod recounts;
mod tree;

use rusqlite::{Connection, OptionalExtension};

use super::error::StoreError;
use super::reader::Reader;
use crate::domain::Check;

/// How much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thoroughness {
    /// No body, no hash, no word of the index: seconds on a large store.
    Quick,
    /// Everything.
    Full,
}

/// What a check came to.
enum Finding {
    /// What was counted.
    Sound(String),
    /// The first damage, with ids.
    Damaged(String),
}

type Found = Result<Finding, StoreError>;

/// A check by its name.
type Named = (&'static str, fn(&Connection, Thoroughness) -> Found);

/// The checks, the file itself first.
const CHECKS: [Named; 20] = [
    ("sqlite", file::sqlite),
    ("foreign_keys", file::foreign_keys),
    ("triggers", file::triggers),
    ("sequence", file::sequence),
    ("lineage", branch::lineage),
    ("pointers", branch::pointers),
    ("keys", branch::keys),
    ("parts", ledger::parts),
    ("counters", ledger::counters),
    ("clears", clears::clears),
    ("recounts", recounts::recounts),
    ("provenance", file::provenance),
    ("partition", tree::partition),
    ("tree", tree::tree),
    ("pins", pins::pins),
    ("calls", calls::calls),
    ("measurements", measure::measurements),
    ("chain", chain::chain),
    ("index", index::index),
    ("time_runs", index::time_runs),
];

impl Reader {
    /// Checks the invariants one by one, all on the same moment of the store. A check that cannot
    /// be made has found damage.
    ///
    /// # Errors
    /// `Busy` or `Database` if not even a read can begin.
    pub fn integrity(&self, thoroughness: Thoroughness) -> Result<Vec<Check>, StoreError> {
        self.one_state(|| {
            wake_index(self.conn());
            let made = CHECKS
                .iter()
                .map(|(name, check)| finding(name, check(self.conn(), thoroughness)));
            Ok(made.collect())
        })
    }
}

/// Asks both tables of words a question. FTS5 notices only in a query that another connection has
/// merged segments; its integrity check would look for those that are gone.
fn wake_index(conn: &Connection) {
    for sql in [
        "SELECT rowid FROM search_index WHERE search_index MATCH 'a' LIMIT 1",
        "SELECT rowid FROM search_piece WHERE search_piece MATCH 'a' LIMIT 1",
    ] {
        // A table that cannot be asked is what the checks will find.
        let _ = conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    }
}

fn finding(name: &str, found: Found) -> Check {
    let (is_ok, detail) = match found {
        Ok(Finding::Sound(detail)) => (true, detail),
        Ok(Finding::Damaged(detail)) => (false, detail),
        Err(error) => (false, format!("could not be checked: {}", chain_of(&error))),
    };
    Check {
        name: name.to_owned(),
        is_ok,
        detail,
    }
}

/// Writes an error with what lies behind it.
fn chain_of(error: &StoreError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(behind) = source {
        text.push_str(": ");
        text.push_str(&behind.to_string());
        source = behind.source();
    }
    text
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "every check ends in this or in `sound`"
)]
fn damaged(detail: impl Into<String>) -> Found {
    Ok(Finding::Damaged(detail.into()))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "every check ends in this or in `damaged`"
)]
fn sound(detail: impl Into<String>) -> Found {
    Ok(Finding::Sound(detail.into()))
}

/// Returns the one id that the statement selects, if any.
fn one(conn: &Connection, sql: &str) -> Result<Option<i64>, StoreError> {
    Ok(conn.query_row(sql, [], |row| row.get(0)).optional()?)
}

/// Returns the two ids that the statement selects, if any.
fn pair(conn: &Connection, sql: &str) -> Result<Option<(i64, i64)>, StoreError> {
    Ok(conn
        .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

/// Returns the ids of all conversations, in order.
pub(super) fn conversations(conn: &Connection) -> Result<Vec<i64>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT id FROM conversation ORDER BY id")?;
    let ids = statement.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}
