//! The body of a provider's request, as JSON. Owns its text; may not know whose it is.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A JSON object to be sent to a provider, once the host has added the model, the tools and its
/// options.
///
/// The arguments of calls stand in it byte for byte, numbers of any length included; it is text so
/// that they can.
#[derive(Clone)]
pub struct Body(Box<RawValue>);

impl Body {
    /// Writes a body down.
    pub(super) fn of(body: &impl Serialize) -> Self {
        #[expect(
            clippy::expect_used,
            reason = "bodies are structs of texts: no map with keys that are none, nothing that fails"
        )]
        Self(to_raw_value(body).expect("a body is JSON"))
    }

    /// Returns the JSON, on one line.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Body {}

impl fmt::Debug for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Display for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
