//! What a part of ours has no place for: kept as JSON in the signature of a reasoning part before it.
//! Other renderings pass it over, it costs no tokens, and like all reasoning it is shown in the
//! newest turn only, which is where rig sends provider items back.
//! May not know what is kept.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::domain::Part;

/// The field that says what is kept, and that it is ours.
const KIND: &str = "rig";

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Who made a turn and how it ended.
    Turn,
    /// What this part lacks of reasoning.
    Reasoning,
    /// What the next part lacks of a block.
    Next,
    /// A block that no part stands for.
    Alone,
    /// What the next part lacks of a result.
    Result,
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::Turn,
        Self::Reasoning,
        Self::Next,
        Self::Alone,
        Self::Result,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Reasoning => "reasoning",
            Self::Next => "next",
            Self::Alone => "alone",
            Self::Result => "result",
        }
    }
}

/// Writes what is kept as a part.
pub(super) fn keep(kind: Kind, text: &str, fields: Map<String, Value>) -> Part {
    let mut kept = Map::from_iter([(KIND.to_owned(), kind.word().into())]);
    kept.extend(fields);
    Part::Reasoning {
        text: text.to_owned(),
        signature: Some(Value::Object(kept).to_string()),
    }
}

/// Reads what is kept in a part; `None` for reasoning that is just that.
pub(super) fn kept(part: &Part) -> Option<(Kind, Map<String, Value>)> {
    let Part::Reasoning {
        signature: Some(signature),
        ..
    } = part
    else {
        return None;
    };
    let mut fields: Map<String, Value> = serde_json::from_str(signature).ok()?;
    let word = fields.shift_remove(KIND)?;
    let kind = Kind::ALL.into_iter().find(|kind| word == kind.word())?;
    Some((kind, fields))
}

/// Returns the fields of `whole` that `known` does not have, or has otherwise.
pub(super) fn beyond<T: Serialize>(whole: &T, known: &T) -> Map<String, Value> {
    let (mut whole, known) = (fields_of(whole), fields_of(known));
    whole.retain(|name, value| known.get(name) != Some(value));
    whole
}

/// Puts the fields that are beyond what is known back to it.
pub(super) fn with_beyond<T: Serialize + DeserializeOwned>(
    known: &T,
    beyond: Map<String, Value>,
) -> Option<T> {
    let mut fields = fields_of(known);
    fields.extend(beyond);
    serde_json::from_value(Value::Object(fields)).ok()
}

/// Returns the fields of a value; none for what is no object.
pub(super) fn fields_of(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
