//! Events. Owns their rows: written once, with `live_id` and the key pointer after them.
//! May not decide what is worth an event.

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::row::{column, to_count, to_span, to_sql, to_summary_option, to_window};
use super::sequence::Sequence;
use crate::domain::{
    CallRecord, ConversationId, Event, EventId, EventKind, RedactionCounts, Span, SummaryId,
    Timestamp, Tokens, Usage, Window,
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
    pub call: Option<&'a CallRecord>,
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
            call: None,
        }
    }

    /// Stores the event under `id`; `live_id` and the pointer are read as they stand now, so that
    /// what it tells of must be done before.
    pub(super) fn store(&self, conn: &Connection, id: i64) -> Result<EventId, StoreError> {
        let tokens = |value: Option<Tokens>| value.map(|tokens| to_sql(tokens.get()));
        let usage = self.call.and_then(|call| call.usage);
        let seqs = self
            .span
            .map(|span| (to_sql(span.first().get()), to_sql(span.last().get())));
        conn.prepare_cached(
            "INSERT INTO event (id, conversation_id, kind, at, first_seq, last_seq, summary_id,
                                tokens_before, tokens_after, reason, live_id, pointer,
                                window_context, window_overhead, window_reserve,
                                model, input_tokens, output_tokens, cached_tokens, redactions)
             SELECT ?1, c.id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, c.live_id,
                    coalesce(s.conversation_id, c.id), ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18
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
            tokens(self.window.map(Window::reserve)),
            self.call.map(|call| &call.model),
            tokens(usage.map(|usage| usage.input)),
            tokens(usage.map(|usage| usage.output)),
            tokens(usage.map(|usage| usage.cached)),
            self.call.map(|call| counts_text(&call.redactions))
        ])?;
        Ok(EventId::new(id))
    }
}

/// Records a call of a model.
pub(super) fn record_call(conn: &Connection, call: &CallRecord) -> Result<EventId, StoreError> {
    super::conversation::must_exist(conn, call.conversation)?;
    let mut event = NewEvent::new(EventKind::Call, call.conversation.get(), call.now);
    event.span = Some(call.span);
    event.reason = Some(&call.outcome);
    event.call = Some(call);
    let mut ids = Sequence::load(conn)?;
    let id = event.store(conn, ids.take())?;
    ids.save(conn)?;
    Ok(id)
}

/// Writes counts as a JSON object from kind to count.
fn counts_text(counts: &RedactionCounts) -> String {
    let object: serde_json::Map<String, serde_json::Value> = counts
        .iter()
        .map(|(kind, n)| (kind.to_owned(), n.into()))
        .collect();
    serde_json::Value::Object(object).to_string()
}

/// Reads what [`counts_text`] wrote.
pub(super) fn to_counts(text: &str) -> Result<RedactionCounts, StoreError> {
    let object: std::collections::BTreeMap<String, u64> = serde_json::from_str(text)
        .map_err(|error| StoreError::corrupt(format!("redactions are no counts: {error}")))?;
    Ok(object.into_iter().collect())
}

/// Reads the events of a branch, the oldest first.
pub(super) fn events(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<Vec<Event>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, kind, conversation_id, at, first_seq, last_seq, summary_id, tokens_before,
                tokens_after, reason, live_id, pointer, window_context, window_overhead,
                window_reserve, model, input_tokens, output_tokens, cached_tokens, redactions
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

/// Reads one event.
pub(super) fn event(conn: &Connection, id: EventId) -> Result<Option<Event>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, kind, conversation_id, at, first_seq, last_seq, summary_id, tokens_before,
                tokens_after, reason, live_id, pointer, window_context, window_overhead,
                window_reserve, model, input_tokens, output_tokens, cached_tokens, redactions
         FROM event WHERE id = ?1",
    )?;
    let mut rows = statement.query([id.get()])?;
    rows.next()?
        .map(|row| decode(row, id.get()).map_err(|error| error.of_row("event", id.get())))
        .transpose()
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
    event.model = column(row, 15)?;
    if let (Some(input), Some(output)) = (tokens(column(row, 16)?), tokens(column(row, 17)?)) {
        let cached = tokens(column(row, 18)?).unwrap_or_default();
        event.usage = Some(Usage::new(input, output).cached(cached));
    }
    if let Some(text) = column::<Option<String>>(row, 19)? {
        event.redactions = to_counts(&text)?;
    }
    Ok(event)
}
