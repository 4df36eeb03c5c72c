//! Conversations and the key pointer. Owns which branch a key means, resolved in the transaction
//! that asks.
//! May not write messages.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::StoreError;
use super::lineage::{Ancestor, Lineage};
use super::row::{column, to_seq_option, to_summary_option, to_window};
use super::steering::to_gauge;
use crate::domain::{Conversation, ConversationId, Seq, SessionKey, Timestamp};

/// The most keys compared when one is unknown.
const MAX_NEAR_SEARCHED: i64 = 10_000;
/// The most keys offered instead of an unknown one.
const MAX_NEAR: usize = 3;

/// Returns the branch a key points at.
pub(super) fn pointer(conn: &Connection, key: &SessionKey) -> Result<Option<i64>, StoreError> {
    Ok(conn
        .prepare_cached("SELECT conversation_id FROM session WHERE key = ?1")?
        .query_row([key.as_str()], |row| row.get(0))
        .optional()?)
}

/// What a branch begins with.
#[derive(Debug, Clone, Default)]
pub(super) struct Beginning {
    pub parent: Option<i64>,
    pub fork_seq: i64,
    pub fork_summary_id: i64,
    pub inherited: Vec<Ancestor>,
    /// How far the words it inherits were looked through, as far as it sees what came of it.
    pub pin_mark: i64,
}

/// Makes a branch; its counters start at nothing.
pub(super) fn create(
    conn: &Connection,
    key: &SessionKey,
    beginning: &Beginning,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let (parent, fork_seq, fork_summary) = match beginning.parent {
        Some(parent) => (
            Some(parent),
            Some(beginning.fork_seq),
            Some(beginning.fork_summary_id),
        ),
        None => (None, None, None),
    };
    let id: i64 = conn
        .prepare_cached(
            "INSERT INTO conversation (session_key, parent_id, fork_seq, fork_summary_id, live_id,
                                       newest_id, created_at, pin_mark)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7) RETURNING id",
        )?
        .query_row(
            params![
                key.as_str(),
                parent,
                fork_seq,
                fork_summary,
                fork_summary.unwrap_or(0),
                now.millis(),
                beginning.pin_mark
            ],
            |row| row.get(0),
        )?;
    Lineage::begin(conn, id, &beginning.inherited)?;
    Ok(id)
}

/// Points a key at a branch.
pub(super) fn point(conn: &Connection, key: &SessionKey, branch: i64) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO session (key, conversation_id) VALUES (?1, ?2)
         ON CONFLICT (key) DO UPDATE SET conversation_id = excluded.conversation_id",
    )?
    .execute(params![key.as_str(), branch])?;
    Ok(())
}

/// Records where the host's last list began.
pub(super) fn set_list_first(
    conn: &Connection,
    key: &SessionKey,
    first: i64,
) -> Result<(), StoreError> {
    conn.prepare_cached("UPDATE session SET list_first = ?2 WHERE key = ?1 AND list_first <> ?2")?
        .execute(params![key.as_str(), first])?;
    Ok(())
}

/// Returns where the host's last list began.
pub(super) fn list_first(conn: &Connection, key: &SessionKey) -> Result<Option<Seq>, StoreError> {
    let found: Option<i64> = conn
        .prepare_cached("SELECT list_first FROM session WHERE key = ?1")?
        .query_row([key.as_str()], |row| row.get(0))
        .optional()?;
    Ok(found.and_then(to_seq_option))
}

/// Returns the branch a key points at, beginning one for an unknown key.
pub(super) fn resolve_or_create(
    conn: &Connection,
    key: &SessionKey,
    now: Timestamp,
) -> Result<i64, StoreError> {
    if let Some(found) = pointer(conn, key)? {
        return Ok(found);
    }
    let made = create(conn, key, &Beginning::default(), now)?;
    point(conn, key, made)?;
    Ok(made)
}

/// Reads a branch by id.
pub(super) fn by_id(
    conn: &Connection,
    id: ConversationId,
) -> Result<Option<Conversation>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT c.id, c.session_key, c.parent_id, c.fork_seq, c.head, c.live_id,
                c.window_context, c.window_overhead, c.window_reserve,
                coalesce(s.conversation_id = c.id, 0), m.factor, m.model_limit, c.pin_mark,
                c.counted_by
         FROM conversation AS c LEFT JOIN session AS s ON s.key = c.session_key
         LEFT JOIN steering AS t ON t.conversation_id = c.id
         LEFT JOIN measure AS m ON m.model = coalesce(t.model, '') AND m.event_id = (
           SELECT max(n.event_id) FROM measure AS n
           WHERE n.conversation_id = c.id AND n.model = coalesce(t.model, ''))
         WHERE c.id = ?1",
    )?;
    let mut rows = statement.query([id.get()])?;
    rows.next()?
        .map(|row| decode(row).map_err(|error| error.of_row("conversation", id.get())))
        .transpose()
}

