//! The export of `ChatGPT`: conversations, each a tree of messages. Owns which of them is the talk
//! and which were edited or regenerated away: those are branches. May not know what is stored.

mod conversation;
mod message;

use std::path::Path;

use super::document::Document;
use super::format::Format;
use super::key::Place;
use super::sniff::Head;
use super::spec::{DocumentFormat, Keys, Pieces, Reader, Spec, Unread};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::ChatGpt,
    keys: Keys::Prefixed,
    readers: &[Reader::Document(DocumentFormat { is_own, read })],
    place: |_| Place::default(),
    is_transcript_name: is_export_name,
    is_sibling_name: |_| false,
    places: &[],
};

/// `conversations.json`, or one of the numbered files of a large export.
pub(super) fn is_export_name(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let numbers = name.as_deref().and_then(|name| {
        let rest = name.strip_prefix("conversations")?;
        rest.strip_suffix(".json")
    });
    numbers.is_some_and(|text| {
        text.chars()
            .all(|c| c.is_ascii_digit() || c == '-' || c == '_')
    })
}

/// A conversation's tree may fill the whole beginning of the file; what is seen of it must do then.
fn is_own(head: &Head<'_>) -> bool {
    let has_tree = head.is_object_with(&["mapping"]) || head.is_list_with(&["mapping"]);
    has_tree
        && ["\"children\"", "\"current_node\""]
            .iter()
            .any(|name| head.text.contains(name))
}

fn read<'a>(document: &'a Document<'a>, _: &Path) -> Result<Pieces<'a>, Unread> {
    let conversations = document.members()?.into_iter();
    Ok(Box::new(
        conversations.flat_map(|raw| conversation::read(document, raw.get())),
    ))
}
