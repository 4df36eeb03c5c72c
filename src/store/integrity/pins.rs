//! Pins: each has its event and its standings, a source on its branch, and words that are its own.

use rusqlite::Connection;

use super::{Found, Thoroughness, damaged, one, pair, sound};
use crate::store::error::StoreError;

/// A pin without the event that made it, or without its first standing.
const LOST_EVENT: &str = "SELECT p.id FROM pin AS p \
     LEFT JOIN event AS e ON e.id = p.id AND e.kind = 'pin' AND e.conversation_id = p.conversation_id \
     LEFT JOIN pin_state AS s ON s.id = p.id AND s.pin_id = p.id \
     WHERE e.id IS NULL OR s.id IS NULL LIMIT 1";
/// A change without its event.
const LOST_CHANGE: &str = "SELECT s.id FROM pin_state AS s \
     LEFT JOIN event AS e ON e.id = s.id AND e.kind = 'pin' AND e.conversation_id = s.conversation_id \
     WHERE e.id IS NULL LIMIT 1";
/// An event that tells of a pin where no change is.
const EMPTY_EVENT: &str = "SELECT e.id FROM event AS e LEFT JOIN pin_state AS s ON s.id = e.id \
     WHERE e.kind = 'pin' AND s.id IS NULL LIMIT 1";
/// A change on a branch that does not see the pin, or before the pin was there.
const UNSEEN: &str = "SELECT s.id, s.pin_id FROM pin_state AS s JOIN pin AS p ON p.id = s.pin_id \
     LEFT JOIN lineage AS l ON l.conversation_id = s.conversation_id \
       AND l.ancestor_id = p.conversation_id \
       AND (l.ancestor_id = l.conversation_id OR p.id <= l.max_pin_id) \
     WHERE l.ancestor_id IS NULL OR s.id < p.id LIMIT 1";
/// A source that the pin's branch does not see.
const STRAY_SOURCE: &str = "SELECT p.id, p.source_id FROM pin AS p \
     LEFT JOIN message AS m ON m.id = p.source_id \
     LEFT JOIN lineage AS l ON l.conversation_id = p.conversation_id \
       AND l.ancestor_id = m.conversation_id AND m.seq <= l.max_seq \
     WHERE p.source_id IS NOT NULL AND l.ancestor_id IS NULL LIMIT 1";
/// A branch that was looked through past its end.
const FAR_MARK: &str = "SELECT id, pin_mark, head FROM conversation WHERE pin_mark > head LIMIT 1";
/// A branch that sees more of an ancestor's pins than what it branched from.
const WIDE_BOUND: &str = "SELECT l.conversation_id, l.ancestor_id FROM lineage AS l \
     JOIN conversation AS c ON c.id = l.conversation_id \
     JOIN lineage AS p ON p.conversation_id = c.parent_id AND p.ancestor_id = l.ancestor_id \
     WHERE p.ancestor_id <> p.conversation_id AND l.max_pin_id > p.max_pin_id LIMIT 1";
/// A branch that sees changes made after the first message that it does not inherit.
const LATE_BOUND: &str = "SELECT l.conversation_id, m.id FROM lineage AS l \
     JOIN conversation AS c ON c.id = l.conversation_id \
     JOIN lineage AS p ON p.conversation_id = c.parent_id AND p.max_seq > c.fork_seq \
     JOIN message AS m ON m.conversation_id = p.ancestor_id AND m.seq = c.fork_seq + 1 \
     WHERE l.ancestor_id <> l.conversation_id AND l.max_pin_id >= m.id LIMIT 1";
/// A pin whose words cannot be read.
const UNREADABLE: &str = "SELECT id FROM pin \
     WHERE typeof(text) <> 'text' OR trim(text) = '' LIMIT 1";
const WORDS: &str = "SELECT id, text FROM pin ORDER BY id";
/// A pin found in a message that does not say its words.
const NOT_SAID: &str = "SELECT p.id, p.source_id FROM pin AS p \
     JOIN pin_state AS s ON s.id = p.id AND s.made_by = 'auto' \
     WHERE NOT EXISTS ( \
       SELECT 1 FROM part AS w \
       WHERE w.id BETWEEN p.source_id * 65536 AND p.source_id * 65536 + 65535 \
         AND w.kind = 'text' AND instr(w.body, p.text) > 0) LIMIT 1";
const COUNT: &str = "SELECT (SELECT COUNT(*) FROM pin), (SELECT COUNT(*) FROM pin_state)";

/// Pins stand as their events say, on branches that see them (I12 rests on it).
pub(super) fn pins(conn: &Connection, thoroughness: Thoroughness) -> Found {
    if let Some(detail) = rows(conn)? {
        return damaged(detail);
    }
    if let Some(detail) = branches(conn)? {
        return damaged(detail);
    }
    if thoroughness == Thoroughness::Full
        && let Some(detail) = words(conn)?
    {
        return damaged(detail);
    }
    let (pins, changes): (i64, i64) =
        conn.query_row(COUNT, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    sound(format!("pins: {pins}, their changes: {changes}"))
}

fn rows(conn: &Connection) -> Result<Option<String>, StoreError> {
    if let Some(id) = one(conn, LOST_EVENT)? {
        return Ok(Some(format!(
            "pin {id} has lost the event that made it or its first standing"
        )));
    }
    if let Some(id) = one(conn, LOST_CHANGE)? {
        return Ok(Some(format!("change {id} of a pin has lost its event")));
    }
    if let Some(id) = one(conn, EMPTY_EVENT)? {
        return Ok(Some(format!(
            "event {id} tells of a pin, and no change of one has its id"
        )));
    }
    if let Some((change, pin)) = pair(conn, UNSEEN)? {
        return Ok(Some(format!(
            "change {change} is of pin {pin}, which its branch did not see then"
        )));
    }
    Ok(None)
}

fn branches(conn: &Connection) -> Result<Option<String>, StoreError> {
    if let Some((pin, message)) = pair(conn, STRAY_SOURCE)? {
        return Ok(Some(format!(
            "pin {pin} comes from message {message}, which its branch does not see"
        )));
    }
    if let Some((conversation, mark)) = pair(conn, FAR_MARK)? {
        return Ok(Some(format!(
            "conversation {conversation} was looked through up to message {mark}, past its end"
        )));
    }
    if let Some((conversation, ancestor)) = pair(conn, WIDE_BOUND)? {
        return Ok(Some(format!(
            "conversation {conversation} sees more pins of conversation {ancestor} than what it \
             branched from"
        )));
    }
    if let Some((conversation, message)) = pair(conn, LATE_BOUND)? {
        return Ok(Some(format!(
            "conversation {conversation} sees pins as they stood after message {message}, which \
             it does not inherit"
        )));
    }
    Ok(None)
}

fn words(conn: &Connection) -> Result<Option<String>, StoreError> {
    if let Some(id) = one(conn, UNREADABLE)? {
        return Ok(Some(format!("pin {id} has no words")));
    }
    let mut statement = conn.prepare_cached(WORDS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if row.get_ref(1)?.as_str().is_err() {
            let id: i64 = row.get(0)?;
            return Ok(Some(format!("the words of pin {id} are no UTF-8")));
        }
    }
    Ok(pair(conn, NOT_SAID)?.map(|(pin, message)| {
        format!("pin {pin} was found in message {message}, which does not say its words")
    }))
}
