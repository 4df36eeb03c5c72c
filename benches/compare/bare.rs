//! Bare statements on a bare schema: what SQLite alone takes. No hash chain, no parts, no summaries;
//! words by FTS5's own rules. A message is a row, a line of its session's view and a counter.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::bare_search;
use crate::protocol::{Batch, Grep, Message, Sync, View};
use crate::serve::{Outcome, Reply, Subject};

/// Whether words are indexed, in the transaction of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// No index, and no checkpoint in a commit.
    None,
    /// FTS5 with the porter stemmer; merges and checkpoints as they fall due.
    Inside,
}

/// A database, and what it was asked last.
pub(crate) struct Bare {
    connection: Option<Connection>,
    words: Words,
    /// The rows that the last search found.
    hits: Vec<i64>,
}

impl Bare {
    pub(crate) const fn new(words: Words) -> Self {
        Self {
            connection: None,
            words,
            hits: Vec::new(),
        }
    }

    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("opened before")
    }

    fn write(&mut self, batch: &Batch) -> rusqlite::Result<usize> {
        let words = self.words;
        let connection = self.connection.as_mut().expect("opened before");
        let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut bytes = 0;
        for message in &batch.messages {
            let session = message.session.as_ref().unwrap_or(&batch.session);
            let row = insert(&tx, session, message)?;
            if words == Words::Inside {
                tx.prepare_cached("INSERT INTO word (rowid, body) VALUES (?1, ?2)")?
                    .execute(params![row, message.text])?;
            }
            bytes += message.text.len();
        }
        tx.commit()?;
        Ok(bytes)
    }
}

impl Subject for Bare {
    fn open(&mut self, folder: &str, sync: Sync) -> Reply {
        let connection = Connection::open(Path::new(folder).join("bare.db"))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", sync.as_str())?;
        connection.pragma_update(None, "cache_size", -16_000)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        if self.words == Words::None {
            connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
        }
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS talk (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
                                head INTEGER NOT NULL, tokens INTEGER NOT NULL);
             CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, talk INTEGER NOT NULL,
                                seq INTEGER NOT NULL, role TEXT NOT NULL, tokens INTEGER NOT NULL,
                                at INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (talk, seq));
             CREATE TABLE IF NOT EXISTS shown (talk INTEGER NOT NULL, place INTEGER NOT NULL,
                                line INTEGER NOT NULL, tokens INTEGER NOT NULL,
                                PRIMARY KEY (talk, place)) WITHOUT ROWID;",
        )?;
        if self.words == Words::Inside {
            connection.execute_batch(
                "CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5 (body, content='',
                                contentless_delete=1, tokenize='porter unicode61');",
            )?;
        }
        self.connection = Some(connection);
        Ok(Outcome::done(0, 0))
    }

    fn turn(&mut self, batch: Batch) -> Reply {
        let bytes = self.write(&batch)?;
        Ok(Outcome::done(batch.messages.len(), bytes))
    }

    fn view(&mut self, view: &View) -> Reply {
        let shown = match view.way.as_deref() {
            None | Some("join") => joined(self.connection(), view)?,
            Some("n+1") => one_by_one(self.connection(), view)?,
            Some(_) => return Ok(Outcome::Unsupported("the ways are join and n+1")),
        };
        let bytes = shown.iter().map(|item| item.body.len()).sum();
        Ok(Outcome::done(shown.len(), bytes))
    }

    fn grep(&mut self, grep: &Grep) -> Reply {
        let Some(found) = bare_search::grep(self.connection(), self.words, grep)? else {
            return Ok(Outcome::Unsupported("no statement for this"));
        };
        let bytes = found.iter().map(|(_, body)| body.len()).sum();
        self.hits = found.into_iter().map(|(id, _)| id).collect();
        Ok(Outcome::done(self.hits.len(), bytes))
    }

    fn expand(&mut self, hits: usize) -> Reply {
        let ids: Vec<i64> = self.hits.iter().take(hits).copied().collect();
        let bodies = bare_search::bodies(self.connection(), &ids)?;
        let bytes = bodies.iter().map(|(_, body)| body.len()).sum();
        Ok(Outcome::done(bodies.len(), bytes))
    }

    fn settle(&mut self) -> Reply {
        let checkpoint = "PRAGMA wal_checkpoint(PASSIVE)";
        self.connection().query_row(checkpoint, [], |_| Ok(()))?;
        Ok(Outcome::done(0, 0))
    }

    fn close(&mut self) -> Reply {
        if let Some(connection) = self.connection.take() {
            connection.close().map_err(|(_, error)| error)?;
        }
        Ok(Outcome::done(0, 0))
    }
}

/// An item of a view, its own.
struct Shown {
    body: String,
    _role: String,
    _at: i64,
    _tokens: i64,
}

const ROW: fn(&rusqlite::Row<'_>) -> rusqlite::Result<Shown> = |row| {
    Ok(Shown {
        _tokens: row.get(0)?,
        _role: row.get(1)?,
        _at: row.get(2)?,
        body: row.get(3)?,
    })
};

/// All items with one statement.
fn joined(connection: &Connection, view: &View) -> rusqlite::Result<Vec<Shown>> {
    connection
        .prepare_cached(
            "SELECT s.tokens, l.role, l.at, l.body FROM talk AS t JOIN shown AS s ON s.talk = t.id
                                          JOIN line AS l ON l.id = s.line
             WHERE t.key = ?1 ORDER BY s.place DESC LIMIT ?2",
        )?
        .query_map(params![view.session, limit(view.items)], ROW)?
        .collect()
}

/// The list of items, then a statement for each.
fn one_by_one(connection: &Connection, view: &View) -> rusqlite::Result<Vec<Shown>> {
    let mut list = connection.prepare_cached(
        "SELECT s.line FROM talk AS t JOIN shown AS s ON s.talk = t.id
         WHERE t.key = ?1 ORDER BY s.place DESC LIMIT ?2",
    )?;
    let ids: Vec<i64> = list
        .query_map(params![view.session, limit(view.items)], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let one = |id: i64| {
        connection
            .prepare_cached("SELECT tokens, role, at, body FROM line WHERE id = ?1")?
            .query_row([id], ROW)
    };
    ids.into_iter().map(one).collect()
}

fn limit(items: usize) -> i64 {
    i64::try_from(items).unwrap()
}

/// Inserts a message and returns its row.
fn insert(connection: &Connection, session: &str, message: &Message) -> rusqlite::Result<i64> {
    let tokens = i64::try_from(message.text.len() / 4).unwrap();
    let counted = connection
        .prepare_cached(
            "UPDATE talk SET head = head + 1, tokens = tokens + ?2 WHERE key = ?1 RETURNING id, head",
        )?
        .query_row(params![session, tokens], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (talk, seq): (i64, i64) = if let Some(place) = counted {
        place
    } else {
        connection
            .prepare_cached("INSERT INTO talk (key, head, tokens) VALUES (?1, 1, ?2)")?
            .execute(params![session, tokens])?;
        (connection.last_insert_rowid(), 1)
    };
    connection
        .prepare_cached(
            "INSERT INTO line (talk, seq, role, tokens, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            talk,
            seq,
            message.role,
            tokens,
            message.at,
            message.text
        ])?;
    let row = connection.last_insert_rowid();
    connection
        .prepare_cached("INSERT INTO shown (talk, place, line, tokens) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![talk, seq, row, tokens])?;
    Ok(row)
}
