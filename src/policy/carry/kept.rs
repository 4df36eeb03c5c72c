//! What code knows of a source, whatever a model says of it. Owns how files enter a body.
//! May not drop a path. Constraints are pins, and where pins have no room the engine writes them.

use std::collections::HashMap;

use crate::domain::{SummaryBody, TokenCounter, Tokens};
use crate::policy::prompt::Child;

use super::files::{Files, verb};

/// Puts into a body the newest state of every file that a call in its source touched, with what
/// the body says of it beside; files that only the body names stay.
///
/// A body over `room` gives up what states quote, then its narrative; no path goes.
#[must_use]
pub fn carry(
    body: &str,
    children: &[Child<'_>],
    room: Tokens,
    counter: &dyn TokenCounter,
) -> String {
    let files = files_of(children);
    if files.is_empty() {
        // Nothing is known: prose stays prose.
        return body.to_owned();
    }
    let mut merged = SummaryBody::parse(body);
    put_files(&mut merged, &files);
    let text = merged.render();
    if counter.count(&text) <= room {
        return text;
    }
    for (path, state) in &mut merged.files {
        if let Some(known) = files.state(path) {
            verb(known).clone_into(state);
        }
    }
    let text = merged.render();
    if counter.count(&text) <= room {
        return text;
    }
    merged.narrative.clear();
    merged.render()
}

/// Reads the files of children, old to new.
fn files_of(children: &[Child<'_>]) -> Files {
    let mut files = Files::default();
    for child in children {
        match child {
            Child::Summary(summary) => files.inherit(&SummaryBody::parse(&summary.body).files),
            Child::Message(message) => files.read(message),
        }
    }
    files
}

/// States each file as the calls left it, with what the model says of it beside.
fn put_files(body: &mut SummaryBody, files: &Files) {
    let told = std::mem::take(&mut body.files);
    for (path, state) in &told {
        if known_path(files, path).is_none() {
            body.set_file(path, state);
        }
    }
    // What is told last of a file counts.
    let told: HashMap<&str, &str> = told
        .iter()
        .filter_map(|(path, words)| Some((known_path(files, path)?, words.as_str())))
        .collect();
    for known in files.states() {
        let state = match told.get(known.path.as_str()) {
            Some(words) => stated(&known.state, words),
            None => known.state.clone(),
        };
        // Each is once in the record, and none of them is in the body.
        body.files.push((known.path.clone(), state));
    }
}

/// Returns the path of the record that a model means: the same, or the only one that ends so.
fn known_path<'f>(files: &'f Files, told: &str) -> Option<&'f str> {
    let bare = told.trim_start_matches("./");
    let paths = || files.states().map(|known| known.path.as_str());
    if let Some(path) = paths().find(|path| *path == told || *path == bare) {
        return Some(path);
    }
    let ending = format!("/{bare}");
    let mut ends = paths().filter(|path| path.ends_with(&ending));
    match (ends.next(), ends.next()) {
        (Some(path), None) => Some(path),
        _ => None,
    }
}

/// Joins what the record says of a file and what a model does. A file that is gone or was moved,
/// and one whose change failed, is as the record says.
fn stated(known: &str, told: &str) -> String {
    let did = verb(known);
    let is_settled = ["deleted", "moved to"]
        .iter()
        .any(|gone| known.starts_with(gone))
        || known.contains(" failed: ")
        || known.contains("(moved from ");
    if is_settled || told == "mentioned" || known.starts_with(told) {
        known.to_owned()
    } else if told.starts_with(did) {
        told.to_owned()
    } else {
        format!("{did}; {told}")
    }
}
