//! Committing plans. Owns what a commit writes: a summary, its event, and how far views see.
//! May not make or mend a plan: what has moved on is `Stale`.

use rusqlite::{Connection, params};

use super::check::{Checked, check};
use super::clear;
use super::error::{StoreError, is_unique_conflict};
use super::event::NewEvent;
use super::frontier::{Counters, counters};
use super::lineage::Lineage;
use super::row::to_sql;
use super::sequence::Sequence;
use crate::domain::{
    CommitOutcome, Committed, ConversationId, EventId, EventKind, LiveMove, Plan, PlanCommit,
    SummaryId, Timestamp, Tokens, Window,
};

/// Stores a plan's summary and its event, if the plan still holds.
pub(super) fn commit(conn: &Connection, commit: &PlanCommit) -> Result<CommitOutcome, StoreError> {
    let conversation = commit.plan.conversation();
    let counters = counters(conn, conversation.get())?;
    let lineage = Lineage::load(conn, conversation.get())?;
    let checked = check(conn, &lineage, &counters, &commit.plan)?;
    let Some(checked) = checked else {
        return Ok(CommitOutcome::Stale);
    };
    if commit.draft.body.trim().is_empty() || commit.draft.tokens == Tokens::ZERO {
        return Err(StoreError::Refused {
            detail: "a summary must have a body and at least 1 token".to_owned(),
        });
    }
    let mut ids = Sequence::load(conn)?;
    if let Some(plan) = &commit.clear {
        clear::record(conn, &lineage, &mut ids, plan, &commit.reason, commit.now)?;
    }
    if commit.live == LiveMove::Now && counters.newest_id > counters.live_id {
        promote_to(
            conn,
            conversation,
            &counters,
            commit.now,
            &mut ids,
            &Promotion {
                reason: &commit.reason,
                tokens_before: commit.tokens_before,
                tokens_after: None,
            },
        )?;
    }
    let id = ids.take();
    if !insert(conn, commit, &checked, id)? {
        // What was written before keeps its ids.
        ids.save(conn)?;
        return Ok(CommitOutcome::Stale);
    }
    move_live(conn, conversation, id, commit.live)?;
    let pressure = pressure_after(commit, &checked);
    let event = store_event(conn, commit, id, ids.take(), pressure)?;
    ids.save(conn)?;
    Ok(CommitOutcome::Applied(Committed {
        summary: SummaryId::new(id),
        event,
        pressure,
    }))
}

