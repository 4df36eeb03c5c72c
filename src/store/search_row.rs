//! Rows as search sees them, bodies included. Owns their loading, one look-up a row.
//! May not choose rows.

use rusqlite::{CachedStatement, Connection, OptionalExtension};

use super::error::StoreError;
use super::ids::RowKind;
use super::row::{
    column, message, message_columns, message_part, shape_columns, to_span, to_time, words,
    words_or_null,
};
use crate::domain::{
    Answers, ConversationId, Depth, ItemId, MessageId, Part, SearchRow, Span, SummaryId, Visibility,
};

/// One message with its parts, by id.
const MESSAGE_WITH_PARTS: &str = concat!(
    "SELECT ",
    message_columns!(),
    " FROM message AS m \
     LEFT JOIN part AS p ON p.id BETWEEN ?1 * 65536 AND ?1 * 65536 + 65535 \
     WHERE m.id = ?1 ORDER BY p.id"
);
/// One message with what its parts are, by id.
const MESSAGE_SHAPE: &str = concat!(
    "SELECT ",
    shape_columns!(),
    " FROM message AS m \
     LEFT JOIN part AS p ON p.id BETWEEN ?1 * 65536 AND ?1 * 65536 + 65535 \
     WHERE m.id = ?1 ORDER BY p.id"
);
/// One summary without its body, by id.
const SUMMARY_SHAPE: &str = "SELECT conversation_id, first_seq, last_seq, depth, from_at, to_at, '' \
     FROM summary WHERE id = ?1";
/// One summary, by id.
const SUMMARY: &str = "SELECT conversation_id, first_seq, last_seq, depth, from_at, to_at, body \
     FROM summary WHERE id = ?1";

/// The tool of the newest call of an id before a message: hosts use ids again.
const CALL: &str = "SELECT p.name FROM part AS p CROSS JOIN message AS m ON m.id = p.message_id \
     WHERE p.call_id = ?1 AND p.kind = 'tool_use' AND p.message_id <= ?2 \
       AND m.conversation_id = ?3 ORDER BY p.message_id DESC LIMIT 1";

/// Loads rows one after another by statements that stay prepared.
pub(super) struct RowLoader<'conn> {
    messages: CachedStatement<'conn>,
    summaries: CachedStatement<'conn>,
    /// Where results are to name their tools.
    calls: Option<CachedStatement<'conn>>,
}

impl<'conn> RowLoader<'conn> {
    /// Prepares the statements.
    pub(super) fn new(conn: &'conn Connection, answers: Answers) -> Result<Self, StoreError> {
        Self::by(conn, [MESSAGE_WITH_PARTS, SUMMARY], answers)
    }

    /// Prepares the statements for rows without texts but the arguments of calls.
    pub(super) fn of_shapes(conn: &'conn Connection, answers: Answers) -> Result<Self, StoreError> {
        Self::by(conn, [MESSAGE_SHAPE, SUMMARY_SHAPE], answers)
    }

    fn by(
        conn: &'conn Connection,
        [messages, summaries]: [&str; 2],
        answers: Answers,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            messages: conn.prepare_cached(messages)?,
            summaries: conn.prepare_cached(summaries)?,
            calls: match answers {
                Answers::Unnamed => None,
                Answers::Named => Some(conn.prepare_cached(CALL)?),
            },
        })
    }

    /// Loads a row that must be there.
    pub(super) fn row(&mut self, id: ItemId) -> Result<SearchRow, StoreError> {
        self.find(id)?
            .ok_or_else(|| StoreError::corrupt(format!("row {id} is missing")))
    }

    /// Loads a row, if there is one.
    pub(super) fn find(&mut self, id: ItemId) -> Result<Option<SearchRow>, StoreError> {
        match id {
            ItemId::Message(id) => self.message(id),
            ItemId::Summary(id) => self.summary(id),
        }
    }

    fn message(&mut self, id: MessageId) -> Result<Option<SearchRow>, StoreError> {
        let mut rows = self.messages.query([id.get()])?;
        let mut found: Option<SearchRow> = None;
        while let Some(row) = rows.next()? {
            let part = message_part(row)?;
            if let Some(search_row) = &mut found {
                search_row.parts.extend(part);
                continue;
            }
            let (message, _) = message(row)?;
            found = Some(SearchRow {
                id: ItemId::Message(id),
                conversation: message.conversation,
                span: Span::single(message.seq),
                role: Some(message.role),
                visibility: message.visibility,
                depth: None,
                from: message.at,
                to: message.at,
                name: message.name,
                model: message.model,
                answers: Vec::new(),
                parts: part.into_iter().collect(),
            });
        }
        if let (Some(row), Some(calls)) = (&mut found, &mut self.calls) {
            row.answers = answers(calls, row)?;
        }
        Ok(found)
    }

    fn summary(&mut self, id: SummaryId) -> Result<Option<SearchRow>, StoreError> {
        let mut rows = self.summaries.query([id.get()])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let decode = || {
            Ok(SearchRow {
                id: ItemId::Summary(id),
                conversation: ConversationId::new(column(row, 0)?),
                span: to_span(column(row, 1)?, column(row, 2)?)?,
                role: None,
                visibility: Visibility::Talk,
                depth: Some(Depth::new(column(row, 3)?)),
                from: to_time(column(row, 4)?),
                to: to_time(column(row, 5)?),
                name: None,
                model: None,
                answers: Vec::new(),
                parts: vec![Part::Text {
                    text: words(row, 6)?,
                }],
            })
        };
        decode()
            .map(Some)
            .map_err(|error: StoreError| error.of_row("summary", id.get()))
    }
}

/// Finds the tools whose calls the results of a row answer.
fn answers(calls: &mut CachedStatement<'_>, row: &SearchRow) -> Result<Vec<String>, StoreError> {
    let mut names = Vec::new();
    for part in &row.parts {
        let (ItemId::Message(id), Part::ToolResult { call_id, .. }) = (row.id, part) else {
            continue;
        };
        let params = (call_id, id.get(), row.conversation.get());
        let name: Option<Option<String>> = calls
            .query_row(params, |row| Ok(words_or_null(row, 0).ok().flatten()))
            .optional()?;
        names.extend(name.flatten());
    }
    Ok(names)
}

/// Makes the id that callers see.
pub(super) fn item(kind: RowKind, id: i64) -> ItemId {
    match kind {
        RowKind::Message => ItemId::Message(MessageId::new(id)),
        RowKind::Summary => ItemId::Summary(SummaryId::new(id)),
    }
}
