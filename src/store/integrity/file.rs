//! The file: pages, references, the triggers that keep rows from changing, the sequence.

use rusqlite::{Connection, OptionalExtension};

use super::{Found, Thoroughness, damaged, one, pair, sound};
use crate::store::migrate::MIGRATIONS;

const TRIGGER: &str = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?1";
const FOREIGN_KEYS: &str = "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 1";
const LAST_ID: &str = "SELECT last_id FROM sequence WHERE one = 1";
const GREATEST_IDS: &str = "SELECT (SELECT MAX(id) FROM message), (SELECT MAX(id) FROM summary), \
     (SELECT MAX(id) FROM event)";
/// An id that two kinds of rows share.
const SHARED_ID: &str = "SELECT id FROM ( \
     SELECT s.id FROM summary AS s JOIN message AS m ON m.id = s.id \
     UNION ALL SELECT e.id FROM event AS e JOIN message AS m ON m.id = e.id \
     UNION ALL SELECT e.id FROM event AS e JOIN summary AS s ON s.id = e.id) LIMIT 1";

const CUT_HASH: &str = "SELECT message_id FROM provenance WHERE sha256 IS NOT NULL \
     AND (typeof(sha256) <> 'blob' OR length(sha256) <> 32) LIMIT 1";
const COUNT_SOURCES: &str =
    "SELECT COUNT(*), COUNT(sha256), (SELECT COUNT(*) FROM copy) FROM provenance";
const LOST_COPY: &str = "SELECT c.message_id, c.source_id FROM copy AS c \
     WHERE NOT EXISTS (SELECT 1 FROM message AS m WHERE m.id = c.message_id) \
     OR NOT EXISTS (SELECT 1 FROM source AS s WHERE s.id = c.source_id) LIMIT 1";

/// Pages, indexes and CHECKs, by `SQLite`'s own account.
pub(super) fn sqlite(conn: &Connection, thoroughness: Thoroughness) -> Found {
    let sql = match thoroughness {
        Thoroughness::Quick => "PRAGMA quick_check(1)",
        Thoroughness::Full => "PRAGMA integrity_check(1)",
    };
    let first: String = conn.query_row(sql, [], |row| row.get(0))?;
    if first == "ok" {
        sound("pages, indexes and constraints hold")
    } else {
        damaged(first.replace('\n', " "))
    }
}

/// Every reference names a row.
pub(super) fn foreign_keys(conn: &Connection, _: Thoroughness) -> Found {
    let first: Option<(String, Option<i64>, String)> = conn
        .query_row(FOREIGN_KEYS, [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    match first {
        None => sound("every reference names a row"),
        Some((table, Some(id), parent)) => {
            damaged(format!("{table} {id} names a {parent} that is not there"))
        }
        Some((table, None, parent)) => damaged(format!(
            "a row of {table} names a {parent} that is not there"
        )),
    }
}

/// A record's hash is whole, and a copy names a message and a file that are there. The files themselves are not read: they may have gone long ago.
pub(super) fn provenance(conn: &Connection, _: Thoroughness) -> Found {
    if let Some(id) = one(conn, CUT_HASH)? {
        return damaged(format!(
            "the hash of message {id}'s record is no SHA-256 of 32 bytes"
        ));
    }
    if let Some((id, source)) = pair(conn, LOST_COPY)? {
        return damaged(format!(
            "a copy of message {id} in file {source} has lost one of the two"
        ));
    }
    let (count, hashed, copies): (i64, i64, i64) = conn.query_row(COUNT_SOURCES, [], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    sound(format!(
        "rows imported: {count}, with their record's hash: {hashed}, copies named: {copies}"
    ))
}

/// The triggers that refuse changes are there, word for word (I3).
pub(super) fn triggers(conn: &Connection, _: Thoroughness) -> Found {
    let mut statement = conn.prepare_cached(TRIGGER)?;
    let mut count = 0;
    for (name, expected) in declared_triggers() {
        let stored: Option<String> = statement.query_row([name], |row| row.get(0)).optional()?;
        match stored {
            None => return damaged(format!("trigger {name} is missing")),
            Some(stored) if stored != expected => {
                return damaged(format!("trigger {name} has another body"));
            }
            Some(_) => count += 1,
        }
    }
    sound(format!("triggers in force: {count}"))
}

/// Returns the triggers of this schema: name and text.
pub(in crate::store) fn declared_triggers() -> impl Iterator<Item = (&'static str, &'static str)> {
    MIGRATIONS.iter().flat_map(|sql| declared(sql))
}

/// Finds the triggers that a migration declares: name and text, as the schema keeps it.
fn declared(migration: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    let mut rest = migration;
    while let Some((_, from)) = rest.split_once("CREATE TRIGGER ") {
        let name = from.split_whitespace().next().unwrap_or_default();
        let Some(length) = from.find("END;") else {
            break;
        };
        let begin = migration.len() - from.len() - "CREATE TRIGGER ".len();
        let end = migration.len() - from.len() + length + "END".len();
        if let Some(text) = migration.get(begin..end) {
            found.push((name, text));
        }
        rest = from;
    }
    found
}

/// Ids come from one sequence: it is ahead of all of them and no two kinds share one.
pub(super) fn sequence(conn: &Connection, _: Thoroughness) -> Found {
    let last = one(conn, LAST_ID)?;
    let Some(last) = last else {
        return damaged("the sequence has lost its row");
    };
    let greatest: [Option<i64>; 3] = conn.query_row(GREATEST_IDS, [], |row| {
        Ok([row.get(0)?, row.get(1)?, row.get(2)?])
    })?;
    for (kind, id) in ["message", "summary", "event"].into_iter().zip(greatest) {
        if let Some(id) = id.filter(|id| *id > last) {
            return damaged(format!(
                "{kind} {id} is beyond the sequence, which is at {last}"
            ));
        }
    }
    let shared = one(conn, SHARED_ID)?;
    match shared {
        Some(id) => damaged(format!("id {id} names rows of two kinds")),
        None => sound(format!("ids given out: {last}")),
    }
}
