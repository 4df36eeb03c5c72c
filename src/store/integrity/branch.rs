//! Branches: what each sees of its ancestors, what its key means, which keys of messages it knows.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};

use super::{Found, Thoroughness, damaged, marks, pair, sound};
use crate::store::error::StoreError;

const ALL_LINEAGE: &str = "SELECT conversation_id, ancestor_id, max_seq, max_id FROM lineage";
const PARENTS: &str = "SELECT id, parent_id, fork_seq, COALESCE(fork_summary_id, 0), head FROM conversation ORDER BY id";
const STRAY_POINTER: &str = "SELECT s.conversation_id, c.id FROM session AS s \
     LEFT JOIN conversation AS c ON c.id = s.conversation_id AND c.session_key = s.key \
     WHERE c.id IS NULL LIMIT 1";
const LOST_POINTER: &str = "SELECT c.id FROM conversation AS c \
     LEFT JOIN session AS s ON s.key = c.session_key WHERE s.key IS NULL LIMIT 1";
const COUNT_SESSIONS: &str = "SELECT COUNT(*) FROM session";
pub(in crate::store) const LIVE: &str =
    "SELECT id, live_id, newest_id, COALESCE(fork_summary_id, 0) FROM conversation";
pub(in crate::store) const GREATEST_SUMMARY: &str =
    "SELECT MAX(id) FROM summary WHERE conversation_id = ?1";
const IS_SEEN: &str = "SELECT 1 FROM summary AS s \
     JOIN lineage AS l ON l.conversation_id = ?1 AND l.ancestor_id = s.conversation_id \
     WHERE s.id = ?2 AND s.id <= l.max_id";
pub(in crate::store) const LAST_EVENT: &str = "SELECT id, live_id FROM event WHERE conversation_id = ?1 \
     ORDER BY id DESC LIMIT 1";
const STRAY_KEY: &str = "SELECT k.message_id, k.conversation_id FROM message_key AS k \
     LEFT JOIN message AS m ON m.id = k.message_id AND m.conversation_id = k.conversation_id \
     WHERE m.id IS NULL LIMIT 1";
const REPEATED_KEY: &str = "SELECT k.message_id, a.message_id FROM lineage AS l \
     JOIN message_key AS k ON k.conversation_id = l.conversation_id \
     JOIN message_key AS a ON a.conversation_id = l.ancestor_id AND a.key = k.key \
     JOIN message AS m ON m.id = a.message_id AND m.seq <= l.max_seq \
     WHERE l.ancestor_id <> l.conversation_id LIMIT 1";
const COUNT_KEYS: &str = "SELECT COUNT(*) FROM message_key";

/// Bounds by ancestor.
type Bounds = BTreeMap<i64, (i64, i64)>;

struct Parent {
    id: i64,
    fork_seq: i64,
    fork_summary_id: i64,
}

/// Every branch sees itself whole and of its ancestors the least along the chain.
pub(super) fn lineage(conn: &Connection, _: Thoroughness) -> Found {
    let mut stored: BTreeMap<i64, Bounds> = BTreeMap::new();
    let mut statement = conn.prepare_cached(ALL_LINEAGE)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let of = stored.entry(row.get(0)?).or_default();
        of.insert(row.get(1)?, (row.get(2)?, row.get(3)?));
    }
    let mut heads: BTreeMap<i64, i64> = BTreeMap::new();
    let mut statement = conn.prepare_cached(PARENTS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, parent): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
        let mut expected = Bounds::from([(id, (i64::MAX, i64::MAX))]);
        if let Some(parent) = parent {
            let fork_seq = row.get::<_, Option<i64>>(2)?.unwrap_or(0);
            if heads.get(&parent).is_none_or(|head| fork_seq > *head) {
                return damaged(format!(
                    "conversation {id} begins after message {fork_seq} of conversation {parent}, \
                     which does not reach so far"
                ));
            }
            let parent = Parent {
                id: parent,
                fork_seq,
                fork_summary_id: row.get(3)?,
            };
            inherit(&mut expected, &stored, &parent);
        }
        let found = stored.get(&id);
        if let Some(detail) = difference(id, &expected, found) {
            return damaged(detail);
        }
        heads.insert(id, row.get(4)?);
    }
    if let Some(id) = stored.keys().find(|id| !heads.contains_key(id)) {
        return damaged(format!("conversation {id} has a lineage and no row"));
    }
    sound(format!("branches: {}", heads.len()))
}

