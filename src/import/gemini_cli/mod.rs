//! The Gemini CLI's chats: JSON lines that tell what happened, and the one document of its first
//! versions. Owns what each of their records means. May not know what is stored.

mod chat;
mod document;
mod message;
mod shape;

use std::path::Path;

use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::spec::{DocumentFormat, Keys, LineFormat, Reader, Spec};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::GeminiCli,
    keys: Keys::Prefixed,
    readers: &[
        Reader::Document(DocumentFormat {
            is_own: document::is_own,
            read: document::read,
        }),
        Reader::Lines(LineFormat {
            is_record: shape::looks_like_record,
            open: chat::open,
        }),
    ],
    place,
    is_transcript_name: is_chat_name,
    is_sibling_name: |_| false,
    places: &[Whereabouts {
        variable: None,
        below_home: ".gemini/tmp",
    }],
};

/// A sub-agent's chat lies in a folder of its session's name below `chats`.
fn place(path: &Path) -> Place {
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let folder = path.parent();
    let above = folder.and_then(Path::parent).and_then(name);
    if above.as_deref() != Some("chats") {
        return Place::default();
    }
    Place {
        session: folder.and_then(name),
        agent: path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned()),
    }
}

fn is_chat_name(path: &Path) -> bool {
    let is_in_chats = path.components().any(|part| part.as_os_str() == "chats");
    let ends = path
        .extension()
        .is_some_and(|extension| extension == "json");
    is_in_chats && ends
}
