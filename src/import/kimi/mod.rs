//! Kimi's wire logs: JSON lines, of newer and older versions. Owns what each of their records means.
//! May not know what is stored.

mod context;
mod event;
mod legacy;
mod shape;
mod wire;

use std::path::{Component, Path};

use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::spec::{Keys, LineFormat, Reader, Spec};

/// What the import needs to know of this format.
pub(super) const SPEC: Spec = Spec {
    format: Format::Kimi,
    keys: Keys::Prefixed,
    readers: &[Reader::Lines(LineFormat {
        is_record: shape::looks_like_record,
        open: wire::open,
    })],
    place,
    is_transcript_name: |_| false,
    is_sibling_name: context::is_beside_wire,
    places: &[
        Whereabouts {
            variable: None,
            below_home: ".kimi-code/sessions",
        },
        Whereabouts {
            variable: None,
            below_home: ".kimi/sessions",
        },
    ],
};

/// Reads a path: `<session>/agents/<agent>/wire.jsonl`, the agent `main` being the session itself,
/// or `subagents` in older versions; any other file is called like its session, since no record
/// names it.
fn place(path: &Path) -> Place {
    let names: Vec<String> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect();
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let agents_at = names
        .iter()
        .rposition(|name| name == "agents" || name == "subagents");
    let folder = |at: Option<usize>| at.and_then(|at| names.get(at)).cloned();
    match agents_at {
        Some(at) if names.len() == at + 3 => Place {
            session: folder(at.checked_sub(1)),
            agent: folder(Some(at + 1)).filter(|agent| agent != "main"),
        },
        _ => Place {
            session: match stem.as_deref() {
                // An older layout: `<session>/wire.jsonl`.
                Some("wire" | "context") => folder(names.len().checked_sub(2)),
                _ => stem,
            },
            agent: None,
        },
    }
}
