//! The export of sessions on the web: one JSON document. Owns where its records lie; they are those
//! of the lines. May not judge a record.

use std::path::Path;

use serde_json::value::RawValue;

use super::entry;
use crate::import::document::Document;
use crate::import::json::{self, Object};
use crate::import::sniff::Head;
use crate::import::spec::{Piece, Pieces, Unread};

/// Returns whether a file begins such a document.
pub(super) fn is_own(head: &Head<'_>) -> bool {
    head.is_object_with(&["loglines"])
}

/// Reads its records. They name no session: that is called as the file is.
pub(super) fn read<'a>(document: &'a Document<'a>, path: &Path) -> Result<Pieces<'a>, Unread> {
    let root = document.json()?;
    let export = Object::parse(root.get()).unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let session = export
        .text("sessionId")
        .unwrap_or_else(|| stem.into_owned());
    let records = export.get("loglines").map_or("null", RawValue::get);
    let records = json::elements(records).unwrap_or_default().into_iter();
    Ok(Box::new(records.map(move |raw| {
        let location = document.location(raw.get());
        match entry::read(raw.get()) {
            Ok(mut entry) => {
                entry.session.get_or_insert_with(|| session.clone());
                Piece::Record {
                    location,
                    text: raw.get().to_owned(),
                    entries: vec![entry],
                }
            }
            Err(reason) => Piece::refused(location, &reason),
        }
    })))
}
