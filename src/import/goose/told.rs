//! What a session's messages tell. Owns the comparison of a thread's rows with them. May not take an
//! honest repeat for a copy: each part of a session answers for one part of a thread.

use std::collections::{HashMap, VecDeque};

use super::message::{Seen, read as read_message};
use crate::domain::{NewMessage, Part, Role};
use crate::import::entry::clean_id;
use crate::store::ForeignRow;

/// A message's id, `None` for one that has none.
type Id = Option<String>;

/// The parts of a session's messages that no row of a thread has repeated so far.
#[derive(Default)]
pub(super) struct Told {
    parts: HashMap<blake3::Hash, VecDeque<Id>>,
    /// Its texts in order, since a thread joins neighbouring ones into one row.
    texts: Vec<(Role, String, Id)>,
}

impl Told {
    /// Takes the rows of a session.
    pub(super) fn of(rows: &[ForeignRow]) -> Self {
        let mut told = Self::default();
        for row in rows {
            let (role, content) = (row.text(2), row.text(3));
            let (role, content) = (role.unwrap_or_default(), content.unwrap_or_default());
            let id = clean_id(row.text(1).map(str::to_owned));
            let messages = read_message(role, content, Seen::of(row.text(5)));
            for message in messages.unwrap_or_default() {
                told.add(message, &id);
            }
        }
        told
    }

    fn add(&mut self, message: NewMessage, id: &Id) {
        for part in message.parts {
            let holders = self.parts.entry(print(message.role, &part)).or_default();
            holders.push_back(id.clone());
            if let Part::Text { text } = part
                && !text.is_empty()
            {
                self.texts.push((message.role, text, id.clone()));
            }
        }
    }

    /// Returns the message that tells the first of these parts, if all of them are told, and takes
    /// them off.
    pub(super) fn take(&mut self, messages: &[NewMessage]) -> Option<Id> {
        let prints: Vec<blake3::Hash> = messages
            .iter()
            .flat_map(|message| message.parts.iter().map(|part| print(message.role, part)))
            .collect();
        let is_told = |print: &blake3::Hash| {
            let wanted = prints.iter().filter(|other| *other == print).count();
            let holders = self.parts.get(print);
            holders.is_some_and(|holders| holders.len() >= wanted)
        };
        if prints.is_empty() || !prints.iter().all(is_told) {
            return self.take_joined(messages);
        }
        for message in messages {
            for part in &message.parts {
                let Part::Text { text } = part else { continue };
                let is_it =
                    |(role, said, _): &(Role, String, Id)| *role == message.role && said == text;
                if let Some(at) = self.texts.iter().position(is_it) {
                    self.texts.remove(at);
                }
            }
        }
        let holders: Vec<Id> = prints
            .iter()
            .filter_map(|print| self.parts.get_mut(print)?.pop_front())
            .collect();
        holders.into_iter().next()
    }

    /// As [`Told::take`], of one text that is several neighbouring ones together.
    fn take_joined(&mut self, messages: &[NewMessage]) -> Option<Id> {
        let [message] = messages else { return None };
        let [Part::Text { text }] = message.parts.as_slice() else {
            return None;
        };
        let first = (0..self.texts.len()).find(|&first| {
            let mut rest = text.as_str();
            let pieces = self.texts.get(first..).unwrap_or_default().iter();
            for (role, piece, _) in pieces {
                match rest.strip_prefix(piece.as_str()) {
                    Some(behind) if *role == message.role => rest = behind,
                    _ => break,
                }
            }
            rest.is_empty() && !text.is_empty()
        })?;
        let mut rest = text.len();
        let mut holder = None;
        while rest > 0 && first < self.texts.len() {
            let (role, piece, id) = self.texts.remove(first);
            rest = rest.saturating_sub(piece.len());
            if holder.is_none() {
                holder = Some(id);
            }
            let part = Part::Text { text: piece };
            if let Some(holders) = self.parts.get_mut(&print(role, &part)) {
                holders.pop_front();
            }
        }
        holder
    }
}

fn print(role: Role, part: &Part) -> blake3::Hash {
    blake3::hash(format!("{role} {part:?}").as_bytes())
}
