//! What code knows of a source, whatever a model says of it: files and constraints.
//! Owns how they enter a body. May not drop a path, nor a constraint that nobody lifted.

use crate::domain::{Message, Part, Role, SummaryBody, TokenCounter, Tokens, Visibility};
use crate::policy::prompt::Child;

use super::Section;
use super::constraint::{self, Found, Kind};
use super::files::{Files, verb};

/// What stands before a demand of the user, so that it is known again one level up.
pub const DEMAND_LABEL: &str = "user requires: ";
/// What stands before a sentence of the user that takes a demand back.
pub const LIFT_LABEL: &str = "user lifts: ";

/// Puts into a body what its source holds by the record: the newest state of every file that a
/// call touched, and what the user demands where no pin says so.
///
/// `pinned` are the texts that pins hold or held: those live are in every view, those retired hold
/// no more. A body over `room` gives up what states quote, then its narrative; no path goes.
#[must_use]
pub fn carry(
    body: &str,
    children: &[Child<'_>],
    pinned: &[String],
    room: Tokens,
    counter: &dyn TokenCounter,
) -> String {
    let mut merged = SummaryBody::parse(body);
    let files = put_files(&mut merged, children);
    put_demands(&mut merged, children, pinned);
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
    let has_more = SummaryBody {
        narrative: String::new(),
        ..merged.clone()
    };
    if counter.count(&text) <= room || has_more.is_empty() {
        return text;
    }
    has_more.render()
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
fn put_files(body: &mut SummaryBody, children: &[Child<'_>]) -> Files {
    let files = files_of(children);
    let told = std::mem::take(&mut body.files);
    for (path, state) in &told {
        if known_path(&files, path).is_none() {
            body.set_file(path, state);
        }
    }
    for known in files.states() {
        let words = told
            .iter()
            .rev()
            .find(|(path, _)| known_path(&files, path) == Some(&known.path));
        let state = match words {
            Some((_, words)) => stated(&known.state, words),
            None => known.state.clone(),
        };
        body.set_file(&known.path, &state);
    }
    files
}

/// Returns the path of the record that a model means: the same, or the only one that ends so.
fn known_path<'f>(files: &'f Files, told: &str) -> Option<&'f str> {
    let bare = told.trim_start_matches("./");
    let paths = || files.states().iter().map(|known| known.path.as_str());
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

/// Writes the user's demands that hold and no pin says, word for word.
fn put_demands(body: &mut SummaryBody, children: &[Child<'_>], pinned: &[String]) {
    let mut holding: Vec<String> = Vec::new();
    let mut lifting: Vec<String> = Vec::new();
    for (kind, sentence) in said(children) {
        let found = Found {
            sentence: &sentence,
            kind,
        };
        let n_before = holding.len();
        holding.retain(|earlier| !constraint::lifts(&found, earlier));
        match kind {
            Kind::Sets => {
                holding.retain(|earlier| *earlier != sentence);
                holding.push(sentence);
            }
            // What it takes back may stand in an older summary.
            Kind::Lifts if holding.len() == n_before => lifting.push(sentence),
            Kind::Lifts => {}
        }
    }
    body.decisions.retain(|item| {
        let demand = item.strip_prefix(DEMAND_LABEL);
        demand.is_none_or(|demand| holding.iter().any(|held| held == demand))
    });
    let lines = [(LIFT_LABEL, lifting), (DEMAND_LABEL, holding)];
    for (label, sentences) in lines {
        for sentence in sentences {
            let is_pinned = pinned.iter().any(|text| text.contains(&sentence));
            let is_told = body.decisions.iter().any(|item| item.contains(&sentence));
            if !is_pinned && !is_told {
                body.push(Section::Decisions, &format!("{label}{sentence}"));
            }
        }
    }
}

/// Returns what children say of demands, old to new.
fn said(children: &[Child<'_>]) -> Vec<(Kind, String)> {
    let mut said = Vec::new();
    for child in children {
        match child {
            Child::Summary(summary) => {
                let body = SummaryBody::parse(&summary.body);
                said.extend(body.decisions.iter().filter_map(|item| labelled(item)));
            }
            Child::Message(message) => said.extend(of_message(message)),
        }
    }
    said
}

fn labelled(item: &str) -> Option<(Kind, String)> {
    let lift = item.strip_prefix(LIFT_LABEL);
    let demand = item.strip_prefix(DEMAND_LABEL);
    lift.map(|sentence| (Kind::Lifts, sentence.to_owned()))
        .or_else(|| demand.map(|sentence| (Kind::Sets, sentence.to_owned())))
}

fn of_message(message: &Message) -> Vec<(Kind, String)> {
    if message.role != Role::User || message.visibility != Visibility::Talk {
        return Vec::new();
    }
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text),
        _ => None,
    });
    texts
        .flat_map(|text| constraint::find(text))
        .map(|found| (found.kind, super::one_line(found.sentence)))
        .collect()
}
