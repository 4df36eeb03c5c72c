//! Rows of one kind, newest first, without their bodies. Owns the order of a scan.
//! May not hold more than a chunk.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension};

use crate::store::error::StoreError;
use crate::store::ids::{IdRange, RowKind};
use crate::store::lineage::Stretch;

use super::check::{Check, Head};
use super::ranges::ranges;

/// Rows read ahead: a scan that stops at its twentieth hit should not have read thousands.
const CHUNK: i64 = 128;

const MESSAGES_BY_ID: &str = "SELECT id, conversation_id, seq, role, at, at FROM message \
     WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3";
pub(super) const MESSAGES_BY_SEQ: &str = "SELECT id, conversation_id, seq, role, at, at FROM message \
     WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3 ORDER BY seq DESC LIMIT ?4";
const SUMMARIES_BY_ID: &str = "SELECT id, conversation_id, last_seq, NULL, from_at, to_at \
     FROM summary WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3";
pub(super) const SUMMARIES_OF: &str = "SELECT id, conversation_id, last_seq, NULL, from_at, to_at \
     FROM summary WHERE conversation_id = ?1";
const ONE_MESSAGE: &str =
    "SELECT id, conversation_id, seq, role, at, at FROM message WHERE id = ?1";
const ONE_SUMMARY: &str =
    "SELECT id, conversation_id, last_seq, NULL, from_at, to_at FROM summary WHERE id = ?1";
/// Says whether a summary is the newest generation that views of a branch may use; of its own
/// branch if none is given.
pub(super) const IS_SEARCHED: &str = "SELECT 1 FROM summary AS s \
     JOIN conversation AS c ON c.id = COALESCE(?2, s.conversation_id) \
     WHERE s.id = ?1 AND s.id <= c.live_id AND NOT EXISTS ( \
       SELECT 1 FROM lineage AS l \
       JOIN summary AS n ON n.conversation_id = l.ancestor_id AND n.depth = s.depth \
         AND n.first_seq = s.first_seq AND n.generation > s.generation \
       WHERE l.conversation_id = c.id AND n.last_seq = s.last_seq \
         AND n.last_seq <= l.max_seq AND n.id <= l.max_id AND n.id <= c.live_id)";

/// What is still to be read.
enum Rest {
    /// Ranges of ids of all conversations, newest first.
    Ids(VecDeque<IdRange>),
    /// Stretches of a branch, newest first, down to this id.
    Places(VecDeque<Stretch>, i64),
    /// Nothing beyond the chunk.
    Nothing,
}

/// Reads heads of one kind, newest first, that pass the filters.
pub(super) struct Heads<'a> {
    conn: &'a Connection,
    check: &'a Check,
    kind: RowKind,
    rest: Rest,
    chunk: VecDeque<Head>,
}

impl<'a> Heads<'a> {
    /// Begins at the newest row; ends before ids below `first`.
    pub(super) fn new(
        conn: &'a Connection,
        check: &'a Check,
        kind: RowKind,
        first: i64,
        mark: i64,
    ) -> Result<Self, StoreError> {
        let mut heads = Self {
            conn,
            check,
            kind,
            rest: Rest::Nothing,
            chunk: VecDeque::new(),
        };
        if !check.wants(kind) {
            return Ok(heads);
        }
        match (&check.branch, kind) {
            (None, _) => {
                heads.rest = Rest::Ids(ranges(conn, check, kind, first, mark)?.into());
            }
            (Some(branch), RowKind::Message) => {
                let stretches = branch.lineage.stretches(1, i64::MAX);
                heads.rest = Rest::Places(stretches.into_iter().rev().collect(), first);
            }
            (Some(branch), RowKind::Summary) => {
                let mut found = Vec::new();
                for ancestor in branch.lineage.ancestors() {
                    heads.read(SUMMARIES_OF, &[ancestor.id], &mut found)?;
                }
                found.retain(|head| head.id >= first);
                found.sort_unstable_by_key(|head| std::cmp::Reverse(head.id));
                heads.chunk = found.into();
            }
        }
        Ok(heads)
    }

