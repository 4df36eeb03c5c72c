//! The database of an agent. Owns how its rows become the entries that older files hold as lines.
//! May not read an entry.

use std::path::Path;

use super::channel;
use crate::import::entry::Location;
use crate::import::pi::Entries;
use crate::import::spec::{LineReader, Piece, Pieces, Unread};
use crate::import::unpack::unpack_text;
use crate::store::{Foreign, ForeignRow, ForeignValue, Rows};

const TABLE: &str = "transcript_events";

/// The largest event that the host packs.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Returns whether a database is one.
pub(super) fn is_own(foreign: &Foreign) -> bool {
    foreign.has(TABLE, &["session_id", "seq", "event_json"])
}

/// Reads its events, session by session.
pub(super) fn read(foreign: Foreign, path: &Path, _: &str) -> Result<Pieces<'static>, Unread> {
    let sessions = foreign.rows(Rows {
        table: TABLE,
        columns: &["session_id"],
        only: None,
        order: &["session_id", "seq"],
    });
    let mut sessions = sessions.map_err(|error| Unread::broken(&error))?;
    sessions.dedup();
    let path = path.to_owned();
    Ok(Box::new(sessions.into_iter().flat_map(move |session| {
        read_session(&foreign, session.get(0), &path)
    })))
}

fn read_session(foreign: &Foreign, session: &ForeignValue, path: &Path) -> Pieces<'static> {
    let rows = foreign.rows(Rows {
        table: TABLE,
        columns: &["seq", "event_json", "event_zstd"],
        only: Some(("session_id", session)),
        order: &["seq"],
    });
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => return Box::new(std::iter::once(Piece::broken(0, error.to_string()))),
    };
    let name = match session {
        ForeignValue::Text(name) => path.with_file_name(format!("{name}.jsonl")),
        _ => path.to_owned(),
    };
    let mut entries = Entries::open(channel::custom, &name, None);
    // One by one: what is packed in few bytes may be long.
    let rows = rows.into_iter();
    Box::new(rows.map(move |row| read_row(&row, &mut entries)))
}

fn read_row(row: &ForeignRow, entries: &mut Entries) -> Piece {
    let offset = row.integer(0).and_then(|seq| u64::try_from(seq).ok());
    let location = Location {
        offset: offset.unwrap_or_default(),
        length: 0,
        line: 0,
    };
    let text = match (row.text(1), row.blob(2)) {
        (Some(text), _) => Ok(text.to_owned()),
        (None, Some(packed)) => unpack_text(packed, MAX_BYTES),
        (None, None) => Err("an event without words".to_owned()),
    };
    match text.and_then(|text| Ok((entries.read(&text, location)?, text))) {
        Ok((entries, text)) => Piece::Record {
            location,
            text,
            entries,
        },
        Err(reason) => Piece::broken(location.offset, reason),
    }
}
