//! Goose's sessions: its database, and the JSON lines of its first versions. Owns what each says.
//! May not know what is stored.

mod database;
mod lines;
mod message;
mod threads;
mod told;

use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::spec::{DatabaseFormat, Keys, LineFormat, Reader, Spec};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::Goose,
    keys: Keys::Prefixed,
    readers: &[
        Reader::Lines(LineFormat {
            is_record: lines::looks_like_record,
            open: lines::open,
        }),
        Reader::Database(DatabaseFormat {
            is_own: database::is_own,
            read: database::read,
        }),
    ],
    place: |_| Place::default(),
    is_transcript_name: |path| path.file_name().is_some_and(|name| name == "sessions.db"),
    is_sibling_name: |_| false,
    places: &[Whereabouts {
        variable: Some(("GOOSE_PATH_ROOT", "data/sessions")),
        below_home: ".local/share/goose/sessions",
    }],
};
