//! The end of a branch. Owns what the next row depends on: sums, chain, turn, the message that may
//! be continued, and which call of an id comes next.
//! May not write rows: `message` does.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::error::StoreError;
use super::hash::{GENESIS, Hash};
use super::lineage::{Lineage, missing};

/// What is known of the newest visible row.
#[derive(Debug, Clone, Default)]
pub(super) struct LastTalk {
    pub seq: i64,
    /// The head of the message it belongs to.
    pub head: i64,
    pub is_user: bool,
    pub joins: Option<String>,
}

/// The version of the system prompt that the next prompt row may belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenPrompt {
    /// The next prompt row begins a version.
    None,
    /// Rows before the talk, first at this place.
    Leading(i64),
    /// Rows of one request that were asked for as a prompt.
    Asked(i64),
}

/// The end of a branch inside a write transaction.
#[derive(Debug)]
pub(super) struct Tail {
    pub lineage: Lineage,
    pub head: i64,
    pub n_visible: i64,
    pub sum_tokens: i64,
    pub sum_view: i64,
    pub prompt_last: i64,
    pub turn_first: i64,
    pub last_talk: i64,
    /// How far users' words were looked through for constraints.
    pub pin_mark: i64,
    /// Whether it held nothing when it was read.
    was_empty: bool,
    pub first_at: Option<i64>,
    pub last_at: Option<i64>,
    pub chain: Hash,
    pub prompt: OpenPrompt,
    talk: Option<LastTalk>,
    /// Calls (`true`) and results of the newest turn that were counted, by id.
    occurrences: HashMap<(bool, String), i64>,
    /// The id of the newest turn's first row.
    turn_id: Option<i64>,
}

impl Tail {
    /// Reads the end of a branch.
    pub(super) fn load(conn: &Connection, conversation: i64) -> Result<Self, StoreError> {
        let lineage = Lineage::load(conn, conversation)?;
        let mut tail = conn
            .prepare_cached(
                "SELECT head, n_visible, sum_tokens, sum_view, prompt_last, turn_first, last_talk,
                        first_at, last_at, pin_mark
                 FROM conversation WHERE id = ?1",
            )?
            .query_row([conversation], |row| {
                Ok(Self {
                    lineage,
                    head: row.get(0)?,
                    n_visible: row.get(1)?,
                    sum_tokens: row.get(2)?,
                    sum_view: row.get(3)?,
                    prompt_last: row.get(4)?,
                    turn_first: row.get(5)?,
                    last_talk: row.get(6)?,
                    first_at: row.get(7)?,
                    last_at: row.get(8)?,
                    pin_mark: row.get(9)?,
                    was_empty: row.get::<_, i64>(0)? == 0,
                    chain: GENESIS,
                    prompt: OpenPrompt::None,
                    talk: None,
                    occurrences: HashMap::new(),
                    turn_id: None,
                })
            })?;
        tail.read_chain(conn)?;
        tail.read_prompt(conn)?;
        Ok(tail)
    }

    fn read_chain(&mut self, conn: &Connection) -> Result<(), StoreError> {
        if self.head == 0 {
            return Ok(());
        }
        let owner = self.owner(self.head)?;
        self.chain = conn
            .prepare_cached(
                "SELECT chain_hash FROM message WHERE conversation_id = ?1 AND seq = ?2",
            )?
            .query_row(params![owner, self.head], |row| row.get(0))
            .optional()?
            .ok_or_else(|| missing(owner, self.head))?;
        Ok(())
    }

    fn read_prompt(&mut self, conn: &Connection) -> Result<(), StoreError> {
        if self.n_visible > 0 || self.prompt_last == 0 {
            return Ok(());
        }
        let owner = self.owner(self.prompt_last)?;
        let first: Option<i64> = conn
            .prepare_cached(
                "SELECT prompt_first FROM message WHERE conversation_id = ?1 AND seq = ?2",
            )?
            .query_row(params![owner, self.prompt_last], |row| row.get(0))
            .optional()?
            .ok_or_else(|| missing(owner, self.prompt_last))?;
        self.prompt = first.map_or(OpenPrompt::None, OpenPrompt::Leading);
        Ok(())
    }

    fn owner(&self, seq: i64) -> Result<i64, StoreError> {
        self.lineage
            .owner(seq)
            .ok_or_else(|| missing(self.lineage.own_id(), seq))
    }

    /// Returns the newest visible row, read once.
    pub(super) fn talk(&mut self, conn: &Connection) -> Result<&LastTalk, StoreError> {
        if self.talk.is_none() {
            self.talk = Some(self.read_talk(conn)?);
        }
        Ok(self.talk.get_or_insert_default())
    }

