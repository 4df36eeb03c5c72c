//! The one JSON document of the first versions. Owns the order of its records: its messages.
//! May not know what a message means.

use std::path::Path;

use serde_json::value::RawValue;

use super::chat::Chat;
use crate::import::account::Refusal;
use crate::import::document::Document;
use crate::import::entry::Entry;
use crate::import::json::{self, Object};
use crate::import::sniff::Head;
use crate::import::spec::{Piece, Pieces, Unread};

/// Returns whether a file begins such a document.
pub(super) fn is_own(head: &Head<'_>) -> bool {
    head.is_object_with(&["sessionId", "startTime", "messages"])
}

/// Reads its records.
pub(super) fn read<'a>(document: &'a Document<'a>, path: &Path) -> Result<Pieces<'a>, Unread> {
    let root: &'a RawValue = document.json()?;
    let object = Object::parse(root.get()).unwrap_or_default();
    let messages = object
        .get("messages")
        .and_then(|raw| json::elements(raw.get()));
    let mut chat = Chat::new(path);
    // The session's title and folder go with its first message.
    let mut about: Vec<Entry> = chat.header(&object);
    Ok(Box::new(messages.unwrap_or_default().into_iter().map(
        move |raw| {
            let location = document.location(raw.get());
            match chat.message(raw.get()) {
                Ok(mut entries) => {
                    entries.append(&mut about);
                    Piece::Record {
                        location,
                        text: raw.get().to_owned(),
                        entries,
                    }
                }
                Err(reason) => Piece::Refused(Refusal {
                    line: location.line,
                    offset: location.offset,
                    reason,
                }),
            }
        },
    )))
}
