//! `OpenClaw`'s JSON lines and databases. Owns what it adds to the entries of Pi, which it writes.
//! May not read an entry itself.

mod channel;
mod database;
mod names;

use std::path::Path;

use super::format::Format;
use super::key::Place;
use super::pi::{Entries, looks_like_record};
use super::places::Whereabouts;
use super::spec::{DatabaseFormat, Keys, LineFormat, LineReader, Reader, Spec};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::OpenClaw,
    keys: Keys::Prefixed,
    readers: &[
        Reader::Lines(LineFormat {
            is_record: looks_like_record,
            open,
        }),
        Reader::Database(DatabaseFormat {
            is_own: database::is_own,
            read: database::read,
        }),
    ],
    place: |_| Place::default(),
    is_transcript_name: names::is_transcript,
    is_sibling_name: names::is_sibling,
    places: &[Whereabouts {
        variable: Some(("OPENCLAW_STATE_DIR", "agents")),
        below_home: ".openclaw/agents",
    }],
};

fn open(path: &Path, remembered: Option<&str>) -> Box<dyn LineReader> {
    Box::new(Entries::open(channel::custom, path, remembered))
}
