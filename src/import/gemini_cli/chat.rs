//! A chat that is told as it happens. Owns what must be known of earlier records: the session, and
//! the newest messages in their order, since a rewind names one of them.
//! May not know what is stored.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::message::read_message;
use crate::domain::{NewMessage, Role};
use crate::import::entry::{Entry, Location, Title, clean_id};
use crate::import::json::{self, Object, elements};
use crate::import::spec::LineReader;

/// Messages whose order is remembered.
const MAX_MESSAGES: usize = 512;

/// What is known of a chat's earlier records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Chat {
    session: String,
    cwd: Option<String>,
    /// How often the chat was rewound: what follows a rewind is a conversation of its own.
    n_rewinds: u64,
    /// Messages and the key of the last row of each, oldest first.
    messages: Vec<(String, String)>,
    /// The row that the next one goes on after, if that begins a branch.
    branch_after: Option<String>,
}

/// Begins to read a file, or goes on.
pub(super) fn open(path: &Path, state: Option<&str>) -> Box<dyn LineReader> {
    let earlier = state.and_then(|state| serde_json::from_str(state).ok());
    Box::new(earlier.unwrap_or_else(|| Chat::new(path)))
}

impl LineReader for Chat {
    fn read(&mut self, record: &str, _: Location) -> Result<Vec<Entry>, String> {
        let text = json::repair(record);
        let record = Object::parse(&text).ok_or("not a JSON object")?;
        if let Some(id) = record.text("$rewindTo") {
            return Ok(self.rewind(&id));
        }
        if let Some(changes) = record.object("$set") {
            let mut entries = self.header(&changes);
            let messages = changes.get("messages").and_then(|raw| elements(raw.get()));
            for message in messages.unwrap_or_default() {
                entries.append(&mut self.message(message.get())?);
            }
            return Ok(entries);
        }
        if record.text("type").is_none() && record.has("sessionId") {
            return Ok(self.header(&record));
        }
        self.message(&text)
    }

    fn state(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Chat {
    /// Begins a chat, which is called like its file until a record names it.
    pub(super) fn new(path: &Path) -> Self {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        Self {
            session: stem.unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Reads what is said of the session: its id, its folder, its title.
    pub(super) fn header(&mut self, header: &Object<'_>) -> Vec<Entry> {
        if let Some(id) = clean_id(header.text("sessionId")) {
            self.session = id.replace('/', "_");
        }
        let mut entry = Entry::silent();
        entry.session = Some(self.conversation());
        entry.title = header.text("summary").map(Title::OfSession);
        let folders = header
            .get("directories")
            .and_then(|raw| elements(raw.get()));
        let first = folders.and_then(|folders| json::text(folders.first()?.get()));
        self.cwd = first.or_else(|| self.cwd.take());
        vec![entry]
    }

    /// Reads a message.
    ///
    /// # Errors
    /// A lower-case fragment that says why it is none.
    pub(super) fn message(&mut self, raw: &str) -> Result<Vec<Entry>, String> {
        let mut entries = read_message(&self.session, raw)?;
        let conversation = self.conversation();
        for entry in &mut entries {
            entry.session = Some(conversation.clone());
            entry.cwd.clone_from(&self.cwd);
            if let Some(after) = &self.branch_after {
                entry.parent = Some(after.clone());
                entry.is_branch = true;
            }
        }
        let id = Object::parse(raw).and_then(|message| message.text("id"));
        let last = entries.iter().rev().find_map(|entry| entry.id.clone());
        if let (Some(id), Some(last)) = (id, last) {
            self.note(id, last);
        }
        Ok(entries)
    }

    fn note(&mut self, id: String, last: String) {
        if let Some((_, known)) = self.messages.iter_mut().find(|(known, _)| *known == id) {
            *known = last;
            return;
        }
        if self.messages.len() >= MAX_MESSAGES {
            self.messages.remove(0);
        }
        self.messages.push((id, last));
    }

    /// Withdraws a message and all after it: they stay where they are, and what follows is a branch
    /// after the message before them.
    fn rewind(&mut self, id: &str) -> Vec<Entry> {
        let note = NewMessage::text(Role::System, format!("rewound to {id}")).meta();
        let mut entry = Entry::row(note);
        entry.session = Some(self.conversation());
        if let Some(at) = self.messages.iter().position(|(known, _)| known == id) {
            self.messages.truncate(at);
            self.n_rewinds += 1;
            self.branch_after = self.messages.last().map(|(_, key)| key.clone());
        }
        vec![entry]
    }

    fn conversation(&self) -> String {
        match self.n_rewinds {
            0 => self.session.clone(),
            n => format!("{}.{n}", self.session),
        }
    }
}
