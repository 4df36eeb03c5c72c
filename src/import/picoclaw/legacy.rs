//! The one JSON document of the first versions, which the host renames when it has copied it into
//! lines. Owns the order of its messages. May not read a message otherwise than a line is read: both
//! are then one record.

use std::path::Path;

use super::message::{Repeats, read as read_message};
use super::names::key_of_document;
use crate::domain::Timestamp;
use crate::import::document::Document;
use crate::import::entry::{Entry, time};
use crate::import::json::{self, Object};
use crate::import::sniff::Head;
use crate::import::spec::{Piece, Pieces, Unread};

/// Returns whether a file begins such a document. What stands behind its messages is not seen where
/// they are many.
pub(super) fn is_own(head: &Head<'_>) -> bool {
    let is_cut = !head.text.trim_end().ends_with('}');
    head.is_object_with(&["key", "messages"]) && (is_cut || head.is_object_with(&["created"]))
}

/// Reads its messages.
pub(super) fn read<'a>(document: &'a Document<'a>, path: &Path) -> Result<Pieces<'a>, Unread> {
    let root = document.json()?;
    let object = Object::parse(root.get()).unwrap_or_default();
    let key = key_of_document(object.text("key"), path);
    // The only time that is known of a message without one of its own.
    let begun = object.get("created").and_then(|raw| time(raw.get()));
    let messages = object
        .get("messages")
        .and_then(|raw| json::elements(raw.get()));
    let mut repeats = Repeats::default();
    let pieces = messages.unwrap_or_default().into_iter().map(move |raw| {
        let location = document.location(raw.get());
        match read_record(raw.get(), begun, &mut repeats) {
            Ok(entry) => Piece::Record {
                location,
                text: raw.get().to_owned(),
                entries: vec![Entry {
                    session: Some(key.clone()),
                    ..entry
                }],
            },
            Err(reason) => Piece::refused(location, &reason),
        }
    });
    Ok(Box::new(pieces))
}

fn read_record(
    raw: &str,
    begun: Option<Timestamp>,
    repeats: &mut Repeats,
) -> Result<Entry, String> {
    let text = json::repair(raw);
    let record = Object::parse(&text).ok_or("not a JSON object")?;
    let mut message = read_message(&record)?;
    let at = record.get("created_at").and_then(|raw| time(raw.get()));
    message.at = at.or(begun);
    Ok(Entry {
        id: Some(repeats.id(&message)),
        is_known_by_words: true,
        ..Entry::row(message)
    })
}
