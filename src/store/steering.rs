//! What is said of a conversation beside the record. Owns the rows of `steering` and `measure`.
//! May not decide what a measurement means.

use rusqlite::{Connection, Row, params};

use super::conversation::must_exist;
use super::error::StoreError;
use super::event::NewEvent;
use super::op::SteeringOutcome;
use super::reader::Reader;
use super::row::{column, to_count, to_seq_option, to_sql, to_time};
use super::sequence::Sequence;
use crate::domain::{
    Attempts, CompactRequest, ConversationId, CurrentModel, EventId, EventKind, Factor, Gauge,
    KnownBy, Learned, Measurement, MessageId, Pause, Seen, Seq, Steering, SteeringChange,
    Timestamp, Tokens,
};

impl Reader {
    /// Returns what is said of a branch beside the record.
    ///
    /// # Errors
    /// `Corrupt` if its row cannot be read.
    pub fn steering(&self, conversation: ConversationId) -> Result<Steering, StoreError> {
        steering(self.conn(), conversation)
    }

    /// Returns what is known of a model in a branch; the empty name is one that nobody named.
    ///
    /// # Errors
    /// `Corrupt` if its newest row cannot be read.
    pub fn gauge(&self, conversation: ConversationId, model: &str) -> Result<Gauge, StoreError> {
        gauge(self.conn(), conversation, model)
    }

    /// Returns the newest event of a branch that its views depend on.
    ///
    /// # Errors
    /// `Database` if it cannot be read.
    pub fn newest_event(
        &self,
        conversation: ConversationId,
    ) -> Result<Option<EventId>, StoreError> {
        newest_event(self.conn(), conversation)
    }

    /// Returns what the compactions after an event say that they saved.
    ///
    /// # Errors
    /// `Database` if they cannot be read.
    pub fn saved_since(
        &self,
        conversation: ConversationId,
        event: Option<EventId>,
    ) -> Result<Tokens, StoreError> {
        saved_since(self.conn(), conversation, event)
    }
}

/// Reads the state of a branch; one that has none yet has the state of a new one.
pub(super) fn steering(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<Steering, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT model, model_is_said, managed_by, is_asked, focus, asked_after, attempt_turn,
                attempts, attempt_tokens, seen_event, seen_estimated, seen_measured, ineffective,
                paused_since, paused_until
         FROM steering WHERE conversation_id = ?1",
    )?;
    let mut rows = statement.query([conversation.get()])?;
    match rows.next()? {
        Some(row) => decode(row)
            .map_err(|error| error.of_row("steering of conversation", conversation.get())),
        None => Ok(Steering::default()),
    }
}

fn decode(row: &Row<'_>) -> Result<Steering, StoreError> {
    let tokens = |value: i64| Tokens::new(to_count(value));
    let mut state = Steering::default();
    if let Some(name) = column(row, 0)? {
        let known_by = if column(row, 1)? {
            KnownBy::Host
        } else {
            KnownBy::Usage
        };
        state.model = Some(CurrentModel { name, known_by });
    }
    state.managed_by = column(row, 2)?;
    if column::<bool>(row, 3)? {
        state.request = Some(CompactRequest {
            focus: column(row, 4)?,
            after: column::<Option<i64>>(row, 5)?.and_then(to_seq_option),
        });
    }
    let count: u32 = column(row, 7)?;
    if count > 0 {
        state.attempts = Some(Attempts {
            turn: column::<Option<i64>>(row, 6)?.map(MessageId::new),
            count,
            tokens: tokens(column(row, 8)?),
        });
    }
    if let (Some(estimated), Some(measured)) = (column(row, 10)?, column(row, 11)?) {
        state.seen = Some(Seen {
            event: column::<Option<i64>>(row, 9)?.map(EventId::new),
            estimated: tokens(estimated),
            measured: tokens(measured),
        });
    }
    state.ineffective = column(row, 12)?;
    if let (Some(since), Some(until)) = (to_time(column(row, 13)?), to_time(column(row, 14)?)) {
        state.pause = Some(Pause { since, until });
    }
    Ok(state)
}