fn inherit(expected: &mut Bounds, stored: &BTreeMap<i64, Bounds>, parent: &Parent) {
    for (ancestor, (max_seq, max_id)) in stored.get(&parent.id).into_iter().flatten() {
        let max_seq = (*max_seq).min(parent.fork_seq);
        if max_seq > 0 {
            let max_id = (*max_id).min(parent.fork_summary_id);
            expected.insert(*ancestor, (max_seq, max_id));
        }
    }
}

fn difference(id: i64, expected: &Bounds, found: Option<&Bounds>) -> Option<String> {
    let nothing = Bounds::new();
    let found = found.unwrap_or(&nothing);
    for (ancestor, (max_seq, max_id)) in expected {
        match found.get(ancestor) {
            None => {
                return Some(format!(
                    "conversation {id} has lost what it sees of conversation {ancestor}"
                ));
            }
            Some(bounds) if *bounds != (*max_seq, *max_id) => {
                return Some(format!(
                    "conversation {id} sees conversation {ancestor} up to message {} and summary \
                     {}, it should up to {max_seq} and {max_id}",
                    bounds.0, bounds.1
                ));
            }
            Some(_) => {}
        }
    }
    let stray = found
        .keys()
        .find(|ancestor| !expected.contains_key(ancestor))?;
    Some(format!(
        "conversation {id} sees conversation {stray}, which is no ancestor"
    ))
}

/// Keys point at branches made under them, no branch has lost its key, and `live_id` is what the last event says.
pub(super) fn pointers(conn: &Connection, _: Thoroughness) -> Found {
    let stray: Option<i64> = conn
        .query_row(STRAY_POINTER, [], |row| row.get(0))
        .optional()?;
    if let Some(conversation) = stray {
        return damaged(format!(
            "a key points at conversation {conversation}, which was not made under it"
        ));
    }
    let lost: Option<i64> = conn
        .query_row(LOST_POINTER, [], |row| row.get(0))
        .optional()?;
    if let Some(conversation) = lost {
        return damaged(format!(
            "the key of conversation {conversation} points at nothing"
        ));
    }
    let mut statement = conn.prepare_cached(LIVE)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let live = Live {
            conversation: row.get(0)?,
            used: row.get(1)?,
            newest: row.get(2)?,
            inherited: row.get(3)?,
        };
        if let Some(detail) = live.damage(conn)? {
            return damaged(detail);
        }
    }
    let sessions: i64 = conn.query_row(COUNT_SESSIONS, [], |row| row.get(0))?;
    sound(format!("keys that point at a branch: {sessions}"))
}

struct Live {
    conversation: i64,
    used: i64,
    newest: i64,
    inherited: i64,
}

impl Live {
    fn damage(&self, conn: &Connection) -> Result<Option<String>, StoreError> {
        let Self {
            conversation,
            used,
            newest,
            inherited,
        } = self;
        let greatest: Option<i64> = conn
            .prepare_cached(GREATEST_SUMMARY)?
            .query_row([conversation], |row| row.get(0))?;
        let greatest = greatest.unwrap_or(0).max(*inherited);
        if *newest != greatest {
            return Ok(Some(format!(
                "conversation {conversation} counts summaries up to {newest}, its newest is \
                 {greatest}"
            )));
        }
        let is_known =
            used == inherited || conn.prepare_cached(IS_SEEN)?.exists([conversation, used])?;
        if !is_known || used > newest {
            return Ok(Some(format!(
                "views of conversation {conversation} use summaries up to {used}, which is none \
                 of its own"
            )));
        }
        let last: Option<(i64, i64)> = conn
            .prepare_cached(LAST_EVENT)?
            .query_row([conversation], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let recorded = last.map_or(0, |(_, used)| used);
        if recorded == *used {
            return Ok(None);
        }
        let event = last.map_or_else(|| "no event".to_owned(), |(id, _)| format!("event {id}"));
        Ok(Some(format!(
            "views of conversation {conversation} use summaries up to {used}, {event} says \
             {recorded}"
        )))
    }
}

/// A key of a message names a row of its branch, once along a lineage.
pub(super) fn keys(conn: &Connection, thoroughness: Thoroughness) -> Found {
    if let Some((message, conversation)) = pair(conn, STRAY_KEY)? {
        return damaged(format!(
            "a key of conversation {conversation} names message {message}, which is not its own"
        ));
    }
    if let Some((message, earlier)) = pair(conn, REPEATED_KEY)? {
        return damaged(format!(
            "message {message} has the key of message {earlier}, which its branch inherits"
        ));
    }
    if thoroughness == Thoroughness::Full
        && let Some(detail) = marks::wrong_key(conn)?
    {
        return damaged(detail);
    }
    let count: i64 = conn.query_row(COUNT_KEYS, [], |row| row.get(0))?;
    sound(format!("keys of messages: {count}"))
}
