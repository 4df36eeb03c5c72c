//! Which files an event leads to. Owns what is looked at before anything is opened: a folder would be
//! walked and a pipe waited for.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::event::{Event, Name};

/// The folder of a session's sub-agents, below the one that is named as the session's file.
const AGENTS: &str = "subagents";

/// The files of an event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    /// Files, and folders of sub-agents.
    pub(super) paths: Vec<PathBuf>,
    /// What was named and cannot be read, as whole remarks.
    pub(super) troubles: Vec<String>,
}

/// Finds the files of an event: the transcript, that of a sub-agent it names, and where a session
/// begins, rests or ends those of all its sub-agents, since the last words of one are written after
/// the event that tells of its end.
pub(super) fn files_of(event: &Event, home: Option<&Path>) -> Files {
    let mut files = Files::default();
    let Some(transcript) = &event.transcript else {
        files.troubles.push("it names no transcript".to_owned());
        return files;
    };
    let transcript = expand(transcript, home);
    if event.may_precede_its_transcript() && !transcript.exists() {
        return files;
    }
    files.add("the transcript", transcript.clone());
    if let Some(named) = &event.agent_transcript {
        files.add("the sub-agent's transcript", expand(named, home));
    }
    let agents = transcript.with_extension("").join(AGENTS);
    let takes_all = matches!(
        event.name,
        Name::SessionStart(_) | Name::PreCompact | Name::Stop | Name::SessionEnd
    );
    match &event.agent {
        _ if takes_all && is_folder(&agents) => files.paths.push(agents),
        Some(agent) if event.agent_transcript.is_none() && is_plain(agent) => {
            let path = agents.join(format!("agent-{agent}.jsonl"));
            // It need not have been begun, or may lie elsewhere: the end of the session finds it.
            if path.is_file() && !files.paths.contains(&path) {
                files.paths.push(path);
            }
        }
        _ => {}
    }
    files
}

impl Files {
    fn add(&mut self, what: &str, path: PathBuf) {
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => self.paths.push(path),
            Ok(_) => self.troubles.push(format!("{what} is no file")),
            Err(error) => {
                let reason = match error.kind() {
                    ErrorKind::NotFound => "it is not there".to_owned(),
                    kind => kind.to_string(),
                };
                self.troubles
                    .push(format!("{what} cannot be read: {reason}"));
            }
        }
    }
}

/// A link to a folder is not followed: it may lead anywhere.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Says whether an id is a file's name and no path.
pub(super) fn is_plain(id: &str) -> bool {
    id.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_')
}

fn expand(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(path),
    }
}