/// Writes a new state, if the stored one is still what it was decided from.
pub(super) fn change(
    conn: &Connection,
    change: &SteeringChange,
) -> Result<SteeringOutcome, StoreError> {
    must_exist(conn, change.conversation)?;
    if steering(conn, change.conversation)? != change.before {
        return Ok(SteeringOutcome::Stale);
    }
    save(conn, change.conversation, &change.after)?;
    Ok(SteeringOutcome::Applied)
}

fn save(
    conn: &Connection,
    conversation: ConversationId,
    state: &Steering,
) -> Result<(), StoreError> {
    let tokens = |tokens: Tokens| to_sql(tokens.get());
    let is_said = |model: &CurrentModel| model.known_by == KnownBy::Host;
    conn.prepare_cached(
        "INSERT INTO steering (conversation_id, model, model_is_said, managed_by, is_asked, focus,
                               asked_after, attempt_turn, attempts, attempt_tokens, seen_event,
                               seen_estimated, seen_measured, ineffective, paused_since,
                               paused_until)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
         ON CONFLICT (conversation_id) DO UPDATE
         SET model = excluded.model, model_is_said = excluded.model_is_said,
             managed_by = excluded.managed_by, is_asked = excluded.is_asked,
             focus = excluded.focus, asked_after = excluded.asked_after,
             attempt_turn = excluded.attempt_turn, attempts = excluded.attempts,
             attempt_tokens = excluded.attempt_tokens, seen_event = excluded.seen_event,
             seen_estimated = excluded.seen_estimated, seen_measured = excluded.seen_measured,
             ineffective = excluded.ineffective, paused_since = excluded.paused_since,
             paused_until = excluded.paused_until",
    )?
    .execute(params![
        conversation.get(),
        state.model.as_ref().map(|model| &model.name),
        state.model.as_ref().is_some_and(is_said),
        state.managed_by,
        state.request.is_some(),
        state
            .request
            .as_ref()
            .and_then(|request| request.focus.as_ref()),
        state
            .request
            .as_ref()
            .and_then(|request| request.after)
            .map(|seq: Seq| to_sql(seq.get())),
        state
            .attempts
            .and_then(|tried| tried.turn)
            .map(MessageId::get),
        state.attempts.map_or(0, |tried| tried.count),
        state.attempts.map_or(0, |tried| tokens(tried.tokens)),
        state.seen.and_then(|seen| seen.event).map(EventId::get),
        state.seen.map(|seen| tokens(seen.estimated)),
        state.seen.map(|seen| tokens(seen.measured)),
        state.ineffective,
        state.pause.map(|pause| pause.since).map(Timestamp::millis),
        state.pause.map(|pause| pause.until).map(Timestamp::millis),
    ])?;
    Ok(())
}

/// Gives a branch what its parent knows of models, under the event of its fork, and who compacts.
/// What was tried, asked for and measured is the parent's own.
pub(super) fn inherit(
    conn: &Connection,
    branch: i64,
    parent: i64,
    fork_event: EventId,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO measure (event_id, conversation_id, model, factor, model_limit)
         SELECT ?1, ?2, m.model, m.factor, m.model_limit FROM measure AS m
         WHERE m.conversation_id = ?3
           AND m.event_id = (SELECT max(n.event_id) FROM measure AS n
                             WHERE n.conversation_id = ?3 AND n.model = m.model)",
    )?
    .execute(params![fork_event.get(), branch, parent])?;
    let of_parent = steering(conn, ConversationId::new(parent))?;
    let own = Steering {
        model: of_parent.model,
        managed_by: of_parent.managed_by,
        ..Steering::default()
    };
    if own != Steering::default() {
        save(conn, ConversationId::new(branch), &own)?;
    }
    Ok(())
}

