//! The database. Owns how its rows become messages. The host deletes and writes rows anew when it
//! compacts a session, so that a row's number says nothing: its message's id does.
//! May not read what is no message: settings, tokens, schedules.

use std::path::Path;

use serde_json::json;

use super::message::{Seen, read as read_message};
use super::threads::read_threads;
use crate::domain::{NewMessage, Timestamp};
use crate::import::column::{place_of, time_of, words_of};
use crate::import::entry::{Entry, Location, Title, clean_id};
use crate::import::json::Object;
use crate::import::spec::{Piece, Pieces, Unread};
use crate::store::{Foreign, ForeignError, ForeignRow, ForeignValue, Rows};

/// Returns whether a database is one.
pub(super) fn is_own(foreign: &Foreign) -> bool {
    foreign.has("sessions", &["id", "working_dir"])
        && foreign.has(
            "messages",
            &["session_id", "role", "content_json", "created_timestamp"],
        )
}

/// Reads its messages, session by session, then what only its threads say.
pub(super) fn read(foreign: Foreign, _: &Path, _: &str) -> Result<Pieces<'static>, Unread> {
    let sessions = foreign.rows(Rows {
        table: "sessions",
        columns: &[
            "id",
            "name",
            "description",
            "working_dir",
            "provider_name",
            "model_config_json",
        ],
        only: None,
        order: &["created_at", "id"],
    });
    let sessions = sessions.map_err(|error| Unread::broken(&error))?;
    // Threads come after the sessions that they repeat.
    let steps = sessions.into_iter().map(Some).chain(std::iter::once(None));
    Ok(Box::new(steps.flat_map(move |step| match step {
        Some(session) => read_session(&foreign, &session),
        None => read_threads(&foreign),
    })))
}

/// What a session says of all its messages.
pub(super) struct Session {
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
}

impl Session {
    fn of(row: &ForeignRow) -> Self {
        let text = |idx| words_of(row, idx);
        let config = text(5).and_then(Object::parse);
        Self {
            id: clean_id(text(0).map(str::to_owned)),
            title: text(1).or_else(|| text(2)).map(str::to_owned),
            cwd: text(3).map(str::to_owned),
            provider: text(4).map(str::to_owned),
            model: config.and_then(|config| config.text("model_name")),
        }
    }
}

fn read_session(foreign: &Foreign, row: &ForeignRow) -> Vec<Piece> {
    let session = Session::of(row);
    match read_message_rows(foreign, row.get(0)) {
        Ok(messages) => messages.iter().map(|row| session.read_row(row)).collect(),
        Err(error) => vec![Piece::broken(0, error.to_string())],
    }
}

/// Reads the rows of a session's messages.
pub(super) fn read_message_rows(
    foreign: &Foreign,
    session: &ForeignValue,
) -> Result<Vec<ForeignRow>, ForeignError> {
    foreign.rows(Rows {
        table: "messages",
        columns: &[
            "id",
            "message_id",
            "role",
            "content_json",
            "created_timestamp",
            "metadata_json",
        ],
        only: Some(("session_id", session)),
        // Of one second, the order of writing holds.
        order: &["created_timestamp", "id"],
    })
}

/// What a row of messages says, of a session or of a thread: their columns begin alike.
pub(super) struct Said<'a> {
    pub(super) location: Location,
    pub(super) role: &'a str,
    pub(super) content: &'a str,
    pub(super) at: Option<Timestamp>,
    pub(super) messages: Vec<NewMessage>,
}

impl<'a> Said<'a> {
    /// Reads a row, or says what is wrong with it.
    pub(super) fn of(row: &'a ForeignRow) -> Result<Self, Piece> {
        let location = place_of(row.get(0));
        let (role, content) = (
            row.text(2).unwrap_or_default(),
            row.text(3).unwrap_or_default(),
        );
        let messages = read_message(role, content, Seen::of(row.text(5)))
            .map_err(|reason| Piece::broken(location.offset, reason))?;
        Ok(Self {
            location,
            role,
            content,
            at: time_of(row.get(4)),
            messages,
        })
    }
}

impl Session {
    /// Says of an answer which model gave it.
    pub(super) fn signs(&self, role: &str, message: &mut NewMessage) {
        if role == "assistant" {
            message.model.clone_from(&self.model);
            message.provider.clone_from(&self.provider);
        }
    }

    fn read_row(&self, row: &ForeignRow) -> Piece {
        let Said {
            location,
            role,
            content,
            at,
            messages,
        } = match Said::of(row) {
            Ok(said) => said,
            Err(piece) => return piece,
        };
        let entries = messages.into_iter().map(|mut message| {
            message.at = at;
            self.signs(role, &mut message);
            Entry {
                id: clean_id(row.text(1).map(str::to_owned)),
                session: self.id.clone(),
                cwd: self.cwd.clone(),
                title: self.title.clone().map(Title::OfSession),
                ..Entry::row(message)
            }
        });
        Piece::Record {
            location,
            // By what it says and when, where an old version gave no id.
            text: json!([self.id, role, content, at.map(Timestamp::millis)]).to_string(),
            entries: entries.collect(),
        }
    }
}
