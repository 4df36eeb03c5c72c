//! What a command answers: one object for programs, text for people, and how it ends.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::exit::Exit;
use super::failure::Failure;
use crate::render::Body;

/// A command's answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// The object of `--json`; null where the command has written its answer itself.
    pub(crate) json: Value,
    /// A provider's body that goes into the object as it is written: a [`Value`] would round long
    /// numbers.
    pub(crate) body: Option<(&'static str, Body)>,
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
            body: None,
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

    /// Puts a provider's body into the object, in the place of the field of that name.
    #[must_use]
    pub(crate) fn with_body(mut self, field: &'static str, body: Body) -> Self {
        self.body = Some((field, body));
        self
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

impl Serialize for Reply {
    /// Writes the object of `--json`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (Value::Object(fields), Some((name, body))) = (&self.json, &self.body) else {
            return self.json.serialize(serializer);
        };
        serializer.collect_map(fields.iter().map(|(field, value)| {
            let value = if field == name {
                Field::Body(body)
            } else {
                Field::Value(value)
            };
            (field, value)
        }))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Field<'reply> {
    Value(&'reply Value),
    Body(&'reply Body),
}
