//! Rows as search sees them, bodies included. Owns their loading, one look-up a row.
//! May not choose rows, nor let one that is damaged keep the others from anyone.

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};

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

/// Rows that were asked for.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SearchRows {
    /// Those that can be read, in the order asked for.
    pub rows: Vec<SearchRow>,
    /// Those that are there and cannot be read.
    pub damaged: Vec<ItemId>,
}

impl SearchRows {
    /// Takes what was loaded under an id.
    pub(super) fn push(&mut self, id: ItemId, loaded: Loaded) {
        match loaded {
            Loaded::Row(row) => self.rows.push(row),
            Loaded::Damaged => self.damaged.push(id),
        }
    }
}

/// What a row turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Loaded {
    /// It can be read.
    Row(SearchRow),
    /// It contradicts itself; `doctor` says how.
    Damaged,
}

impl Loaded {
    /// Makes a finding about the row itself an answer; what the database says stays an error.
    fn of(decoded: Result<SearchRow, StoreError>) -> Result<Self, StoreError> {
        match decoded {
            Ok(row) => Ok(Self::Row(row)),
            Err(StoreError::Corrupt { .. }) => Ok(Self::Damaged),
            Err(error) => Err(error),
        }
    }
}

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
    pub(super) fn row(&mut self, id: ItemId) -> Result<Loaded, StoreError> {
        self.find(id)?
            .ok_or_else(|| StoreError::corrupt(format!("row {id} is missing")))
    }

    /// Loads a row, if there is one.
    pub(super) fn find(&mut self, id: ItemId) -> Result<Option<Loaded>, StoreError> {
        match id {
            ItemId::Message(id) => self.message(id),
            ItemId::Summary(id) => self.summary(id),
        }
    }

    fn message(&mut self, id: MessageId) -> Result<Option<Loaded>, StoreError> {
        let mut rows = self.messages.query([id.get()])?;
        let mut found: Option<(SearchRow, usize)> = None;
        while let Some(row) = rows.next()? {
            let taken = match found.take() {
                None => begun(row, id),
                Some(begun) => continued(row, begun),
            };
            match taken {
                Ok(taken) => found = Some(taken),
                Err(StoreError::Corrupt { .. }) => return Ok(Some(Loaded::Damaged)),
                Err(error) => return Err(error),
            }
        }
        let Some((mut row, n_parts)) = found else {
            return Ok(None);
        };
        if row.parts.len() != n_parts {
            return Ok(Some(Loaded::Damaged));
        }
        if let Some(calls) = &mut self.calls {
            row.answers = answers(calls, &row)?;
        }
        Ok(Some(Loaded::Row(row)))
    }

    fn summary(&mut self, id: SummaryId) -> Result<Option<Loaded>, StoreError> {
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
        Loaded::of(decode()).map(Some)
    }
}

/// Reads a message with its first part, and how many parts it must have.
fn begun(row: &Row<'_>, id: MessageId) -> Result<(SearchRow, usize), StoreError> {
    let (message, n_parts) = message(row)?;
    let search_row = SearchRow {
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
        parts: message_part(row)?.into_iter().collect(),
    };
    Ok((search_row, n_parts))
}

/// Adds the next part to a message.
fn continued(
    row: &Row<'_>,
    (mut begun, n_parts): (SearchRow, usize),
) -> Result<(SearchRow, usize), StoreError> {
    begun.parts.extend(message_part(row)?);
    Ok((begun, n_parts))
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
