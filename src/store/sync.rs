//! Appending, and writing a host's whole history. Owns the check that what was decided still holds.
//! May not compare lists: the engine did, from marks.

use rusqlite::Connection;

use super::conversation::{point, pointer, resolve_or_create, set_list_first};
use super::error::StoreError;
use super::event::NewEvent;
use super::fork::begin_branch;
use super::message::store_message;
use super::op::SyncOutcome;
use super::row::to_sql;
use super::sequence::Sequence;
use super::tail::Tail;
use crate::domain::{
    AppendRequest, Appended, ConversationId, EventKind, PinScan, Stamped, SyncAction, SyncRequest,
};

/// Appends messages to the branch that the key points at now.
pub(super) fn append(
    conn: &Connection,
    request: &AppendRequest,
    caps: &str,
) -> Result<Appended, StoreError> {
    let branch = resolve_or_create(conn, &request.session, request.now)?;
    append_to(conn, branch, &request.messages, caps)
}

/// Appends messages to a branch.
fn append_to(
    conn: &Connection,
    branch: i64,
    messages: &[Stamped],
    caps: &str,
) -> Result<Appended, StoreError> {
    let mut rows = Vec::with_capacity(messages.len());
    if !messages.is_empty() {
        let mut ids = Sequence::load(conn)?;
        let mut tail = Tail::load(conn, branch)?;
        let before = tail.head;
        for message in messages {
            rows.push(store_message(conn, &mut ids, &mut tail, message, None)?.row()?);
            // The mark follows without a gap; from the first row on that speaks, pins are planned.
            if message.pin_scan == PinScan::Silent && tail.pin_mark + 1 == tail.head {
                tail.pin_mark = tail.head;
            }
        }
        if tail.head > before {
            tail.save(conn, caps)?;
            ids.save(conn)?;
        }
    }
    Ok(Appended {
        conversation: ConversationId::new(branch),
        rows,
    })
}

/// Writes a host's history as decided, if the branch and its head are still those of the decision.
pub(super) fn sync(
    conn: &Connection,
    request: &SyncRequest,
    caps: &str,
) -> Result<SyncOutcome, StoreError> {
    let current = pointer(conn, &request.session)?;
    if current != request.expected.map(ConversationId::get) {
        return Ok(SyncOutcome::Stale);
    }
    let touched = match request.action {
        SyncAction::Switch(branch) => Some(branch.get()),
        SyncAction::Extend | SyncAction::Fork(_) => current,
    };
    if head(conn, touched)? != request.expected_head.map_or(0, |seq| to_sql(seq.get())) {
        return Ok(SyncOutcome::Stale);
    }
    let mut fork_seq = None;
    let branch = match (&request.action, current) {
        (SyncAction::Extend, _) | (SyncAction::Fork(_), None) => {
            resolve_or_create(conn, &request.session, request.now)?
        }
        (SyncAction::Fork(at), Some(parent)) => {
            if *at > request.expected_head {
                return Ok(SyncOutcome::Stale);
            }
            fork_seq = *at;
            begin_branch(conn, &request.session, parent, *at, request.now)?
        }
        (SyncAction::Switch(branch), _) => {
            switch(conn, request, *branch, current)?;
            branch.get()
        }
    };
    let appended = append_to(conn, branch, &request.messages, caps)?;
    let first = request.list_first.map_or(1, |seq| to_sql(seq.get()));
    set_list_first(conn, &request.session, first)?;
    Ok(SyncOutcome::Applied {
        appended,
        conversation: ConversationId::new(branch),
        fork_seq,
    })
}

/// Reads the head of a branch, 0 for none.
fn head(conn: &Connection, branch: Option<i64>) -> Result<i64, StoreError> {
    let Some(branch) = branch else { return Ok(0) };
    Ok(conn
        .prepare_cached("SELECT head FROM conversation WHERE id = ?1")?
        .query_row([branch], |row| row.get(0))?)
}

/// Moves the key to a branch it has pointed at before.
fn switch(
    conn: &Connection,
    request: &SyncRequest,
    branch: ConversationId,
    current: Option<i64>,
) -> Result<(), StoreError> {
    let made_under: String = conn
        .prepare_cached("SELECT session_key FROM conversation WHERE id = ?1")?
        .query_row([branch.get()], |row| row.get(0))?;
    if made_under != request.session.as_str() {
        return Err(StoreError::Refused {
            detail: format!(
                "session `{}` never pointed at conversation {branch}",
                request.session
            ),
        });
    }
    if current == Some(branch.get()) {
        return Ok(());
    }
    point(conn, &request.session, branch.get())?;
    let mut ids = Sequence::load(conn)?;
    let event = NewEvent::new(EventKind::Switch, branch.get(), request.now);
    event.store(conn, ids.take())?;
    ids.save(conn)
}
