//! What a command answers: one object for programs, text for people, and how it ends.

use serde_json::Value;

use super::exit::Exit;
use super::failure::Failure;

/// A command's answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// The object of `--json`; null where the command has written its answer itself.
    pub(crate) json: Value,
    /// The same for people, with styles.
    pub(crate) text: String,
    /// Remarks for stderr.
    pub(crate) notes: Vec<String>,
    /// How the process ends.
    pub(crate) exit: Exit,
    /// What broke off the work after a part of it.
    pub(crate) failure: Option<Failure>,
}

impl Reply {
    pub(crate) fn new(json: Value, text: impl Into<String>) -> Self {
        Self {
            json,
            text: text.into(),
            notes: Vec::new(),
            exit: Exit::Done,
            failure: None,
        }
    }

    /// Makes the answer of a command that has written all it has to say.
    pub(crate) fn streamed() -> Self {
        Self::new(Value::Null, String::new())
    }

    #[must_use]
    pub(crate) fn with_exit(mut self, exit: Exit) -> Self {
        self.exit = self.exit.or(exit);
        self
    }

    #[must_use]
    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}
