//! The ledger: places without gaps, parts whole, sums equal to a recount (I7).

use rusqlite::{Connection, OptionalExtension, Row};

use super::{Found, Thoroughness, conversations, damaged, sound};
use crate::store::error::StoreError;
use crate::store::lineage::Lineage;

const PARTS: &str = "SELECT m.id, m.n_parts, COUNT(p.id), MAX(p.ordinal) FROM message AS m \
     LEFT JOIN part AS p ON p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535 \
     GROUP BY m.id HAVING m.n_parts <> COUNT(p.id) OR MAX(p.ordinal) <> COUNT(p.id) - 1 LIMIT 1";
const COUNT_PARTS: &str = "SELECT COUNT(*), SUM(message_id IS NULL) FROM part";
const STRAY_PART: &str = "SELECT id FROM part WHERE message_id <> id / 65536 \
     OR ordinal <> id % 65536 LIMIT 1";
const ROWS: &str = "SELECT m.id, m.seq, m.visibility, m.continues, m.tokens, m.view_tokens, \
       m.sum_tokens, m.sum_view, m.n_visible, m.turn_first, \
       m.role = 'user' AND NOT EXISTS ( \
         SELECT 1 FROM part AS p WHERE p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535 \
           AND p.kind = 'tool_result'), m.at \
     FROM message AS m WHERE m.conversation_id = ?1 AND m.seq BETWEEN ?2 AND ?3 ORDER BY m.seq";
const COUNTERS: &str = "SELECT head, n_visible, sum_tokens, sum_view, prompt_last, turn_first, \
     last_talk, first_at, last_at FROM conversation WHERE id = ?1";

/// Every message has all its parts.
pub(super) fn parts(conn: &Connection, _: Thoroughness) -> Found {
    let stray: Option<i64> = conn
        .query_row(STRAY_PART, [], |row| row.get(0))
        .optional()?;
    if let Some(id) = stray {
        return damaged(format!(
            "part {id} is not where its message and ordinal say"
        ));
    }
    let short: Option<(i64, i64, i64)> = conn
        .query_row(PARTS, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    if let Some((id, expected, found)) = short {
        return damaged(format!(
            "message {id} should have {expected} parts and has {found}, or a gap between them"
        ));
    }
    let count: i64 = conn.query_row(COUNT_PARTS, [], |row| row.get(0))?;
    sound(format!("parts: {count}"))
}

/// Counters and running sums equal a recount along each branch.
pub(super) fn counters(conn: &Connection, _: Thoroughness) -> Found {
    let mut count = 0;
    for conversation in conversations(conn)? {
        let recount = match recount(conn, conversation)? {
            Ok(recount) => recount,
            Err(detail) => return damaged(detail),
        };
        count += recount.n_rows;
        let stored = conn
            .prepare_cached(COUNTERS)?
            .query_row([conversation], Counters::read)?;
        if let Some(detail) = recount.counters.difference(conversation, &stored) {
            return damaged(detail);
        }
    }
    sound(format!("rows added up: {count}"))
}

/// What the rows of a branch come to.
pub(in crate::store) struct Recount {
    pub(in crate::store) counters: Counters,
    n_rows: u64,
}

/// Adds the rows of a branch up, or says which of them does not add up.
pub(in crate::store) fn recount(
    conn: &Connection,
    conversation: i64,
) -> Result<Result<Recount, String>, StoreError> {
    let mut tally = Tally::default();
    let mut n_rows = 0;
    // Inherited rows are added up again: a branch's sums rest on them.
    for stretch in Lineage::load(conn, conversation)?.stretches(1, i64::MAX) {
        let mut statement = conn.prepare_cached(ROWS)?;
        let mut rows = statement.query([stretch.conversation, stretch.first, stretch.last])?;
        while let Some(row) = rows.next()? {
            if let Some(detail) = tally.take(row)? {
                return Ok(Err(detail));
            }
            n_rows += 1;
        }
    }
    Ok(Ok(Recount {
        counters: tally.now,
        n_rows,
    }))
}

/// The counters of a conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Counters {
    pub(in crate::store) head: i64,
    pub(in crate::store) n_visible: i64,
    pub(in crate::store) sum_tokens: i64,
    pub(in crate::store) sum_view: i64,
    pub(in crate::store) prompt_last: i64,
    pub(in crate::store) turn_first: i64,
    pub(in crate::store) last_talk: i64,
    pub(in crate::store) first_at: Option<i64>,
    pub(in crate::store) last_at: Option<i64>,
}