fn decode(row: &Row<'_>) -> Result<Conversation, StoreError> {
    let key: String = column(row, 1)?;
    Ok(Conversation {
        id: ConversationId::new(column(row, 0)?),
        session: SessionKey::new(key)
            .map_err(|_| StoreError::corrupt("its session key is no key"))?,
        parent: column::<Option<i64>>(row, 2)?.map(ConversationId::new),
        fork_seq: column::<Option<i64>>(row, 3)?.and_then(to_seq_option),
        head: to_seq_option(column(row, 4)?),
        live_id: to_summary_option(column(row, 5)?),
        window: to_window(column(row, 6)?, column(row, 7)?, column(row, 8)?),
        is_current: column(row, 9)?,
        gauge: to_gauge(column(row, 10)?, column(row, 11)?)?,
        pin_mark: to_seq_option(column(row, 12)?),
        counted_by: column(row, 13)?,
    })
}

/// Reads a branch that must be there.
pub(super) fn must_exist(
    conn: &Connection,
    id: ConversationId,
) -> Result<Conversation, StoreError> {
    by_id(conn, id)?.ok_or_else(|| StoreError::corrupt(format!("there is no conversation {id}")))
}

/// Returns the branches a key has pointed at, the newest first.
pub(super) fn branches(
    conn: &Connection,
    key: &SessionKey,
) -> Result<Vec<ConversationId>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT id FROM conversation WHERE session_key = ?1 ORDER BY id DESC")?;
    let found = statement
        .query_map([key.as_str()], |row| row.get(0).map(ConversationId::new))?
        .collect::<Result<_, _>>()?;
    Ok(found)
}

/// Returns keys that look like an unknown one, the likest first.
pub(super) fn near_keys(
    conn: &Connection,
    key: &SessionKey,
) -> Result<Vec<SessionKey>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT key FROM session ORDER BY conversation_id DESC LIMIT ?1")?;
    let mut near = Vec::new();
    let mut rows = statement.query([MAX_NEAR_SEARCHED])?;
    while let Some(row) = rows.next()? {
        let found: String = row.get(0)?;
        if let (Some(distance), Ok(found)) =
            (distance(key.as_str(), &found), SessionKey::new(found))
        {
            near.push((distance, found));
        }
    }
    near.sort();
    near.truncate(MAX_NEAR);
    Ok(near.into_iter().map(|(_, key)| key).collect())
}

/// Returns how far two keys are apart; `None` if they have little in common.
fn distance(asked: &str, found: &str) -> Option<usize> {
    let (asked, found) = (asked.to_lowercase(), found.to_lowercase());
    if found.contains(&asked) || asked.contains(&found) {
        return Some(asked.len().abs_diff(found.len()).min(1));
    }
    let allowed = (asked.chars().count() / 3).clamp(1, 8);
    let edits = edits(&asked, &found, allowed)?;
    Some(edits + 1)
}

/// Counts the edits between two texts, two letters that changed places being one; `None` above
/// `allowed`.
fn edits(left: &str, right: &str, allowed: usize) -> Option<usize> {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    if left.len().abs_diff(right.len()) > allowed {
        return None;
    }
    let at = |row: &[usize], idx: usize| row.get(idx).copied().unwrap_or(usize::MAX);
    let mut older: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=left.len()).collect();
    for (row, letter) in right.iter().enumerate() {
        let mut current = vec![row + 1];
        for (idx, other) in left.iter().enumerate() {
            let mut cost = at(&above, idx)
                .saturating_add(usize::from(other != letter))
                .min(at(&above, idx + 1).saturating_add(1))
                .min(at(&current, idx).saturating_add(1));
            let is_swap = row > 0
                && idx > 0
                && right.get(row - 1) == Some(other)
                && left.get(idx - 1) == Some(letter);
            if is_swap {
                cost = cost.min(at(&older, idx - 1).saturating_add(1));
            }
            current.push(cost);
        }
        older = std::mem::replace(&mut above, current);
    }
    above.last().copied().filter(|&edits| edits <= allowed)
}
