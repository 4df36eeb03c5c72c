//! Messages as lines, one JSON object each. Owns that a bad line refuses itself alone.
//! May not decide what a message may say.

mod write;

use std::fmt;

use serde_json::{Value, json};

pub(crate) use write::Lines;

use crate::domain::NewMessage;
use crate::tools::read_message;

/// A line that gives no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Which line, from 1.
    pub(crate) line: u64,
    /// Why.
    pub(crate) reason: String,
}

impl Refusal {
    pub(crate) fn to_json(&self) -> Value {
        json!({"line": self.line, "reason": self.reason})
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {} refused: {}", self.line, self.reason)
    }
}

/// What a whole input says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Input {
    /// The messages, in order.
    pub(crate) messages: Vec<NewMessage>,
    /// The lines that give none.
    pub(crate) refused: Vec<Refusal>,
}

/// Reads all lines; blank ones say nothing.
pub(crate) fn read_input(bytes: &[u8]) -> Input {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut input = Input::default();
    for (line, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        match read_line(bytes) {
            Ok(message) => input.messages.push(message),
            Err(reason) => input.refused.push(Refusal { line, reason }),
        }
    }
    input
}

fn read_line(bytes: &[u8]) -> Result<NewMessage, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("byte {} is no UTF-8", error.valid_up_to() + 1))?;
    read_message(text, "the line")
}

#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod tests;
