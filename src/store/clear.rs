//! Clears: which tool results views show as a line. Owns their rows and who sees them.
//! May not choose them, and knows no body.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::StoreError;
use super::event::NewEvent;
use super::lineage::Lineage;
use super::recount;
use super::row::{column, to_count, to_sql, words_or_null};
use super::sequence::Sequence;
use crate::domain::{
    ClearCommit, ClearOutcome, ClearPlan, Cleared, EventId, EventKind, MessageId, MessageMeta, Seq,
    Span, Timestamp, Tokens,
};

const OF_BRANCH: &str = "SELECT message_id, nth, tool, tokens, saved, same_as FROM cleared \
     WHERE conversation_id = ?1 AND message_id BETWEEN ?2 AND ?3 AND event_id < ?4 \
     ORDER BY message_id, nth";
const FIRST_EVENT: &str = "SELECT min(id) FROM event WHERE conversation_id = ?1";
const SAVED_BETWEEN: &str = "SELECT coalesce(sum(c.saved), 0) FROM cleared AS c \
     JOIN message AS m ON m.id = c.message_id \
     WHERE c.conversation_id = ?1 AND c.event_id < ?2 AND m.conversation_id = ?3 \
       AND m.seq BETWEEN ?4 AND ?5";
const MOMENTS: &str = "SELECT c.event_id, m.seq, c.saved, m.conversation_id FROM cleared AS c \
     JOIN message AS m ON m.id = c.message_id \
     WHERE c.conversation_id = ?1 AND c.event_id < ?2";
const IS_CLEARED: &str = "SELECT 1 FROM cleared \
     WHERE conversation_id = ?1 AND message_id = ?2 AND nth = ?3 AND event_id < ?4";
const PLACE: &str = "SELECT conversation_id, seq, view_tokens FROM message WHERE id = ?1";
const INSERT: &str = "INSERT INTO cleared \
     (conversation_id, message_id, nth, event_id, tool, tokens, saved, same_as) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

/// A conversation of a lineage and the first event that the branch does not see of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) conversation: i64,
    pub(super) until: i64,
}

/// Lists whose clears a branch sees: its own, and those that its ancestors had when the branch that
/// leads here was made.
pub(super) fn seen(conn: &Connection, lineage: &Lineage) -> Result<Vec<Seen>, StoreError> {
    let ancestors = lineage.ancestors();
    let mut statement = conn.prepare_cached(FIRST_EVENT)?;
    let mut seen = Vec::with_capacity(ancestors.len());
    for (at, ancestor) in ancestors.iter().enumerate() {
        let until = match ancestors.get(at + 1) {
            // A branch's first event is the fork that made it.
            Some(child) => {
                let first: Option<i64> = statement.query_row([child.id], |row| row.get(0))?;
                first.unwrap_or(0)
            }
            None => i64::MAX,
        };
        seen.push(Seen {
            conversation: ancestor.id,
            until,
        });
    }
    Ok(seen)
}

/// Tells rows which of their results are cleared, and takes what that saves off their tokens.
pub(super) fn mark(
    conn: &Connection,
    seen: &[Seen],
    rows: &mut [MessageMeta],
) -> Result<(), StoreError> {
    let with_results = || rows.iter().filter(|row| !row.results.is_empty());
    let (Some(first), Some(last)) = (
        with_results().map(|row| row.id.get()).min(),
        with_results().map(|row| row.id.get()).max(),
    ) else {
        return Ok(());
    };
    let mut of_row: HashMap<i64, Vec<Cleared>> = HashMap::new();
    let mut statement = conn.prepare_cached(OF_BRANCH)?;
    for seen in seen {
        let mut found = statement.query(params![seen.conversation, first, last, seen.until])?;
        while let Some(row) = found.next()? {
            let id: i64 = column(row, 0)?;
            // One that cannot be read hides nothing: the body is shown, and `doctor` names the row.
            if let Ok(cleared) = cleared(row) {
                of_row.entry(id).or_default().push(cleared);
            }
        }
    }
    if of_row.is_empty() {
        return Ok(());
    }
    for row in rows {
        if let Some(mut cleared) = of_row.remove(&row.id.get()) {
            cleared.sort_by_key(|cleared| cleared.nth);
            let saved = cleared.iter().map(|cleared| cleared.saved).sum();
            row.view_tokens = row.view_tokens.saturating_sub(saved);
            row.cleared = cleared;
        }
    }
    Ok(())
}

fn cleared(row: &Row<'_>) -> Result<Cleared, StoreError> {
    Ok(Cleared {
        nth: column(row, 1)?,
        tool: words_or_null(row, 2)?,
        tokens: Tokens::new(to_count(column(row, 3)?)),
        saved: Tokens::new(to_count(column(row, 4)?)),
        same_as: column::<Option<i64>>(row, 5)?.map(MessageId::new),
    })
}

