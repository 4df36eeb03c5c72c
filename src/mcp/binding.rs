//! Which conversation a call is about. Owns who has the say: the host before the model.
//! May not look anything up.
//!
//! The flag of the command binds the server, else the header of a request binds that request, else
//! the argument `session` of a call says it. Who is bound by the host has no argument `session`.

use axum::http::HeaderMap;
use axum::http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{Extensions, JsonObject};
use serde_json::Value;

use super::fault::Fault;
use crate::domain::SessionKey;
use crate::tools::ToolScope;

/// The HTTP header that binds a request to a conversation. Its value is the session key, percent
/// encoded where it is not ASCII.
pub const SESSION_HEADER: &str = "hippocamp-session";

/// The argument of a call that binds it, where the host has not.
pub(super) const SESSION_ARGUMENT: &str = "session";

/// Whom the host has bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Binding {
    /// Nobody: each call says which conversation it is about.
    #[default]
    Unbound,
    /// Everybody, to this conversation.
    Session(SessionKey),
}

impl Binding {
    /// Returns the binding of a request that may have headers.
    ///
    /// # Errors
    /// An error of the protocol if the header is no session key, is there twice, or names another
    /// conversation than the server is bound to.
    pub(super) fn of_request(&self, extensions: &Extensions) -> Result<Self, ErrorData> {
        let Some(named) = extensions
            .get::<Parts>()
            .map(|parts| of_headers(&parts.headers))
            .transpose()?
            .flatten()
        else {
            return Ok(self.clone());
        };
        match self {
            Self::Session(bound) if *bound != named => Err(ErrorData::invalid_request(
                format!(
                    "the header {SESSION_HEADER} names another conversation than this server's"
                ),
                None,
            )),
            _ => Ok(Self::Session(named)),
        }
    }

    /// Takes the argument `session` from a call, and returns the scope that the call has.
    pub(super) fn scope(&self, arguments: &mut JsonObject) -> Result<ToolScope, Fault> {
        let asked = arguments.remove(SESSION_ARGUMENT);
        match (self, asked) {
            (Self::Session(key), None) => Ok(ToolScope::Session(key.clone())),
            (Self::Session(_), Some(_)) => Err(Fault::Mendable(format!(
                "`{SESSION_ARGUMENT}`: this server is bound to one conversation by its host, and \
                 no call can name another\nhint: leave `{SESSION_ARGUMENT}` out"
            ))),
            (Self::Unbound, None | Some(Value::Null)) => Ok(ToolScope::Unbound),
            (Self::Unbound, Some(Value::String(text))) => match SessionKey::new(text) {
                Ok(key) => Ok(ToolScope::Session(key)),
                Err(error) => Err(Fault::Mendable(format!("`{SESSION_ARGUMENT}`: {error}"))),
            },
            (Self::Unbound, Some(_)) => Err(Fault::Mendable(format!(
                "`{SESSION_ARGUMENT}`: must be text, the key of a conversation"
            ))),
        }
    }
}

/// Reads the header.
fn of_headers(headers: &HeaderMap) -> Result<Option<SessionKey>, ErrorData> {
    let mut values = headers.get_all(SESSION_HEADER).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return if headers.contains_key(SESSION_HEADER) {
            Err(bad_header("is there twice"))
        } else {
            Ok(None)
        };
    };
    let text = decode_percent(value.as_bytes()).ok_or_else(|| {
        bad_header("must be UTF-8, percent encoded where it is not ASCII (a percent sign is %25)")
    })?;
    match SessionKey::new(text) {
        Ok(key) => Ok(Some(key)),
        Err(error) => Err(bad_header(&error.to_string())),
    }
}

fn bad_header(reason: &str) -> ErrorData {
    ErrorData::invalid_request(format!("the header {SESSION_HEADER}: {reason}"), None)
}

/// Decodes `%41` to `A`; none if what stands there is no UTF-8 or no two digits follow a sign.
fn decode_percent(bytes: &[u8]) -> Option<String> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok()?;
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after;
        } else {
            decoded.push(*first);
            rest = after;
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_header(values: &[&str], want: Result<Option<&str>, &str>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(SESSION_HEADER, value.parse().unwrap());
        }
        match (of_headers(&headers), want) {
            (Ok(got), Ok(want)) => assert_eq!(got.as_ref().map(SessionKey::as_str), want),
            (Err(got), Err(want)) => assert!(got.message.contains(want), "{}", got.message),
            (got, want) => panic!("{got:?}, not {want:?}"),
        }
    }

    #[test]
    fn the_header_is_one_key_percent_encoded() {
        check_header(&[], Ok(None));
        check_header(&["main"], Ok(Some("main")));
        check_header(&["claude:a/b c"], Ok(Some("claude:a/b c")));
        check_header(&["caf%C3%A9 %25"], Ok(Some("café %")));
        check_header(&["caf%C3"], Err("UTF-8"));
        check_header(&["%4"], Err("percent"));
        check_header(&["%+4"], Err("percent"));
        check_header(&[""], Err("empty"));
        check_header(&["a", "a"], Err("twice"));
    }

    fn bound() -> Binding {
        Binding::Session(SessionKey::new("main").unwrap())
    }

    fn arguments(value: &Value) -> JsonObject {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_bound_server_cannot_be_talked_out_of_it() {
        for named in ["other", "main", ""] {
            let mut asked = arguments(&serde_json::json!({"pattern": "x", "session": named}));
            let Err(Fault::Mendable(words)) = bound().scope(&mut asked) else {
                panic!("{named} was taken");
            };
            assert!(words.contains("`session`"), "{words}");
        }
        let mut extensions = Extensions::new();
        let mut parts = axum::http::Request::new(()).into_parts().0;
        parts
            .headers
            .insert(SESSION_HEADER, "other".parse().unwrap());
        extensions.insert(parts);
        assert!(bound().of_request(&extensions).is_err());
        assert_ne!(Binding::Unbound.of_request(&extensions).unwrap(), bound());
    }

    #[test]
    fn an_unbound_call_says_what_it_is_about() {
        let mut named = arguments(&serde_json::json!({"session": "main"}));
        let scope = Binding::Unbound.scope(&mut named).unwrap();
        assert_eq!(scope, ToolScope::Session(SessionKey::new("main").unwrap()));
        assert!(named.is_empty());
        let scope = Binding::Unbound.scope(&mut named).unwrap();
        assert_eq!(scope, ToolScope::Unbound);
        for bad in [serde_json::json!(5), serde_json::json!("")] {
            let mut asked = arguments(&serde_json::json!({"session": bad}));
            assert!(Binding::Unbound.scope(&mut asked).is_err());
        }
    }
}
