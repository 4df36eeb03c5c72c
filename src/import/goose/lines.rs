//! JSON lines of the first versions. Owns the header, which names the session, and the messages.
//! May not know what is stored.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::message::{Seen, read};
use crate::import::entry::{Entry, Location, Title, clean_id, time};
use crate::import::json::{self, Kind, Object};
use crate::import::spec::LineReader;

/// Returns whether a JSON object is a header or a message of this format.
pub(super) fn looks_like_record(text: &str) -> bool {
    let Some(record) = Object::parse(text) else {
        return false;
    };
    let content = record.get("content").map(|raw| json::kind(raw.get()));
    let is_message =
        record.text("role").is_some() && record.has("created") && content == Some(Kind::Array);
    is_message || is_header(&record)
}

fn is_header(record: &Object<'_>) -> bool {
    let has = |name| record.has(name);
    has("working_dir") && (has("message_count") || has("description")) && !has("role")
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Messages {
    session: Option<String>,
    cwd: Option<String>,
}

/// Begins a file.
pub(super) fn open(path: &Path, remembered: Option<&str>) -> Box<dyn LineReader> {
    let known = remembered.and_then(|text| serde_json::from_str(text).ok());
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    Box::new(known.unwrap_or_else(|| Messages {
        session: clean_id(stem),
        cwd: None,
    }))
}

impl LineReader for Messages {
    fn read(&mut self, record: &str, _: Location) -> Result<Vec<Entry>, String> {
        let record = json::repair(record);
        let record = Object::parse(&record).ok_or("not a JSON object")?;
        if is_header(&record) {
            if let Some(id) = clean_id(record.text("id")) {
                self.session = Some(id);
            }
            self.cwd = record.text("working_dir").filter(|cwd| !cwd.is_empty());
            let title = record.text("description");
            return Ok(vec![Entry {
                session: self.session.clone(),
                cwd: self.cwd.clone(),
                title: title
                    .filter(|text| !text.trim().is_empty())
                    .map(Title::OfSession),
                ..Entry::silent()
            }]);
        }
        let role = record.text("role").unwrap_or_default();
        let content = record.get("content").map_or("null", RawValue::get);
        let seen = Seen::of(record.get("metadata").map(RawValue::get));
        let at = record.get("created").and_then(|raw| time(raw.get()));
        let rows = read(&role, content, seen)?.into_iter().map(|mut message| {
            message.at = at;
            Entry {
                id: clean_id(record.text("id")),
                session: self.session.clone(),
                cwd: self.cwd.clone(),
                ..Entry::row(message)
            }
        });
        Ok(rows.collect())
    }

    fn state(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
