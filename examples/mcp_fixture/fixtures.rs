//! The texts of the suite: fixtures.json, with the words of a request put in.
//! Knows no protocol.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

const TEXT: &str = include_str!("fixtures.json");

/// All that is served.
#[derive(Clone)]
pub(crate) struct Fixtures(Value);

impl Fixtures {
    /// Reads what was built in.
    pub(crate) fn read() -> Result<Self, serde_json::Error> {
        serde_json::from_str(TEXT).map(Self)
    }

    fn part(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    /// Returns a list, or the capabilities, as the SDK has them.
    pub(crate) fn all<T: DeserializeOwned>(&self, part: &str) -> Result<T, serde_json::Error> {
        T::deserialize(self.part(part))
    }

    /// Returns what belongs to a name, with `words` put in; none if there is no such name.
    pub(crate) fn filled<T: DeserializeOwned>(
        &self,
        part: &str,
        name: &str,
        words: &Map<String, Value>,
    ) -> Result<Option<T>, serde_json::Error> {
        match self.part(part).get(name) {
            Some(value) => serde_json::from_value(fill(value, words)).map(Some),
            None => Ok(None),
        }
    }
}

/// Puts each `{name}` in every text.
fn fill(value: &Value, words: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) => {
            let filled = words.iter().fold(text.clone(), |text, (name, word)| {
                let word = word.as_str().unwrap_or_default();
                text.replace(&format!("{{{name}}}"), word)
            });
            Value::String(filled)
        }
        Value::Array(values) => values.iter().map(|value| fill(value, words)).collect(),
        Value::Object(fields) => {
            let filled = fields
                .iter()
                .map(|(name, value)| (name.clone(), fill(value, words)));
            Value::Object(filled.collect())
        }
        other => other.clone(),
    }
}
