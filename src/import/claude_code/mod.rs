//! Claude Code's JSON lines, and the document of its export. Owns what each of its records means.
//! May not read files or know what is stored.

mod document;
mod entry;
mod noise;
mod parts;
mod place;
mod shape;
mod user;

use std::path::Path;

use super::entry::{Entry, Location};
use super::format::Format;
use super::places::Whereabouts;
use super::spec::{DocumentFormat, Keys, LineFormat, LineReader, Reader, Spec};

pub(crate) use entry::read;
pub(crate) use parts::read_content;
pub(crate) use place::place;
pub(crate) use shape::looks_like_record;

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::ClaudeCode,
    keys: Keys::Prefixed,
    readers: &[
        Reader::Document(DocumentFormat {
            is_own: document::is_own,
            read: document::read,
        }),
        Reader::Lines(LineFormat {
            is_record: looks_like_record,
            open,
        }),
    ],
    place,
    is_transcript_name: |_| false,
    is_sibling_name: |_| false,
    places: &[Whereabouts {
        variable: Some(("CLAUDE_CONFIG_DIR", "projects")),
        below_home: ".claude/projects",
    }],
};

/// A reader of records, each of which stands for itself.
struct Records;

fn open(_: &Path, _: Option<&str>) -> Box<dyn LineReader> {
    Box::new(Records)
}

impl LineReader for Records {
    fn read(&mut self, record: &str, _: Location) -> Result<Vec<Entry>, String> {
        read(record).map(|entry| vec![entry])
    }
}
