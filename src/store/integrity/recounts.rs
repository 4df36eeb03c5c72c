//! Recounts: each is of a message that its branch sees, and its event is there (I7).

use rusqlite::Connection;

use super::{Found, Thoroughness, damaged, one, pair, sound};

const STRAY: &str = "SELECT r.message_id, r.conversation_id FROM recounted AS r \
     LEFT JOIN message AS m ON m.id = r.message_id \
     LEFT JOIN lineage AS l ON l.conversation_id = r.conversation_id \
       AND l.ancestor_id = m.conversation_id AND m.seq <= l.max_seq \
     WHERE l.conversation_id IS NULL LIMIT 1";
const NO_EVENT: &str = "SELECT r.message_id, r.event_id FROM recounted AS r \
     LEFT JOIN event AS e ON e.id = r.event_id AND e.kind = 'recount' \
       AND e.conversation_id = r.conversation_id \
     WHERE e.id IS NULL LIMIT 1";
const TOO_MUCH: &str = "SELECT r.message_id, r.tokens FROM recounted AS r \
     JOIN message AS m ON m.id = r.message_id \
     WHERE typeof(r.tokens) <> 'integer' OR r.tokens > m.tokens LIMIT 1";
const EMPTY_EVENT: &str = "SELECT e.id, e.conversation_id FROM event AS e \
     WHERE e.kind = 'recount' AND NOT EXISTS ( \
       SELECT 1 FROM recounted AS r \
       WHERE r.conversation_id = e.conversation_id AND r.event_id = e.id) LIMIT 1";
const COUNT: &str = "SELECT COUNT(*) FROM recounted";

/// Every recount is of a message that is there, of no more than that holds, and has its event.
pub(super) fn recounts(conn: &Connection, _: Thoroughness) -> Found {
    if let Some((message, branch)) = pair(conn, STRAY)? {
        return damaged(format!(
            "message {message} is recounted for conversation {branch}, which does not see it"
        ));
    }
    if let Some((message, event)) = pair(conn, NO_EVENT)? {
        return damaged(format!(
            "the recount of message {message} names event {event}, which is none of its branch's \
             recounts"
        ));
    }
    if let Some(message) = one(conn, TOO_MUCH)? {
        return damaged(format!(
            "the recount of message {message} says more than the message holds"
        ));
    }
    if let Some((event, branch)) = pair(conn, EMPTY_EVENT)? {
        return damaged(format!(
            "event {event} of conversation {branch} tells of a recount of no message"
        ));
    }
    let count: i64 = conn.query_row(COUNT, [], |row| row.get(0))?;
    sound(format!("messages recounted: {count}"))
}
