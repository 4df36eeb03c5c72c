//! `PicoClaw`'s sessions: JSON lines, the documents of its first versions, and the database of its
//! memory. Owns what each says, and the key by which a message of all is one. May not honour what the host hides: that is still the record.

mod database;
mod legacy;
mod message;
mod names;
mod reader;

use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::spec::{DatabaseFormat, DocumentFormat, Keys, LineFormat, Reader, Spec};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::PicoClaw,
    keys: Keys::Own,
    readers: &[
        Reader::Document(DocumentFormat {
            is_own: legacy::is_own,
            read: legacy::read,
        }),
        Reader::Lines(LineFormat {
            is_record: message::looks_like_record,
            open: reader::open,
        }),
        Reader::Database(DatabaseFormat {
            is_own: database::is_own,
            read: database::read,
        }),
    ],
    place: |_| Place::default(),
    is_transcript_name: names::is_transcript,
    is_sibling_name: |_| false,
    places: &[Whereabouts {
        variable: Some(("PICOCLAW_HOME", "workspace/sessions")),
        below_home: ".picoclaw/workspace/sessions",
    }],
};
