//! Repair of what is derived: the search index, counters, pointers, keys, the sequence, triggers, and
//! `SQLite`'s own indexes. Owns how each is made anew from the rows it is derived from.
//! May not touch a message, a part, a summary or an event, nor hide that one is missing.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::error::StoreError;
use super::integrity::branch::{GREATEST_SUMMARY, LAST_EVENT, LIVE};
use super::integrity::conversations;
use super::integrity::file::declared_triggers;
use super::integrity::ledger::{Counters, recount};
use super::integrity::marks::lost_keys;
use super::migrate::MIGRATIONS;
use super::writer::Writer;

/// Something derived that can be made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Repair {
    /// The triggers that refuse changes.
    Triggers,
    /// `SQLite`'s indexes over the tables.
    TableIndexes,
    /// The greatest id given out.
    Sequence,
    /// What conversations count.
    Counters,
    /// Which branch a key means and which summaries views use.
    Pointers,
    /// The keys of messages, as far as their sources name them.
    Keys,
    /// The search index with its times, made anew by the indexer afterwards.
    SearchIndex,
}

impl Repair {
    /// Returns what would mend a failed check; none where rows themselves are damaged.
    #[must_use]
    pub fn of_check(name: &str) -> Option<Self> {
        match name {
            "triggers" => Some(Self::Triggers),
            "sqlite" => Some(Self::TableIndexes),
            "sequence" => Some(Self::Sequence),
            "counters" => Some(Self::Counters),
            "pointers" => Some(Self::Pointers),
            "keys" => Some(Self::Keys),
            "index" | "time_runs" => Some(Self::SearchIndex),
            _ => None,
        }
    }

    /// Returns the repair's name, `snake_case`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Triggers => "triggers",
            Self::TableIndexes => "table_indexes",
            Self::Sequence => "sequence",
            Self::Counters => "counters",
            Self::Pointers => "pointers",
            Self::Keys => "keys",
            Self::SearchIndex => "search_index",
        }
    }
}

const SAVE_COUNTERS: &str = "UPDATE conversation SET head = ?2, n_visible = ?3, sum_tokens = ?4, \
     sum_view = ?5, prompt_last = ?6, turn_first = ?7, last_talk = ?8, first_at = ?9, \
     last_at = ?10 WHERE id = ?1 AND head <= ?2";
const GREATEST_ID: &str = "SELECT MAX(COALESCE((SELECT MAX(id) FROM message), 0), \
     COALESCE((SELECT MAX(id) FROM summary), 0), COALESCE((SELECT MAX(id) FROM event), 0))";
const RAISE_SEQUENCE: &str = "INSERT INTO sequence (one, last_id) VALUES (1, ?1) \
     ON CONFLICT (one) DO UPDATE SET last_id = MAX(last_id, excluded.last_id)";
/// What the newest event under a key says of its pointer.
const LAST_POINTERS: &str = "SELECT c.session_key, \
       (SELECT e.pointer FROM event AS e JOIN conversation AS o ON o.id = e.conversation_id \
        WHERE o.session_key = c.session_key ORDER BY e.id DESC LIMIT 1), MAX(c.id) \
     FROM conversation AS c LEFT JOIN session AS s ON s.key = c.session_key \
     LEFT JOIN conversation AS p ON p.id = s.conversation_id AND p.session_key = s.key \
     WHERE p.id IS NULL GROUP BY c.session_key";
const WAS_MADE_UNDER: &str = "SELECT 1 FROM conversation WHERE id = ?1 AND session_key = ?2";
const POINT: &str = "INSERT INTO session (key, conversation_id) VALUES (?1, ?2) \
     ON CONFLICT (key) DO UPDATE SET conversation_id = excluded.conversation_id";
/// A key that no conversation was made under leads nowhere.
const DROP_STRAYS: &str = "DELETE FROM session WHERE NOT EXISTS \
     (SELECT 1 FROM conversation AS c WHERE c.session_key = session.key)";
