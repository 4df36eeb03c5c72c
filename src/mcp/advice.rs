//! What a refusal over HTTP adds to the SDK's words: what to send instead.
//! May not change an answer that is one.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

use super::http::HTTP_PATH;

/// The header of a session of the protocol. One of ours names a conversation, and is another thing.
const SESSION: &str = "mcp-session-id";
/// Bytes of a refusal at most: the SDK's are one line.
const REFUSAL_BYTES: usize = 4_096;

/// What of a request says which advice helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// For a path that is not served.
    Elsewhere,
    /// Within a session of the protocol.
    InSession,
    /// Without one.
    Outside,
}

impl Asked {
    pub(super) fn of(request: &Request) -> Self {
        if request.uri().path() != HTTP_PATH {
            Self::Elsewhere
        } else if request.headers().contains_key(SESSION) {
            Self::InSession
        } else {
            Self::Outside
        }
    }

    fn advice(self, status: StatusCode) -> Option<&'static str> {
        match (self, status) {
            (Self::Elsewhere, StatusCode::NOT_FOUND) => Some("The server is at the path /mcp."),
            (_, StatusCode::FORBIDDEN) => {
                Some("--allow-host and --allow-origin let in other hosts and origins.")
            }
            (Self::InSession, StatusCode::NOT_FOUND) => {
                Some("The session has ended or never was: begin again with `initialize`.")
            }
            (Self::Outside, StatusCode::BAD_REQUEST) => Some(
                "Send `initialize` first, and the Mcp-Session-Id of its answer with each request \
                 after it. Hippocamp-Session is another thing: it names a conversation.",
            ),
            _ => None,
        }
    }

    /// Adds the advice to a refusal in plain words; any other answer stays as it is.
    pub(super) async fn advise(self, response: Response) -> Response {
        let is_plain = !response.headers().contains_key(CONTENT_TYPE);
        let Some(advice) = self.advice(response.status()).filter(|_| is_plain) else {
            return response;
        };
        let (mut parts, body) = response.into_parts();
        let said = to_bytes(body, REFUSAL_BYTES).await.unwrap_or_default();
        let mut words = String::from_utf8_lossy(&said).into_owned();
        if !words.is_empty() {
            words.push('\n');
        }
        words.push_str(advice);
        words.push('\n');
        parts.headers.remove(CONTENT_LENGTH);
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        parts.headers.insert(CONTENT_TYPE, plain);
        Response::from_parts(parts, Body::from(words))
    }
}
