//! The events of `OpenHands`: of V1 a file each below a conversation's folder, or lines; of V0 a
//! file each too, a list, or one line for a whole run of a benchmark. Owns which of these a file is
//! and which session its events are of. May not know what is stored.

mod lines;
mod v0;
mod v1;

use std::path::Path;

use super::document::Document;
use super::entry::Entry;
use super::format::Format;
use super::json::{self, Object};
use super::key::Place;
use super::places::Whereabouts;
use super::sniff::Head;
use super::spec::{DocumentFormat, Keys, LineFormat, Piece, Pieces, Reader, Spec, Unread};

/// The folder of a conversation that holds its events.
const FOLDER: &str = "events";

/// The file beside that folder: settings, and counters of what the events say.
const STATE_FILE: &str = "base_state.json";

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::OpenHands,
    keys: Keys::Prefixed,
    readers: &[
        Reader::Document(DocumentFormat { is_own, read }),
        Reader::Lines(LineFormat {
            is_record: lines::looks_like_record,
            open: lines::open,
        }),
    ],
    place: |_| Place::default(),
    is_transcript_name: is_event_name,
    is_sibling_name: |_| false,
    places: &[
        Whereabouts {
            variable: None,
            below_home: ".openhands/conversations",
        },
        Whereabouts {
            variable: None,
            below_home: ".openhands/sessions",
        },
    ],
};

fn is_event_name(path: &Path) -> bool {
    is_in_folder(path) && path.extension().is_some_and(|ending| ending == "json")
}

fn is_in_folder(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == FOLDER)
}

fn is_own(head: &Head<'_>) -> bool {
    let fields = &["id", "timestamp", "source"];
    let has_event = ["kind", "action", "observation"];
    let mut has_event = has_event.iter();
    if is_in_folder(head.path) && head.is_object_with(fields) {
        return has_event.any(|name| head.is_object_with(&[name]));
    }
    let is_list = head.is_list_with(fields) && has_event.any(|name| head.is_list_with(&[name]));
    is_list || (is_state(head.path) && head.is_object_with(&["agent"]))
}

fn is_state(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == STATE_FILE)
}

fn read<'a>(document: &'a Document<'a>, path: &Path) -> Result<Pieces<'a>, Unread> {
    let events = document.members()?;
    let session = session(path);
    let is_state = is_state(path);
    Ok(Box::new(events.into_iter().map(move |raw| {
        let location = document.location(raw.get());
        let text = json::repair(raw.get());
        let Some(event) = Object::parse(&text) else {
            return Piece::refused(location, "no event: one is a JSON object");
        };
        let entries = if is_state {
            vec![Entry::silent()]
        } else {
            event_entries(&event, &session)
        };
        Piece::Record {
            location,
            text: raw.get().to_owned(),
            entries,
        }
    })))
}

/// Reads an event of either version.
fn event_entries(event: &Object<'_>, session: &str) -> Vec<Entry> {
    let mut entries = if event.has("kind") {
        v1::read(event)
    } else {
        v0::read(event, session)
    };
    for entry in &mut entries {
        entry.session = Some(session.to_owned());
    }
    entries
}

/// Names the session of a file: by the folder around the events, else by the file.
fn session(path: &Path) -> String {
    let folder = path.parent().filter(|_| is_in_folder(path));
    let name = folder.and_then(Path::parent).and_then(Path::file_name);
    let name = name.or_else(|| path.file_stem()).unwrap_or_default();
    name.to_string_lossy().into_owned()
}
