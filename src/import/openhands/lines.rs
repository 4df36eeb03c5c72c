//! Lines. Owns how they are told from those of other hosts. An event of V1 has a line, and so has a
//! whole run of a benchmark, which is named by its task and told from others by when it began.

use std::path::Path;

use serde_json::value::RawValue;

use super::{event_entries, session};
use crate::domain::Role;
use crate::import::entry::{Entry, Location, clean_id, meta_row};
use crate::import::json::{self, Kind, Object};
use crate::import::spec::LineReader;

/// Digits that tell the runs of a task apart.
const NAME_DIGITS: usize = 8;

/// Returns whether a JSON object is a record of this format.
pub(super) fn looks_like_record(text: &str) -> bool {
    let Some(record) = Object::parse(text) else {
        return false;
    };
    is_run(&record) || is_event(&record)
}

fn is_run(record: &Object<'_>) -> bool {
    record.has("instance_id") && record.has("history")
}

fn is_event(record: &Object<'_>) -> bool {
    let is_text = |name: &&str| record.text(name).is_some();
    ["id", "timestamp", "source", "kind"].iter().all(is_text)
}

/// Begins to read a file of lines.
pub(super) fn open(path: &Path, _: Option<&str>) -> Box<dyn LineReader> {
    Box::new(Lines {
        session: session(path),
    })
}

struct Lines {
    session: String,
}

impl LineReader for Lines {
    fn read(&mut self, record: &str, _: Location) -> Result<Vec<Entry>, String> {
        let text = json::repair(record);
        let object = Object::parse(&text).ok_or("not a JSON object")?;
        if is_run(&object) {
            return Ok(run_entries(&object));
        }
        if is_event(&object) {
            return Ok(event_entries(&object, &self.session));
        }
        Err("neither an event nor a run of a benchmark".to_owned())
    }
}

fn run_entries(run: &Object<'_>) -> Vec<Entry> {
    let mut events = Vec::new();
    collect(
        run.get("history").map_or("null", RawValue::get),
        &mut events,
    );
    let events: Vec<Object<'_>> = events.into_iter().filter_map(Object::parse).collect();
    let task = clean_id(run.text("instance_id")).unwrap_or_else(|| "run".to_owned());
    let began = events.first().and_then(|event| event.text("timestamp"));
    let hash = blake3::hash(began.unwrap_or_default().as_bytes()).to_hex();
    let digits = hash.get(..NAME_DIGITS).unwrap_or_default();
    let session = format!("{}-{digits}", task.replace('/', "_"));
    let read = events
        .iter()
        .flat_map(|event| event_entries(event, &session));
    let mut entries: Vec<Entry> = read.collect();
    let result = run.object("test_result").unwrap_or_default();
    if let Some(patch) = result
        .text("git_patch")
        .filter(|patch| !patch.trim().is_empty())
    {
        let mut entry = Entry::silent();
        entry.body = meta_row(&[patch], Role::System);
        entry.id = Some(format!("{session}:result"));
        entry.session = Some(session);
        entries.push(entry);
    }
    entries
}

/// Collects the events of a history: a list of them, in old files of pairs of them.
fn collect<'a>(raw: &'a str, events: &mut Vec<&'a str>) {
    for element in json::elements(raw).unwrap_or_default() {
        match json::kind(element.get()) {
            Kind::Array => {
                let pair = json::elements(element.get()).unwrap_or_default();
                events.extend(pair.into_iter().map(RawValue::get));
            }
            _ => events.push(element.get()),
        }
    }
}