/// Reads what is known of the model that a branch is with.
pub(super) fn gauge(
    conn: &Connection,
    conversation: ConversationId,
    model: &str,
) -> Result<Gauge, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT factor, model_limit FROM measure
         WHERE conversation_id = ?1 AND model = ?2 ORDER BY event_id DESC LIMIT 1",
    )?;
    let mut rows = statement.query(params![conversation.get(), model])?;
    match rows.next()? {
        Some(row) => to_gauge(column(row, 0)?, column(row, 1)?),
        None => Ok(Gauge::default()),
    }
}

/// Reads a gauge of two columns; without a factor nothing is known.
pub(super) fn to_gauge(factor: Option<i64>, limit: Option<i64>) -> Result<Gauge, StoreError> {
    let Some(factor) = factor else {
        return Ok(Gauge::default());
    };
    let thousandths = u32::try_from(factor)
        .ok()
        .filter(|&thousandths| Factor::from_thousandths(thousandths).thousandths() == thousandths)
        .ok_or_else(|| StoreError::corrupt(format!("{factor} is no factor in thousandths")))?;
    let limit = limit.map(|limit| Tokens::new(to_count(limit)));
    Ok(Gauge::new(Factor::from_thousandths(thousandths), limit))
}

/// Records what was learned of a model, with its event.
pub(super) fn measure(conn: &Connection, measurement: &Measurement) -> Result<EventId, StoreError> {
    let id = measurement.conversation;
    must_exist(conn, id)?;
    let (mut estimated_measured, mut window) = (None, None);
    let kind = match measurement.learned {
        Learned::Factor {
            estimated,
            measured,
        } => {
            estimated_measured = Some((estimated, measured));
            EventKind::Calibrate
        }
        Learned::Limit(limited) => {
            super::commit::set_window(conn, id, limited)?;
            window = Some(limited);
            EventKind::Window
        }
    };
    let mut event = NewEvent::new(kind, id.get(), measurement.now);
    event.tokens_before = estimated_measured.map(|(estimated, _)| estimated);
    event.tokens_after = estimated_measured.map(|(_, measured)| measured);
    event.reason = Some(&measurement.reason);
    event.window = window;
    let mut ids = Sequence::load(conn)?;
    let event = event.store(conn, ids.take())?;
    ids.save(conn)?;
    let tokens = |tokens: Tokens| to_sql(tokens.get());
    conn.prepare_cached(
        "INSERT INTO measure (event_id, conversation_id, model, estimated, measured, factor,
                              model_limit)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        event.get(),
        id.get(),
        measurement.model,
        estimated_measured.map(|(estimated, _)| tokens(estimated)),
        estimated_measured.map(|(_, measured)| tokens(measured)),
        measurement.gauge.factor.thousandths(),
        measurement.gauge.limit.map(tokens),
    ])?;
    Ok(event)
}

/// Returns the newest event that views depend on: a call and a calibration change none.
pub(super) fn newest_event(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<Option<EventId>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id FROM event
         WHERE conversation_id = ?1 AND kind NOT IN ('call', 'calibrate')
         ORDER BY id DESC LIMIT 1",
    )?;
    let mut rows = statement.query([conversation.get()])?;
    Ok(match rows.next()? {
        Some(row) => Some(EventId::new(column(row, 0)?)),
        None => None,
    })
}

/// Returns what compactions after an event say that they saved.
pub(super) fn saved_since(
    conn: &Connection,
    conversation: ConversationId,
    event: Option<EventId>,
) -> Result<Tokens, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT coalesce(sum(tokens_before - tokens_after), 0) FROM event
         WHERE conversation_id = ?1 AND id > ?2
           AND kind IN ('leaf', 'condense', 'promote', 'clear')
           AND tokens_after < tokens_before",
    )?;
    let after = event.map_or(0, EventId::get);
    let saved = statement.query_row(params![conversation.get(), after], |row| row.get(0))?;
    Ok(Tokens::new(to_count(saved)))
}
