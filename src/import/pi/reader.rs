//! Entries in order. Owns which session they belong to, which are copies, and which are talk.
//! May not know what is stored: identity is judged elsewhere.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::message;
use super::tree::{Parent, Tree};
use crate::domain::{Role, Timestamp};
use crate::import::entry::{
    Body, Entry, Follows, Location, Mirrored, Renamed, Title, clean_id, meta_row, time,
};
use crate::import::json::{self, Object};
use crate::import::spec::LineReader;
use crate::import::twins::Twins;

/// Fields of an entry that carry no words.
const ENVELOPE: &[&str] = &[
    "customType",
    "firstKeptEntryId",
    "fromId",
    "id",
    "parentId",
    "role",
    "targetId",
    "timestamp",
    "type",
];

/// What a host that writes such entries makes of a message beyond what it says. The words heard
/// before are remembered for it, with the ids of their records.
pub(crate) type Custom = fn(Vec<Body>, Option<&str>, &mut Twins) -> Told;

/// What an entry says.
pub(crate) enum Told {
    /// These rows.
    Bodies(Vec<Body>),
    /// What this record, if it has an id, said before it.
    Again(Option<String>),
}

/// Reads the entries of one file.
pub(crate) struct Entries {
    custom: Custom,
    state: State,
}

/// What must be known of the entries before.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct State {
    session: Option<String>,
    cwd: Option<String>,
    /// When the session began, if it was copied from another: what is older is a copy.
    copied_before: Option<i64>,
    tree: Tree,
    twins: Twins,
}

impl Entries {
    /// Begins a file. One without a header has the session of its name.
    pub(crate) fn open(custom: Custom, path: &Path, remembered: Option<&str>) -> Self {
        let known = remembered.and_then(|text| serde_json::from_str(text).ok());
        let state = known.unwrap_or_else(|| State {
            session: session_of(path),
            ..State::default()
        });
        Self { custom, state }
    }

    fn read_header(&mut self, record: &Object<'_>) -> Entry {
        let session = clean_id(record.text("id"));
        if session.is_some() {
            self.state.session.clone_from(&session);
        }
        let is_branch = record.has("branchedFrom") || record.has("parentSession");
        let began = time_of(record).filter(|_| is_branch);
        self.state.copied_before = began.map(Timestamp::millis);
        self.state.cwd = record.text("cwd").filter(|cwd| !cwd.is_empty());
        Entry {
            session: self.state.session.clone(),
            cwd: self.state.cwd.clone(),
            title: record.text("title").and_then(title),
            ..Entry::silent()
        }
    }

    fn read_bodies(&mut self, kind: &str, id: Option<&str>, record: &Object<'_>) -> Told {
        let raw = |name| record.get(name).map_or("null", RawValue::get);
        Told::Bodies(match kind {
            "message" => {
                let bodies = message::read(raw("message"));
                return (self.custom)(bodies, id, &mut self.state.twins);
            }
            // Summaries of the host's: what they stand for is in the file.
            "compaction" | "branch_summary" => {
                let words = record
                    .text("summary")
                    .filter(|text| !text.trim().is_empty());
                vec![meta_row(&Vec::from_iter(words), Role::Assistant)]
            }
            "custom_message" => vec![message::injected(raw("content"))],
            // Settings, and what extensions keep for themselves.
            "model_change" | "thinking_level_change" | "custom" | "session_info" => Vec::new(),
            _ => {
                let mut words = Vec::new();
                for (name, value) in record.fields() {
                    if !ENVELOPE.contains(&name) {
                        words.append(&mut json::strings(value.get(), ENVELOPE));
                    }
                }
                vec![meta_row(&words, Role::System)]
            }
        })
    }
}

impl LineReader for Entries {
    fn read(&mut self, record: &str, _: Location) -> Result<Vec<Entry>, String> {
        let record = json::repair(record);
        let record = Object::parse(&record).ok_or("not a JSON object")?;
        let Some(kind) = record.text("type") else {
            return Err("a JSON object without an entry's `type`".to_owned());
        };
        if kind == "session" {
            return Ok(vec![self.read_header(&record)]);
        }
        let at = time_of(&record);
        let id = clean_id(record.text("id"));
        let parent = parent_of(&record);
        let before = self.state.copied_before;
        let is_copy = at.is_some_and(|at| before.is_some_and(|before| at.millis() < before));
        let mut entries = Vec::new();
        let (bodies, mirrors) = match self.read_bodies(&kind, id.as_deref(), &record) {
            Told::Bodies(bodies) => (bodies, None),
            Told::Again(mirrors) => (Vec::new(), mirrors),
        };
        for body in bodies {
            let Body::Row(mut message) = body else {
                continue;
            };
            message.at = at;
            let follows = match entries.len() {
                0 => self.state.tree.take_row(id.as_deref(), &parent),
                _ => Follows::Newest,
            };
            entries.push(Entry {
                id: id.clone(),
                parent: clean_id(record.text("parentId")),
                follows,
                session: self.state.session.clone(),
                cwd: self.state.cwd.clone(),
                is_copy,
                renamed: Renamed::WhenRewritten,
                ..Entry::row(*message)
            });
        }
        if entries.is_empty() {
            self.state.tree.take_silent(id.as_deref(), &parent);
            let name = record.text("name").filter(|_| kind == "session_info");
            entries.push(Entry {
                session: self.state.session.clone(),
                title: name.and_then(title),
                mirrors: mirrors.map(Mirrored::Row),
                ..Entry::silent()
            });
        }
        Ok(entries)
    }

    fn state(&self) -> String {
        serde_json::to_string(&self.state).unwrap_or_default()
    }
}

fn title(text: String) -> Option<Title> {
    Some(text)
        .filter(|text| !text.trim().is_empty())
        .map(Title::OfSession)
}

fn parent_of(record: &Object<'_>) -> Parent {
    let mut fields = record.fields();
    match clean_id(record.text("parentId")) {
        Some(id) => Parent::Entry(id),
        None if fields.any(|(name, _)| name == "parentId") => Parent::None,
        None => Parent::Unsaid,
    }
}

/// Returns when an entry was written, else when its message was said.
fn time_of(record: &Object<'_>) -> Option<Timestamp> {
    let of = |object: &Object<'_>| object.get("timestamp").and_then(|raw| time(raw.get()));
    of(record).or_else(|| of(&record.object("message")?))
}

/// Returns the session that a file's name tells: `<time>_<id>` or `<id>`.
fn session_of(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy().into_owned();
    let id = stem.rsplit_once('_').map_or(stem.as_str(), |(_, id)| id);
    clean_id(Some(id.to_owned()))
}
