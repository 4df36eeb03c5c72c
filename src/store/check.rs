//! The second look at a plan. Owns what must be the walk's result now for it to be stored.
//! May not write; what has moved on is no error.

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::fork::least;
use super::frontier::Counters;
use super::lineage::Lineage;
use super::load::{summary_row, time_range};
use super::row::{SummaryRow, to_sql, to_time};
use super::walk::{Bounds, first, last, walk};
use crate::domain::{CondensePlan, LeafPlan, Plan, RepairPlan, Span, SummaryId, Timestamp, Tokens};

/// What the row needs that the plan does not say, and what views save by it.
pub(super) struct Checked {
    pub generation: i64,
    pub times: (Option<Timestamp>, Option<Timestamp>),
    pub replaced: Tokens,
}

/// Looks whether a plan holds; `None` if it is stale.
///
/// # Errors
/// `Refused` if no frontier could allow it.
pub(super) fn check(
    conn: &Connection,
    lineage: &Lineage,
    counters: &Counters,
    plan: &Plan,
) -> Result<Option<Checked>, StoreError> {
    match plan {
        Plan::Leaf(plan) => check_leaf(conn, lineage, counters, plan),
        Plan::Condense(plan) => check_condense(conn, lineage, counters, plan),
        Plan::Repair(plan) => check_repair(conn, lineage, counters, plan),
    }
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
    // Rows before the talk may yet become part of the system prompt, on a branch too.
    if !has_talk(conn, lineage, plan.span)? {
        return Err(StoreError::Refused {
            detail: format!("messages {} hold no talk to summarise", plan.span),
        });
    }
    Ok(Some(Checked {
        generation: 0,
        times: time_range(conn, lineage, plan.span)?,
        replaced: plan.source_tokens,
    }))
}

fn has_talk(conn: &Connection, lineage: &Lineage, span: Span) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT EXISTS (
           SELECT 1 FROM message
           WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3 AND visibility = 'talk')",
    )?;
    for stretch in lineage.stretches_of(span) {
        let found: bool = statement.query_row(
            params![stretch.conversation, stretch.first, stretch.last],
            |row| row.get(0),
        )?;
        if found {
            return Ok(true);
        }
    }
    Ok(false)
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
