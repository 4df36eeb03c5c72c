//! Codex's rollouts: JSON lines, their packed form, and the one document of its first versions.
//! Owns what each of their records means. May not know what is stored.

mod document;
mod event;
mod injected;
mod item;
mod output;
mod reader;
mod shape;
mod spoken;
mod turns;

use std::path::Path;

use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::spec::{DocumentFormat, Keys, LineFormat, Reader, Spec};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::Codex,
    keys: Keys::Prefixed,
    readers: &[
        Reader::Document(DocumentFormat {
            is_own: document::is_own,
            read: document::read,
        }),
        Reader::Lines(LineFormat {
            is_record: shape::looks_like_record,
            open: reader::open,
        }),
    ],
    place: |_| Place::default(),
    is_transcript_name: is_rollout_name,
    is_sibling_name: |_| false,
    places: &[
        Whereabouts {
            variable: Some(("CODEX_HOME", "sessions")),
            below_home: ".codex/sessions",
        },
        Whereabouts {
            variable: Some(("CODEX_HOME", "archived_sessions")),
            below_home: ".codex/archived_sessions",
        },
    ],
};

/// Packed rollouts, and those of the first versions, do not end in `.jsonl`.
fn is_rollout_name(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| {
        name.ends_with(".jsonl.zst") || (name.starts_with("rollout-") && name.ends_with(".json"))
    })
}
