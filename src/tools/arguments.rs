//! Reads JSON arguments field by field. Owns what may be converted and how a refusal names it.
//! May not know a tool.

use serde_json::{Map, Value};

use super::error::ToolError;

/// Characters of a refused value that its refusal shows.
const SHOWN_CHARACTERS: usize = 80;

/// Arguments whose names have been checked.
pub(crate) struct Arguments {
    fields: Map<String, Value>,
}

/// Checks that `json` is an object (or nothing) with no other fields than `known`.
pub(crate) fn read_arguments(
    tool: &'static str,
    known: &[&str],
    json: Value,
) -> Result<Arguments, ToolError> {
    let fields = match json {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        other => {
            return Err(ToolError::NoObject {
                tool,
                found: kind_of(&other),
            });
        }
    };
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(ToolError::UnknownArgument {
            tool,
            name: beginning(name),
            known: known.join(", "),
        }),
        None => Ok(Arguments { fields }),
    }
}

impl Arguments {
    /// Takes a value; JSON's null counts as absent.
    fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a value of any kind.
    pub(crate) fn value(&mut self, name: &'static str) -> Option<Value> {
        self.take(name)
    }

    /// Takes a text.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<String>, ToolError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(ToolError::argument(
                name,
                format!("must be text, not {}", kind_of(&other)),
            )),
        }
    }

    /// Takes a text that `parse` turns into a value.
    pub(crate) fn parsed<T, E: std::fmt::Display>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, ToolError> {
        self.text(name)?
            .map(|text| parse(&text).map_err(|error| ToolError::argument(name, error.to_string())))
            .transpose()
    }

    /// Takes a truth value, also as the text `true` or `false`.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<Option<bool>, ToolError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(Value::String(text)) if text == "true" => Ok(Some(true)),
            Some(Value::String(text)) if text == "false" => Ok(Some(false)),
            Some(other) => Err(ToolError::argument(
                name,
                format!("must be true or false, not {}", shown(&other)),
            )),
        }
    }

    /// Takes a whole number of at least 1, also as decimal text or as `3.0`. A number past 64 bits
    /// is the greatest there is: whoever asks for it is capped anyway.
    pub(crate) fn count(&mut self, name: &'static str) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        match digits_of(&value) {
            Some(digits) => match digits.parse().unwrap_or(u64::MAX) {
                0 => Err(ToolError::argument(name, "must be at least 1, not 0")),
                count => Ok(Some(count)),
            },
            None => Err(ToolError::argument(
                name,
                format!(
                    "must be a whole number of at least 1, not {}",
                    shown(&value)
                ),
            )),
        }
    }

    /// Takes a list, also as the text of a JSON list.
    pub(crate) fn list(&mut self, name: &'static str) -> Result<Option<Vec<Value>>, ToolError> {
        let refused = |value: &Value| {
            ToolError::argument(
                name,
                format!("must be a list such as [\"42\"], not {}", shown(value)),
            )
        };
        match self.take(name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(Value::String(text)) => match serde_json::from_str(&text) {
                Ok(Value::Array(items)) => Ok(Some(items)),
                _ => Err(refused(&Value::String(text))),
            },
            Some(other) => Err(refused(&other)),
        }
    }
}

/// Returns the decimal digits of a value that is a whole number of at least 0, however written.
pub(crate) fn digits_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if !number.is_u64() && float.fract() == 0.0 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        _ => return None,
    };
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then_some(text)
}

/// Writes a value into a refusal: its beginning, since a model reads the refusal.
pub(crate) fn shown(value: &Value) -> String {
    beginning(&value.to_string())
}

/// Returns the beginning of a text that may be long.
pub(crate) fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
