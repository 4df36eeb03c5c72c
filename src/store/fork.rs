//! Branches. Owns what a branch begins with: bounds, counters, window, event.
//! May not delete: the branch left behind stays.

use rusqlite::{Connection, params};

use super::conversation::{Beginning, create, must_exist, point, pointer};
use super::error::StoreError;
use super::event::NewEvent;
use super::frontier::counters;
use super::lineage::{Lineage, missing};
use super::message::{Sums, place_sums};
use super::pin;
use super::row::to_sql;
use super::sequence::Sequence;
use super::steering;
use crate::domain::{
    ConversationId, EventKind, ForkRequest, Forked, Seq, SessionKey, Span, Timestamp,
};

/// Makes the branch that a caller asked for by name.
///
/// # Errors
/// `UnknownSession`, `BeyondHead`, `KeyTaken`.
pub(super) fn fork(conn: &Connection, request: &ForkRequest) -> Result<Forked, StoreError> {
    let parent = pointer(conn, &request.session)?.ok_or_else(|| StoreError::UnknownSession {
        key: request.session.clone(),
    })?;
    let key = request.new_session.as_ref().unwrap_or(&request.session);
    if request.new_session.is_some() && pointer(conn, key)?.is_some() {
        return Err(StoreError::KeyTaken { key: key.clone() });
    }
    let head = must_exist(conn, ConversationId::new(parent))?.head;
    if head.is_none_or(|head| request.at > head) {
        return Err(StoreError::BeyondHead {
            key: request.session.clone(),
            at: request.at,
            head,
        });
    }
    let branch = begin_branch(conn, key, parent, Some(request.at), request.now)?;
    Ok(Forked {
        conversation: ConversationId::new(branch),
        parent: ConversationId::new(parent),
        fork_seq: request.at,
    })
}

/// Makes a branch of `parent` after `at` (or with nothing inherited) and points `key` at it.
pub(super) fn begin_branch(
    conn: &Connection,
    key: &SessionKey,
    parent: i64,
    at: Option<Seq>,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let lineage = Lineage::load(conn, parent)?;
    let fork_seq = at.map_or(0, |seq| to_sql(seq.get()));
    let fork_summary_id: i64 = conn
        .prepare_cached("SELECT live_id FROM conversation WHERE id = ?1")?
        .query_row([parent], |row| row.get(0))?;
    let pins = pin::at_fork(conn, &lineage, parent, fork_seq)?;
    let beginning = Beginning {
        parent: Some(parent),
        fork_seq,
        fork_summary_id,
        inherited: lineage.inherited(fork_seq, fork_summary_id, pins.last_change),
        pin_mark: pins.mark,
    };
    let branch = create(conn, key, &beginning, now)?;
    inherit(conn, branch, parent, &lineage, at)?;
    point(conn, key, branch)?;
    let mut ids = Sequence::load(conn)?;
    let mut event = NewEvent::new(EventKind::Fork, branch, now);
    event.span = at.and_then(|last| Span::new(Seq::FIRST, last));
    let event = event.store(conn, ids.take())?;
    ids.save(conn)?;
    steering::inherit(conn, branch, parent, event)?;
    Ok(branch)
}

/// Gives a branch the counters that hold for what it inherits.
fn inherit(
    conn: &Connection,
    branch: i64,
    parent: i64,
    lineage: &Lineage,
    at: Option<Seq>,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "UPDATE conversation AS c
         SET window_context = p.window_context, window_overhead = p.window_overhead,
             window_reserve = p.window_reserve, project = p.project, title = p.title,
             format = p.format, source_id = p.source_id
         FROM conversation AS p WHERE c.id = ?1 AND p.id = ?2",
    )?
    .execute(params![branch, parent])?;
    let Some(at) = at else { return Ok(()) };
    let head = to_sql(at.get());
    let sums: Sums = place_sums(conn, lineage, at)?.ok_or_else(|| missing(parent, head))?;
    let ends = Ends::read(conn, lineage, parent, head)?;
    conn.prepare_cached(
        "UPDATE conversation
         SET head = ?2, n_visible = ?3, sum_tokens = ?4, sum_view = ?5, turn_first = ?6,
             last_talk = ?7, first_at = ?8, last_at = ?9, prompt_last = ?10
         WHERE id = ?1",
    )?
    .execute(params![
        branch,
        head,
        sums.n_visible,
        sums.tokens,
        sums.view,
        sums.turn_first,
        ends.last_talk,
        ends.first_at,
        ends.last_at,
        ends.prompt_last
    ])?;
    Ok(())
}

/// What no running column holds. Branching is rare, so these are read from the rows.
#[derive(Debug, Default)]
struct Ends {
    last_talk: i64,
    prompt_last: i64,
    first_at: Option<i64>,
    last_at: Option<i64>,
}

impl Ends {
    fn read(
        conn: &Connection,
        lineage: &Lineage,
        parent: i64,
        head: i64,
    ) -> Result<Self, StoreError> {
        let mut ends = Self::default();
        let leading = counters(conn, parent)?.prompt_last.min(head);
        let mut prompt = conn.prepare_cached(
            "SELECT coalesce(max(seq), 0) FROM message
             WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3 AND visibility = 'prompt'",
        )?;
        for stretch in lineage.stretches(1, leading) {
            let found = prompt.query_row(
                params![stretch.conversation, stretch.first, stretch.last],
                |row| row.get(0),
            )?;
            ends.prompt_last = ends.prompt_last.max(found);
        }
        let mut talk = conn.prepare_cached(
            "SELECT coalesce(max(seq), 0) FROM (
               SELECT seq FROM message
               WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3 AND visibility = 'talk'
               ORDER BY seq DESC LIMIT 1)",
        )?;
        for stretch in lineage.stretches(1, head).iter().rev() {
            if ends.last_talk == 0 {
                ends.last_talk = talk.query_row(
                    params![stretch.conversation, stretch.first, stretch.last],
                    |row| row.get(0),
                )?;
            }
            let (first, last) =
                time_range(conn, stretch.conversation, stretch.first, stretch.last)?;
            ends.first_at = least(ends.first_at, first);
            ends.last_at = ends.last_at.max(last);
        }
        Ok(ends)
    }
}

/// Returns the lesser of two times, where one may be unknown.
pub(super) fn least(left: Option<i64>, right: Option<i64>) -> Option<i64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (known, None) | (None, known) => known,
    }
}

/// Reads the earliest and the latest time of a stretch of one conversation's rows.
pub(super) fn time_range(
    conn: &Connection,
    conversation: i64,
    first: i64,
    last: i64,
) -> Result<(Option<i64>, Option<i64>), StoreError> {
    Ok(conn
        .prepare_cached(
            "SELECT min(at), max(at) FROM message
             WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3",
        )?
        .query_row(params![conversation, first, last], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?)
}
