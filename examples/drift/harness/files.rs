//! What calls of tools do to files, and the state each file is in afterwards. Owns both.

use serde_json::{Value, json};

use super::filler;
use super::random::Random;

/// The state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileState {
    Written,
    Edited,
    Deleted,
    MovedTo(String),
    /// Stands here, and before under this name.
    MovedFrom(String),
    /// Nothing was ever done to it with success.
    Untouched,
}

/// A file as it is now.
#[derive(Debug, Clone)]
pub(crate) struct FileTruth {
    pub(crate) path: String,
    pub(crate) state: FileState,
    /// Whether something failed at it since it got into this state.
    pub(crate) has_failed_since: bool,
    /// The call that brought it there, or the failed one after that.
    pub(crate) said: usize,
}

/// Something done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Write,
    WriteByShell,
    Edit,
    EditTwice,
    EditByPatch,
    Delete,
    DeleteByPatch,
    Move,
    FailToEdit,
    FailToDelete,
    /// Reads it, which changes nothing.
    Read,
}

impl Deed {
    /// What a file begins with; a failure leaves nothing to tell of.
    pub(crate) const BEGINNINGS: [Self; 6] = [
        Self::Write,
        Self::Write,
        Self::Write,
        Self::WriteByShell,
        Self::WriteByShell,
        Self::FailToEdit,
    ];
    pub(crate) const LATER: [Self; 9] = [
        Self::Edit,
        Self::EditTwice,
        Self::EditByPatch,
        Self::Delete,
        Self::DeleteByPatch,
        Self::Move,
        Self::FailToEdit,
        Self::FailToDelete,
        Self::Read,
    ];

    /// Returns the call that does it to `path`; `to` is where a move leads.
    pub(crate) fn call(self, path: &str, to: &str, random: &mut Random) -> Call {
        let source = filler::source(random);
        let edit = json!({ "old_string": "input.len()", "new_string": "input.len() + 1" });
        let patch_of = |head: &str, lines: &str| json!({ "input": format!("*** Begin Patch\n*** {head} File: {path}\n{lines}*** End Patch") });
        let (tool, arguments, result) = match self {
            Self::Write => (
                "Write",
                json!({ "file_path": path, "content": source }),
                format!("File created successfully at: {path}"),
            ),
            Self::WriteByShell => {
                let command = format!("printf 'limit = 40\\n' > {path}");
                ("Bash", json!({ "command": command }), String::new())
            }
            Self::Edit => {
                let mut arguments = edit;
                arguments["file_path"] = Value::from(path);
                let result = format!("The file {path} has been updated.");
                ("Edit", arguments, result)
            }
            Self::EditTwice => (
                "MultiEdit",
                json!({ "file_path": path, "edits": [edit.clone(), edit] }),
                format!("Applied 2 edits to {path}"),
            ),
            Self::EditByPatch => {
                let lines = "@@\n-    input.len()\n+    input.len() - 1\n";
                (
                    "apply_patch",
                    patch_of("Update", lines),
                    "Success.".to_owned(),
                )
            }
            Self::Delete => {
                let command = format!("rm {path}");
                ("Bash", json!({ "command": command }), String::new())
            }
            Self::DeleteByPatch => ("apply_patch", patch_of("Delete", ""), "Success.".to_owned()),
            Self::Move => {
                let command = format!("git mv {path} {to}");
                ("Bash", json!({ "command": command }), String::new())
            }
            Self::FailToEdit => {
                let mut arguments = edit;
                arguments["file_path"] = Value::from(path);
                let result = "String to replace not found in file.".to_owned();
                ("Edit", arguments, result)
            }
            Self::FailToDelete => {
                let result = format!("rm: cannot remove '{path}': Permission denied");
                let command = format!("rm {path}");
                ("Bash", json!({ "command": command }), result)
            }
            Self::Read => ("Read", json!({ "file_path": path }), source),
        };
        Call {
            tool,
            arguments,
            result,
            is_error: self.fails(),
        }
    }

    /// Says whether the tool says that it failed.
    const fn fails(self) -> bool {
        matches!(self, Self::FailToEdit | Self::FailToDelete)
    }

    /// Notes what it does to `file`, as the call `said`. What a move makes is returned.
    pub(crate) fn note(self, file: &mut FileTruth, to: &str, said: usize) -> Option<FileTruth> {
        let state = match self {
            Self::Write | Self::WriteByShell => FileState::Written,
            Self::Edit | Self::EditTwice | Self::EditByPatch => FileState::Edited,
            Self::Delete | Self::DeleteByPatch => FileState::Deleted,
            Self::Move => FileState::MovedTo(to.to_owned()),
            Self::FailToEdit | Self::FailToDelete => {
                file.has_failed_since = true;
                return None;
            }
            Self::Read => return None,
        };
        file.state = state;
        file.has_failed_since = false;
        file.said = said;
        (self == Self::Move).then(|| FileTruth {
            path: to.to_owned(),
            state: FileState::MovedFrom(file.path.clone()),
            has_failed_since: false,
            said,
        })
    }
}

/// A call of a tool and what it gave back.
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) result: String,
    pub(crate) is_error: bool,
}

impl FileTruth {
    /// Says whether `told`, the state a view tells last, is the state the file is in.
    pub(crate) fn is_told_by(&self, told: Option<&str>) -> bool {
        let Some(told) = told else {
            return self.state == FileState::Untouched;
        };
        // What follows is a quotation of the file.
        let verbs = told.split(": ").next().unwrap_or(told).to_lowercase();
        if verbs.contains("fail") {
            return self.has_failed_since;
        }
        match (&self.state, newest_verb(&verbs)) {
            (FileState::MovedTo(to), Some(Verb::MovedTo)) => told.contains(to.as_str()),
            (FileState::Written, Some(Verb::Written))
            | (FileState::Edited, Some(Verb::Edited))
            | (FileState::Deleted, Some(Verb::Deleted))
            | (FileState::MovedFrom(_), Some(Verb::MovedFrom)) => true,
            // Its contents may be told first: `edited: … (moved from …)`.
            (FileState::MovedFrom(from), Some(Verb::Written | Verb::Edited)) => {
                told.contains(from.as_str())
            }
            _ => false,
        }
    }
}

/// What a word says was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Written,
    Edited,
    Deleted,
    MovedTo,
    MovedFrom,
}

const VERBS: [(Verb, &[&str]); 5] = [
    (
        Verb::Written,
        &["written", "created", "added", "saved", "overwritten"],
    ),
    (
        Verb::Edited,
        &["edited", "updated", "patched", "modified", "changed"],
    ),
    (Verb::Deleted, &["deleted", "removed"]),
    (Verb::MovedTo, &["moved to", "renamed to"]),
    (
        Verb::MovedFrom,
        &["moved from", "moved here", "renamed from"],
    ),
];

/// Returns the last verb of `created, then edited`.
fn newest_verb(verbs: &str) -> Option<Verb> {
    let places = VERBS.iter().flat_map(|(verb, words)| {
        words
            .iter()
            .filter_map(|word| verbs.rfind(*word).map(|place| (place, *verb)))
    });
    places.max_by_key(|(place, _)| *place).map(|(_, verb)| verb)
}
