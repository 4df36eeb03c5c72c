//! The arguments of calls. Owns the form in which providers take them; may not shorten them.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Returns a call's arguments as the JSON object that providers ask for: as they are where they are
/// one, `{}` where they are blank, else their text under the key `arguments`.
#[must_use]
pub fn arguments_object(arguments: &str) -> Cow<'_, str> {
    if serde_json::from_str::<Map<String, Value>>(arguments).is_ok() {
        return Cow::Borrowed(arguments);
    }
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    Cow::Owned(serde_json::json!({ "arguments": arguments }).to_string())
}
