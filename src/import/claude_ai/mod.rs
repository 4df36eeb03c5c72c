//! The export of Claude.ai: conversations with their messages. Owns the order of the messages, and
//! that words an export holds twice are told once. May not know what is stored.

mod conversation;
mod message;

use std::path::Path;

use super::chatgpt::is_export_name;
use super::document::Document;
use super::format::Format;
use super::key::Place;
use super::sniff::Head;
use super::spec::{DocumentFormat, Keys, Pieces, Reader, Spec, Unread};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::ClaudeAi,
    keys: Keys::Prefixed,
    readers: &[Reader::Document(DocumentFormat { is_own, read })],
    place: |_| Place::default(),
    is_transcript_name: is_export_name,
    is_sibling_name: |_| false,
    places: &[],
};

fn is_own(head: &Head<'_>) -> bool {
    let fields = &["uuid", "chat_messages"];
    head.is_object_with(fields) || head.is_list_with(fields)
}

fn read<'a>(document: &'a Document<'a>, _: &Path) -> Result<Pieces<'a>, Unread> {
    let conversations = document.members()?.into_iter();
    Ok(Box::new(
        conversations.flat_map(|raw| conversation::read(document, raw.get())),
    ))
}