/// Inserts the row; says whether its place was free.
fn insert(
    conn: &Connection,
    commit: &PlanCommit,
    checked: &Checked,
    id: i64,
) -> Result<bool, StoreError> {
    let span = commit.plan.span();
    let inserted = conn
        .prepare_cached(
            "INSERT INTO summary (id, conversation_id, depth, first_seq, last_seq, generation,
                                  origin, tokens, from_at, to_at, model, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            id,
            commit.plan.conversation().get(),
            commit.plan.depth().get(),
            to_sql(span.first().get()),
            to_sql(span.last().get()),
            checked.generation,
            commit.draft.origin.as_str(),
            to_sql(commit.draft.tokens.get()),
            checked.times.0.map(Timestamp::millis),
            checked.times.1.map(Timestamp::millis),
            commit.draft.model,
            commit.draft.body
        ]);
    match inserted {
        Ok(_) => Ok(true),
        Err(error) if is_unique_conflict(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn move_live(
    conn: &Connection,
    conversation: ConversationId,
    id: i64,
    live: LiveMove,
) -> Result<(), StoreError> {
    let statement = match live {
        LiveMove::Now => "UPDATE conversation SET newest_id = ?2, live_id = ?2 WHERE id = ?1",
        LiveMove::Later => "UPDATE conversation SET newest_id = ?2 WHERE id = ?1",
    };
    conn.prepare_cached(statement)?
        .execute(params![conversation.get(), id])?;
    Ok(())
}

/// Returns what views hold since the commit; a row that waits for promotion changes nothing.
fn pressure_after(commit: &PlanCommit, checked: &Checked) -> Tokens {
    match commit.live {
        LiveMove::Now if checked.replaced > Tokens::ZERO => {
            commit.tokens_before.saturating_sub(checked.replaced)
                + commit.plan.note()
                + commit.draft.tokens
        }
        LiveMove::Now | LiveMove::Later => commit.tokens_before,
    }
}

fn store_event(
    conn: &Connection,
    commit: &PlanCommit,
    summary: i64,
    id: i64,
    pressure: Tokens,
) -> Result<EventId, StoreError> {
    let kind = match commit.plan {
        Plan::Leaf(_) => EventKind::Leaf,
        Plan::Condense(_) => EventKind::Condense,
        Plan::Repair(_) => EventKind::Repair,
    };
    let mut event = NewEvent::new(kind, commit.plan.conversation().get(), commit.now);
    event.span = Some(commit.plan.span());
    event.summary = Some(summary);
    event.tokens_before = Some(commit.tokens_before);
    event.tokens_after = Some(pressure);
    event.reason = Some(&commit.reason);
    event.store(conn, id)
}

/// What the event of a promotion says.
pub(super) struct Promotion<'a> {
    pub reason: &'a str,
    pub tokens_before: Tokens,
    /// None where a commit promotes on its way: the commit's own event says it.
    pub tokens_after: Option<Tokens>,
}

/// Lets views use all rows there are; `None` if they do already.
pub(super) fn promote(
    conn: &Connection,
    conversation: ConversationId,
    promotion: &Promotion<'_>,
    now: Timestamp,
) -> Result<Option<EventId>, StoreError> {
    let counters = counters(conn, conversation.get())?;
    if counters.newest_id <= counters.live_id {
        return Ok(None);
    }
    let mut ids = Sequence::load(conn)?;
    let event = promote_to(conn, conversation, &counters, now, &mut ids, promotion)?;
    ids.save(conn)?;
    Ok(Some(event))
}

fn promote_to(
    conn: &Connection,
    conversation: ConversationId,
    counters: &Counters,
    now: Timestamp,
    ids: &mut Sequence,
    promotion: &Promotion<'_>,
) -> Result<EventId, StoreError> {
    conn.prepare_cached("UPDATE conversation SET live_id = ?2 WHERE id = ?1")?
        .execute(params![conversation.get(), counters.newest_id])?;
    let mut event = NewEvent::new(EventKind::Promote, conversation.get(), now);
    event.tokens_before = Some(promotion.tokens_before);
    event.tokens_after = promotion.tokens_after;
    event.reason = Some(promotion.reason);
    event.store(conn, ids.take())
}

/// Records the configured window, if it differs from the last one recorded.
pub(super) fn record_window(
    conn: &Connection,
    conversation: ConversationId,
    window: Window,
    now: Timestamp,
) -> Result<Option<EventId>, StoreError> {
    let recorded = super::conversation::must_exist(conn, conversation)?.window;
    if recorded == Some(window) {
        return Ok(None);
    }
    set_window(conn, conversation, window)?;
    let mut ids = Sequence::load(conn)?;
    let mut event = NewEvent::new(EventKind::Window, conversation.get(), now);
    event.window = Some(window);
    let id = event.store(conn, ids.take())?;
    ids.save(conn)?;
    Ok(Some(id))
}

/// Sets the window that is recorded of a branch.
pub(super) fn set_window(
    conn: &Connection,
    conversation: ConversationId,
    window: Window,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "UPDATE conversation
         SET window_context = ?2, window_overhead = ?3, window_reserve = ?4 WHERE id = ?1",
    )?
    .execute(params![
        conversation.get(),
        to_sql(window.context().get()),
        to_sql(window.overhead().get()),
        to_sql(window.reserve().get())
    ])?;
    Ok(())
}