const SAVE_LIVE: &str = "UPDATE conversation SET live_id = ?2, newest_id = ?3 WHERE id = ?1";
const PUT_KEY: &str = "INSERT INTO message_key (conversation_id, key, message_id) \
     VALUES (?1, ?2, ?3) ON CONFLICT (conversation_id, key) DO NOTHING";
const EMPTY_PIECES: &str = "DELETE FROM index_piece";
const EMPTY_TIME_RUNS: &str = "DELETE FROM time_run";
const EMPTY_STATE: &str = "DELETE FROM index_state";
const BEGIN_INDEX: &str =
    "INSERT INTO index_state (one, mark, pieces, rules, n_rows) VALUES (1, 0, 0, ?1, 0)";
const REINDEX: &str = "REINDEX";

impl Writer {
    /// Makes derived things anew, all in one transaction. The search index is empty afterwards,
    /// for the indexer to fill.
    ///
    /// # Errors
    /// `Busy`, `Full`, `Moved`, or what the database says; nothing is changed then.
    pub fn repair(&mut self, repairs: &[Repair], rules: i64) -> Result<(), StoreError> {
        self.check_place()?;
        let conn = self.conn();
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut repairs = repairs.to_vec();
        repairs.sort_unstable();
        repairs.dedup();
        for repair in repairs {
            match repair {
                Repair::Triggers => triggers(&tx)?,
                Repair::TableIndexes => tx.execute_batch(REINDEX)?,
                Repair::Sequence => sequence(&tx)?,
                Repair::Counters => counters(&tx)?,
                Repair::Pointers => pointers(&tx)?,
                Repair::Keys => keys(&tx)?,
                Repair::SearchIndex => search_index(&tx, rules)?,
            }
        }
        Ok(tx.commit()?)
    }
}

fn triggers(conn: &Connection) -> Result<(), StoreError> {
    for (name, sql) in declared_triggers() {
        conn.execute_batch(&format!("DROP TRIGGER IF EXISTS {name}; {sql};"))?;
    }
    Ok(())
}

/// Ids are never given out twice: the sequence goes forward only.
fn sequence(conn: &Connection) -> Result<(), StoreError> {
    let greatest: i64 = conn.query_row(GREATEST_ID, [], |row| row.get(0))?;
    conn.execute(RAISE_SEQUENCE, [greatest])?;
    Ok(())
}