/// Lists what a branch sees cleared: by event, the places of rows and what each saves.
pub(super) fn moments(
    conn: &Connection,
    lineage: &Lineage,
) -> Result<Vec<(i64, i64, i64)>, StoreError> {
    let mut statement = conn.prepare_cached(MOMENTS)?;
    let mut moments = Vec::new();
    for seen in seen(conn, lineage)? {
        let mut rows = statement.query(params![seen.conversation, seen.until])?;
        while let Some(row) = rows.next()? {
            let (seq, owner): (i64, i64) = (column(row, 1)?, column(row, 3)?);
            if lineage.owner(seq) == Some(owner) {
                moments.push((column(row, 0)?, seq, column(row, 2)?));
            }
        }
    }
    Ok(moments)
}

/// Returns what views save on the messages of a span.
pub(super) fn saved(conn: &Connection, lineage: &Lineage, span: Span) -> Result<u64, StoreError> {
    let mut statement = conn.prepare_cached(SAVED_BETWEEN)?;
    let mut sum = 0;
    for seen in seen(conn, lineage)? {
        for stretch in lineage.stretches_of(span) {
            let part: i64 = statement.query_row(
                params![
                    seen.conversation,
                    seen.until,
                    stretch.conversation,
                    stretch.first,
                    stretch.last
                ],
                |row| row.get(0),
            )?;
            sum += to_count(part);
        }
    }
    Ok(sum)
}

/// Records a plan of its own, outside any leaf's transaction.
pub(super) fn clear(conn: &Connection, commit: &ClearCommit) -> Result<ClearOutcome, StoreError> {
    let lineage = Lineage::load(conn, commit.plan.conversation.get())?;
    let mut ids = Sequence::load(conn)?;
    let reason = &commit.reason;
    let event = record(conn, &lineage, &mut ids, &commit.plan, reason, commit.now)?;
    ids.save(conn)?;
    Ok(event.map_or(ClearOutcome::Stale, ClearOutcome::Applied))
}

/// Writes the clears that are not there yet and their event; `None` if all are there.
pub(super) fn record(
    conn: &Connection,
    lineage: &Lineage,
    ids: &mut Sequence,
    plan: &ClearPlan,
    reason: &str,
    now: Timestamp,
) -> Result<Option<EventId>, StoreError> {
    let seen = seen(conn, lineage)?;
    let mut fresh = Vec::new();
    let mut saved = Tokens::ZERO;
    let mut span: Option<Span> = None;
    for (message, cleared) in &plan.results {
        let seq = place(conn, lineage, &seen, *message, cleared)?;
        if is_cleared(conn, &seen, *message, cleared.nth)? {
            continue;
        }
        saved += cleared.saved;
        let (first, last) = span.map_or((seq, seq), |span| (span.first(), span.last()));
        span = Span::new(first.min(seq), last.max(seq));
        fresh.push((message, cleared));
    }
    if fresh.is_empty() {
        return Ok(None);
    }
    let own = plan.conversation.get();
    let mut event = NewEvent::new(EventKind::Clear, own, now);
    event.span = span;
    event.tokens_before = Some(plan.tokens_before);
    event.tokens_after = Some(plan.tokens_before.saturating_sub(saved));
    event.reason = Some(reason);
    let id = event.store(conn, ids.take())?;
    let mut insert = conn.prepare_cached(INSERT)?;
    for (message, cleared) in fresh {
        insert.execute(params![
            own,
            message.get(),
            cleared.nth,
            id.get(),
            cleared.tool,
            to_sql(cleared.tokens.get()),
            to_sql(cleared.saved.get()),
            cleared.same_as.map(MessageId::get)
        ])?;
    }
    Ok(Some(id))
}

/// Finds where a message stands on the branch.
///
/// # Errors
/// `Refused` if the branch does not see it, or it costs less than the clear would save.
fn place(
    conn: &Connection,
    lineage: &Lineage,
    seen: &[Seen],
    message: MessageId,
    cleared: &Cleared,
) -> Result<Seq, StoreError> {
    let refused = |what: &str| StoreError::Refused {
        detail: format!("message {message} {what}, so none of its results can be cleared"),
    };
    let found: Option<(i64, i64, i64)> = conn
        .prepare_cached(PLACE)?
        .query_row([message.get()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let Some((owner, seq, view_tokens)) = found else {
        return Err(refused("is not stored"));
    };
    if lineage.owner(seq) != Some(owner) {
        return Err(refused("is not on the branch"));
    }
    let shown = recount::newest(conn, seen, message)?.unwrap_or(view_tokens);
    if to_count(shown) < cleared.saved.get() {
        return Err(refused("costs less than would be saved"));
    }
    super::row::to_seq(seq)
}

fn is_cleared(
    conn: &Connection,
    seen: &[Seen],
    message: MessageId,
    nth: u32,
) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(IS_CLEARED)?;
    for seen in seen {
        let bounds = params![seen.conversation, message.get(), nth, seen.until];
        if statement.exists(bounds)? {
            return Ok(true);
        }
    }
    Ok(false)
}
