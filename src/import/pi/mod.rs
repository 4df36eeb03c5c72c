//! Pi's JSON lines. Owns what each of its entries means, also where another host writes the same.
//! May not read files or know what is stored.

mod message;
mod parts;
mod reader;
mod shape;
mod tree;

use std::path::Path;

use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::spec::{Keys, LineFormat, LineReader, Reader, Spec};

pub(crate) use reader::{Entries, Told};
pub(crate) use shape::looks_like_record;

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::Pi,
    keys: Keys::Prefixed,
    readers: &[Reader::Lines(LineFormat {
        is_record: looks_like_record,
        open,
    })],
    place: |_| Place::default(),
    is_transcript_name: |_| false,
    is_sibling_name: |_| false,
    places: &[Whereabouts {
        variable: Some(("PI_CODING_AGENT_DIR", "sessions")),
        below_home: ".pi/agent/sessions",
    }],
};

fn open(path: &Path, remembered: Option<&str>) -> Box<dyn LineReader> {
    Box::new(Entries::open(
        |bodies, _, _| Told::Bodies(bodies),
        path,
        remembered,
    ))
}
