//! One conversation. Owns the order of its messages: those that name the message before them are a
//! tree, whose newest message is the last of the list; all others stand as they are written.
//! May not read a message.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::message;
use crate::domain::Role;
use crate::import::document::Document;
use crate::import::entry::{Body, Entry, Follows, Title, clean_id, meta_row};
use crate::import::json::{self, Object};
use crate::import::spec::Piece;
use crate::import::tree::{self, Node};

/// A message that is read.
struct Told<'a> {
    raw: &'a RawValue,
    id: String,
    bodies: Vec<Body>,
}

/// Reads a conversation.
pub(super) fn read<'a>(document: &Document<'a>, raw: &'a str) -> Vec<Piece> {
    let conversation = Object::parse(raw).unwrap_or_default();
    let messages = conversation.get("chat_messages");
    let messages = messages.and_then(|raw| json::elements(raw.get()));
    let id = clean_id(conversation.text("uuid"));
    let (Some(id), Some(messages)) = (id, messages) else {
        let reason = "no conversation: one has a `uuid` and a list of `chat_messages`";
        return vec![Piece::refused(document.location(raw), reason)];
    };
    let id = id.replace('/', "_");
    let mut told = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut pieces = Vec::new();
    for (at, raw) in messages.into_iter().enumerate() {
        let text = json::repair(raw.get());
        let Some(message) = Object::parse(&text) else {
            let reason = "no message: one is a JSON object";
            pieces.push(Piece::refused(document.location(raw.get()), reason));
            continue;
        };
        let own = clean_id(message.text("uuid")).unwrap_or_else(|| format!("{id}:{at}"));
        let bodies = message::read(&message, &own);
        let before = nodes.last().map(|node| node.id.clone());
        nodes.push(Node {
            id: own.clone(),
            parent: message.text("parent_message_uuid").or(before),
            has_row: !bodies.is_empty(),
        });
        told.push(Some(Told {
            raw,
            id: own,
            bodies,
        }));
    }
    let name = conversation.text("name");
    let name = name.filter(|name| !name.trim().is_empty());
    let mut title = name.map(Title::OfSession);
    let newest = conversation.text("current_leaf_message_uuid");
    let mut last_keys: HashMap<usize, String> = HashMap::new();
    for step in tree::told(&nodes, newest.as_deref()) {
        let Some(message) = told.get_mut(step.node).and_then(Option::take) else {
            continue;
        };
        let after = step.after.and_then(|at| last_keys.get(&at).cloned());
        last_keys.insert(step.node, last_key(&message));
        let mut entries = entries(&message, &id, after.as_deref());
        if let Some(first) = entries.first_mut() {
            first.title = title.take();
        }
        pieces.push(Piece::Record {
            location: document.location(message.raw.get()),
            text: message.raw.get().to_owned(),
            entries,
        });
    }
    pieces.extend(summary(document, &conversation, &id));
    pieces
}

/// Returns the key under which the last row of a message is stored.
fn last_key(message: &Told<'_>) -> String {
    match message.bodies.len() {
        0 | 1 => message.id.clone(),
        n => format!("{}#{}", message.id, n - 1),
    }
}

fn entries(message: &Told<'_>, session: &str, after: Option<&str>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for body in &message.bodies {
        let mut entry = Entry::silent();
        entry.body = body.clone();
        if entries.is_empty() {
            let after = after.map(str::to_owned);
            entry.parent.clone_from(&after);
            entry.follows = after.map_or(Follows::Nothing, Follows::Row);
        }
        entries.push(entry);
    }
    if entries.is_empty() {
        entries.push(Entry::silent());
    }
    for entry in &mut entries {
        entry.id = Some(message.id.clone());
        entry.session = Some(session.to_owned());
    }
    entries
}

/// What the host says the conversation was about.
fn summary(document: &Document<'_>, conversation: &Object<'_>, id: &str) -> Option<Piece> {
    let raw = conversation.get("summary")?.get();
    let words = json::text(raw).filter(|words| !words.trim().is_empty())?;
    let mut entry = Entry::silent();
    entry.body = meta_row(&[words], Role::Assistant);
    entry.id = Some(format!("{id}:summary"));
    entry.session = Some(id.to_owned());
    Some(Piece::Record {
        location: document.location(raw),
        text: raw.to_owned(),
        entries: vec![entry],
    })
}
