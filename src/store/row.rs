//! Rows become values here, and numbers change sides. Owns the decoding of columns.
//! May not query: it is given rows.

use rusqlite::Row;
use rusqlite::types::{FromSql, ValueRef};

use super::error::StoreError;
use crate::domain::{
    ConversationId, Depth, Generation, Health, Message, MessageId, Node, Origin, Part, Role, Seq,
    Span, SummaryId, Timestamp, Tokens, Visibility, Window,
};

/// Writes a count as a column holds it.
pub(super) fn to_sql(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Reads a count; one below zero is damage that counts as none.
pub(super) fn to_count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Reads a place.
pub(super) fn to_seq(value: i64) -> Result<Seq, StoreError> {
    u64::try_from(value)
        .ok()
        .and_then(Seq::new)
        .ok_or_else(|| StoreError::corrupt(format!("{value} is no seq")))
}

/// Reads a place where 0 means none.
pub(super) fn to_seq_option(value: i64) -> Option<Seq> {
    Seq::new(to_count(value))
}

/// Reads a summary id where 0 means none.
pub(super) fn to_summary_option(value: i64) -> Option<SummaryId> {
    (value > 0).then(|| SummaryId::new(value))
}

/// Reads a time.
pub(super) fn to_time(value: Option<i64>) -> Option<Timestamp> {
    value.map(Timestamp::from_millis)
}

/// Reads a span.
pub(super) fn to_span(first: i64, last: i64) -> Result<Span, StoreError> {
    Span::new(to_seq(first)?, to_seq(last)?)
        .ok_or_else(|| StoreError::corrupt(format!("{first}-{last} is no span")))
}

/// Reads a window of three columns that are all there or all null.
pub(super) fn to_window(
    context: Option<i64>,
    overhead: Option<i64>,
    reserve: Option<i64>,
) -> Option<Window> {
    let tokens = |value| Tokens::new(to_count(value));
    Window::new(tokens(context?), tokens(overhead?), tokens(reserve?)).ok()
}

/// Writes a visibility.
pub(super) const fn visibility_word(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Talk => "talk",
        Visibility::Meta => "meta",
        Visibility::Prompt => "prompt",
    }
}

/// Reads a visibility.
pub(super) fn to_visibility(word: &str) -> Result<Visibility, StoreError> {
    match word {
        "talk" => Ok(Visibility::Talk),
        "meta" => Ok(Visibility::Meta),
        "prompt" => Ok(Visibility::Prompt),
        _ => Err(StoreError::corrupt(format!("`{word}` is no visibility"))),
    }
}

/// Reads a role.
pub(super) fn to_role(word: &str) -> Result<Role, StoreError> {
    word.parse()
        .map_err(|_| StoreError::corrupt(format!("`{word}` is no role")))
}

/// Reads one column.
pub(super) fn column<T: FromSql>(row: &Row<'_>, idx: usize) -> Result<T, StoreError> {
    Ok(row.get(idx)?)
}

/// Reads words. What is no UTF-8 any more is shown as U+FFFD: one damaged byte must not keep the rest
/// of its message, and all that is read beside it, from anyone. The hash chain tells that it is there.
pub(super) fn words(row: &Row<'_>, idx: usize) -> Result<String, StoreError> {
    match row.get_ref(idx)? {
        // To check a text first is much faster than to look for what is wrong with it.
        ValueRef::Text(bytes) => Ok(match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(bytes).into_owned(),
        }),
        other => Err(StoreError::corrupt(format!(
            "column {idx} holds {}",
            other.data_type()
        ))),
    }
}

/// As [`words`], of a column that may be null.
pub(super) fn words_or_null(row: &Row<'_>, idx: usize) -> Result<Option<String>, StoreError> {
    match row.get_ref(idx)? {
        ValueRef::Null => Ok(None),
        _ => words(row, idx).map(Some),
    }
}

/// Reads a text column without copying it twice, refusing any other type.
fn text<'row>(row: &'row Row<'_>, idx: usize) -> Result<&'row str, StoreError> {
    match row.get_ref(idx)? {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes)
            .map_err(|_| StoreError::corrupt(format!("column {idx} is no UTF-8"))),
        other => Err(StoreError::corrupt(format!(
            "column {idx} holds {}",
            other.data_type()
        ))),
    }
}

/// The columns of a message, in the order that [`message`] reads.
macro_rules! message_columns {
    () => {
        "m.id, m.conversation_id, m.seq, m.role, m.visibility, m.at, m.name, m.model, m.provider, \
         m.continues, m.tokens, m.view_tokens, m.n_parts, \
         p.kind, p.call_id, p.name, p.is_error, p.signature, p.mime, p.body"
    };
}
pub(super) use message_columns;

/// The columns of [`message_columns`], with no text but the arguments of calls.
macro_rules! shape_columns {
    () => {
        "m.id, m.conversation_id, m.seq, m.role, m.visibility, m.at, m.name, m.model, m.provider, \
         m.continues, m.tokens, m.view_tokens, m.n_parts, \
         p.kind, p.call_id, p.name, p.is_error, NULL, p.mime, \
         CASE p.kind WHEN 'tool_use' THEN p.body ELSE '' END"
    };
}
pub(super) use shape_columns;