impl Counters {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            head: row.get(0)?,
            n_visible: row.get(1)?,
            sum_tokens: row.get(2)?,
            sum_view: row.get(3)?,
            prompt_last: row.get(4)?,
            turn_first: row.get(5)?,
            last_talk: row.get(6)?,
            first_at: row.get(7)?,
            last_at: row.get(8)?,
        })
    }

    fn difference(&self, conversation: i64, stored: &Counters) -> Option<String> {
        let now = self;
        let time = |at: Option<i64>| at.unwrap_or(i64::MIN);
        first_difference(&[
            ("head", stored.head, now.head),
            ("n_visible", stored.n_visible, now.n_visible),
            ("sum_tokens", stored.sum_tokens, now.sum_tokens),
            ("sum_view", stored.sum_view, now.sum_view),
            ("prompt_last", stored.prompt_last, now.prompt_last),
            ("turn_first", stored.turn_first, now.turn_first),
            ("last_talk", stored.last_talk, now.last_talk),
            ("first_at", time(stored.first_at), time(now.first_at)),
            ("last_at", time(stored.last_at), time(now.last_at)),
        ])
        .map(|detail| format!("conversation {conversation}: {detail}"))
    }
}

/// A recount, row by row.
struct Tally {
    now: Counters,
    last_id: i64,
    is_user: bool,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            now: Counters {
                turn_first: 1,
                ..Counters::default()
            },
            last_id: 0,
            is_user: false,
        }
    }
}

impl Tally {
    /// Adds a row; says what is wrong with it.
    fn take(&mut self, row: &Row<'_>) -> Result<Option<String>, StoreError> {
        let (id, seq): (i64, i64) = (row.get(0)?, row.get(1)?);
        if seq != self.now.head + 1 {
            return Ok(Some(format!(
                "message {id} stands at {seq} and should at {}",
                self.now.head + 1
            )));
        }
        if id <= self.last_id {
            return Ok(Some(format!(
                "message {id} comes after message {}, which is newer",
                self.last_id
            )));
        }
        self.last_id = id;
        self.now.head = seq;
        let visibility: String = row.get(2)?;
        let continues: Option<i64> = row.get(3)?;
        let (tokens, view): (i64, i64) = (row.get(4)?, row.get(5)?);
        let is_talk = visibility == "talk";
        if !is_talk && view != 0 {
            return Ok(Some(format!(
                "message {id} is {visibility} and costs {view} in views"
            )));
        }
        if is_talk {
            let is_user: bool = row.get(10)?;
            if is_user && !self.is_user {
                self.now.turn_first = seq;
            }
            self.is_user = is_user;
            self.now.last_talk = seq;
            self.now.n_visible += i64::from(continues.is_none());
        } else if visibility == "prompt" && self.now.n_visible == 0 {
            self.now.prompt_last = seq;
        }
        self.now.sum_tokens = self.now.sum_tokens.saturating_add(tokens);
        self.now.sum_view = self.now.sum_view.saturating_add(view);
        if let Some(at) = row.get::<_, Option<i64>>(11)? {
            self.now.first_at = Some(self.now.first_at.map_or(at, |first| first.min(at)));
            self.now.last_at = Some(self.now.last_at.map_or(at, |last| last.max(at)));
        }
        let recounted = [
            ("sum_tokens", row.get(6)?, self.now.sum_tokens),
            ("sum_view", row.get(7)?, self.now.sum_view),
            ("n_visible", row.get(8)?, self.now.n_visible),
            ("turn_first", row.get(9)?, self.now.turn_first),
        ];
        Ok(first_difference(&recounted).map(|detail| format!("message {id}: {detail}")))
    }
}

fn first_difference(pairs: &[(&str, i64, i64)]) -> Option<String> {
    pairs
        .iter()
        .find(|(_, stored, counted)| stored != counted)
        .map(|(name, stored, counted)| format!("{name} is {stored}, a recount gives {counted}"))
}
