//! Events. Owns their rows: written once, with `live_id` and the key pointer after them.
//! May not decide what is worth an event.

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::row::{column, to_count, to_span, to_sql, to_summary_option, to_window};
use crate::domain::{
    ConversationId, Event, EventId, EventKind, Span, SummaryId, Timestamp, Tokens, Window,
};

/// An event that is not stored yet.
#[derive(Debug, Clone)]
pub(super) struct NewEvent<'a> {
    pub kind: EventKind,
    pub conversation: i64,
    pub at: Timestamp,
    pub span: Option<Span>,
    pub summary: Option<i64>,
    pub tokens_before: Option<Tokens>,
    pub tokens_after: Option<Tokens>,
    pub reason: Option<&'a str>,
    pub window: Option<Window>,
}

impl NewEvent<'_> {
    /// Makes an event with nothing but its identity.
    pub(super) const fn new(kind: EventKind, conversation: i64, at: Timestamp) -> Self {
        Self {
            kind,
            conversation,
            at,
            span: None,
            summary: None,
            tokens_before: None,
            tokens_after: None,
            reason: None,
            window: None,
        }
    }

    /// Stores the event under `id`; `live_id` and the pointer are read as they stand now, so that
    /// what it tells of must be done before.
    pub(super) fn store(&self, conn: &Connection, id: i64) -> Result<EventId, StoreError> {
        let tokens = |value: Option<Tokens>| value.map(|tokens| to_sql(tokens.get()));
        let seqs = self
            .span
            .map(|span| (to_sql(span.first().get()), to_sql(span.last().get())));
        conn.prepare_cached(
            "INSERT INTO event (id, conversation_id, kind, at, first_seq, last_seq, summary_id,
                                tokens_before, tokens_after, reason, live_id, pointer,
                                window_context, window_overhead, window_reserve)
             SELECT ?1, c.id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, c.live_id,
                    coalesce(s.conversation_id, c.id), ?11, ?12, ?13
             FROM conversation AS c LEFT JOIN session AS s ON s.key = c.session_key
             WHERE c.id = ?2",
        )?
        .execute(params![
            id,
            self.conversation,
            self.kind.as_str(),
            self.at.millis(),
            seqs.map(|(first, _)| first),
            seqs.map(|(_, last)| last),
            self.summary,
            tokens(self.tokens_before),
            tokens(self.tokens_after),
            self.reason,
            tokens(self.window.map(Window::context)),
            tokens(self.window.map(Window::overhead)),
            tokens(self.window.map(Window::reserve))
        ])?;
        Ok(EventId::new(id))
    }
}

/// Reads the events of a branch, the oldest first.
pub(super) fn events(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<Vec<Event>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, kind, conversation_id, at, first_seq, last_seq, summary_id, tokens_before,
                tokens_after, reason, live_id, pointer, window_context, window_overhead,
                window_reserve
         FROM event WHERE conversation_id = ?1 ORDER BY id",
    )?;
    let mut rows = statement.query([conversation.get()])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = column(row, 0)?;
        events.push(decode(row, id).map_err(|error| error.of_row("event", id))?);
    }
    Ok(events)
}

fn decode(row: &rusqlite::Row<'_>, id: i64) -> Result<Event, StoreError> {
    let word: String = column(row, 1)?;
    let kind = EventKind::from_word(&word)
        .ok_or_else(|| StoreError::corrupt(format!("`{word}` is no kind of event")))?;
    let at = Timestamp::from_millis(column(row, 3)?);
    let mut event = Event::new(
        EventId::new(id),
        kind,
        ConversationId::new(column(row, 2)?),
        at,
    );
    let tokens = |value: Option<i64>| value.map(|raw| Tokens::new(to_count(raw)));
    if let (Some(first), Some(last)) = (column(row, 4)?, column(row, 5)?) {
        event.span = Some(to_span(first, last)?);
    }
    event.summary = column::<Option<i64>>(row, 6)?.map(SummaryId::new);
    event.tokens_before = tokens(column(row, 7)?);
    event.tokens_after = tokens(column(row, 8)?);
    event.reason = column(row, 9)?;
    event.live_id = to_summary_option(column(row, 10)?);
    event.pointer = Some(ConversationId::new(column(row, 11)?));
    event.window = to_window(column(row, 12)?, column(row, 13)?, column(row, 14)?);
    Ok(event)
}