/// The first column of the part in [`message_columns`].
const PART: usize = 13;

/// Reads a message without its parts, and how many it must have.
pub(super) fn message(row: &Row<'_>) -> Result<(Message, usize), StoreError> {
    let id: i64 = column(row, 0)?;
    let decode = || {
        let mut new = crate::domain::NewMessage::new(to_role(text(row, 3)?)?, Vec::new());
        new.visibility = to_visibility(text(row, 4)?)?;
        new.at = to_time(column(row, 5)?);
        new.name = words_or_null(row, 6)?;
        new.model = words_or_null(row, 7)?;
        new.provider = words_or_null(row, 8)?;
        let conversation = ConversationId::new(column(row, 1)?);
        let seq = to_seq(column(row, 2)?)?;
        let mut message = Message::from_new(new, MessageId::new(id), conversation, seq);
        message.continues = column::<Option<i64>>(row, 9)?.map(to_seq).transpose()?;
        message.tokens = Tokens::new(to_count(column(row, 10)?));
        message.view_tokens = Tokens::new(to_count(column(row, 11)?));
        let n_parts = usize::try_from(column::<i64>(row, 12)?)
            .map_err(|_| StoreError::corrupt("a negative number of parts"))?;
        Ok((message, n_parts))
    };
    decode().map_err(|error: StoreError| error.of_row("message", id))
}

/// Reads the part beside a message, if the row has one.
pub(super) fn message_part(row: &Row<'_>) -> Result<Option<Part>, StoreError> {
    if row.get_ref(PART)? == ValueRef::Null {
        return Ok(None);
    }
    let id: i64 = column(row, 0)?;
    let decode = || {
        let body = words(row, PART + 6)?;
        Ok(match text(row, PART)? {
            "text" => Part::Text { text: body },
            "reasoning" => Part::Reasoning {
                text: body,
                signature: words_or_null(row, PART + 4)?,
            },
            "tool_use" => Part::ToolUse {
                call_id: words(row, PART + 1)?,
                name: words(row, PART + 2)?,
                arguments: body,
            },
            "tool_result" => Part::ToolResult {
                call_id: words(row, PART + 1)?,
                content: body,
                is_error: column(row, PART + 3)?,
            },
            "media" => Part::Media {
                uri: body,
                mime: words(row, PART + 5)?,
            },
            "opaque" => Part::Opaque { json: body },
            other => return Err(StoreError::corrupt(format!("`{other}` is no kind of part"))),
        })
    };
    decode()
        .map(Some)
        .map_err(|error: StoreError| error.of_row("part of message", id))
}

/// A summary as its row says, before anybody judges it.
#[derive(Debug, Clone)]
pub(super) struct SummaryRow {
    pub id: i64,
    pub conversation: i64,
    pub depth: u32,
    pub span: Span,
    pub generation: u32,
    pub origin: Option<Origin>,
    pub tokens: u64,
    pub from: Option<i64>,
    pub to: Option<i64>,
    /// Whether its body is a text with bytes in it.
    pub has_body: bool,
}

/// The columns of a summary, in the order that [`summary`] reads. `octet_length` and `typeof` read
/// no body.
macro_rules! summary_columns {
    () => {
        "s.id, s.conversation_id, s.depth, s.first_seq, s.last_seq, s.generation, s.origin, \
         s.tokens, s.from_at, s.to_at, \
         typeof(s.body) = 'text' AND octet_length(s.body) > 0"
    };
}
pub(super) use summary_columns;

/// Reads a summary; `None` if its row cannot even say where it stands. What else is wrong with it
/// is left to be judged: one bad row never stops a turn.
pub(super) fn summary(row: &Row<'_>) -> Result<Option<SummaryRow>, StoreError> {
    let number = |idx: usize| -> Option<i64> { row.get(idx).ok() };
    let (Some(id), Some(conversation), Some(first), Some(last)) =
        (number(0), number(1), number(3), number(4))
    else {
        return Ok(None);
    };
    let (Ok(span), Some(depth), Some(generation)) = (
        to_span(first, last),
        number(2).and_then(|raw| u32::try_from(raw).ok()),
        number(5).and_then(|raw| u32::try_from(raw).ok()),
    ) else {
        return Ok(None);
    };
    Ok(Some(SummaryRow {
        id,
        conversation,
        depth,
        span,
        generation,
        origin: text(row, 6).ok().and_then(Origin::from_word),
        tokens: number(7).map_or(0, to_count),
        from: row.get(8).unwrap_or(None),
        to: row.get(9).unwrap_or(None),
        has_body: row.get(10)?,
    }))
}

impl SummaryRow {
    /// Makes the node that planners and views see. A row without a readable origin passes for a
    /// fallback, which is what is repaired.
    pub(super) fn node(&self, health: Health) -> Node {
        Node {
            id: SummaryId::new(self.id),
            conversation: ConversationId::new(self.conversation),
            span: self.span,
            depth: Depth::new(self.depth),
            generation: Generation::new(self.generation),
            origin: self.origin.unwrap_or(Origin::Fallback),
            tokens: Tokens::new(self.tokens),
            health,
            from: to_time(self.from),
            to: to_time(self.to),
        }
    }
}
