//! `OpenCode`'s database, and the files of its first versions. Owns what its sessions, messages and
//! parts say.
//! May not look at the tables of accounts and credentials, nor at the log that mirrors all others.

mod database;
mod events;
mod message;
mod parts;
mod session;
mod storage;
mod unchanged;

use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::spec::{DatabaseFormat, DocumentFormat, Keys, Reader, Spec};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::OpenCode,
    keys: Keys::Prefixed,
    readers: &[
        Reader::Document(DocumentFormat {
            is_own: storage::is_own,
            read: storage::read,
        }),
        Reader::Database(DatabaseFormat {
            is_own: database::is_own,
            read: database::read,
        }),
    ],
    place: |_| Place::default(),
    is_transcript_name: |path| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        let is_database = name.is_some_and(|n| n.starts_with("opencode") && n.ends_with(".db"));
        is_database || storage::is_named(path)
    },
    is_sibling_name: |_| false,
    places: &[
        Whereabouts {
            variable: Some(("OPENCODE_DB", "")),
            below_home: ".local/share/opencode/opencode.db",
        },
        // Builds of other channels have their own databases beside it, and the first versions
        // their files below it.
        Whereabouts {
            variable: None,
            below_home: ".local/share/opencode",
        },
    ],
};
