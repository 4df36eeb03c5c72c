//! Which conversation a record belongs to. Owns the keys of imported sessions and their sub-agents.
//! May not read a record.

use super::spec::Keys;
use crate::domain::{SessionKey, SessionKeyError};
use crate::import::format::Format;

/// What a file's path says of the records in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// The session, whatever the records say: one may be a sub-agent's that names its parent's.
    pub(crate) session: Option<String>,
    /// The sub-agent, for a sub-agent's file.
    pub(crate) agent: Option<String>,
}

/// Makes the key of a session, or of a sub-agent in it.
///
/// # Errors
/// [`SessionKeyError`] if the ids make no key.
pub(crate) fn session_key(
    format: Format,
    keys: Keys,
    session: &str,
    agent: Option<&str>,
) -> Result<SessionKey, SessionKeyError> {
    if session.is_empty() {
        return Err(SessionKeyError::Empty);
    }
    let session = match keys {
        Keys::Prefixed => format!("{format}:{session}"),
        Keys::Own => session.to_owned(),
    };
    match agent {
        Some(agent) => SessionKey::new(format!("{session}/{agent}")),
        None => SessionKey::new(session),
    }
}

/// Returns whether two conversations could hold copies of the same record: two sessions, or the
/// same sub-agent of two sessions. Ids are unique only within one of these.
pub(crate) fn is_same_kind(one: &SessionKey, other: &SessionKey) -> bool {
    let agent = |key: &SessionKey| key.as_str().split_once('/').map(|(_, id)| id.to_owned());
    agent(one) == agent(other)
}

/// Returns whether these are two conversations of one host.
pub(crate) fn are_two_of_one_host(one: &SessionKey, other: &SessionKey) -> bool {
    let host = |key: &SessionKey| {
        key.as_str()
            .split_once(':')
            .map(|(host, _)| host.to_owned())
    };
    one != other && host(one) == host(other)
}

/// Returns the session of a conversation that may be a sub-agent's.
pub(crate) fn base_session(key: &SessionKey) -> &str {
    let key = key.as_str();
    key.split_once('/').map_or(key, |(session, _)| session)
}

/// Returns whether an id is a UUID, which is unique everywhere.
pub(crate) fn is_uuid(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
