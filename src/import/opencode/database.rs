//! The tables of messages and parts. Owns how a part finds its message. The host edits rows in
//! place: all of a session are read again when one of them has changed, and one that says something
//! else than before is kept beside what it said. May not read another table.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::events::read_events;
use super::message::Message;
use super::session::Session;
use super::unchanged::Marks;
use crate::import::column::{place_of, time_of};
use crate::import::entry::clean_id;
use crate::import::spec::{Piece, Pieces, Unread};
use crate::store::{Foreign, ForeignError, ForeignRow, Rows};

/// Returns whether a database is one.
pub(super) fn is_own(foreign: &Foreign) -> bool {
    let has = |table, columns| foreign.has(table, columns);
    let is_first = has("session", &["id", "directory"])
        && has("message", &["id", "session_id", "data"])
        && has("part", &["id", "message_id", "session_id", "data"]);
    is_first
        || has(
            "session_message",
            &["id", "session_id", "type", "seq", "data"],
        )
}

/// Reads its messages, session by session, but for sessions that an earlier import read and that are
/// as they were then.
pub(super) fn read(foreign: Foreign, _: &Path, earlier: &str) -> Result<Pieces<'static>, Unread> {
    let read = |table| Session::read(&foreign, table).map_err(|error| Unread::broken(&error));
    let (first, second) = (read("session")?, read("session_v2")?);
    // A session that has moved to the newer tables is read there, unless the older ones have it.
    let known: HashSet<String> = first.iter().map(|session| session.id.clone()).collect();
    let mut tables = vec![Tables::First; first.len()];
    tables.extend(second.iter().map(|session| {
        if known.contains(&session.id) {
            Tables::SecondIfAlone
        } else {
            Tables::Second
        }
    }));
    let sessions: Vec<Session> = first.into_iter().chain(second).collect();
    let marks = Marks::of(&foreign, &sessions, earlier);
    let remember = Piece::Remember(marks.to_remember());
    let sessions = sessions.into_iter().zip(tables).enumerate();
    let changed = sessions.filter(move |(idx, _)| !marks.is_unchanged(*idx));
    let pieces =
        changed.flat_map(move |(_, (session, tables))| read_session(&foreign, &session, tables));
    Ok(Box::new(pieces.chain(std::iter::once(remember))))
}

/// Which tables a session is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tables {
    First,
    Second,
    /// The second, if the first have no message of it.
    SecondIfAlone,
}

fn read_session(foreign: &Foreign, session: &Session, tables: Tables) -> Vec<Piece> {
    let read = || -> Result<Vec<Piece>, ForeignError> {
        match tables {
            Tables::First => read_messages(foreign, session),
            Tables::Second => read_events(foreign, session),
            Tables::SecondIfAlone if message_rows(foreign, session)?.is_empty() => {
                read_events(foreign, session)
            }
            Tables::SecondIfAlone => Ok(Vec::new()),
        }
    };
    read().unwrap_or_else(|error| vec![Piece::broken(0, error.to_string())])
}

fn message_rows(foreign: &Foreign, session: &Session) -> Result<Vec<ForeignRow>, ForeignError> {
    foreign.rows(Rows {
        table: "message",
        columns: &["rowid", "id", "data", "time_created"],
        only: Some(("session_id", &session.value())),
        order: &["time_created", "id"],
    })
}

fn read_messages(foreign: &Foreign, session: &Session) -> Result<Vec<Piece>, ForeignError> {
    let rows = foreign.rows(Rows {
        table: "part",
        columns: &["rowid", "id", "message_id", "data", "time_created"],
        only: Some(("session_id", &session.value())),
        order: &["id"],
    })?;
    let mut parts: BTreeMap<Option<String>, Vec<ForeignRow>> = BTreeMap::new();
    for row in rows {
        let message = row.text(2).map(str::to_owned);
        parts.entry(message).or_default().push(row);
    }
    let mut pieces = Vec::new();
    for row in message_rows(foreign, session)? {
        let location = place_of(row.get(0));
        let (id, raw) = (id_of(&row), row.text(2).unwrap_or_default());
        let Some(message) = Message::of(id, raw, time_of(row.get(3))) else {
            let reason = "a message that is no JSON object with a role".to_owned();
            pieces.push(Piece::broken(location.offset, reason));
            continue;
        };
        pieces.push(message.piece(location, raw, session));
        let own = parts.remove(&row.text(1).map(str::to_owned));
        for part in own.into_iter().flatten() {
            let (location, id) = (place_of(part.get(0)), id_of(&part));
            let (raw, at) = (part.text(3).unwrap_or_default(), time_of(part.get(4)));
            pieces.push(message.read_part(location, id.as_deref(), raw, at, session));
        }
    }
    // What is left belongs to messages that are gone.
    for part in parts.values().flatten() {
        let reason = "a part of a message that is not there".to_owned();
        pieces.push(Piece::broken(place_of(part.get(0)).offset, reason));
    }
    Ok(pieces)
}

fn id_of(row: &ForeignRow) -> Option<String> {
    clean_id(row.text(1).map(str::to_owned))
}
