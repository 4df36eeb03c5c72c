//! From a line to a message. Owns what is no message and what is said of it.
//! May not know a method.

use rmcp::RoleServer;
use rmcp::service::RxJsonRpcMessage;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::reader::MAX_MESSAGE_BYTES;

/// A message of a client.
pub(super) type ClientMessage = RxJsonRpcMessage<RoleServer>;

/// What a line holds.
pub(super) enum Decoded {
    /// Nothing but blanks.
    Blank,
    /// A message.
    Message(Box<ClientMessage>),
    /// Something else.
    Refused(Refusal),
}

/// A line that is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It cannot be read.
    Unreadable(String),
    /// It is JSON, but no message.
    NoMessage(&'static str),
    /// It is longer than any message may be.
    TooLong,
    /// More clients than are served at a time.
    Crowded,
    /// Its id belongs to a request that is not answered yet.
    IdInUse(Value),
}

impl Refusal {
    /// Returns the JSON-RPC error. Its id is null: none can be read from what is no message.
    pub(super) fn to_json(&self) -> Value {
        let (code, message) = match self {
            Self::Unreadable(reason) => (-32700, format!("Parse error: {reason}")),
            Self::NoMessage(reason) => (-32600, format!("Invalid Request: {reason}")),
            Self::TooLong => (
                -32600,
                format!(
                    "Invalid Request: the message is longer than {MAX_MESSAGE_BYTES} bytes and \
                     was passed over"
                ),
            ),
            Self::Crowded => (
                -32000,
                "too many sessions are open; try again later".to_owned(),
            ),
            Self::IdInUse(_) => (
                -32600,
                "Invalid Request: a request with this id is not answered yet".to_owned(),
            ),
        };
        let id = match self {
            Self::IdInUse(id) => id.clone(),
            _ => Value::Null,
        };
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
    }
}

/// Reads a line.
pub(super) fn decode(line: &[u8]) -> Decoded {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = line.trim_ascii();
    if line.is_empty() {
        return Decoded::Blank;
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let place = error.valid_up_to() + 1;
            let reason = format!("byte {place} is no UTF-8");
            return Decoded::Refused(Refusal::Unreadable(reason));
        }
    };
    match serde_json::from_str(text) {
        Ok(message) => Decoded::Message(Box::new(message)),
        Err(_) => Decoded::Refused(refusal_of(text)),
    }
}

fn refusal_of(text: &str) -> Refusal {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return Refusal::Unreadable(format!("it is no JSON: {error}"));
    }
    if text.starts_with('[') {
        return Refusal::NoMessage(
            "batches are not part of this protocol; send one message at a time",
        );
    }
    Refusal::NoMessage(
        "a message is an object with jsonrpc \"2.0\", a method, and an id (text or whole number) \
         if it is a request",
    )
}
