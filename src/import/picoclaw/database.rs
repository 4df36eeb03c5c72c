//! The database of the host's memory. Owns how a message and its parts become a row.
//! May not take a summary for a message: what it stands for is in the database.

use std::collections::HashMap;
use std::path::Path;

use super::message::{Repeats, media_part, result};
use crate::domain::{NewMessage, Part, Role};
use crate::import::column::{place_of, time_of};
use crate::import::entry::Entry;
use crate::import::spec::{Piece, Pieces, Unread};
use crate::store::{Foreign, ForeignError, ForeignRow, ForeignValue, Rows};

/// Returns whether a database is one.
pub(super) fn is_own(foreign: &Foreign) -> bool {
    foreign.has("conversations", &["conversation_id", "session_key"])
        && foreign.has(
            "messages",
            &["message_id", "conversation_id", "role", "content"],
        )
        && foreign.has("message_parts", &["message_id", "type", "ordinal"])
}

/// Reads its messages, conversation by conversation.
pub(super) fn read(foreign: Foreign, _: &Path, _: &str) -> Result<Pieces<'static>, Unread> {
    let conversations = foreign.rows(Rows {
        table: "conversations",
        columns: &["conversation_id", "session_key"],
        only: None,
        order: &["conversation_id"],
    });
    let conversations = conversations.map_err(|error| Unread::broken(&error))?;
    let parts = read_parts(&foreign).map_err(|error| Unread::broken(&error))?;
    let pieces = conversations.into_iter().flat_map(move |conversation| {
        let key = conversation.text(1).map(str::to_owned);
        read_conversation(&foreign, conversation.get(0), key.as_deref(), &parts)
    });
    Ok(Box::new(pieces))
}

/// Parts by message. All at once: the host's schema promises no index by message.
type Parts = HashMap<i64, Vec<ForeignRow>>;

fn read_parts(foreign: &Foreign) -> Result<Parts, ForeignError> {
    let rows = foreign.rows(Rows {
        table: "message_parts",
        columns: &[
            "type",
            "text",
            "name",
            "arguments",
            "tool_call_id",
            "media_uri",
            "mime_type",
            "message_id",
        ],
        only: None,
        order: &["message_id", "ordinal", "part_id"],
    })?;
    let mut parts = Parts::new();
    for row in rows {
        if let Some(message) = row.integer(7) {
            parts.entry(message).or_default().push(row);
        }
    }
    Ok(parts)
}

fn read_conversation(
    foreign: &Foreign,
    id: &ForeignValue,
    key: Option<&str>,
    parts: &Parts,
) -> Vec<Piece> {
    let messages = foreign.rows(Rows {
        table: "messages",
        columns: &[
            "message_id",
            "role",
            "content",
            "model_name",
            "reasoning_content",
            "created_at",
        ],
        only: Some(("conversation_id", id)),
        order: &["message_id"],
    });
    let messages = match messages {
        Ok(messages) => messages,
        Err(error) => return vec![Piece::broken(0, error.to_string())],
    };
    let mut repeats = Repeats::default();
    let mut pieces = Vec::with_capacity(messages.len());
    for row in &messages {
        let id = row.integer(0).unwrap_or_default();
        let location = place_of(row.get(0));
        let parts = parts.get(&id).map(Vec::as_slice).unwrap_or_default();
        pieces.push(match read_message(row, parts) {
            Ok(message) => Piece::Record {
                location,
                text: row_text(row, parts),
                entries: vec![Entry {
                    id: Some(repeats.id(&message)),
                    is_known_by_words: true,
                    session: key.map(str::to_owned),
                    ..Entry::row(message)
                }],
            },
            Err(reason) => Piece::broken(location.offset, reason),
        });
    }
    pieces
}

fn read_message(row: &ForeignRow, rows: &[ForeignRow]) -> Result<NewMessage, String> {
    let role = row.text(1).unwrap_or_default();
    let role: Role = role.parse().map_err(|_| format!("`{role}` is no role"))?;
    let mut parts = Vec::new();
    if let Some(text) = row.text(4).filter(|text| !text.is_empty()) {
        let (text, signature) = (text.to_owned(), None);
        parts.push(Part::Reasoning { text, signature });
    }
    let text = row.text(2).unwrap_or_default();
    let has_words = rows
        .iter()
        .any(|part| matches!(part.text(0), Some("text" | "tool_result")));
    if !text.is_empty() && !has_words {
        let text = text.to_owned();
        parts.push(Part::Text { text });
    }
    parts.extend(rows.iter().map(|part| read_part(part, text)));
    if parts.is_empty() {
        let text = String::new();
        parts.push(Part::Text { text });
    }
    let mut message = NewMessage::new(role, parts);
    message.model = row
        .text(3)
        .filter(|model| !model.is_empty())
        .map(str::to_owned);
    // Text without a zone is in UTC here.
    message.at = time_of(row.get(5));
    Ok(message)
}

/// Returns a message as JSON: its role, words, model, thoughts and time, then its parts, each the
/// columns from its type to the type of its media.
fn row_text(row: &ForeignRow, parts: &[ForeignRow]) -> String {
    let texts = |row: &ForeignRow, first, last| {
        (first..=last)
            .map(|n| row.text(n).map(str::to_owned))
            .collect()
    };
    let parts: Vec<Vec<Option<String>>> = parts.iter().map(|part| texts(part, 0, 6)).collect();
    let columns: Vec<Option<String>> = texts(row, 1, 5);
    serde_json::json!([columns, parts]).to_string()
}

fn read_part(part: &ForeignRow, message: &str) -> Part {
    let text = |idx| part.text(idx).unwrap_or_default().to_owned();
    match part.text(0) {
        Some("text") => Part::Text { text: text(1) },
        Some("tool_use") => Part::ToolUse {
            call_id: text(4),
            name: text(2),
            arguments: part.text(3).unwrap_or("{}").to_owned(),
        },
        Some("tool_result") => match part.text(1).filter(|words| !words.is_empty()) {
            Some(words) => result(text(4), words.to_owned()),
            None => result(text(4), message.to_owned()),
        },
        Some("media") => media_part(text(5), part.text(6).map(str::to_owned)),
        kind => Part::Opaque {
            json: serde_json::json!({
                "type": kind,
                "text": part.text(1),
                "name": part.text(2),
                "arguments": part.text(3),
                "tool_call_id": part.text(4),
                "media_uri": part.text(5),
                "mime_type": part.text(6),
            })
            .to_string(),
        },
    }
}
