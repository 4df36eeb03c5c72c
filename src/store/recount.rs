//! Recounts: what rows hold in views since the caps on tool results changed. Owns their rows and who
//! sees them. May not count, and knows no cap but as a text.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::clear::{Seen, seen};
use super::error::StoreError;
use super::event::NewEvent;
use super::lineage::Lineage;
use super::load::metas;
use super::row::{column, to_count, to_sql};
use super::sequence::Sequence;
use crate::domain::{
    EventKind, MessageId, MessageMeta, RecountCommit, RecountOutcome, RecountPlan, Seq, Span,
    Tokens,
};

const OF_BRANCH: &str = "SELECT message_id, tokens FROM recounted \
     WHERE conversation_id = ?1 AND message_id BETWEEN ?2 AND ?3 AND event_id < ?4 \
     ORDER BY message_id, event_id";
const NEWEST: &str = "SELECT tokens FROM recounted \
     WHERE conversation_id = ?1 AND message_id = ?2 AND event_id < ?3 \
     ORDER BY event_id DESC LIMIT 1";
const MOMENTS: &str = "SELECT r.event_id, m.seq, r.tokens, m.view_tokens, m.conversation_id \
     FROM recounted AS r JOIN message AS m ON m.id = r.message_id \
     WHERE r.conversation_id = ?1 AND r.event_id < ?2 ORDER BY r.message_id, r.event_id";
const IS_AS_READ: &str =
    "SELECT 1 FROM conversation WHERE id = ?1 AND head = ?2 AND counted_by = ?3";
const COUNT_BY: &str = "UPDATE conversation SET counted_by = ?2 WHERE id = ?1";
const INSERT: &str = "INSERT INTO recounted (conversation_id, message_id, event_id, tokens) \
     VALUES (?1, ?2, ?3, ?4)";

/// Gives rows the tokens that the newest recount a branch sees has found, before clears.
pub(super) fn apply(
    conn: &Connection,
    seen: &[Seen],
    rows: &mut [MessageMeta],
) -> Result<(), StoreError> {
    let ids = || rows.iter().map(|row| row.id.get());
    let (Some(first), Some(last)) = (ids().min(), ids().max()) else {
        return Ok(());
    };
    let mut of_row: HashMap<i64, i64> = HashMap::new();
    let mut statement = conn.prepare_cached(OF_BRANCH)?;
    // A branch's own events come after those that it sees of its ancestors.
    for seen in seen {
        let mut found = statement.query(params![seen.conversation, first, last, seen.until])?;
        while let Some(row) = found.next()? {
            // One that cannot be read changes nothing, and `doctor` names the row.
            if let Ok(tokens) = column(row, 1) {
                of_row.insert(column(row, 0)?, tokens);
            }
        }
    }
    for row in rows {
        if let Some(tokens) = of_row.remove(&row.id.get()) {
            row.view_tokens = Tokens::new(to_count(tokens));
        }
    }
    Ok(())
}

/// Returns what the newest recount a branch sees has found of a row.
pub(super) fn newest(
    conn: &Connection,
    seen: &[Seen],
    message: MessageId,
) -> Result<Option<i64>, StoreError> {
    let mut statement = conn.prepare_cached(NEWEST)?;
    for seen in seen.iter().rev() {
        let mut rows = statement.query(params![seen.conversation, message.get(), seen.until])?;
        if let Some(row) = rows.next()? {
            return column(row, 0).map(Some);
        }
    }
    Ok(None)
}

/// Lists what a branch sees recounted: by event, the places of rows and what each holds less than
/// it did before.
pub(super) fn moments(
    conn: &Connection,
    lineage: &Lineage,
) -> Result<Vec<(i64, i64, i64)>, StoreError> {
    let mut statement = conn.prepare_cached(MOMENTS)?;
    let mut held: HashMap<i64, i64> = HashMap::new();
    let mut moments = Vec::new();
    for seen in seen(conn, lineage)? {
        let mut rows = statement.query(params![seen.conversation, seen.until])?;
        while let Some(row) = rows.next()? {
            let (seq, tokens): (i64, i64) = (column(row, 1)?, column(row, 2)?);
            if lineage.owner(seq) == Some(column(row, 4)?) {
                let before = held.insert(seq, tokens).unwrap_or(column(row, 3)?);
                moments.push((column(row, 0)?, seq, before - tokens));
            }
        }
    }
    Ok(moments)
}

/// Returns what the messages of a span hold more in views than when they were stored.
pub(super) fn grown(conn: &Connection, lineage: &Lineage, span: Span) -> Result<i64, StoreError> {
    let inside = to_sql(span.first().get())..=to_sql(span.last().get());
    let moments = moments(conn, lineage)?;
    let shrunk = moments.iter().filter(|(_, seq, _)| inside.contains(seq));
    Ok(-shrunk.map(|(_, _, saved)| saved).sum::<i64>())
}

/// Records a plan, if what it was made from still holds.
pub(super) fn recount(
    conn: &Connection,
    commit: &RecountCommit,
) -> Result<RecountOutcome, StoreError> {
    let plan = &commit.plan;
    let own = plan.conversation.get();
    if !is_as_read(conn, plan)? {
        return Ok(RecountOutcome::Stale);
    }
    conn.prepare_cached(COUNT_BY)?
        .execute(params![own, plan.caps])?;
    let (Some(first), Some(last)) = (plan.rows.first(), plan.rows.last()) else {
        return Ok(RecountOutcome::Unchanged);
    };
    let reason = plan.reason();
    let mut ids = Sequence::load(conn)?;
    let mut event = NewEvent::new(EventKind::Recount, own, commit.now);
    event.span = Span::new(first.seq, last.seq);
    event.tokens_before = Some(plan.tokens_before);
    event.tokens_after = Some(plan.tokens_after());
    event.reason = Some(&reason);
    let id = event.store(conn, ids.take())?;
    ids.save(conn)?;
    let mut insert = conn.prepare_cached(INSERT)?;
    for row in &plan.rows {
        let tokens = to_sql(row.tokens.get());
        insert.execute(params![own, row.message.get(), id.get(), tokens])?;
    }
    Ok(RecountOutcome::Applied(id))
}

/// Says whether the branch ends where it did, is counted by what it was, and its rows hold what
/// they did: no message, recount or clear has come between.
fn is_as_read(conn: &Connection, plan: &RecountPlan) -> Result<bool, StoreError> {
    let own = plan.conversation.get();
    let head = plan.head.map_or(0, |head| to_sql(head.get()));
    let stands = conn
        .prepare_cached(IS_AS_READ)?
        .exists(params![own, head, plan.counted_by])?;
    if !stands {
        return Ok(false);
    }
    let lineage = Lineage::load(conn, own)?;
    let place = |seq: Seq| to_sql(seq.get());
    for row in &plan.rows {
        let now = metas(conn, &lineage, place(row.seq), place(row.seq))?;
        let holds = |now: &MessageMeta| now.id == row.message && now.view_tokens == row.before;
        if !now.first().is_some_and(holds) {
            return Ok(false);
        }
    }
    Ok(true)
}
