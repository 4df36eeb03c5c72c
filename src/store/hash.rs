//! Hashes over what a message says. Owns the canonical bytes of a message.
//! May not change them: stored chains rest on them.

use blake3::Hasher;

use super::row::visibility_word;
use crate::domain::{Message, NewMessage, Part, Role, Timestamp, Visibility};

/// A hash as columns hold it.
pub(super) type Hash = [u8; 32];

/// A salt as columns hold it.
pub(super) type Salt = [u8; 16];

/// What a chain begins with.
pub(super) const GENESIS: Hash = [0; 32];

/// Hashes what `sync` compares of a message: role, name, key, given time and parts, unsalted.
///
/// The engine calls it before it stamps a message with the clock's time.
#[must_use]
pub fn fingerprint(message: &NewMessage) -> [u8; 32] {
    let mut hasher = Hasher::new();
    text(&mut hasher, message.role.as_str());
    optional(&mut hasher, message.name.as_deref());
    optional(&mut hasher, message.key.as_deref());
    time(&mut hasher, message.at);
    parts(&mut hasher, &message.parts);
    hasher.finalize().into()
}

/// What the content hash covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Content<'a> {
    pub role: Role,
    pub visibility: Visibility,
    pub at: Option<Timestamp>,
    pub name: Option<&'a str>,
    pub model: Option<&'a str>,
    pub provider: Option<&'a str>,
    pub parts: &'a [Part],
}

impl<'a> From<&'a Message> for Content<'a> {
    fn from(message: &'a Message) -> Self {
        Self {
            role: message.role,
            visibility: message.visibility,
            at: message.at,
            name: message.name.as_deref(),
            model: message.model.as_deref(),
            provider: message.provider.as_deref(),
            parts: &message.parts,
        }
    }
}

/// Hashes a message's content with its salt.
pub(super) fn content(salt: &Salt, content: &Content<'_>) -> Hash {
    let mut hasher = Hasher::new();
    hasher.update(salt);
    text(&mut hasher, content.role.as_str());
    text(&mut hasher, visibility_word(content.visibility));
    time(&mut hasher, content.at);
    optional(&mut hasher, content.name);
    optional(&mut hasher, content.model);
    optional(&mut hasher, content.provider);
    parts(&mut hasher, content.parts);
    hasher.finalize().into()
}

/// Links a content hash to the chain before it.
pub(super) fn link(before: &Hash, content: &Hash) -> Hash {
    let mut hasher = Hasher::new();
    hasher.update(before);
    hasher.update(content);
    hasher.finalize().into()
}

// Each field carries its length or its presence, so that no two messages share their bytes.
fn text(hasher: &mut Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn optional(hasher: &mut Hasher, value: Option<&str>) {
    match value {
        Some(value) => {
            hasher.update(&[1]);
            text(hasher, value);
        }
        None => {
            hasher.update(&[0]);
        }
    }
}

fn time(hasher: &mut Hasher, at: Option<Timestamp>) {
    match at {
        Some(at) => {
            hasher.update(&[1]);
            hasher.update(&at.millis().to_le_bytes());
        }
        None => {
            hasher.update(&[0]);
        }
    }
}

fn parts(hasher: &mut Hasher, parts: &[Part]) {
    hasher.update(&(parts.len() as u64).to_le_bytes());
    for part in parts {
        match part {
            Part::Text { text: body } => {
                hasher.update(b"t");
                text(hasher, body);
            }
            Part::Reasoning {
                text: body,
                signature,
            } => {
                hasher.update(b"r");
                text(hasher, body);
                optional(hasher, signature.as_deref());
            }
            Part::ToolUse {
                call_id,
                name,
                arguments,
            } => {
                hasher.update(b"u");
                text(hasher, call_id);
                text(hasher, name);
                text(hasher, arguments);
            }
            Part::ToolResult {
                call_id,
                content,
                is_error,
            } => {
                hasher.update(b"s");
                text(hasher, call_id);
                text(hasher, content);
                hasher.update(&[u8::from(*is_error)]);
            }
            Part::Media { uri, mime } => {
                hasher.update(b"m");
                text(hasher, uri);
                text(hasher, mime);
            }
            Part::Opaque { json } => {
                hasher.update(b"o");
                text(hasher, json);
            }
        }
    }
}
