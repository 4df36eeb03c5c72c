//! SWE-agent's trajectories: one JSON document a run. Owns which of its lists is read: `history`,
//! whose messages `trajectory` repeats. May not know what is stored.
//!
//! A run says neither when it was nor which one of its task it is. It is named by its file, and told
//! from other runs of the task by its first answer.

mod message;

use std::path::Path;

use serde_json::value::RawValue;

use super::document::Document;
use super::entry::{Entry, meta_row};
use super::format::Format;
use super::json::{self, Object};
use super::key::Place;
use super::sniff::Head;
use super::spec::{DocumentFormat, Keys, Piece, Pieces, Reader, Spec, Unread};
use crate::domain::Role;

/// Digits that tell the runs of a task apart.
const NAME_DIGITS: usize = 8;

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::SweAgent,
    keys: Keys::Prefixed,
    readers: &[Reader::Document(DocumentFormat { is_own, read })],
    place: |_| Place::default(),
    is_transcript_name: is_trajectory_name,
    is_sibling_name: |_| false,
    places: &[],
};

fn is_trajectory_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "traj")
}

/// The first list may fill the whole beginning of the file. Other hosts have a `history` too, so
/// that one alone counts only in a file that is named as this host names its own.
fn is_own(head: &Head<'_>) -> bool {
    let has_one = head.is_object_with(&["history"]) || head.is_object_with(&["trajectory"]);
    let has_sign = ["\"observation\"", "\"agent\""];
    let has_sign = has_sign.iter().any(|sign| head.text.contains(sign));
    (has_one && has_sign && is_trajectory_name(head.path))
        || head.is_object_with(&["trajectory", "history"])
}

fn read<'a>(document: &'a Document<'a>, path: &Path) -> Result<Pieces<'a>, Unread> {
    let root = document.json()?;
    let run = Object::parse(root.get()).unwrap_or_default();
    let history = list(&run, "history");
    let session = session(path, &history);
    let folder = working_folder(&run);
    let mut calls = message::Calls::default();
    let info = run.get("info");
    let result = info.and_then(|raw| result(document, raw, &session));
    let records = history.into_iter().enumerate().map(move |(at, raw)| {
        let location = document.location(raw.get());
        let text = json::repair(raw.get());
        let Some(message) = Object::parse(&text) else {
            return Piece::refused(location, "no message: one is a JSON object");
        };
        let mut entry = Entry::silent();
        entry.body = calls.read(&message);
        entry.id = Some(format!("{session}:{at}"));
        entry.session = Some(session.clone());
        entry.cwd.clone_from(&folder);
        Piece::Record {
            location,
            text: raw.get().to_owned(),
            entries: vec![entry],
        }
    });
    Ok(Box::new(records.chain(result)))
}

fn list<'a>(object: &Object<'a>, name: &str) -> Vec<&'a RawValue> {
    let raw = object.get(name).map_or("null", RawValue::get);
    json::elements(raw).unwrap_or_default()
}

fn session(path: &Path, history: &[&RawValue]) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let answer = history.iter().find(|raw| {
        Object::parse(raw.get()).is_some_and(|message| {
            message.text("role").as_deref() == Some("assistant") && !message.is_set("is_demo")
        })
    });
    let answer = answer.map_or("", |raw| raw.get());
    let hash = blake3::hash(answer.as_bytes()).to_hex();
    let digits = hash.get(..NAME_DIGITS).unwrap_or_default();
    format!("{stem}-{digits}")
}

/// Returns the folder in which the run began. Its state is an object, or a text that holds one.
fn working_folder(run: &Object<'_>) -> Option<String> {
    let steps = list(run, "trajectory");
    let step = Object::parse(steps.first()?.get())?;
    let raw = step.get("state")?.get();
    let text = json::text(raw).unwrap_or_else(|| raw.to_owned());
    Object::parse(&text)?
        .text("working_dir")
        .filter(|folder| !folder.is_empty())
}

/// What the run ended with: how, and the change that it hands in.
fn result(document: &Document<'_>, info: &RawValue, session: &str) -> Option<Piece> {
    let object = Object::parse(info.get())?;
    let status = object.text("exit_status")?;
    let words: Vec<String> = std::iter::once(status)
        .chain(object.text("submission"))
        .collect();
    let mut entry = Entry::silent();
    entry.body = meta_row(&words, Role::System);
    entry.id = Some(format!("{session}:info"));
    entry.session = Some(session.to_owned());
    Some(Piece::Record {
        location: document.location(info.get()),
        text: info.get().to_owned(),
        entries: vec![entry],
    })
}
