//! A rollout, record by record. Owns what must be known of earlier records: the session the file is
//! bound to, the turn, the model, the words that wait for their twin, and the tokens counted.
//! May not know what is stored.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::event::{Event, read_event};
use super::item::{Item, is_all_injected, joined_text, read_item};
use super::spoken::Spoken;
use super::turns::Turns;
use crate::domain::{NewMessage, Part, Provenance, Role, Timestamp, Visibility};
use crate::import::entry::{
    Body, Entry, Follows, Location, Mirrored, Side, Spent, clean_id, meta_row, time,
};
use crate::import::json::{self, Object};
use crate::import::spec::LineReader;
use crate::import::state::record_hash;
use crate::import::twins::{Stream, Twins, Voice};

/// Bytes of a UUID as text.
const UUID_BYTES: usize = 36;

/// Hexadecimal digits by which a payload is known within its turn.
const DIGITS: usize = 32;

/// What is known of a rollout's earlier records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Rollout {
    /// The session: the first one named, since a fork repeats its parent's records.
    session: Option<String>,
    /// Whether a record has named it, and not only the file.
    is_bound: bool,
    /// The sub-agent, and the session it works for.
    parent: Option<String>,
    model: Option<String>,
    provider: Option<String>,
    cwd: Option<String>,
    turn: Option<String>,
    /// How often each payload has come in this turn.
    in_turn: BTreeMap<String, u64>,
    twins: Twins,
    turns: Turns,
    spoken: Spoken,
    /// Runs of the model's rows: a person's or a tool's row ends one.
    n_runs: u64,
    total_tokens: u64,
    output_tokens: u64,
}

/// Begins to read a file, or goes on.
pub(super) fn open(path: &Path, state: Option<&str>) -> Box<dyn LineReader> {
    let earlier = state.and_then(|state| serde_json::from_str(state).ok());
    Box::new(earlier.unwrap_or_else(|| Rollout::new(path)))
}

impl LineReader for Rollout {
    fn read(&mut self, record: &str, _: Location) -> Result<Vec<Entry>, String> {
        self.read_record(record)
    }

    fn state(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Rollout {
    /// Begins a file. Its name ends with the session's id.
    pub(super) fn new(path: &Path) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy());
        let stem = name.as_deref().and_then(|name| name.split('.').next());
        let id = stem.and_then(|stem| stem.get(stem.len().checked_sub(UUID_BYTES)?..));
        Self {
            session: id.or(stem).map(str::to_owned),
            ..Self::default()
        }
    }

    /// Reads a record.
    ///
    /// # Errors
    /// A lower-case fragment that says why it is none.
    pub(super) fn read_record(&mut self, line: &str) -> Result<Vec<Entry>, String> {
        let text = json::repair(line);
        let record = Object::parse(&text).ok_or("not a JSON object")?;
        let kind = record.text("type").unwrap_or_default();
        let Some(raw) = record.get("payload") else {
            return Ok(self.read_bare(line, &text, &record));
        };
        let Some(payload) = Object::parse(raw.get()) else {
            return Err(format!("a `{kind}` whose payload is no object"));
        };
        let at = record_time(&record).or_else(|| record_time(&payload));
        let entries = match kind.as_str() {
            "session_meta" => self.read_session(&payload),
            "turn_context" => self.read_turn(&payload),
            "response_item" | "request_item" => self.read_item(raw.get(), &payload),
            "event_msg" => self.read_event(&payload),
            "compacted" => self.read_compaction(&payload),
            _ => vec![Entry::silent()],
        };
        Ok(self.complete(entries, line, raw.get(), at))
    }

    /// Reads a record of the first versions, which had no wrappers.
    fn read_bare(&mut self, line: &str, raw: &str, record: &Object<'_>) -> Vec<Entry> {
        let is_session = record.text("type").is_none() && record.text("role").is_none();
        let entries = if record.has("record_type") {
            vec![Entry::silent()]
        } else if is_session {
            self.read_session(record)
        } else {
            self.read_item(raw, record)
        };
        self.complete(entries, line, raw, record_time(record))
    }

