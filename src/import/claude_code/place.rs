//! Which conversation a record belongs to. Owns the keys of imported sessions and their sub-agents.
//! May not touch the file system: a path is only read for its names.

use std::path::{Component, Path};

use crate::domain::{SessionKey, SessionKeyError};
use crate::import::format::Format;

/// What a file's path says of the records in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// The session, for a file below `<session>/subagents`. Its records may name another one.
    pub(crate) session: Option<String>,
    /// The sub-agent, for a sub-agent's file.
    pub(crate) agent: Option<String>,
}

impl Place {
    /// Reads a path: `<session>/subagents/agent-<id>.jsonl`, an old `agent-<id>.jsonl` beside its
    /// session's file, or anything else, which says nothing.
    pub(crate) fn of(path: &Path) -> Self {
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
                Self {
                    session: Some(session),
                    agent: Some(own_id.unwrap_or_else(path_below)),
                }
            }
            _ => Self {
                session: None,
                agent: own_id,
            },
        }
    }
}

/// Makes the key of a session, or of a sub-agent in it.
///
/// # Errors
/// [`SessionKeyError`] if the ids make no key.
pub(crate) fn session_key(
    session: &str,
    agent: Option<&str>,
) -> Result<SessionKey, SessionKeyError> {
    if session.is_empty() {
        return Err(SessionKeyError::Empty);
    }
    let format = Format::ClaudeCode;
    match agent {
        Some(agent) => SessionKey::new(format!("{format}:{session}/{agent}")),
        None => SessionKey::new(format!("{format}:{session}")),
    }
}

/// Returns whether two conversations could hold copies of the same record: two sessions, or the
/// same sub-agent of two sessions. Ids are unique only within one of these.
pub(crate) fn is_same_kind(one: &SessionKey, other: &SessionKey) -> bool {
    let agent = |key: &SessionKey| key.as_str().split_once('/').map(|(_, id)| id.to_owned());
    agent(one) == agent(other)
}
