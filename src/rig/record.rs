//! rig's messages as new ones of ours. Owns which of rig's messages become how many.
//! May not store anything.

use rig_core::message::{AssistantMessage, Message, UserContent};
use serde_json::{Map, json};

use super::block::{assistant_encoded, parts_of, user_encoded};
use super::kept::{Kind, keep, kept};
use super::result::{Answered, result_parts};
use crate::domain::{NewMessage, Part, Role};

/// Stands before the name of a provider that rig reached: what is kept for it is in rig's form, which
/// no body of ours sends.
const REACHED_BY_RIG: &str = "rig";

/// Returns the messages of a turn as they are stored.
///
/// Nothing of them is lost: [`history`](super::history) gives back what it was given, reasoning with
/// the provider's own items, pictures and parallel calls included. Bytes come back as base64, which
/// is how rig sends them; what a user says beside results comes back behind them, as a message of
/// its own, which rig joins; a message without content is none.
#[must_use]
pub fn new_messages(messages: &[Message]) -> Vec<NewMessage> {
    let mut new = Vec::new();
    let mut calls: Vec<Answered> = Vec::new();
    for message in messages {
        match message {
            Message::System { content } => new.push(NewMessage::system(content)),
            Message::Assistant(message) => {
                calls.extend(message.tool_calls().map(|call| Answered {
                    id: call.id.clone(),
                    name: call.function.name.clone(),
                }));
                new.extend(said_by_model(message));
            }
            Message::User { content } => record_user(&mut new, content, &calls),
        }
    }
    new
}

fn said_by_model(message: &AssistantMessage) -> Option<NewMessage> {
    let mut parts = Vec::new();
    let turn: Map<_, _> = [
        (
            "origin",
            message.origin.as_ref().map(|origin| json!(origin)),
        ),
        ("stop", message.stop.as_ref().map(|stop| json!(stop))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect();
    if !turn.is_empty() {
        parts.push(keep(Kind::Turn, "", turn));
    }
    let blocks = message.content.iter().cloned().map(assistant_encoded);
    parts.extend(blocks.flat_map(|block| parts_of(&block)));
    let mut new = NewMessage::new(Role::Assistant, parts);
    if let Some(origin) = &message.origin {
        new.model = Some(origin.model.clone());
        new.provider = Some(format!("{REACHED_BY_RIG}/{}", origin.provider));
    } else if new.parts.iter().any(|part| kept(part).is_some()) {
        new.provider = Some(REACHED_BY_RIG.to_owned());
    }
    (!new.parts.is_empty()).then_some(new)
}

/// Records what a user message holds: results are the tools' message, the rest is the user's.
fn record_user(new: &mut Vec<NewMessage>, content: &[UserContent], calls: &[Answered]) {
    let (mut results, mut said): (Vec<Part>, Vec<Part>) = (Vec::new(), Vec::new());
    for block in content {
        if let UserContent::ToolResult(result) = block {
            let answered = calls.iter().rev().find(|call| call.id == result.call);
            results.extend(result_parts(result, answered));
        } else {
            said.extend(parts_of(&user_encoded(block.clone())));
        }
    }
    let messages = [(Role::Tool, results), (Role::User, said)].into_iter();
    let messages = messages.filter(|(_, parts)| !parts.is_empty());
    new.extend(messages.map(|(role, parts)| NewMessage::new(role, parts)));
}
