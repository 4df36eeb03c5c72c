//! The one JSON document of the first versions. Owns the order of its records: the session, then
//! its items. May not know what an item means.

use std::path::Path;

use serde_json::value::RawValue;

use super::reader::Rollout;
use crate::import::account::Refusal;
use crate::import::document::Document;
use crate::import::json::{self, Object};
use crate::import::sniff::Head;
use crate::import::spec::{Piece, Pieces, Unread};

/// Returns whether a file begins such a document.
pub(super) fn is_own(head: &Head<'_>) -> bool {
    head.is_object_with(&["session", "items"])
}

/// Reads its records.
pub(super) fn read<'a>(document: &'a Document<'a>, path: &Path) -> Result<Pieces<'a>, Unread> {
    let root: &'a RawValue = document.json()?;
    let object = Object::parse(root.get()).unwrap_or_default();
    let session = object.get("session").into_iter();
    let items = object
        .get("items")
        .and_then(|raw| json::elements(raw.get()));
    let mut rollout = Rollout::new(path);
    let records = session.chain(items.unwrap_or_default());
    Ok(Box::new(records.map(move |raw| {
        let location = document.location(raw.get());
        match rollout.read_record(raw.get()) {
            Ok(entries) => Piece::Record {
                location,
                text: raw.get().to_owned(),
                entries,
            },
            Err(reason) => Piece::Refused(Refusal {
                line: location.line,
                offset: location.offset,
                reason,
            }),
        }
    })))
}