    fn read_session(&mut self, payload: &Object<'_>) -> Vec<Entry> {
        if self.is_bound {
            // The copy of the parent's, at the beginning of a fork.
            return vec![Entry::silent()];
        }
        self.is_bound = true;
        if let Some(id) = session_id(payload.text("id")) {
            self.session = Some(id);
        }
        self.provider = payload.text("model_provider");
        let spawn = payload
            .object("source")
            .and_then(|source| source.object("subagent"))
            .and_then(|source| source.object("thread_spawn"));
        self.parent = spawn.and_then(|spawn| session_id(spawn.text("parent_thread_id")));
        let words: Vec<String> = ["instructions", "base_instructions"]
            .iter()
            .filter_map(|name| payload.get(name))
            .flat_map(|raw| json::strings(raw.get(), &[]))
            .collect();
        let mut entry = Entry::silent();
        entry.body = meta_row(&words, Role::System);
        self.enter(payload);
        vec![entry]
    }

    fn read_turn(&mut self, payload: &Object<'_>) -> Vec<Entry> {
        if let Some(model) = payload.text("model") {
            self.model = Some(model);
        }
        if let Some(turn) = payload.text("turn_id") {
            self.begin_turn(turn);
        }
        self.enter(payload);
        vec![Entry::silent()]
    }

    /// Notes the working directory.
    fn enter(&mut self, payload: &Object<'_>) {
        let cwd = payload.text("cwd").filter(|cwd| !cwd.is_empty());
        self.cwd = cwd.or_else(|| self.cwd.take());
    }

    fn begin_turn(&mut self, turn: String) {
        if self.turn.as_ref() != Some(&turn) {
            self.in_turn.clear();
            self.turn = Some(turn);
        }
    }

    fn read_item(&mut self, raw: &str, item: &Object<'_>) -> Vec<Entry> {
        match read_item(raw, item) {
            Item::Silent => vec![Entry::silent()],
            Item::Other(message) => vec![Entry::row(message)],
            Item::Thoughts(thoughts) => self.think(Stream::Items, thoughts),
            Item::Message(mut message) => {
                let voice = match message.role {
                    Role::User => Voice::User,
                    Role::Assistant => Voice::Assistant,
                    Role::Tool => return vec![Entry::row(message)],
                    Role::System => return vec![Entry::row(self.instructed(message))],
                };
                let text = joined_text(&message.parts);
                if !text.is_empty() && self.twins.is_said(Stream::Items, voice, &text) {
                    // The event has no blocks of other kinds.
                    let is_other = |part: &Part| matches!(part, Part::Opaque { .. });
                    message.parts.retain(is_other);
                }
                row_of(message)
            }
        }
    }

    /// What the host says before anyone speaks is the system prompt; later it is a note.
    fn instructed(&self, mut message: NewMessage) -> NewMessage {
        if self.n_runs == 0 {
            message.visibility = Visibility::Prompt;
        }
        message
    }

    fn read_event(&mut self, event: &Object<'_>) -> Vec<Entry> {
        match read_event(event) {
            Event::Silent => vec![Entry::silent()],
            Event::Note(message) => vec![Entry::row(*message)],
            Event::RolledBack(n_turns, note) => self.take_back(n_turns, *note),
            Event::Thought(text) => self.think(Stream::Events, vec![text]),
            Event::Prompt(parts) => self.say(Voice::User, NewMessage::new(Role::User, parts)),
            Event::Answer(text) => self.say(Voice::Assistant, NewMessage::assistant(text)),
            Event::Turn(turn) => {
                self.begin_turn(turn);
                vec![Entry::silent()]
            }
            Event::Tokens { total, output } => vec![self.count(total, output)],
        }
    }

    /// Goes on from before the turns taken back, with the host's note: what was said in them stays
    /// on the branch left behind.
    fn take_back(&mut self, n_turns: usize, note: NewMessage) -> Vec<Entry> {
        let mut entry = Entry::row(note);
        entry.follows = self.turns.take_back(n_turns);
        if let Follows::Row(before) = &entry.follows {
            // In a fork the row is the parent's.
            entry.parent = Some(before.clone());
            entry.is_branch = true;
        }
        vec![entry]
    }

    fn say(&mut self, voice: Voice, mut message: NewMessage) -> Vec<Entry> {
        let text = joined_text(&message.parts);
        if self.twins.is_said(Stream::Events, voice, &text) {
            return vec![Entry::silent()];
        }
        if voice == Voice::User && is_all_injected(&message.parts) {
            message.visibility = Visibility::Meta;
        }
        row_of(message)
    }

    fn think(&mut self, stream: Stream, thoughts: Vec<String>) -> Vec<Entry> {
        let mut parts = Vec::new();
        for text in thoughts {
            if !self.twins.is_said(stream, Voice::Thought, &text) {
                let signature = None;
                parts.push(Part::Reasoning { text, signature });
            }
        }
        row_of(NewMessage::new(Role::Assistant, parts))
    }

