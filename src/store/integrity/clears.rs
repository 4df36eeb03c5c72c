//! Clears: each names a result that its branch sees, and its event says what was saved (I7).

use rusqlite::{Connection, OptionalExtension};

use super::{Found, Thoroughness, damaged, pair, sound};

const STRAY: &str = "SELECT c.message_id, c.conversation_id FROM cleared AS c \
     LEFT JOIN message AS m ON m.id = c.message_id \
     LEFT JOIN lineage AS l ON l.conversation_id = c.conversation_id \
       AND l.ancestor_id = m.conversation_id AND m.seq <= l.max_seq \
     WHERE l.conversation_id IS NULL LIMIT 1";
const NO_RESULT: &str = "SELECT c.message_id, c.nth FROM cleared AS c WHERE c.nth >= ( \
       SELECT COUNT(*) FROM part AS p \
       WHERE p.id BETWEEN c.message_id * 65536 AND c.message_id * 65536 + 65535 \
         AND p.kind = 'tool_result') LIMIT 1";
/// A message that was recounted may have held more than when it was stored, though never more than
/// it says.
const TOO_MUCH: &str = "SELECT c.message_id, SUM(c.saved), m.view_tokens FROM cleared AS c \
     JOIN message AS m ON m.id = c.message_id \
     GROUP BY c.conversation_id, c.message_id \
     HAVING SUM(c.saved) > m.view_tokens AND (SUM(c.saved) > m.tokens OR NOT EXISTS ( \
       SELECT 1 FROM lineage AS l CROSS JOIN recounted AS r \
         ON r.conversation_id = l.ancestor_id AND r.message_id = c.message_id \
       WHERE l.conversation_id = c.conversation_id)) LIMIT 1";
const NO_EVENT: &str = "SELECT c.message_id, c.event_id FROM cleared AS c \
     LEFT JOIN event AS e ON e.id = c.event_id AND e.kind = 'clear' \
       AND e.conversation_id = c.conversation_id \
     WHERE e.id IS NULL LIMIT 1";
const WRONG_SUM: &str = "SELECT e.id, e.tokens_before - e.tokens_after, COALESCE(c.saved, 0) \
     FROM event AS e LEFT JOIN ( \
       SELECT event_id, SUM(saved) AS saved FROM cleared GROUP BY event_id) AS c \
       ON c.event_id = e.id \
     WHERE e.kind = 'clear' \
       AND (c.saved IS NULL OR MAX(e.tokens_before - c.saved, 0) IS NOT e.tokens_after) LIMIT 1";
const COUNT: &str = "SELECT COUNT(*) FROM cleared";

/// Every clear is of a result that is there, and adds up with its event.
pub(super) fn clears(conn: &Connection, _: Thoroughness) -> Found {
    if let Some((message, branch)) = pair(conn, STRAY)? {
        return damaged(format!(
            "a result of message {message} is cleared for conversation {branch}, which does not \
             see it"
        ));
    }
    if let Some((message, nth)) = pair(conn, NO_RESULT)? {
        return damaged(format!(
            "result {nth} of message {message} is cleared and not there"
        ));
    }
    if let Some((message, event)) = pair(conn, NO_EVENT)? {
        return damaged(format!(
            "the clear of message {message} names event {event}, which is none of its branch's \
             clears"
        ));
    }
    for (sql, thing) in [(TOO_MUCH, "message"), (WRONG_SUM, "event")] {
        let wrong: Option<(i64, Option<i64>, i64)> = conn
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        if let Some((id, left, right)) = wrong {
            let left = left.unwrap_or_default();
            return damaged(format!(
                "the clears of {thing} {id} do not add up: {left} and {right}"
            ));
        }
    }
    let count: i64 = conn.query_row(COUNT, [], |row| row.get(0))?;
    sound(format!("results cleared: {count}"))
}
