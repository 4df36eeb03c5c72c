//! One conversation. Owns the order of its nodes: what was edited or regenerated away is a branch
//! that was left, and the talk goes on to the current node.
//! May not read a message.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::message::{self, Answered};
use crate::import::document::Document;
use crate::import::entry::{Body, Entry, Follows, Title, clean_id};
use crate::import::json::{self, Object};
use crate::import::key::is_uuid;
use crate::import::spec::Piece;
use crate::import::tree::{self, Node};

/// A node as it is written.
struct Written<'a> {
    id: String,
    parent: Option<String>,
    raw: &'a str,
    message: Option<&'a RawValue>,
}

/// Reads a conversation.
pub(super) fn read<'a>(document: &Document<'a>, raw: &'a str) -> Vec<Piece> {
    let conversation = Object::parse(raw).unwrap_or_default();
    let id = clean_id(
        conversation
            .text("id")
            .or(conversation.text("conversation_id")),
    );
    let mapping = conversation.object("mapping");
    let (Some(id), Some(mapping)) = (id, mapping) else {
        let reason = "no conversation: one has an `id` and a `mapping` of nodes";
        return vec![Piece::refused(document.location(raw), reason)];
    };
    let id = id.replace('/', "_");
    let written = nodes(&mapping);
    let bodies = bodies(&written);
    let nodes: Vec<Node> = written
        .iter()
        .zip(&bodies)
        .map(|(node, body)| Node {
            id: node.id.clone(),
            parent: node.parent.clone(),
            has_row: matches!(body, Body::Row(_)),
        })
        .collect();
    let title = conversation
        .text("title")
        .filter(|title| !title.trim().is_empty());
    let mut title = title.map(Title::OfSession);
    let newest = conversation.text("current_node");
    let mut bodies: HashMap<usize, Body> = bodies.into_iter().enumerate().collect();
    let mut pieces = Vec::new();
    for step in tree::told(&nodes, newest.as_deref()) {
        let (Some(node), Some(body)) = (written.get(step.node), bodies.remove(&step.node)) else {
            continue;
        };
        let after = step.after.and_then(|at| written.get(at));
        let after = after.map(|node| key(&id, &node.id));
        let mut entry = Entry::silent();
        entry.body = body;
        entry.id = Some(key(&id, &node.id));
        entry.parent.clone_from(&after);
        entry.follows = after.map_or(Follows::Nothing, Follows::Row);
        entry.session = Some(id.clone());
        entry.title = title.take();
        pieces.push(Piece::Record {
            location: document.location(node.raw),
            text: node.raw.to_owned(),
            entries: vec![entry],
        });
    }
    pieces
}

/// Ids are made to be unique everywhere; one that is not is so within its conversation.
fn key(conversation: &str, node: &str) -> String {
    if is_uuid(node) {
        node.to_owned()
    } else {
        format!("{conversation}:{node}")
    }
}

fn nodes<'a>(mapping: &Object<'a>) -> Vec<Written<'a>> {
    let nodes = mapping.fields().map(|(id, raw)| {
        let node = Object::parse(raw.get()).unwrap_or_default();
        Written {
            id: id.to_owned(),
            parent: node.text("parent"),
            raw: raw.get(),
            message: node.get("message"),
        }
    });
    nodes.collect()
}

/// Reads what each node says. A tool answers the nearest call above it.
fn bodies(nodes: &[Written<'_>]) -> Vec<Body> {
    let texts: Vec<_> = nodes
        .iter()
        .map(|node| node.message.map(|raw| json::repair(raw.get())))
        .collect();
    let messages: Vec<Option<Object<'_>>> = texts
        .iter()
        .map(|text| text.as_deref().and_then(Object::parse))
        .collect();
    let places: HashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id.as_str(), at))
        .collect();
    let call_above = |at: usize| {
        let mut above = nodes.get(at);
        for _ in 0..nodes.len() {
            let place = *places.get(above?.parent.as_deref()?)?;
            above = nodes.get(place);
            match messages
                .get(place)
                .and_then(Option::as_ref)
                .map(message::answered)
            {
                Some(Answered::Call) => return above.map(|node| node.id.clone()),
                Some(Answered::Other) => return None,
                Some(Answered::Tool) | None => {}
            }
        }
        None
    };
    let bodies = messages.iter().enumerate().map(|(at, message)| {
        let (Some(node), Some(message)) = (nodes.get(at), message) else {
            return Body::Silent;
        };
        message::read(message, &node.id, || call_above(at))
    });
    bodies.collect()
}
