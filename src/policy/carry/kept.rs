//! What code knows of a source, whatever a model says of it. Owns how files enter a body.
//! May not drop a path while there is room. Constraints are pins, and where pins have no room the
//! engine writes them.

use std::collections::{HashMap, HashSet};

use crate::domain::{Summary, SummaryBody, TokenCounter, Tokens};
use crate::policy::prompt::Child;

use super::Section;
use super::files::{FileState, Files, READ, is_look, verb};

/// Puts into a body the newest state of every file that a call in its source touched, with what
/// the body says of it beside; files that only the body names stay.
///
/// `earlier` are the summaries before the source, old to new. A file that they tell was changed, and
/// that the source only looks at, stays as they tell it: a later look must not be read as its state.
///
/// A body over `room` gives up what states quote, then its narrative, then files that were only
/// looked at, the oldest first. Changed files go only from twice the room on: a list of all that a
/// long session touched would outgrow the views that the summary is for, and be shown in none.
#[must_use]
pub fn carry(
    body: &str,
    children: &[Child<'_>],
    earlier: &[Summary],
    room: Tokens,
    counter: &dyn TokenCounter,
) -> String {
    let record = Record::of(children, earlier);
    let mut merged = SummaryBody::parse(body);
    if record.changed.is_empty() && (merged.files.is_empty() || record.files.is_empty()) {
        // Nothing is known: prose stays prose.
        return body.to_owned();
    }
    record.put_into(&mut merged);
    if merged.is_empty() {
        // A look is better than no word at all.
        return body.to_owned();
    }
    let text = merged.render();
    if counter.count(&text) <= room {
        return text;
    }
    for (path, state) in &mut merged.files {
        if let Some(known) = record.files.state(path) {
            verb(known).clone_into(state);
        }
    }
    let text = merged.render();
    if counter.count(&text) <= room {
        return text;
    }
    merged.narrative.clear();
    let looks = drop_oldest(&mut merged, room, counter, is_look);
    let changes = drop_oldest(&mut merged, room + room, counter, |_| true);
    for (n_files, what) in [(looks, "read"), (changes, "changed")] {
        if n_files > 0 {
            let line = format!("the paths of {n_files} files that were {what} before");
            merged.push(Section::Dropped, &line);
        }
    }
    merged.render()
}

/// Drops the oldest files whose state goes until a body fits `room`, and returns how many went.
fn drop_oldest(
    body: &mut SummaryBody,
    room: Tokens,
    counter: &dyn TokenCounter,
    goes: impl Fn(&str) -> bool,
) -> usize {
    let n_before = body.files.len();
    loop {
        let mut over = counter.count(&body.render()).saturating_sub(room);
        let n_files = body.files.len();
        // Files stand in the order of their last change.
        body.files.retain(|(path, state)| {
            let is_dropped = over > Tokens::ZERO && goes(state);
            if is_dropped {
                over = over.saturating_sub(counter.count(&format!("- {path} -> {state}\n")));
            }
            !is_dropped
        });
        // A line by itself counts for more than in its text, so one pass may drop too few.
        if body.files.len() == n_files {
            break;
        }
    }
    n_before - body.files.len()
}

/// Says whether `carry` would ask what earlier summaries tell of files.
#[must_use]
pub fn tells_of_files(body: &str, children: &[Child<'_>]) -> bool {
    !SummaryBody::parse(body).files.is_empty() || !read_all(children, Files::default()).is_empty()
}

/// What the calls of a source did to files, after what was done before it.
struct Record {
    /// All files that are known, as they are after the source.
    files: Files,
    /// The paths whose state the source has a say in.
    changed: HashSet<String>,
}

impl Record {
    fn of(children: &[Child<'_>], earlier: &[Summary]) -> Self {
        let mut before = Files::default();
        for summary in earlier {
            before.inherit(&SummaryBody::parse(&summary.body).files);
        }
        let alone = read_all(children, Files::default());
        let files = read_all(children, before.clone());
        let changed = files
            .states()
            .filter(|known| match alone.state(&known.path) {
                // A folder that is moved or deleted takes along what only the record knows.
                None => before.state(&known.path) != Some(&known.state),
                Some(own) => !is_look(own) || is_look(&known.state),
            })
            .map(|known| known.path.clone())
            .collect();
        Self { files, changed }
    }

    /// States each changed file as the calls left it, with what the model says of it beside.
    fn put_into(&self, body: &mut SummaryBody) {
        let mut told: HashMap<&str, &str> = HashMap::new();
        let said = std::mem::take(&mut body.files);
        let paths = || self.files.states().map(|known| known.path.as_str());
        let changed: Vec<&str> = paths()
            .filter(|path| self.changed.contains(*path))
            .collect();
        for (path, state) in &said {
            match self.meant(path, &changed) {
                Some(known) => {
                    told.insert(known, state);
                }
                None => body.set_file(path, state),
            }
        }
        for FileState { path, state } in self.files.states() {
            let words = told.get(path.as_str());
            let joined = words.map_or_else(|| state.clone(), |words| stated(state, words));
            let says_more = words.is_some_and(|words| *words != READ) && joined != *state;
            if self.changed.contains(path) || says_more {
                // Each is once in the record, and none of them is in the body.
                body.files.push((path.clone(), joined));
            }
        }
    }

    /// Returns the path of the record that a model means: the same, or the only one that ends so,
    /// of those that its source changed before all others.
    fn meant<'p>(&'p self, told: &str, changed: &[&'p str]) -> Option<&'p str> {
        let bare = told.trim_start_matches("./");
        let all = || self.files.states().map(|known| known.path.as_str());
        if self.files.state(told).is_some() || self.files.state(bare).is_some() {
            return all().find(|path| *path == told || *path == bare);
        }
        let ending = format!("/{bare}");
        only(
            changed
                .iter()
                .copied()
                .filter(|path| path.ends_with(&ending)),
        )
        .or_else(|| only(all().filter(|path| path.ends_with(&ending))))
    }
}

/// Returns the first of one.
fn only<'p>(mut paths: impl Iterator<Item = &'p str>) -> Option<&'p str> {
    match (paths.next(), paths.next()) {
        (Some(path), None) => Some(path),
        _ => None,
    }
}

/// Reads the files of children, old to new, after what is known of files before them.
fn read_all(children: &[Child<'_>], mut files: Files) -> Files {
    for child in children {
        match child {
            Child::Summary(summary) => files.inherit(&SummaryBody::parse(&summary.body).files),
            Child::Message(message) => files.read(message),
        }
    }
    files
}

/// Joins what the record says of a file and what a model does. A file that is gone or was moved,
/// and one whose change failed, is as the record says; and none is gone that the record still has.
fn stated(known: &str, told: &str) -> String {
    let did = verb(known);
    let is_settled = ["deleted", "moved to"]
        .iter()
        .any(|gone| known.starts_with(gone))
        || known.contains(" failed: ")
        || known.contains("(moved from ");
    let claims_gone = ["deleted", "removed", "moved to", "renamed to"]
        .iter()
        .any(|gone| told.starts_with(gone));
    if is_settled || claims_gone || told == "mentioned" || known.starts_with(told) {
        known.to_owned()
    } else if told.starts_with(did) {
        told.to_owned()
    } else {
        format!("{did}; {told}")
    }
}
