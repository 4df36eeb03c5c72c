//! The same questions as bare statements on a bare schema: what SQLite alone would take.
//! No hash chain, no counters, no parts, no summaries; FTS5 with its own word rules.

use std::path::Path;

use rusqlite::{Connection, params};

use crate::corpus;

/// A database with one table and one contentless index.
pub(crate) struct Bare {
    connection: Connection,
    rows: i64,
}

impl Bare {
    /// Writes the texts of a store whose long session has `size`, in one transaction.
    pub(crate) fn build(path: &Path, size: u64) -> rusqlite::Result<Self> {
        let mut connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(
            "CREATE TABLE line (id INTEGER PRIMARY KEY, session TEXT NOT NULL, seq INTEGER NOT NULL,
                                tokens INTEGER NOT NULL, body TEXT NOT NULL);
             CREATE INDEX line_place ON line (session, seq);
             CREATE VIRTUAL TABLE word USING fts5 (body, content='', contentless_delete=1);",
        )?;
        let tx = connection.transaction()?;
        for n in 0..corpus::total(size) {
            let seq = i64::try_from(n).unwrap();
            let (session, body) = (corpus::session(n, size), corpus::text(n, size));
            insert(&tx, &session, seq, &body)?;
            tx.prepare_cached("INSERT INTO word (rowid, body) VALUES (?1, ?2)")?
                .execute(params![tx.last_insert_rowid(), body])?;
        }
        tx.commit()?;
        Ok(Self {
            connection,
            rows: i64::try_from(corpus::total(size)).unwrap(),
        })
    }

    /// Inserts one text, durable when it returns.
    pub(crate) fn append(&mut self) -> rusqlite::Result<()> {
        self.rows += 1;
        let body = corpus::text(self.rows.unsigned_abs(), 1_000);
        insert(&self.connection, "long", self.rows, &body)
    }

    /// Inserts one text and reads `n` bodies from the end of its session.
    pub(crate) fn turn(&mut self, n: i64) -> rusqlite::Result<usize> {
        self.append()?;
        self.bodies(n)
    }

    /// Reads the numbers of the last `n` texts of the long session.
    pub(crate) fn numbers(&self, n: i64) -> rusqlite::Result<i64> {
        let sql = "SELECT seq, tokens FROM line WHERE session = 'long' ORDER BY seq DESC LIMIT ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([n], |row| row.get::<_, i64>(1))?;
        rows.sum()
    }

    /// Reads the last `n` texts of the long session.
    pub(crate) fn bodies(&self, n: i64) -> rusqlite::Result<usize> {
        let sql = "SELECT body FROM line WHERE session = 'long' ORDER BY seq DESC LIMIT ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([n], |row| row.get::<_, String>(0))?;
        rows.map(|body| body.map(|body| body.len())).sum()
    }

    /// Asks the index for the best 20 texts and reads them.
    pub(crate) fn matching(&self, query: &str) -> rusqlite::Result<usize> {
        let sql = "SELECT rowid, bm25(word) AS score FROM word WHERE word MATCH ?1
                   ORDER BY score LIMIT 20";
        let mut statement = self.connection.prepare_cached(sql)?;
        let ids: Vec<i64> = statement
            .query_map([query], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        ids.into_iter().map(|id| self.body(id)).sum()
    }

    /// Scans every text for a piece.
    pub(crate) fn holding(&self, piece: &str) -> rusqlite::Result<usize> {
        let sql = "SELECT id FROM line WHERE instr(body, ?1) > 0 ORDER BY id DESC LIMIT 20";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([piece], |row| row.get::<_, i64>(0))?;
        Ok(rows.count())
    }

    /// Scans one short session for a piece.
    pub(crate) fn holding_in_one(&self, piece: &str) -> rusqlite::Result<usize> {
        let sql = "SELECT id FROM line WHERE session = 'short-0' AND instr(body, ?1) > 0";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([piece], |row| row.get::<_, i64>(0))?;
        Ok(rows.count())
    }

    /// Reads one text.
    pub(crate) fn body(&self, id: i64) -> rusqlite::Result<usize> {
        let sql = "SELECT body FROM line WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_row([id], |row| Ok(row.get_ref(0)?.as_str()?.len()))
    }
}

fn insert(connection: &Connection, session: &str, seq: i64, body: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO line (session, seq, tokens, body) VALUES (?1, ?2, ?3, ?4)";
    let tokens = i64::try_from(body.len() / 4).unwrap();
    connection
        .prepare_cached(sql)?
        .execute(params![session, seq, tokens, body])?;
    Ok(())
}
