//! Changing pins. Owns the rows of a change and its event, and the check that what it was planned
//! from still holds. May not decide what is pinned.

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::event::NewEvent;
use super::lineage::Lineage;
use super::pin::{mark, newest_change};
use super::row::to_sql;
use super::sequence::Sequence;
use crate::domain::{
    EventId, EventKind, NewPin, PinBy, PinChange, PinCommit, PinMove, PinOutcome, PinRef, PinState,
    Seq, Span, Timestamp, Tokens,
};

/// Writes changes of pins and how far words are looked through with them, if both are still where
/// they were when the changes were planned.
pub(super) fn change_pins(conn: &Connection, commit: &PinCommit) -> Result<PinOutcome, StoreError> {
    let lineage = Lineage::load(conn, commit.conversation.get())?;
    let seq = |mark: Option<Seq>| mark.map_or(0, |seq| to_sql(seq.get()));
    let is_as_planned = newest_change(conn, &lineage)? == commit.newest
        && mark(conn, commit.conversation.get())? == seq(commit.mark);
    if !is_as_planned {
        return Ok(PinOutcome::Stale);
    }
    if commit.new_mark != commit.mark {
        conn.prepare_cached("UPDATE conversation SET pin_mark = ?2 WHERE id = ?1")?
            .execute(params![commit.conversation.get(), seq(commit.new_mark)])?;
    }
    if commit.changes.is_empty() {
        return Ok(PinOutcome::Applied(Vec::new()));
    }
    let mut write = Write {
        conn,
        conversation: commit.conversation.get(),
        now: commit.now,
        ids: Sequence::load(conn)?,
        made: Vec::with_capacity(commit.changes.len()),
    };
    for change in &commit.changes {
        match change {
            PinChange::Make(pin) => write.make(pin)?,
            PinChange::Move(moved) => write.move_to(moved)?,
        }
    }
    write.ids.save(conn)?;
    Ok(PinOutcome::Applied(write.made))
}

/// The changes of one commit as far as they are written.
struct Write<'conn> {
    conn: &'conn Connection,
    conversation: i64,
    now: Timestamp,
    ids: Sequence,
    /// The event of each change so far.
    made: Vec<EventId>,
}

/// Where a pin comes to stand.
struct Place {
    state: PinState,
    by: PinBy,
    cause: Option<Seq>,
    reason: &'static str,
}

impl Write<'_> {
    fn make(&mut self, pin: &NewPin) -> Result<(), StoreError> {
        if pin.text.trim().is_empty() || pin.tokens == Tokens::ZERO {
            return Err(StoreError::Refused {
                detail: "a pin must have words and at least 1 token".to_owned(),
            });
        }
        let place = Place {
            state: pin.state,
            by: pin.by,
            cause: pin.source.map(|source| source.seq),
            reason: pin.reason,
        };
        let id = self.event(&place)?;
        self.conn
            .prepare_cached(
                "INSERT INTO pin (id, conversation_id, kind, source_id, tokens, text)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                id,
                self.conversation,
                pin.kind.as_str(),
                pin.source.map(|source| source.message.get()),
                to_sql(pin.tokens.get()),
                pin.text
            ])?;
        self.stand(id, id, &place)
    }

    fn move_to(&mut self, moved: &PinMove) -> Result<(), StoreError> {
        let pin = match moved.pin {
            PinRef::Stored(id) => Some(id),
            PinRef::Made(change) => self.made.get(change).copied(),
        };
        let pin = pin.ok_or_else(|| StoreError::Refused {
            detail: "a change speaks of a pin that no change before it makes".to_owned(),
        })?;
        let place = Place {
            state: moved.state,
            by: moved.by,
            cause: moved.cause,
            reason: moved.reason,
        };
        let id = self.event(&place)?;
        self.stand(id, pin.get(), &place)
    }

    fn event(&mut self, place: &Place) -> Result<i64, StoreError> {
        let id = self.ids.take();
        let mut event = NewEvent::new(EventKind::Pin, self.conversation, self.now);
        event.span = place.cause.map(Span::single);
        event.reason = Some(place.reason);
        self.made.push(event.store(self.conn, id)?);
        Ok(id)
    }

    fn stand(&self, id: i64, pin: i64, place: &Place) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO pin_state (id, conversation_id, pin_id, state, made_by, cause_seq)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                id,
                self.conversation,
                pin,
                place.state.as_str(),
                place.by.as_str(),
                place.cause.map_or(0, |seq| to_sql(seq.get()))
            ])?;
        Ok(())
    }
}