/// A conversation with a row that does not add up keeps its counters, and so does one that counts
/// more rows than there are: its last ones may be lost.
fn counters(conn: &Connection) -> Result<(), StoreError> {
    for conversation in conversations(conn)? {
        match recount(conn, conversation) {
            Ok(Ok(recount)) => save_counters(conn, conversation, &recount.counters)?,
            Ok(Err(_)) | Err(StoreError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn save_counters(
    conn: &Connection,
    conversation: i64,
    counters: &Counters,
) -> Result<(), StoreError> {
    conn.prepare_cached(SAVE_COUNTERS)?.execute(params![
        conversation,
        counters.head,
        counters.n_visible,
        counters.sum_tokens,
        counters.sum_view,
        counters.prompt_last,
        counters.turn_first,
        counters.last_talk,
        counters.first_at,
        counters.last_at
    ])?;
    Ok(())
}

fn pointers(conn: &Connection) -> Result<(), StoreError> {
    let lost: Vec<(String, Option<i64>, i64)> = conn
        .prepare_cached(LAST_POINTERS)?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    for (key, told, newest) in lost {
        let is_made_under = |id: &i64| {
            conn.prepare_cached(WAS_MADE_UNDER)
                .and_then(|mut statement| statement.exists(params![id, key]))
        };
        let pointer = match told {
            Some(told) if is_made_under(&told)? => told,
            _ => newest,
        };
        conn.execute(POINT, params![key, pointer])?;
    }
    conn.execute(DROP_STRAYS, [])?;
    let mut statement = conn.prepare_cached(LIVE)?;
    let rows: Vec<(i64, i64)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(3)?)))?
        .collect::<Result<_, _>>()?;
    for (conversation, inherited) in rows {
        let greatest: Option<i64> = conn
            .prepare_cached(GREATEST_SUMMARY)?
            .query_row([conversation], |row| row.get(0))?;
        let told: Option<i64> = conn
            .prepare_cached(LAST_EVENT)?
            .query_row([conversation], |row| row.get(1))
            .optional()?;
        let newest = greatest.unwrap_or(0).max(inherited);
        conn.execute(SAVE_LIVE, params![conversation, told.unwrap_or(0), newest])?;
    }
    Ok(())
}

/// A key that another message of the conversation has stays where it is.
fn keys(conn: &Connection) -> Result<(), StoreError> {
    for lost in lost_keys(conn)? {
        conn.prepare_cached(PUT_KEY)?.execute(params![
            lost.conversation,
            lost.key,
            lost.message
        ])?;
    }
    Ok(())
}

/// Makes the tables of words anew, since a damaged one may not even let itself be emptied.
fn search_index(conn: &Connection, rules: i64) -> Result<(), StoreError> {
    let statements: Vec<String> = MIGRATIONS
        .iter()
        .flat_map(|sql| index_statements(sql))
        .collect();
    let names = statements.iter().filter_map(|sql| table_name(sql));
    for name in names.collect::<Vec<_>>().into_iter().rev() {
        drop_table(conn, name)?;
    }
    for sql in &statements {
        conn.execute_batch(sql)?;
    }
    for empty in [EMPTY_PIECES, EMPTY_TIME_RUNS, EMPTY_STATE] {
        conn.execute(empty, [])?;
    }
    conn.execute(BEGIN_INDEX, [rules])?;
    Ok(())
}

/// Drops a virtual table; one that cannot even be opened is taken out of the schema instead.
fn drop_table(conn: &Connection, name: &str) -> Result<(), StoreError> {
    if conn
        .execute_batch(&format!("DROP TABLE IF EXISTS {name}"))
        .is_ok()
    {
        return Ok(());
    }
    conn.execute_batch(&format!(
        "PRAGMA writable_schema = 1; \
         DELETE FROM sqlite_schema WHERE type = 'table' AND name = '{name}'; \
         PRAGMA writable_schema = RESET"
    ))?;
    for shadow in ["data", "idx", "docsize", "config", "content"] {
        conn.execute_batch(&format!("DROP TABLE IF EXISTS {name}_{shadow}"))?;
    }
    Ok(())
}

/// Finds the statements of a migration that make the tables of words and set them up.
fn index_statements(migration: &str) -> Vec<String> {
    let code: Vec<&str> = migration
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect();
    code.join("\n")
        .split(';')
        .map(|sql| sql.trim().to_owned())
        .filter(|sql| table_name(sql).is_some() || sets_up(sql))
        .collect()
}

/// Says whether a statement sets one of the tables of words up.
fn sets_up(sql: &str) -> bool {
    let mut words = sql.split_whitespace();
    words.next() == Some("INSERT") && words.any(|word| word.starts_with("search_"))
}

/// Returns the virtual table that a statement makes.
fn table_name(sql: &str) -> Option<&str> {
    let rest = sql.strip_prefix("CREATE VIRTUAL TABLE ")?;
    rest.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_words_are_found_in_the_schema() {
        let statements: Vec<String> = MIGRATIONS
            .iter()
            .flat_map(|sql| index_statements(sql))
            .collect();
        let names: Vec<&str> = statements
            .iter()
            .filter_map(|sql| table_name(sql))
            .collect();
        assert!(
            names.starts_with(&["search_index", "search_piece"]),
            "{names:?}"
        );
        assert!(names.contains(&"search_instance"), "{names:?}");
        let set_up = statements.iter().filter(|sql| sql.starts_with("INSERT"));
        assert_eq!(set_up.count(), 4);
    }
}
