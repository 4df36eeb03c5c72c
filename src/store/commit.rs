//! Committing plans. Owns the second look: a plan is stored only if the frontier it was made from
//! is the walk's result now.
//! May not make or mend a plan: what has moved on is `Stale`.

use rusqlite::{Connection, params};

use super::error::{StoreError, is_unique_conflict};
use super::event::NewEvent;
use super::fork::least;
use super::frontier::{Counters, counters};
use super::lineage::Lineage;
use super::load::{summary_row, time_range};
use super::row::{SummaryRow, to_sql, to_time};
use super::sequence::Sequence;
use super::walk::{Bounds, first, last, walk};
use crate::domain::{
    CommitOutcome, Committed, CondensePlan, ConversationId, EventId, EventKind, LeafPlan, LiveMove,
    Plan, PlanCommit, RepairPlan, SummaryId, Timestamp, Tokens, Window,
};

/// What the row needs that the plan does not say, and what views save by it.
struct Checked {
    generation: i64,
    times: (Option<Timestamp>, Option<Timestamp>),
    replaced: Tokens,
}

/// Stores a plan's summary and its event, if the plan still holds.
pub(super) fn commit(conn: &Connection, commit: &PlanCommit) -> Result<CommitOutcome, StoreError> {
    let conversation = commit.plan.conversation();
    let counters = counters(conn, conversation.get())?;
    let lineage = Lineage::load(conn, conversation.get())?;
    let checked = match &commit.plan {
        Plan::Leaf(plan) => check_leaf(conn, &lineage, &counters, plan)?,
        Plan::Condense(plan) => check_condense(conn, &lineage, &counters, plan)?,
        Plan::Repair(plan) => check_repair(conn, &lineage, &counters, plan)?,
    };
    let Some(checked) = checked else {
        return Ok(CommitOutcome::Stale);
    };
    if commit.draft.body.trim().is_empty() || commit.draft.tokens == Tokens::ZERO {
        return Err(StoreError::Refused {
            detail: "a summary must have a body and at least 1 token".to_owned(),
        });
    }
    let mut ids = Sequence::load(conn)?;
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
            },
        )?;
    }
    let id = ids.take();
    if !insert(conn, commit, &checked, id)? {
        return Ok(CommitOutcome::Stale);
    }
    move_live(conn, conversation, id, commit.live)?;
    let event = store_event(conn, commit, &checked, id, ids.take())?;
    ids.save(conn)?;
    Ok(CommitOutcome::Applied(Committed {
        summary: SummaryId::new(id),
        event,
    }))
}

/// A leaf starts right after the last node, or after the leading system prompt, and ends at or
/// before the head.
fn check_leaf(
    conn: &Connection,
    lineage: &Lineage,
    counters: &Counters,
    plan: &LeafPlan,
) -> Result<Option<Checked>, StoreError> {
    let begin = counters.prompt_last + 1;
    let nodes = walk(conn, lineage, begin, Bounds::all(counters.head))?;
    let next = nodes.last().map_or(begin, |node| last(node) + 1);
    let holds =
        to_sql(plan.span.first().get()) == next && to_sql(plan.span.last().get()) <= counters.head;
    if !holds {
        return Ok(None);
    }
    Ok(Some(Checked {
        generation: 0,
        times: time_range(conn, lineage, plan.span)?,
        replaced: plan.source_tokens,
    }))
}

/// A merge replaces exactly these neighbours of the walk, and depth must not rise along it.
fn check_condense(
    conn: &Connection,
    lineage: &Lineage,
    counters: &Counters,
    plan: &CondensePlan,
) -> Result<Option<Checked>, StoreError> {
    let nodes = walk(
        conn,
        lineage,
        counters.prompt_last + 1,
        Bounds::all(counters.head),
    )?;
    let wanted = plan.children.ids();
    let Some(start) = nodes
        .iter()
        .position(|node| Some(&SummaryId::new(node.id)) == wanted.first())
    else {
        return Ok(None);
    };
    let run: Vec<_> = nodes.iter().skip(start).take(wanted.len()).collect();
    if !is_run(&run, wanted) {
        return Ok(None);
    }
    check_shape(
        plan,
        &run,
        start.checked_sub(1).and_then(|before| nodes.get(before)),
    )?;
    Ok(Some(Checked {
        generation: 0,
        times: covered(run.iter().copied()),
        replaced: plan.source_tokens,
    }))
}

fn is_run(found: &[&SummaryRow], wanted: &[SummaryId]) -> bool {
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(row, id)| row.id == id.get())
}