    /// Takes the session's counters, which only grow; one that fell began anew.
    fn count(&mut self, total: u64, output: u64) -> Entry {
        let grown = |now: u64, before: u64| now.checked_sub(before).unwrap_or(now);
        let mut entry = Entry::silent();
        entry.spent = Spent {
            total: grown(total, self.total_tokens),
            output: grown(output, self.output_tokens),
        };
        (self.total_tokens, self.output_tokens) = (total, output);
        entry
    }

    /// The host's own summary, and the prompts that it copies beside it.
    fn read_compaction(&self, payload: &Object<'_>) -> Vec<Entry> {
        let list = payload.get("replacement_history");
        let items = list.and_then(|raw| json::elements(raw.get()));
        let prompts: Vec<String> = items
            .unwrap_or_default()
            .into_iter()
            .filter_map(
                |raw| match read_item(raw.get(), &Object::parse(raw.get())?) {
                    Item::Message(message) if message.role == Role::User => {
                        Some(joined_text(&message.parts))
                    }
                    _ => None,
                },
            )
            .collect();
        let mut entries = summary(payload.text("message"));
        for row in self.spoken.repeated(&prompts) {
            entries.push(Entry {
                mirrors: Some(row.clone()),
                ..Entry::silent()
            });
        }
        entries
    }

    /// Says of each row where it belongs and what it continues.
    fn complete(
        &mut self,
        entries: Vec<Entry>,
        line: &str,
        raw: &str,
        at: Option<Timestamp>,
    ) -> Vec<Entry> {
        let mut completed = Vec::with_capacity(entries.len());
        for mut entry in entries {
            match (&self.parent, &self.session) {
                (Some(parent), Some(own)) => {
                    entry.session = Some(parent.clone());
                    entry.side = Side::Agent(Some(own.clone()));
                }
                _ => entry.session.clone_from(&self.session),
            }
            entry.cwd.clone_from(&self.cwd);
            if let Body::Row(mut message) = entry.body {
                message.at = at;
                self.place(&mut message);
                entry.id = self.id_in_turn(raw);
                self.turns.take(&message, entry.id.as_deref());
                let is_prompt =
                    message.role == Role::User && message.visibility == Visibility::Talk;
                if is_prompt {
                    let row = entry.id.clone().map(Mirrored::Row);
                    let row = row.unwrap_or_else(|| Mirrored::Record(record_hash(line)));
                    self.spoken.take(&joined_text(&message.parts), row);
                }
                entry.body = Body::Row(message);
                entry.is_copy = entry.id.is_some();
            }
            completed.push(entry);
        }
        completed
    }

    /// The model's rows between two words of others are one message.
    fn place(&mut self, message: &mut NewMessage) {
        if message.visibility != Visibility::Talk {
            return;
        }
        if message.role != Role::Assistant {
            self.n_runs += 1;
            return;
        }
        message.model.clone_from(&self.model);
        message.provider.clone_from(&self.provider);
        message.provenance = Some(Provenance::of_message(
            Some(format!("run {}", self.n_runs)),
            None,
        ));
    }

    /// A payload within its turn, which a fork repeats with a new time only.
    fn id_in_turn(&mut self, raw: &str) -> Option<String> {
        let turn = clean_id(self.turn.clone())?;
        let hash = blake3::hash(raw.as_bytes()).to_hex();
        let hash = hash.get(..DIGITS)?;
        let count = self.in_turn.entry(hash.to_owned()).or_default();
        let id = format!("{turn}:{hash}:{count}");
        *count += 1;
        Some(id)
    }
}

fn row_of(message: NewMessage) -> Vec<Entry> {
    if message.parts.is_empty() {
        return vec![Entry::silent()];
    }
    vec![Entry::row(message)]
}

/// The host's own summary: the record keeps what it sums up.
fn summary(text: Option<String>) -> Vec<Entry> {
    let mut entry = Entry::silent();
    let words: Vec<String> = text
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .collect();
    entry.body = meta_row(&words, Role::Assistant);
    vec![entry]
}

/// Where a sub-agent's id begins is told by a slash, so that a session's id may hold none.
fn session_id(id: Option<String>) -> Option<String> {
    clean_id(id).map(|id| id.replace('/', "_"))
}

fn record_time(record: &Object<'_>) -> Option<Timestamp> {
    record.get("timestamp").and_then(|raw| time(raw.get()))
}
