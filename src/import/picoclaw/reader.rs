//! Lines in order. Owns the session they belong to. May not skip a line that the host has hidden: the
//! lines before `skip` are still on the disk, and what was said there was said.

use std::path::Path;

use super::message::{Repeats, read};
use super::names::session_of;
use crate::import::entry::{Entry, Location, time};
use crate::import::json::{self, Object};
use crate::import::spec::LineReader;

struct Messages {
    session: Option<String>,
    repeats: Repeats,
}

/// Begins a file.
pub(super) fn open(path: &Path, remembered: Option<&str>) -> Box<dyn LineReader> {
    let known = remembered.and_then(|text| serde_json::from_str(text).ok());
    Box::new(Messages {
        session: session_of(path),
        repeats: Repeats(known.unwrap_or_default()),
    })
}

impl LineReader for Messages {
    fn read(&mut self, record: &str, _: Location) -> Result<Vec<Entry>, String> {
        let record = json::repair(record);
        let record = Object::parse(&record).ok_or("not a JSON object")?;
        let mut message = read(&record)?;
        message.at = record.get("created_at").and_then(|raw| time(raw.get()));
        Ok(vec![Entry {
            id: Some(self.repeats.id(&message)),
            is_known_by_words: true,
            session: self.session.clone(),
            ..Entry::row(message)
        }])
    }

    fn state(&self) -> String {
        serde_json::to_string(&self.repeats.0).unwrap_or_default()
    }
}
