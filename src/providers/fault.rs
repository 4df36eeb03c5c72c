//! What went wrong with a call. Owns which failures are of which kind, and which words of a provider are
//! passed on.
//! May not pass on a request, an answer or a key: what the crate beneath prints of an error holds them.

use std::time::Duration;

use chrono::DateTime;
use genai::webc;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::endpoint::Endpoint;
use super::name::ModelName;
use crate::engine::{CompleteError, FailureKind};
use crate::policy::overflow::{ProviderError, classify};

/// Letters of a provider's message that are passed on at most.
const MOST_WORDS: usize = 300;

/// A failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub kind: FailureKind,
    /// What happened, for people.
    pub words: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

impl Fault {
    pub(super) fn new(kind: FailureKind, words: impl Into<String>) -> Self {
        Self {
            kind,
            words: words.into(),
            retry_after: None,
        }
    }

    /// Says whether the same request may do later.
    pub(super) const fn is_passing(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::RateLimited
                | FailureKind::Overloaded
                | FailureKind::Network
                | FailureKind::Malformed
        )
    }

    pub(super) fn into_error(self) -> CompleteError {
        CompleteError::new(self.words).kind(self.kind)
    }
}

/// Whose fault it is said to be.
pub(super) struct Called<'a> {
    pub name: &'a ModelName,
    pub endpoint: &'a Endpoint,
}

impl Called<'_> {
    /// Says what an error of the crate beneath means.
    pub(super) fn fault(&self, error: &genai::Error) -> Fault {
        if let (Some(status), Some(headers)) = (error.status(), error.headers()) {
            let body = body_of(error).unwrap_or_default();
            return self.answered(status.as_u16(), body, Some(headers));
        }
        match error {
            genai::Error::WebModelCall { webc_error, .. }
            | genai::Error::WebAdapterCall { webc_error, .. } => self.unanswered(webc_error),
            _ => self.malformed("an answer in another form"),
        }
    }

    /// Says what an answer with an error in it means.
    pub(super) fn answered(&self, status: u16, body: &str, headers: Option<&HeaderMap>) -> Fault {
        let (name, variable) = (self.name, self.endpoint.key_variable);
        let json: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        if matches!(status, 401 | 403) || says_bad_key(body) {
            // Providers quote keys, or the ends of them, in this message.
            let what = match self.endpoint.key {
                Some(_) => format!("refused the key in {variable}"),
                None => format!("asks for a key: set {variable}"),
            };
            return Fault::new(
                FailureKind::Auth,
                format!("{name} {what} (status {status})"),
            );
        }
        let message = message_of(&json).unwrap_or(body);
        let kind = match classify(body, Some(status)) {
            ProviderError::Overflow(overflow) => FailureKind::TooLong {
                limit: overflow.limit,
            },
            ProviderError::RateLimit => FailureKind::RateLimited,
            ProviderError::Quota => FailureKind::Quota,
            ProviderError::Unavailable => FailureKind::Overloaded,
            _ if matches!(status, 408 | 409 | 425 | 500..=599) => FailureKind::Overloaded,
            _ => FailureKind::Rejected,
        };
        let said = self.passed_on(message);
        let mut fault = Fault::new(
            kind,
            format!("{name} answered with status {status}: {said}"),
        );
        fault.retry_after = headers.and_then(retry_after).or_else(|| retry_delay(&json));
        fault
    }

    fn unanswered(&self, error: &webc::Error) -> Fault {
        let name = self.name;
        match error {
            webc::Error::Reqwest(error) if error.is_connect() => {
                let base = &self.endpoint.base;
                Fault::new(
                    FailureKind::Network,
                    format!("{name}: no connection to {base}"),
                )
            }
            webc::Error::Reqwest(error) if error.is_timeout() => Fault::new(
                FailureKind::TimedOut,
                format!("{name} did not answer in time"),
            ),
            webc::Error::Reqwest(error) if error.is_builder() => Fault::new(
                FailureKind::Rejected,
                format!("{name}: the request cannot be made"),
            ),
            webc::Error::Reqwest(_) => Fault::new(
                FailureKind::Network,
                format!("{name}: the connection broke off"),
            ),
            webc::Error::ResponseFailedNotJson { .. } => {
                self.malformed("an answer that is no JSON")
            }
            webc::Error::ResponseFailedInvalidJson { .. } => {
                self.malformed("an answer that is broken JSON")
            }
            _ => self.malformed("an answer in another form"),
        }
    }

    pub(super) fn malformed(&self, what: &str) -> Fault {
        Fault::new(FailureKind::Malformed, format!("{} gave {what}", self.name))
    }

    /// Makes a provider's message one short line without the key.
    fn passed_on(&self, message: &str) -> String {
        let visible = message
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter });
        let line: String = visible.take(MOST_WORDS).collect();
        match &self.endpoint.key {
            // A key that the cut went through is gone with what is left of it.
            Some(key) if message.contains(key.reveal()) => {
                let line = message.replace(key.reveal(), "[redacted:api_key]");
                line.chars().take(MOST_WORDS).collect()
            }
            _ => line,
        }
    }
}

fn body_of(error: &genai::Error) -> Option<&str> {
    match error {
        genai::Error::HttpError { body, .. }
        | genai::Error::WebModelCall {
            webc_error: webc::Error::ResponseFailedStatus { body, .. },
            ..
        }
        | genai::Error::WebAdapterCall {
            webc_error: webc::Error::ResponseFailedStatus { body, .. },
            ..
        } => Some(body),
        _ => None,
    }
}

/// Says whether an error is about the key though its status does not say so.
fn says_bad_key(body: &str) -> bool {
    body.contains("API_KEY_INVALID") || body.contains("invalid_api_key")
}

/// Finds the words of an error in the forms that providers give it.
fn message_of(body: &Value) -> Option<&str> {
    // Gemini may answer with a list of one.
    let body = body.get(0).unwrap_or(body);
    ["/error/message", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|place| body.pointer(place)?.as_str())
}

/// Reads how long a provider asks to wait: seconds, milliseconds, or a date beside its own clock's.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|millis| millis.parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let told = text("retry-after")?;
    if let Some(seconds) = told.parse().ok().and_then(seconds) {
        return Some(seconds);
    }
    let (until, now) = (
        DateTime::parse_from_rfc2822(told).ok()?,
        DateTime::parse_from_rfc2822(text("date")?).ok()?,
    );
    (until - now).to_std().ok()
}

/// Reads how long Gemini asks to wait.
fn retry_delay(body: &Value) -> Option<Duration> {
    let body = body.get(0).unwrap_or(body);
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details
        .iter()
        .find_map(|detail| detail.get("retryDelay")?.as_str())?;
    delay.strip_suffix('s')?.parse().ok().and_then(seconds)
}

fn seconds(told: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(told).ok()
}
