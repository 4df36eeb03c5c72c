//! Writing parts. Owns how each kind of part lies in its columns.
//! May not change or remove a row.

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::tail::Tail;
use crate::domain::Part;

/// Stores a part; calls and results are counted within their turn.
pub(super) fn store_part(
    conn: &Connection,
    tail: &mut Tail,
    message_id: i64,
    ordinal: i64,
    part: &Part,
) -> Result<(), StoreError> {
    let mut columns = PartColumns::of(part);
    if let Some(call_id) = columns.call_id {
        columns.occurrence = Some(tail.next_occurrence(conn, columns.kind, call_id)?);
    }
    conn.prepare_cached(
        "INSERT INTO part (id, message_id, ordinal, kind, call_id, occurrence, name, is_error,
                           signature, mime, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        message_id * 65_536 + ordinal,
        message_id,
        ordinal,
        columns.kind,
        columns.call_id,
        columns.occurrence,
        columns.name,
        columns.is_error,
        columns.signature,
        columns.mime,
        columns.body
    ])?;
    Ok(())
}

/// A part as its columns hold it.
struct PartColumns<'a> {
    kind: &'static str,
    call_id: Option<&'a str>,
    occurrence: Option<i64>,
    name: Option<&'a str>,
    is_error: Option<bool>,
    signature: Option<&'a str>,
    mime: Option<&'a str>,
    body: &'a str,
}

impl<'a> PartColumns<'a> {
    fn bare(kind: &'static str, body: &'a str) -> Self {
        Self {
            kind,
            call_id: None,
            occurrence: None,
            name: None,
            is_error: None,
            signature: None,
            mime: None,
            body,
        }
    }

    fn of(part: &'a Part) -> Self {
        match part {
            Part::Text { text } => Self::bare("text", text),
            Part::Reasoning { text, signature } => Self {
                signature: signature.as_deref(),
                ..Self::bare("reasoning", text)
            },
            Part::ToolUse {
                call_id,
                name,
                arguments,
            } => Self {
                call_id: Some(call_id),
                name: Some(name),
                ..Self::bare("tool_use", arguments)
            },
            Part::ToolResult {
                call_id,
                content,
                is_error,
            } => Self {
                call_id: Some(call_id),
                is_error: Some(*is_error),
                ..Self::bare("tool_result", content)
            },
            Part::Media { uri, mime } => Self {
                mime: Some(mime),
                ..Self::bare("media", uri)
            },
            Part::Opaque { json } => Self::bare("opaque", json),
        }
    }
}
