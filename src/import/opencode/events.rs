//! The newer table, in which a message is one row. Owns how its row becomes messages.
//! May not judge what it does not know: the words of such a row are kept as a note.

use serde_json::value::RawValue;

use super::parts::{began, note, read as read_part};
use super::session::Session;
use crate::domain::{NewMessage, Provenance, Role};
use crate::import::column::{place_of, time_of};
use crate::import::entry::{Entry, clean_id};
use crate::import::json::{self, Object};
use crate::import::spec::Piece;
use crate::store::{Foreign, ForeignError, ForeignRow, Rows};

/// Reads the rows of a session.
pub(super) fn read_events(
    foreign: &Foreign,
    session: &Session,
) -> Result<Vec<Piece>, ForeignError> {
    let rows = foreign.rows(Rows {
        table: "session_message",
        columns: &["rowid", "id", "type", "data", "time_created"],
        only: Some(("session_id", &session.value())),
        order: &["seq"],
    })?;
    Ok(rows.iter().map(|row| read_row(row, session)).collect())
}

fn read_row(row: &ForeignRow, session: &Session) -> Piece {
    let location = place_of(row.get(0));
    let raw = row.text(3).unwrap_or_default();
    let Some(data) = Object::parse(raw) else {
        let reason = "a message that is no JSON object".to_owned();
        return Piece::broken(location.offset, reason);
    };
    let at = began(&data).or_else(|| time_of(row.get(4)));
    let id = clean_id(row.text(1).map(str::to_owned));
    let mut entries = Vec::new();
    for (n, messages) in read_data(row.text(2).unwrap_or_default(), raw, &data) {
        for mut message in messages {
            message.at = message.at.or(at);
            if message.role != Role::Tool {
                message.provenance = Some(Provenance::of_message(id.clone(), None));
            }
            let id = id.as_ref().map(|id| format!("{id}.{n}"));
            entries.push(session.owns(Entry {
                id,
                ..Entry::row(message)
            }));
        }
    }
    if entries.is_empty() {
        entries.push(session.owns(Entry::silent()));
    }
    Piece::Record {
        location,
        text: raw.to_owned(),
        entries,
    }
}

/// Reads a row's pieces, each with its number in the row.
fn read_data(kind: &str, raw: &str, data: &Object<'_>) -> Vec<(usize, Vec<NewMessage>)> {
    let content = data.get("content").map_or("[]", RawValue::get);
    let text = data.text("text").filter(|text| !text.is_empty());
    match (kind, text) {
        ("user", Some(text)) => vec![(0, vec![NewMessage::user(text)])],
        ("synthetic", Some(text)) => vec![(0, vec![NewMessage::user(text).meta()])],
        ("assistant", _) => {
            let pieces = json::elements(content).unwrap_or_default();
            let read = |raw: &&RawValue| read_part(raw.get(), Role::Assistant);
            pieces.iter().map(read).enumerate().collect()
        }
        _ => vec![(0, note(raw))],
    }
}
