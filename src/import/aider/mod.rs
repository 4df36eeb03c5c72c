//! Aider's chat history, a Markdown file that grows for years. Owns where one run ends and the next
//! begins: each run is a conversation and a record. May not know what is stored.
//!
//! The file has neither ids nor zones, and no times but those at which runs began; they are taken as
//! UTC and stand for all that was said in the run.

mod block;
mod run;

use std::path::Path;

use super::account::Refusal;
use super::document::Document;
use super::entry::Entry;
use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::sniff::Head;
use super::spec::{DocumentFormat, Keys, Piece, Pieces, Reader, Spec, Unread};

/// The name that the file has unless a setting gives it another.
const FILE_NAME: &str = ".aider.chat.history.md";

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::Aider,
    keys: Keys::Prefixed,
    readers: &[Reader::Document(DocumentFormat { is_own, read })],
    place: |_| Place::default(),
    is_transcript_name: |path| name(path).is_some_and(|name| name.ends_with(FILE_NAME)),
    is_sibling_name: |_| false,
    places: &[Whereabouts {
        variable: Some(("AIDER_CHAT_HISTORY_FILE", "")),
        below_home: FILE_NAME,
    }],
};

fn name(path: &Path) -> Option<std::borrow::Cow<'_, str>> {
    path.file_name().map(|name| name.to_string_lossy())
}

fn is_own(head: &Head<'_>) -> bool {
    head.text
        .lines()
        .any(|line| run::beginning(line).is_some_and(run::is_time))
}

/// Whatever stands before the first run is the end of one whose beginning was cut off; a file in
/// which none begins is another program's.
fn read<'a>(document: &'a Document<'a>, path: &Path) -> Result<Pieces<'a>, Unread> {
    let text = document.text();
    let is_history = text.lines().any(|line| run::beginning(line).is_some());
    if !is_history && !text.trim().is_empty() {
        return Err(Unread::Malformed(Refusal {
            line: 1,
            offset: 0,
            reason: format!(
                "this is no history of Aider's: no line says `{}`",
                run::BEGINNING.trim()
            ),
        }));
    }
    // The file lies in the root of the project it is about.
    let is_default = name(path).is_some_and(|name| name == FILE_NAME);
    let project = path.parent().filter(|_| is_default);
    let project = project.map(|path| path.to_string_lossy().into_owned());
    let mut names = run::Names::default();
    Ok(Box::new(run::split(document.text()).map(move |record| {
        let runs = record.runs();
        let entries = runs.flat_map(|run| {
            let session = names.name(&run);
            let project = project.clone();
            block::entries(&run, &session)
                .into_iter()
                .map(move |entry| Entry {
                    session: Some(session.clone()),
                    cwd: project.clone(),
                    ..entry
                })
                .collect::<Vec<_>>()
        });
        Piece::Record {
            location: document.location(record.text),
            entries: entries.collect(),
            text: record.text.to_owned(),
        }
    })))
}
