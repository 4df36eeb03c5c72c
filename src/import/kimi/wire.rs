//! A wire log, record by record. Owns what must be known of earlier records: the model, and the
//! prompts that wait for their second telling. May not know what is stored.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::context::read_line;
use super::event::{read_call, read_content, read_result};
use crate::domain::{NewMessage, Part, Provenance, Role, Visibility};
use crate::import::entry::{Body, Entry, Location, Spent, Title, clean_id, meta_row, time};
use crate::import::json::{self, Object};
use crate::import::spec::LineReader;
use crate::import::twins::{Stream, Twins, Voice};
use crate::import::unpack::text_beside;

/// The largest file about a session that is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What the host puts around its own words in the user's name.
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

/// What is known of a log's earlier records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Wire {
    model: Option<String>,
    provider: Option<String>,
    twins: Twins,
    /// Steps begun, in logs whose steps have no ids.
    pub(super) n_steps: u64,
    /// What the file beside the log says of the session, until it is told.
    title: Option<String>,
    cwd: Option<String>,
    /// The folder of the log; found again by each reader.
    #[serde(skip)]
    folder: PathBuf,
}

/// Begins to read a file, or goes on.
pub(super) fn open(path: &Path, state: Option<&str>) -> Box<dyn LineReader> {
    let earlier = state.and_then(|state| serde_json::from_str(state).ok());
    let mut wire = earlier.unwrap_or_else(|| Wire::new(path));
    path.parent().unwrap_or(path).clone_into(&mut wire.folder);
    Box::new(wire)
}

impl LineReader for Wire {
    fn read(&mut self, record: &str, _: Location) -> Result<Vec<Entry>, String> {
        let text = json::repair(record);
        let record = Object::parse(&text).ok_or("not a JSON object")?;
        let (kind, role) = (record.text("type"), record.text("role"));
        let mut entry = match (kind, record.object("message"), role) {
            (Some(kind), ..) => self.entry(&kind, &record),
            (None, Some(event), _) => self.old_event(&event, 0),
            (None, None, Some(role)) => read_line(&role, &record),
            _ => return Err("a JSON object without a record's `type`".to_owned()),
        };
        if let Body::Row(message) = &mut entry.body {
            let at = record.get("time").or_else(|| record.get("timestamp"));
            message.at = at.and_then(|raw| time(raw.get()));
            if message.role == Role::Assistant {
                message.model.clone_from(&self.model);
                message.provider.clone_from(&self.provider);
            }
        }
        if entry.title.is_none() {
            entry.title = self.title.take().map(Title::OfSession);
        }
        entry.cwd.clone_from(&self.cwd);
        Ok(vec![entry])
    }