    /// Returns the id of the next row that passes, without taking it.
    pub(super) fn peek(&mut self) -> Result<Option<i64>, StoreError> {
        loop {
            while let Some(head) = self.chunk.front() {
                if self.check.takes(head) && is_searched(self.conn, self.check, head)? {
                    return Ok(Some(head.id));
                }
                self.chunk.pop_front();
            }
            if !self.refill()? {
                return Ok(None);
            }
        }
    }

    /// Takes the next row that passes.
    pub(super) fn next(&mut self) -> Result<Option<Head>, StoreError> {
        self.peek()?;
        Ok(self.chunk.pop_front())
    }

    /// Reads the next chunk; `false` at the end.
    fn refill(&mut self) -> Result<bool, StoreError> {
        let mut found = Vec::new();
        match &mut self.rest {
            Rest::Nothing => return Ok(false),
            Rest::Ids(ranges) => {
                let Some(range) = ranges.pop_front() else {
                    return Ok(false);
                };
                let sql = match self.kind {
                    RowKind::Message => MESSAGES_BY_ID,
                    RowKind::Summary => SUMMARIES_BY_ID,
                };
                self.read(sql, &[range.first, range.last, CHUNK], &mut found)?;
                if let (Some(last), Rest::Ids(ranges)) = (found.last(), &mut self.rest)
                    && is_full(&found)
                {
                    ranges.push_front(IdRange {
                        first: range.first,
                        last: last.id - 1,
                    });
                }
            }
            Rest::Places(stretches, first) => {
                let first = *first;
                let Some(stretch) = stretches.pop_front() else {
                    return Ok(false);
                };
                let places = [stretch.conversation, stretch.first, stretch.last, CHUNK];
                self.read(MESSAGES_BY_SEQ, &places, &mut found)?;
                if let (Some(last), Rest::Places(stretches, _)) = (found.last(), &mut self.rest) {
                    if last.id < first {
                        // Older places have smaller ids still.
                        stretches.clear();
                    } else if is_full(&found) {
                        stretches.push_front(Stretch {
                            last: last.seq - 1,
                            ..stretch
                        });
                    }
                }
                found.retain(|head| head.id >= first);
            }
        }
        self.chunk.extend(found);
        Ok(true)
    }

    fn read(&self, sql: &str, params: &[i64], out: &mut Vec<Head>) -> Result<(), StoreError> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(params))?;
        while let Some(row) = rows.next()? {
            out.push(self.check.head(self.kind, row)?);
        }
        Ok(())
    }
}

fn is_full(found: &[Head]) -> bool {
    i64::try_from(found.len()).is_ok_and(|len| len == CHUNK)
}

/// Reads the head of one row of either kind.
pub(super) fn one(conn: &Connection, check: &Check, id: i64) -> Result<Option<Head>, StoreError> {
    for (kind, sql) in [
        (RowKind::Message, ONE_MESSAGE),
        (RowKind::Summary, ONE_SUMMARY),
    ] {
        let mut statement = conn.prepare_cached(sql)?;
        let head = statement
            .query_row([id], |row| check.head(kind, row))
            .optional()?;
        if head.is_some() {
            return Ok(head);
        }
    }
    Ok(None)
}

/// Says whether a row is what views may use or what lies under it: superseded and prepared
/// summaries are not.
pub(super) fn is_searched(
    conn: &Connection,
    check: &Check,
    head: &Head,
) -> Result<bool, StoreError> {
    match head.kind {
        RowKind::Message => Ok(true),
        RowKind::Summary => {
            let branch = check.branch.as_ref().map(|branch| branch.lineage.own_id());
            let mut statement = conn.prepare_cached(IS_SEARCHED)?;
            Ok(statement.exists((head.id, branch))?)
        }
    }
}
