//! The same texts as bare rows with a bare index: what SQLite alone takes.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::clock::{Cost, own_cpu};

/// Rows of one transaction.
const BATCH: usize = 1_000;

/// Inserts texts into a table and an index of words, a transaction for each thousand, and returns
/// what that took; making the texts is not counted.
pub(crate) fn insert(
    path: &Path,
    transcripts: impl Iterator<Item = Vec<String>>,
) -> rusqlite::Result<(Cost, u64)> {
    let mut connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.execute_batch(
        "CREATE TABLE line (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL,
                            role TEXT NOT NULL, tokens INTEGER NOT NULL, at INTEGER, body TEXT NOT NULL);
         CREATE UNIQUE INDEX line_place ON line (session, seq);
         CREATE VIRTUAL TABLE word USING fts5 (body, content='', contentless_delete=1,
                                               tokenize='porter unicode61');",
    )?;
    let mut bare = Cost::default();
    let mut waiting: Vec<(usize, usize, String)> = Vec::new();
    let mut n_rows = 0;
    for (session, texts) in transcripts.enumerate() {
        let rows = texts.into_iter().enumerate();
        waiting.extend(rows.map(|(seq, text)| (session, seq, text)));
        while waiting.len() >= BATCH {
            let rest = waiting.split_off(BATCH);
            n_rows += write(&mut connection, &waiting, &mut bare)?;
            waiting = rest;
        }
    }
    n_rows += write(&mut connection, &waiting, &mut bare)?;
    Ok((bare, n_rows))
}

fn write(
    connection: &mut Connection,
    rows: &[(usize, usize, String)],
    cost: &mut Cost,
) -> rusqlite::Result<u64> {
    let (began, cpu) = (Instant::now(), own_cpu());
    let tx = connection.transaction()?;
    for (session, seq, text) in rows {
        let (session, seq) = (
            i64::try_from(*session).unwrap(),
            i64::try_from(*seq).unwrap(),
        );
        let tokens = i64::try_from(text.len() / 4).unwrap();
        tx.prepare_cached(
            "INSERT INTO line (session, seq, role, tokens, at, body)
             VALUES (?1, ?2, 'user', ?3, ?4, ?5)",
        )?
        .execute(params![session, seq, tokens, 1_767_225_600_000 + seq, text])?;
        tx.prepare_cached("INSERT INTO word (rowid, body) VALUES (?1, ?2)")?
            .execute(params![tx.last_insert_rowid(), text])?;
    }
    tx.commit()?;
    cost.wall += began.elapsed();
    cost.cpu += own_cpu().saturating_sub(cpu);
    Ok(u64::try_from(rows.len()).unwrap())
}

/// Writes the log into the file, which an import does as well.
pub(crate) fn checkpoint(path: &Path, cost: &mut Cost) -> rusqlite::Result<Duration> {
    let (began, cpu) = (Instant::now(), own_cpu());
    let connection = Connection::open(path)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    cost.wall += began.elapsed();
    cost.cpu += own_cpu().saturating_sub(cpu);
    Ok(began.elapsed())
}
