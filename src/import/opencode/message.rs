//! Messages. Owns what a message says of its parts, wherever both were read.
//! May not read a row or a file.

use super::parts::{began, read as read_part};
use super::session::Session;
use crate::domain::{NewMessage, Provenance, Role, Timestamp, Visibility};
use crate::import::entry::{Entry, Location, Spent};
use crate::import::json::{self, Object};
use crate::import::spec::Piece;

/// What a message says of its parts.
pub(super) struct Message {
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
    /// Reads a message of this id, written at this time if it does not say another. `None` if it is
    /// no JSON object with a role.
    pub(super) fn of(id: Option<String>, raw: &str, at: Option<Timestamp>) -> Option<Self> {
        let data = Object::parse(raw)?;
        let model = data.object("model");
        let of_model = |name: &str| model.as_ref().and_then(|model| model.text(name));
        let tokens = data.object("tokens");
        let error = data
            .get("error")
            .map(|raw| json::strings(raw.get(), &["name"]));
        Some(Self {
            id,
            role: data.text("role")?.parse().ok()?,
            // An answer that is a summary of the host's; a person's message has an object there.
            visibility: if data.is_set("summary") {
                Visibility::Meta
            } else {
                Visibility::Talk
            },
            at: began(&data).or(at),
            model: data.text("modelID").or_else(|| of_model("modelID")),
            provider: data.text("providerID").or_else(|| of_model("providerID")),
            output_tokens: tokens.and_then(|found| found.get("output")?.get().parse().ok()),
            error: error
                .filter(|words| !words.is_empty())
                .map(|words| words.join("\n")),
        })
    }

    /// Returns what the model wrote, which is then said of the message alone and of no part.
    pub(super) fn take_tokens(&mut self) -> Spent {
        Spent {
            total: 0,
            output: self.output_tokens.take().unwrap_or_default(),
        }
    }

    /// Makes the record of the message itself: it has no words but those of a failure.
    pub(super) fn piece(&self, location: Location, raw: &str, session: &Session) -> Piece {
        let mut entry = Entry::silent();
        if let Some(error) = &self.error {
            let mut note = NewMessage::system(error.clone()).meta();
            note.at = self.at;
            entry = Entry::row(note);
        }
        entry.id.clone_from(&self.id);
        Piece::Record {
            location,
            text: raw.to_owned(),
            entries: vec![session.owns(entry)],
        }
    }

    /// Reads one of its parts, of this id and written at this time.
    pub(super) fn read_part(
        &self,
        location: Location,
        id: Option<&str>,
        raw: &str,
        at: Option<Timestamp>,
        session: &Session,
    ) -> Piece {
        if Object::parse(raw).is_none() {
            let reason = "a part that is no JSON object".to_owned();
            return Piece::broken(location.offset, reason);
        }
        let at = at.or(self.at);
        let rows = read_part(raw, self.role).into_iter().map(|message| Entry {
            id: id.map(str::to_owned),
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