    fn read_talk(&self, conn: &Connection) -> Result<LastTalk, StoreError> {
        if self.last_talk == 0 {
            return Ok(LastTalk::default());
        }
        let owner = self.owner(self.last_talk)?;
        conn.prepare_cached(
            "SELECT m.seq, coalesce(m.continues, m.seq),
                    m.role = 'user' AND NOT EXISTS (
                      SELECT 1 FROM part AS p
                      WHERE p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535
                        AND p.kind = 'tool_result'),
                    v.joins
             FROM message AS m LEFT JOIN provenance AS v ON v.message_id = m.id
             WHERE m.conversation_id = ?1 AND m.seq = ?2",
        )?
        .query_row(params![owner, self.last_talk], |row| {
            Ok(LastTalk {
                seq: row.get(0)?,
                head: row.get(1)?,
                is_user: row.get(2)?,
                joins: row.get(3)?,
            })
        })
        .optional()?
        .ok_or_else(|| missing(owner, self.last_talk))
    }

    /// Takes note of a new visible row.
    pub(super) fn set_talk(&mut self, talk: LastTalk) {
        self.last_talk = talk.seq;
        self.talk = Some(talk);
    }

    /// Begins a turn with the row that comes next.
    pub(super) fn begin_turn(&mut self, seq: i64, id: i64) {
        self.turn_first = seq;
        self.turn_id = Some(id);
        self.occurrences.clear();
    }

    /// Returns which call or result of `call_id` within the newest turn comes next, and counts it.
    pub(super) fn next_occurrence(
        &mut self,
        conn: &Connection,
        kind: &str,
        call_id: &str,
    ) -> Result<i64, StoreError> {
        let key = (kind == "tool_use", call_id.to_owned());
        let seen = match self.occurrences.get(&key) {
            Some(seen) => *seen,
            None => self.count_stored(conn, kind, call_id)?,
        };
        self.occurrences.insert(key, seen + 1);
        Ok(seen)
    }

    /// Counts the rows of this turn that were stored before this transaction's first look.
    fn count_stored(
        &mut self,
        conn: &Connection,
        kind: &str,
        call_id: &str,
    ) -> Result<i64, StoreError> {
        if self.turn_first > self.head {
            return Ok(0);
        }
        let since = self.turn_id(conn)?;
        let mut statement = conn.prepare_cached(
            "SELECT count(*) FROM part AS p CROSS JOIN message AS m ON m.id = p.message_id
             WHERE p.call_id = ?1 AND p.kind = ?2 AND p.message_id >= ?3
               AND m.conversation_id = ?4 AND m.seq BETWEEN ?5 AND ?6",
        )?;
        let mut seen = 0;
        for stretch in self.lineage.stretches(self.turn_first, self.head) {
            seen += statement.query_row(
                params![
                    call_id,
                    kind,
                    since,
                    stretch.conversation,
                    stretch.first,
                    stretch.last
                ],
                |row| row.get::<_, i64>(0),
            )?;
        }
        Ok(seen)
    }

    /// Returns the id of the turn's first row: ids grow along a lineage, so that what other
    /// conversations did before need not be looked at.
    fn turn_id(&mut self, conn: &Connection) -> Result<i64, StoreError> {
        if let Some(id) = self.turn_id {
            return Ok(id);
        }
        let owner = self.owner(self.turn_first)?;
        let id = conn
            .prepare_cached("SELECT id FROM message WHERE conversation_id = ?1 AND seq = ?2")?
            .query_row(params![owner, self.turn_first], |row| row.get(0))
            .optional()?
            .ok_or_else(|| missing(owner, self.turn_first))?;
        self.turn_id = Some(id);
        Ok(id)
    }

    /// Writes the counters back. `caps` are those that the new rows were counted by: where others
    /// were known before them, a `+` says so, and the next turn counts anew.
    pub(super) fn save(&self, conn: &Connection, caps: &str) -> Result<(), StoreError> {
        conn.prepare_cached(
            "UPDATE conversation
             SET head = ?2, n_visible = ?3, sum_tokens = ?4, sum_view = ?5, prompt_last = ?6,
                 turn_first = ?7, last_talk = ?8, first_at = ?9, last_at = ?10, pin_mark = ?11,
                 counted_by = CASE WHEN ?13 THEN ?12
                   WHEN counted_by IN ('', ?12) OR counted_by LIKE '% +' THEN counted_by
                   ELSE counted_by || ' +' END
             WHERE id = ?1",
        )?
        .execute(params![
            self.lineage.own_id(),
            self.head,
            self.n_visible,
            self.sum_tokens,
            self.sum_view,
            self.prompt_last,
            self.turn_first,
            self.last_talk,
            self.first_at,
            self.last_at,
            self.pin_mark,
            caps,
            self.was_empty
        ])?;
        Ok(())
    }
}
