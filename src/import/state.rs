//! What the reading of a file must remember between two imports. Owns its form in the checkpoint.
//! May not grow with the file, but for its blocks and for records that carry no id of their own.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::format::Format;
use super::replays::Replays;

/// The form of the state; another one starts the file over.
const VERSION: u32 = 4;

/// Chains of unnamed sub-agents that are remembered.
const MAX_TIPS: usize = 256;

/// Messages whose output tokens are remembered, in case another record of theirs follows.
const MAX_TOKEN_MESSAGES: usize = 64;

/// Titles that wait for the record they name.
const MAX_WAITING_TITLES: usize = 64;

/// What the reader remembers of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReadState {
    version: u32,
    /// The format it was read as.
    format: String,
    /// The hashes of the blocks that were read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) blocks: String,
    /// What the format's own reader remembers.
    pub(crate) reader: String,
    /// The session named last.
    pub(crate) session: Option<String>,
    /// Conversations that have rows.
    pub(crate) open: BTreeSet<String>,
    /// For a conversation that is a copy so far: where its last copied record lies.
    pub(crate) shared: BTreeMap<String, (String, u64)>,
    /// The branch which has that record as its own, and its place there.
    pub(crate) shared_branch: BTreeMap<String, (i64, u64)>,
    /// What the last row of the talk joins, by conversation.
    joins: BTreeMap<String, String>,
    /// Titles of conversations that have no rows yet.
    pub(crate) titles: BTreeMap<String, String>,
    /// Titles by the record they name.
    waiting_titles: Vec<(String, String)>,
    /// How often each text without an id has come.
    occurrences: BTreeMap<String, u64>,
    /// The newest record of each unnamed chain: root and record.
    tips: Vec<(String, String)>,
    /// The most output tokens seen for a message.
    tokens: Vec<(String, u64)>,
    /// Which of its records are those of other sessions, under new ids.
    #[serde(skip_serializing_if = "Replays::is_empty")]
    pub(crate) replays: Replays,
    /// Where notes begin that wait for their conversation; all else is as it was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notes_from: Option<Mark>,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// Its first byte.
    pub(crate) offset: u64,
    /// The lines before it.
    pub(crate) lines: u64,
}

impl Default for ReadState {
    fn default() -> Self {
        Self {
            version: VERSION,
            format: String::new(),
            blocks: String::new(),
            reader: String::new(),
            session: None,
            open: BTreeSet::new(),
            shared: BTreeMap::new(),
            shared_branch: BTreeMap::new(),
            joins: BTreeMap::new(),
            titles: BTreeMap::new(),
            waiting_titles: Vec::new(),
            occurrences: BTreeMap::new(),
            tips: Vec::new(),
            tokens: Vec::new(),
            replays: Replays::default(),
            notes_from: None,
        }
    }
}

/// Returns by what a record without an id is known.
pub(crate) fn record_hash(record: &str) -> String {
    let hash = blake3::hash(record.as_bytes()).to_hex();
    hash.get(..32).unwrap_or_default().to_owned()
}

fn nth_key(hash: &str, count: u64) -> String {
    format!("o:{hash}:{count}")
}

impl ReadState {
    /// Begins a file of a format.
    pub(crate) fn new(format: Format) -> Self {
        Self {
            format: format.as_str().to_owned(),
            ..Self::default()
        }
    }

    /// Reads a state that an earlier import wrote; `None` for one of another version, or of a file
    /// that was read as another format.
    pub(crate) fn from_json(json: &str, format: Format) -> Option<Self> {
        serde_json::from_str(json)
            .ok()
            .filter(|state: &Self| state.version == VERSION && state.format == format.as_str())
    }

    /// Writes the state.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the key of the next occurrence of a record without an id. The k-th of its kind in
    /// the source has the same key whenever the source is read again, so that honest repeats stay.
    pub(crate) fn occurrence_key(&mut self, record: &str) -> String {
        let hash = record_hash(record);
        let count = self.occurrences.entry(hash.clone()).or_default();
        let key = nth_key(&hash, *count);
        *count += 1;
        key
    }

    /// Returns the key of the last occurrence of a record without an id.
    pub(crate) fn last_occurrence(&self, hash: &str) -> Option<String> {
        let count = self.occurrences.get(hash)?;
        Some(nth_key(hash, count.checked_sub(1)?))
    }

    /// Returns the root of the chain whose newest record this is.
    pub(crate) fn chain_of(&self, record: &str) -> Option<&str> {
        self.tips
            .iter()
            .find(|(_, tip)| tip == record)
            .map(|(root, _)| root.as_str())
    }

    /// Notes the newest record of a chain.
    pub(crate) fn set_tip(&mut self, root: &str, record: &str) {
        self.tips.retain(|(known, _)| known != root);
        push_bounded(
            &mut self.tips,
            (root.to_owned(), record.to_owned()),
            MAX_TIPS,
        );
    }

    /// Notes a row of the talk. Returns whether it begins a message.
    pub(crate) fn begins_message(&mut self, session: &str, joins: Option<&str>) -> bool {
        let last = match joins {
            Some(joins) => self.joins.insert(session.to_owned(), joins.to_owned()),
            None => self.joins.remove(session),
        };
        joins.is_none() || last.as_deref() != joins
    }

    /// Notes a record's output tokens. Returns by how much they raise what its message has.
    pub(crate) fn added_tokens(&mut self, joins: Option<&str>, count: u64) -> u64 {
        let Some(joins) = joins else { return count };
        let at = self.tokens.iter().position(|(known, _)| known == joins);
        let before = at.map_or(0, |at| self.tokens.remove(at).1);
        push_bounded(
            &mut self.tokens,
            (joins.to_owned(), before.max(count)),
            MAX_TOKEN_MESSAGES,
        );
        count.saturating_sub(before)
    }

    /// Keeps a title until the record that it names is met.
    pub(crate) fn keep_title(&mut self, record: String, title: String) {
        push_bounded(
            &mut self.waiting_titles,
            (record, title),
            MAX_WAITING_TITLES,
        );
    }

    /// Takes the title that waits for a record.
    pub(crate) fn take_title(&mut self, record: &str) -> Option<String> {
        let at = self
            .waiting_titles
            .iter()
            .position(|(known, _)| known == record)?;
        Some(self.waiting_titles.remove(at).1)
    }
}

fn push_bounded<T>(list: &mut Vec<T>, item: T, limit: usize) {
    if list.len() >= limit {
        list.remove(0);
    }
    list.push(item);
}
