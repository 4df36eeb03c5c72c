//! Which conversation a person means. Owns how far a session key may be shortened.
//! May not begin one: commands that can take the key as it is written.

use std::collections::HashSet;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::domain::SessionKey;
use crate::engine::Engine;

/// Keys that are told where several are meant.
const MAX_TOLD: usize = 5;

/// Returns the key that is asked for, or the one key it is the beginning of. One that nothing fits
/// comes back as it is, for the engine to name near ones.
///
/// # Errors
/// Usage if it is the beginning of several.
pub(super) async fn named(engine: &Engine, asked: &SessionKey) -> Result<SessionKey, Failure> {
    if engine.has_session(asked).await? {
        return Ok(asked.clone());
    }
    let rows = engine.sessions().await?;
    let keys: Vec<&SessionKey> = rows.iter().map(|row| &row.session).collect();
    match meant(asked.as_str(), &keys).as_slice() {
        [] => Ok(asked.clone()),
        [key] => Ok((*key).clone()),
        several => Err(ambiguous(asked, several)),
    }
}

/// Returns the keys that begin as asked, whole or behind their last `/` or `:`. A session stands for
/// its sub-agents, whose keys go on from its own.
fn meant<'a>(asked: &str, keys: &[&'a SessionKey]) -> Vec<&'a SessionKey> {
    let mut meant: Vec<&SessionKey> = keys
        .iter()
        .copied()
        .filter(|key| {
            let key = key.as_str();
            let last = key.rsplit(['/', ':']).next().unwrap_or_default();
            key.starts_with(asked) || last.starts_with(asked)
        })
        .collect();
    let fitting: HashSet<&str> = meant.iter().map(|key| key.as_str()).collect();
    meant.retain(|key| {
        let mut sessions = key.as_str().match_indices('/');
        !sessions.any(|(at, _)| {
            key.as_str()
                .get(..at)
                .is_some_and(|from| fitting.contains(from))
        })
    });
    meant.sort();
    meant
}

fn ambiguous(asked: &SessionKey, keys: &[&SessionKey]) -> Failure {
    let told: Vec<String> = keys
        .iter()
        .take(MAX_TOLD)
        .map(|key| format!("`{key}`"))
        .collect();
    let more = match keys.len().saturating_sub(MAX_TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("`{asked}` is the beginning of {} session keys", keys.len());
    Failure::new(Exit::Usage, "ambiguous_session", message)
        .with_hint(format!("write more of one of {}{more}", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 7] = [
        "claude-code:3f2a",
        "claude-code:3f2a/agent-7",
        "claude-code:3f2a-old",
        "claude-code:91bc",
        "main",
        "mainland",
        "team/main",
    ];

    #[track_caller]
    fn check_meant(asked: &str, want: &[&str]) {
        let keys = KEYS.map(|key| SessionKey::new(key).unwrap());
        let keys: Vec<&SessionKey> = keys.iter().collect();
        let got: Vec<&str> = meant(asked, &keys)
            .into_iter()
            .map(SessionKey::as_str)
            .collect();
        assert_eq!(got, want, "{asked}");
    }

    #[test]
    fn a_key_may_be_shortened_as_long_as_one_is_meant() {
        check_meant("claude-code:9", &["claude-code:91bc"]);
        check_meant("91", &["claude-code:91bc"]);
        check_meant("agent", &["claude-code:3f2a/agent-7"]);
        check_meant("mainl", &["mainland"]);
        check_meant("bc", &[]);
        check_meant("Main", &[]);
        check_meant("mai", &["main", "mainland", "team/main"]);
    }

    #[test]
    fn a_session_stands_for_its_sub_agents() {
        check_meant(
            "claude-code:3f",
            &["claude-code:3f2a", "claude-code:3f2a-old"],
        );
        check_meant("claude-code:3f2a/", &["claude-code:3f2a/agent-7"]);
    }

    #[test]
    fn several_are_named() {
        let keys: Vec<SessionKey> = (0..7)
            .map(|n| SessionKey::new(format!("k{n}")).unwrap())
            .collect();
        let keys: Vec<&SessionKey> = keys.iter().collect();
        let failure = ambiguous(&SessionKey::new("k").unwrap(), &keys);
        assert_eq!(failure.exit, Exit::Usage);
        assert_eq!(failure.message, "`k` is the beginning of 7 session keys");
        let hint = "write more of one of `k0`, `k1`, `k2`, `k3`, `k4` and 2 more";
        assert_eq!(failure.hint.as_deref(), Some(hint));
    }
}
