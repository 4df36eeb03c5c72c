//! What a file's path says of its records. Owns the layout of this host's folders.
//! May not touch the file system: a path is only read for its names.

use std::path::{Component, Path};

use crate::import::key::Place;

/// Reads a path: `<session>/subagents/agent-<id>.jsonl`, an old `agent-<id>.jsonl` beside its
/// session's file, or anything else, which says nothing.
pub(crate) fn place(path: &Path) -> Place {
    let names: Vec<String> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect();
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let own_id = stem
        .strip_prefix("agent-")
        .filter(|id| !id.is_empty())
        .map(str::to_owned);
    let folder = names.iter().rposition(|name| name == "subagents");
    let session = folder
        .and_then(|at| at.checked_sub(1))
        .and_then(|at| names.get(at))
        .cloned();
    match (folder, session) {
        (Some(at), Some(session)) => {
            let below = names.get(at + 1..names.len() - 1).unwrap_or_default();
            let path_below = || {
                let mut steps = below.to_vec();
                steps.push(stem.clone());
                steps.join("/")
            };
            Place {
                session: Some(session),
                agent: Some(own_id.unwrap_or_else(path_below)),
            }
        }
        _ => Place {
            session: None,
            agent: own_id,
        },
    }
}