    fn state(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Wire {
    /// Begins a log. The session's title and folder stand in a file above it, or beside it in older
    /// versions.
    fn new(path: &Path) -> Self {
        let folders = [3, 1].map(|level| path.ancestors().nth(level));
        let mut abouts = folders
            .into_iter()
            .filter_map(|folder| text_beside(&folder?.join("state.json"), MAX_BYTES));
        let about = abouts.next();
        let about = about.as_deref().and_then(Object::parse).unwrap_or_default();
        let title = about.text("custom_title").or_else(|| about.text("title"));
        Self {
            title: title.filter(|title| !title.trim().is_empty()),
            cwd: about.text("workDir"),
            ..Self::default()
        }
    }

    /// Returns whether a sub-agent has a log of its own beside this one.
    pub(super) fn has_own_log(&self, agent: &str) -> bool {
        let is_name = !agent.contains(['/', '\\']) && agent != "..";
        let own = self.folder.join("subagents").join(agent);
        is_name && own.join("wire.jsonl").is_file()
    }

    fn entry(&mut self, kind: &str, record: &Object<'_>) -> Entry {
        match kind {
            "config.update" => self.configure(record),
            "turn.prompt" => self.prompt(Stream::Events, read_content(record.get("input"))),
            "context.append_message" => match record.object("message") {
                Some(message) => self.message(&message),
                None => Entry::silent(),
            },
            "context.append_loop_event" => match record.object("event") {
                Some(event) => Self::event(&event),
                None => Entry::silent(),
            },
            "llm.request" => {
                self.model = record.text("model").or_else(|| self.model.take());
                self.provider = record.text("provider").or_else(|| self.provider.take());
                Entry::silent()
            }
            // A compaction, say: the host's words about the talk.
            other if other.starts_with("context.") => {
                let mut entry = Entry::silent();
                entry.body = meta_row(&words(record), Role::System);
                entry
            }
            _ => Entry::silent(),
        }
    }

    fn configure(&mut self, record: &Object<'_>) -> Entry {
        if let Some(model) = record.text("modelAlias") {
            self.model = Some(model);
        }
        let mut entry = Entry::silent();
        let prompt: Vec<String> = record.text("systemPrompt").into_iter().collect();
        entry.body = meta_row(&prompt, Role::System);
        entry
    }

    fn message(&mut self, message: &Object<'_>) -> Entry {
        let parts = read_content(message.get("content"));
        match message.text("role").as_deref() {
            Some("user") => self.prompt(Stream::Items, parts),
            Some("assistant") => row(NewMessage::new(Role::Assistant, parts)),
            Some("tool") => row(NewMessage::new(Role::Tool, parts)),
            _ => row(NewMessage::new(Role::System, parts).meta()),
        }
    }

    fn prompt(&mut self, stream: Stream, parts: Vec<Part>) -> Entry {
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        if text.is_empty() && parts.is_empty() || self.twins.is_said(stream, Voice::User, &text) {
            return Entry::silent();
        }
        let mut message = NewMessage::new(Role::User, parts);
        let text = text.trim();
        if text.starts_with(REMINDER.0) && text.ends_with(REMINDER.1) {
            message.visibility = Visibility::Meta;
        }
        row(message)
    }

    fn event(event: &Object<'_>) -> Entry {
        let answer = |parts| {
            let mut entry = answer(parts, clean_id(event.text("stepUuid")));
            entry.id = clean_id(event.text("uuid"));
            entry
        };
        match event.text("type").as_deref() {
            Some("content.part") => answer(read_content(event.get("part"))),
            Some("tool.call") => answer(vec![read_call(event)]),
            Some("tool.result") => row(NewMessage::new(Role::Tool, read_result(event))),
            Some("step.end") => {
                let mut entry = Entry::silent();
                let usage = event.object("usage");
                entry.spent = usage.and_then(|usage| spent(&usage)).unwrap_or_default();
                entry
            }
            _ => Entry::silent(),
        }
    }
}

/// Makes the row of what the model said, in the message with this name.
pub(super) fn answer(parts: Vec<Part>, joins: Option<String>) -> Entry {
    let mut message = NewMessage::new(Role::Assistant, parts);
    if joins.is_some() {
        message.provenance = Some(Provenance::of_message(joins, None));
    }
    row(message)
}

pub(super) fn row(message: NewMessage) -> Entry {
    if message.parts.is_empty() {
        return Entry::silent();
    }
    Entry::row(message)
}

fn words(record: &Object<'_>) -> Vec<String> {
    let fields = record.fields().filter(|(name, _)| *name != "type");
    fields
        .flat_map(|(_, value)| json::strings(value.get(), &["uuid", "type"]))
        .collect()
}

/// Reads the tokens of a step, under the names of newer or older versions.
pub(super) fn spent(usage: &Object<'_>) -> Option<Spent> {
    let count = |name: &str| {
        usage
            .get(name)
            .and_then(|raw| raw.get().parse::<u64>().ok())
    };
    let output = count("output")?;
    let newer = ["inputOther", "inputCacheRead", "inputCacheCreation"];
    let older = ["input_other", "input_cache_read", "input_cache_creation"];
    let inputs = newer.iter().chain(&older);
    let input: u64 = inputs.filter_map(|name| count(name)).sum();
    Some(Spent {
        total: input + output,
        output,
    })
}
