//! Threads: what a person saw of a talk, over all the sessions that it took. Owns what a thread says
//! and its sessions do not. May not tell twice what a session tells, or the thread it was forked from.

use std::collections::HashMap;

use super::database::{Said, Session, read_message_rows};
use super::told::Told;
use crate::domain::{NewMessage, Timestamp};
use crate::import::column::words_of;
use crate::import::entry::{Entry, Title, clean_id};
use crate::import::json::Object;
use crate::import::spec::Piece;
use crate::store::{Foreign, ForeignRow, ForeignValue, Rows};

/// Rows that only threads have, by what they say and how often that has come: the first of each. A
/// fork copies its thread's rows under new ids.
type Firsts = HashMap<String, Holder>;

/// A message that tells words already.
#[derive(Debug, Clone)]
struct Holder {
    session: String,
    /// Its id, if it has one.
    id: Option<String>,
}

/// Reads the messages of all threads.
pub(super) fn read_threads(foreign: &Foreign) -> Vec<Piece> {
    let threads = foreign.rows(Rows {
        table: "threads",
        columns: &["id", "name", "working_dir", "metadata_json"],
        only: None,
        order: &["created_at", "id"],
    });
    let threads = match threads {
        Ok(threads) => threads,
        Err(error) => return vec![Piece::broken(0, error.to_string())],
    };
    let mut firsts = Firsts::new();
    let read = |thread| read_thread(foreign, thread, &mut firsts);
    threads.iter().flat_map(read).collect()
}

fn read_thread(foreign: &Foreign, thread: &ForeignRow, firsts: &mut Firsts) -> Vec<Piece> {
    let rows = foreign.rows(Rows {
        table: "thread_messages",
        columns: &[
            "id",
            "message_id",
            "role",
            "content_json",
            "created_timestamp",
            "metadata_json",
            "session_id",
        ],
        only: Some(("thread_id", thread.get(0))),
        order: &["id"],
    });
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => return vec![Piece::broken(0, error.to_string())],
    };
    let mut reader = Thread {
        foreign,
        about: about(thread),
        told: HashMap::new(),
        counts: HashMap::new(),
        firsts,
    };
    rows.iter().map(|row| reader.read_row(row)).collect()
}

fn about(thread: &ForeignRow) -> Session {
    let text = |idx| words_of(thread, idx).map(str::to_owned);
    let more = words_of(thread, 3).and_then(Object::parse);
    let more = more.unwrap_or_default();
    Session {
        id: clean_id(text(0)),
        title: text(1),
        cwd: text(2),
        provider: more.text("provider_id"),
        model: more.text("model_name"),
    }
}

/// A thread that is being read.
struct Thread<'a> {
    foreign: &'a Foreign,
    about: Session,
    /// What its sessions tell.
    told: HashMap<String, Told>,
    /// How often each row that they do not tell has come.
    counts: HashMap<String, u64>,
    firsts: &'a mut Firsts,
}

impl Thread<'_> {
    fn read_row(&mut self, row: &ForeignRow) -> Piece {
        let Said {
            location,
            role,
            content,
            at,
            messages,
        } = match Said::of(row) {
            Ok(said) => said,
            Err(piece) => return piece,
        };
        // Where a session is named, the words are those of its talk.
        let named = clean_id(words_of(row, 6).map(str::to_owned));
        let text = serde_json::json!([named, role, content, at.map(Timestamp::millis)]);
        let text = text.to_string();
        let own = Holder {
            session: named.or_else(|| self.about.id.clone()).unwrap_or_default(),
            id: clean_id(row.text(1).map(str::to_owned)),
        };
        let entries = match self.holder(&own, &messages, &text) {
            Some(holder) => self.again(&holder, messages),
            None => self.first(&own, messages, role, at),
        };
        Piece::Record {
            location,
            text,
            entries,
        }
    }

    /// Returns the message that tells these words already.
    fn holder(&mut self, own: &Holder, messages: &[NewMessage], text: &str) -> Option<Holder> {
        let session = own.session.clone();
        let told = self.told.entry(session.clone()).or_insert_with_key(|id| {
            let rows = read_message_rows(self.foreign, &ForeignValue::Text(id.clone()));
            Told::of(&rows.unwrap_or_default())
        });
        if let Some(id) = told.take(messages) {
            return Some(Holder { session, id });
        }
        let count = self.counts.entry(text.to_owned()).or_default();
        *count += 1;
        let key = format!("{count} {}", blake3::hash(text.as_bytes()).to_hex());
        if let Some(first) = self.firsts.get(&key) {
            return Some(first.clone());
        }
        self.firsts.insert(key, own.clone());
        None
    }

    /// Makes the entry of what was told before.
    fn again(&self, holder: &Holder, messages: Vec<NewMessage>) -> Vec<Entry> {
        let message = messages.into_iter().next().filter(|_| holder.id.is_some());
        let told = message.map_or_else(Entry::silent, Entry::row);
        vec![Entry {
            id: holder.id.clone(),
            is_known_by_words: true,
            ..self.owns(holder, told)
        }]
    }

    fn owns(&self, place: &Holder, entry: Entry) -> Entry {
        // The thread's title is no session's, where that is another.
        let is_own = self.about.id.as_ref() == Some(&place.session);
        let title = self.about.title.clone().filter(|_| is_own);
        Entry {
            session: Some(place.session.clone()).filter(|session| !session.is_empty()),
            cwd: self.about.cwd.clone(),
            title: title.map(Title::OfSession),
            ..entry
        }
    }

    fn first(
        &self,
        own: &Holder,
        messages: Vec<NewMessage>,
        role: &str,
        at: Option<Timestamp>,
    ) -> Vec<Entry> {
        let mut entries = Vec::new();
        for mut message in messages {
            message.at = at;
            self.about.signs(role, &mut message);
            entries.push(Entry {
                id: own.id.clone(),
                ..self.owns(own, Entry::row(message))
            });
        }
        if entries.is_empty() {
            entries.push(self.owns(own, Entry::silent()));
        }
        entries
    }
}
