//! Counts over the store or one branch, from counters and running sums.
//! May not load bodies.

use rusqlite::{Connection, OptionalExtension};

use crate::domain::{ConversationId, Depth, StoreStats, Tokens, Usage};
use crate::store::error::StoreError;
use crate::store::lineage::Lineage;
use crate::store::reader::Reader;
use crate::store::row::to_count;
use crate::store::spans;

const COUNTERS: &str = "SELECT COUNT(*), COALESCE(SUM(head), 0), COALESCE(SUM(n_visible), 0), \
       COALESCE(SUM(sum_tokens), 0) FROM conversation";
const BRANCHES: &str = "SELECT id, fork_seq FROM conversation WHERE parent_id IS NOT NULL";
const SUMS_AT: &str = "SELECT seq, n_visible, sum_tokens FROM message \
     WHERE conversation_id = ?1 AND seq = ?2";
const COUNT_SUMMARIES: &str = "SELECT COUNT(*), MAX(depth) FROM summary";
const COUNTERS_OF: &str = "SELECT 1, head, n_visible, sum_tokens FROM conversation WHERE id = ?1";
const CALLS: &str = "SELECT COUNT(*), COALESCE(SUM(input_tokens), 0), \
       COALESCE(SUM(output_tokens), 0), COALESCE(SUM(cached_tokens), 0) \
     FROM event WHERE kind = 'call'";
const CALLS_OF: &str = "SELECT COUNT(*), COALESCE(SUM(input_tokens), 0), \
       COALESCE(SUM(output_tokens), 0), COALESCE(SUM(cached_tokens), 0) \
     FROM event WHERE kind = 'call' AND conversation_id = ?1";
const FILE_BYTES: &str = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";

/// Counters as columns hold them.
#[derive(Debug, Clone, Copy)]
struct Counters {
    conversations: i64,
    rows: i64,
    visible: i64,
    tokens: i64,
}

impl Counters {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            conversations: row.get(0)?,
            rows: row.get(1)?,
            visible: row.get(2)?,
            tokens: row.get(3)?,
        })
    }

    fn stats(self) -> StoreStats {
        StoreStats {
            messages: to_count(self.visible),
            rows: to_count(self.rows),
            tokens: Tokens::new(to_count(self.tokens)),
            conversations: to_count(self.conversations),
            ..StoreStats::default()
        }
    }
}

impl Reader {
    /// Counts what the store holds; a row that several branches see counts once.
    ///
    /// # Errors
    /// What the database says.
    pub fn store_stats(&self) -> Result<StoreStats, StoreError> {
        self.one_state(|| store_stats(self.conn()))
    }

    /// Counts what a branch sees, inherited rows too; `bytes` are the whole file's.
    ///
    /// # Errors
    /// `Corrupt` if there is no such branch; what the database says otherwise.
    pub fn conversation_stats(
        &self,
        conversation: ConversationId,
    ) -> Result<StoreStats, StoreError> {
        self.one_state(|| conversation_stats(self.conn(), conversation))
    }
}

fn store_stats(conn: &Connection) -> Result<StoreStats, StoreError> {
    let mut counters = conn.query_row(COUNTERS, [], Counters::read)?;
    subtract_inherited(conn, &mut counters)?;
    let (summaries, depth): (i64, Option<u32>) =
        conn.query_row(COUNT_SUMMARIES, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (calls, usage) = conn.query_row(CALLS, [], read_calls)?;
    Ok(StoreStats {
        calls,
        usage,
        summaries: to_count(summaries),
        depth: depth.map(Depth::new),
        bytes: file_bytes(conn)?,
        ..counters.stats()
    })
}

fn conversation_stats(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<StoreStats, StoreError> {
    let counters = conn.query_row(COUNTERS_OF, [conversation.get()], Counters::read)?;
    let spans = spans::load(conn, &Lineage::load(conn, conversation.get())?)?;
    let depth = spans.iter().map(|row| row.depth).max();
    let (calls, usage) = conn.query_row(CALLS_OF, [conversation.get()], read_calls)?;
    Ok(StoreStats {
        calls,
        usage,
        summaries: spans.len() as u64,
        depth: depth
            .and_then(|raw| u32::try_from(raw).ok())
            .map(Depth::new),
        bytes: file_bytes(conn)?,
        ..counters.stats()
    })
}

/// A branch's counters hold what it inherits too.
fn subtract_inherited(conn: &Connection, counters: &mut Counters) -> Result<(), StoreError> {
    let mut branches = conn.prepare_cached(BRANCHES)?;
    let mut sums = conn.prepare_cached(SUMS_AT)?;
    let mut rows = branches.query([])?;
    while let Some(row) = rows.next()? {
        let (branch, fork_seq): (i64, i64) = (row.get(0)?, row.get(1)?);
        let Some(owner) = Lineage::load(conn, branch)?.owner(fork_seq) else {
            continue;
        };
        let inherited: Option<(i64, i64, i64)> = sums
            .query_row([owner, fork_seq], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        if let Some((rows, visible, tokens)) = inherited {
            counters.rows -= rows;
            counters.visible -= visible;
            counters.tokens -= tokens;
        }
    }
    Ok(())
}

fn read_calls(row: &rusqlite::Row<'_>) -> rusqlite::Result<(u64, Usage)> {
    let count = |idx| row.get::<_, i64>(idx).map(to_count);
    let tokens = |idx| count(idx).map(Tokens::new);
    let usage = Usage::new(tokens(1)?, tokens(2)?).cached(tokens(3)?);
    Ok((count(0)?, usage))
}

fn file_bytes(conn: &Connection) -> Result<u64, StoreError> {
    Ok(to_count(conn.query_row(FILE_BYTES, [], |row| row.get(0))?))
}