/// Refuses what no planner may ask for: a span that is not the union, a depth that is not one above
/// the deepest child, or one that would rise along the frontier.
fn check_shape(
    plan: &CondensePlan,
    run: &[&SummaryRow],
    before: Option<&SummaryRow>,
) -> Result<(), StoreError> {
    let ends = (
        run.first().map(|row| first(row)),
        run.last().map(|row| last(row)),
    );
    let is_union = ends
        == (
            Some(to_sql(plan.span.first().get())),
            Some(to_sql(plan.span.last().get())),
        );
    let deepest = run.iter().map(|row| row.depth).max().unwrap_or(0);
    let is_above = u64::from(plan.depth.get()) == u64::from(deepest) + 1;
    let is_ordered = before.is_none_or(|row| row.depth >= plan.depth.get());
    if is_union && is_above && is_ordered {
        return Ok(());
    }
    Err(StoreError::Refused {
        detail: format!(
            "a node of depth {} over messages {} is no parent of the run it was planned for",
            plan.depth, plan.span
        ),
    })
}

/// A repair replaces the newest generation of its span and depth, from the children there now.
fn check_repair(
    conn: &Connection,
    lineage: &Lineage,
    counters: &Counters,
    plan: &RepairPlan,
) -> Result<Option<Checked>, StoreError> {
    let Some(newest) = newest_generation(conn, lineage, plan)? else {
        return Ok(None);
    };
    let follows = i64::from(newest.generation) + 1 == i64::from(plan.generation.get());
    if newest.id != plan.replaces.get() || !follows {
        return Ok(None);
    }
    let first_seq = to_sql(plan.span.first().get());
    let mut times = time_range_of_leaf(conn, lineage, plan)?;
    if plan.depth.get() > 0 {
        let bounds = Bounds::inside(plan.span, plan.depth.get());
        let inside = walk(conn, lineage, first_seq, bounds)?;
        let run: Vec<_> = inside.iter().collect();
        let ends_there = inside.last().map(last) == Some(bounds.last);
        if !is_run(&run, &plan.children) || !ends_there {
            return Ok(None);
        }
        times = covered(run.iter().copied());
    } else if !plan.children.is_empty() {
        return Ok(None);
    }
    let nodes = walk(
        conn,
        lineage,
        counters.prompt_last + 1,
        Bounds::all(counters.head),
    )?;
    // Views save only where the old row is on the frontier.
    let is_shown = nodes.iter().any(|node| node.id == newest.id);
    Ok(Some(Checked {
        generation: i64::from(plan.generation.get()),
        times,
        replaced: if is_shown {
            Tokens::new(newest.tokens)
        } else {
            Tokens::ZERO
        },
    }))
}

fn time_range_of_leaf(
    conn: &Connection,
    lineage: &Lineage,
    plan: &RepairPlan,
) -> Result<(Option<Timestamp>, Option<Timestamp>), StoreError> {
    if plan.depth.get() > 0 {
        return Ok((None, None));
    }
    time_range(conn, lineage, plan.span)
}

/// Finds the newest generation of a span and depth that the branch sees.
fn newest_generation(
    conn: &Connection,
    lineage: &Lineage,
    plan: &RepairPlan,
) -> Result<Option<SummaryRow>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, generation FROM summary
         WHERE conversation_id = ?1 AND first_seq = ?2 AND depth = ?3 AND last_seq = ?4
           AND id <= ?5
         ORDER BY generation DESC LIMIT 1",
    )?;
    let (from, to) = (
        to_sql(plan.span.first().get()),
        to_sql(plan.span.last().get()),
    );
    let mut best: Option<(i64, i64)> = None;
    for ancestor in lineage.ancestors().iter().filter(|seen| to <= seen.max_seq) {
        let mut rows = statement.query(params![
            ancestor.id,
            from,
            plan.depth.get(),
            to,
            ancestor.max_id
        ])?;
        if let Some(row) = rows.next()? {
            let found = (row.get(1)?, row.get(0)?);
            best = best.max(Some(found));
        }
    }
    match best {
        Some((_, id)) => summary_row(conn, SummaryId::new(id)),
        None => Ok(None),
    }
}

/// Returns the times that rows cover.
fn covered<'a>(
    rows: impl Iterator<Item = &'a SummaryRow>,
) -> (Option<Timestamp>, Option<Timestamp>) {
    let (from, to) = rows.fold((None, None), |(from, to), row| {
        (least(from, row.from), Ord::max(to, row.to))
    });
    (to_time(from), to_time(to))
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

fn store_event(
    conn: &Connection,
    commit: &PlanCommit,
    checked: &Checked,
    summary: i64,
    id: i64,
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
    event.tokens_after = Some(match commit.live {
        LiveMove::Now if checked.replaced > Tokens::ZERO => {
            commit.tokens_before.saturating_sub(checked.replaced) + commit.draft.tokens
        }
        LiveMove::Now | LiveMove::Later => commit.tokens_before,
    });
    event.reason = Some(&commit.reason);
    event.store(conn, id)
}

/// What the event of a promotion says.
pub(super) struct Promotion<'a> {
    pub reason: &'a str,
    pub tokens_before: Tokens,
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
    let mut ids = Sequence::load(conn)?;
    let mut event = NewEvent::new(EventKind::Window, conversation.get(), now);
    event.window = Some(window);
    let id = event.store(conn, ids.take())?;
    ids.save(conn)?;
    Ok(Some(id))
}
