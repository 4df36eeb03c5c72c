//! The tables of messages and parts. Owns how a part finds its message. The host edits rows in
//! place: all are read whenever the file has changed, and one that says something else than before
//! is kept beside what it said. May not read another table.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::events::read_events;
use super::parts::{began, read as read_part};
use super::session::Session;
use crate::domain::{NewMessage, Provenance, Role, Timestamp, Visibility};
use crate::import::column::{place_of, time_of};
use crate::import::entry::{Entry, clean_id};
use crate::import::json::{self, Object};
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

/// Reads its messages, session by session.
pub(super) fn read(foreign: Foreign, _: &Path) -> Result<Pieces<'static>, Unread> {
    let read = |table| Session::read(&foreign, table).map_err(|error| Unread::broken(&error));
    let (first, second) = (read("session")?, read("session_v2")?);
    // A session that has moved to the newer tables is read there, unless the older ones have it.
    let known: HashSet<String> = first.iter().map(|session| session.id.clone()).collect();
    let pieces = first.into_iter().map(|session| (session, Tables::First));
    let second = second.into_iter().map(move |session| {
        let tables = if known.contains(&session.id) {
            Tables::SecondIfAlone
        } else {
            Tables::Second
        };
        (session, tables)
    });
    Ok(Box::new(pieces.chain(second).flat_map(
        move |(session, tables)| read_session(&foreign, &session, tables),
    )))
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
        let Some(message) = Message::of(&row) else {
            let reason = "a message that is no JSON object with a role".to_owned();
            pieces.push(Piece::broken(place_of(row.get(0)).offset, reason));
            continue;
        };
        pieces.push(message.piece(&row, session));
        let own = parts.remove(&row.text(1).map(str::to_owned));
        for part in own.into_iter().flatten() {
            pieces.push(message.read_part(&part, session));
        }
    }
    // What is left belongs to messages that are gone.
    for part in parts.values().flatten() {
        let reason = "a part of a message that is not there".to_owned();
        pieces.push(Piece::broken(place_of(part.get(0)).offset, reason));
    }
    Ok(pieces)
}

/// What a message says of its parts.
struct Message {
    id: Option<String>,
    role: Role,
    visibility: Visibility,
    at: Option<Timestamp>,
    model: Option<String>,
    provider: Option<String>,
    output_tokens: Option<u64>,
    error: Option<String>,
}

impl Message {
    fn of(row: &ForeignRow) -> Option<Self> {
        let data = Object::parse(row.text(2)?)?;
        let model = data.object("model");
        let of_model = |name: &str| model.as_ref().and_then(|model| model.text(name));
        let tokens = data.object("tokens");
        let error = data
            .get("error")
            .map(|raw| json::strings(raw.get(), &["name"]));
        Some(Self {
            id: clean_id(row.text(1).map(str::to_owned)),
            role: data.text("role")?.parse().ok()?,
            // An answer that is a summary of the host's; a person's message has an object there.
            visibility: if data.is_set("summary") {
                Visibility::Meta
            } else {
                Visibility::Talk
            },
            at: began(&data).or_else(|| time_of(row.get(3))),
            model: data.text("modelID").or_else(|| of_model("modelID")),
            provider: data.text("providerID").or_else(|| of_model("providerID")),
            output_tokens: tokens.and_then(|found| found.get("output")?.get().parse().ok()),
            error: error
                .filter(|words| !words.is_empty())
                .map(|words| words.join("\n")),
        })
    }

    /// Makes the record of the message itself: it has no words but those of a failure.
    fn piece(&self, row: &ForeignRow, session: &Session) -> Piece {
        let mut entry = Entry::silent();
        if let Some(error) = &self.error {
            let mut note = NewMessage::system(error.clone()).meta();
            note.at = self.at;
            entry = Entry::row(note);
        }
        entry.id.clone_from(&self.id);
        Piece::Record {
            location: place_of(row.get(0)),
            text: row.text(2).unwrap_or_default().to_owned(),
            entries: vec![session.owns(entry)],
        }
    }

    fn read_part(&self, row: &ForeignRow, session: &Session) -> Piece {
        let location = place_of(row.get(0));
        let raw = row.text(3).unwrap_or_default();
        if Object::parse(raw).is_none() {
            let reason = "a part that is no JSON object".to_owned();
            return Piece::broken(location.offset, reason);
        }
        let id = clean_id(row.text(1).map(str::to_owned));
        let at = time_of(row.get(4)).or(self.at);
        let rows = read_part(raw, self.role).into_iter().map(|message| Entry {
            id: id.clone(),
            ..Entry::row(self.complete(message, at))
        });
        let mut entries: Vec<Entry> = rows.map(|entry| session.owns(entry)).collect();
        if entries.is_empty() {
            entries.push(session.owns(Entry::silent()));
        }
        Piece::Record {
            location,
            text: raw.to_owned(),
            entries,
        }
    }

    fn complete(&self, mut message: NewMessage, at: Option<Timestamp>) -> NewMessage {
        message.at = message.at.or(at);
        if self.visibility == Visibility::Meta {
            message = message.meta();
        }
        if message.role != Role::Tool {
            message.provenance = Some(Provenance::of_message(self.id.clone(), self.output_tokens));
        }
        if message.role == Role::Assistant {
            message.model.clone_from(&self.model);
            message.provider.clone_from(&self.provider);
        }
        message
    }
}
