//! From a line to a message. Owns what is no message and what is said of it.
//! May not know a method.

use rmcp::RoleServer;
use rmcp::model::RequestId;
use rmcp::service::RxJsonRpcMessage;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::reader::MAX_MESSAGE_BYTES;
use super::whose::Whose;

/// What is said of a second request under an id.
pub(super) const ID_IN_USE: &str =
    "Invalid Request: a request with this id is not answered yet, or was called off";

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

/// A line that is no message, or none that can be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    reason: Reason,
    /// The request that waits for an answer; none where no id can be read.
    id: Option<RequestId>,
}

/// Why a line is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// It cannot be read.
    Unreadable(String),
    /// It is JSON, but no message.
    NoMessage(String),
    /// It is longer than any message may be.
    TooLong,
    /// It broke off, or is in no form that can be read.
    Broken,
    /// Other messages take all the room there is.
    NoRoom,
    /// More clients than are served at a time.
    Crowded,
    /// Its id belongs to a request that is not answered.
    IdInUse,
}

impl Refusal {
    /// Refuses what nobody waits for under an id.
    pub(super) const fn new(reason: Reason) -> Self {
        Self { reason, id: None }
    }

    /// Refuses a request by its id, if it has one.
    pub(super) const fn of(reason: Reason, id: Option<RequestId>) -> Self {
        Self { reason, id }
    }

    /// Returns the request that it answers.
    pub(super) const fn id(&self) -> Option<&RequestId> {
        self.id.as_ref()
    }

    /// Answers nobody.
    pub(super) fn without_id(self) -> Self {
        Self::new(self.reason)
    }

    /// Returns the JSON-RPC error. Its id is null where none can be read.
    pub(super) fn to_json(&self) -> Value {
        let (code, message) = match &self.reason {
            Reason::Unreadable(reason) => (-32700, format!("Parse error: {reason}")),
            Reason::NoMessage(reason) => (-32600, format!("Invalid Request: {reason}")),
            Reason::TooLong => (
                -32600,
                format!(
                    "Invalid Request: the message is longer than {MAX_MESSAGE_BYTES} bytes and \
                     was passed over"
                ),
            ),
            Reason::Broken => (
                -32700,
                "Parse error: the body broke off, or is not sent as its headers say".to_owned(),
            ),
            Reason::NoRoom => (
                -32000,
                "too much is being read or worked on; try again later".to_owned(),
            ),
            Reason::Crowded => (
                -32000,
                "too many sessions are open; try again later".to_owned(),
            ),
            Reason::IdInUse => (-32600, ID_IN_USE.to_owned()),
        };
        let id = self.id.clone().map(RequestId::into_json_value);
        json!({
            "jsonrpc": "2.0",
            "id": id.unwrap_or_default(),
            "error": {"code": code, "message": message},
        })
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
            return Decoded::Refused(Refusal::new(Reason::Unreadable(reason)));
        }
    };
    match serde_json::from_str(text) {
        Ok(message) => Decoded::Message(Box::new(message)),
        Err(_) => Decoded::Refused(refusal_of(text)),
    }
}

fn refusal_of(text: &str) -> Refusal {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return Refusal::new(Reason::Unreadable(format!("it is no JSON: {error}")));
    }
    let reason = if text.starts_with('[') {
        "batches are not part of this protocol; send one message at a time".to_owned()
    } else if let Err(error) = serde_json::from_str::<Value>(text) {
        // Half a character, a number beyond all bounds, brackets too deep.
        format!("it cannot be read: {error}")
    } else {
        "a message is an object with jsonrpc \"2.0\", a method, and an id (text or whole number) \
         if it is a request; its params, if any, are an object"
            .to_owned()
    };
    Refusal::of(Reason::NoMessage(reason), Whose::of(text.as_bytes()))
}
