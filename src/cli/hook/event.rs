//! What the host says of an event. Owns which of its fields are read; all others may be as they like.

use std::fmt;

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;

/// An event's name in the log is cut to this many bytes: it comes from outside.
const MAX_NAME_BYTES: usize = 40;

/// Which event it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    SessionStart(Source),
    SubagentStop,
    PreCompact,
    Stop,
    SessionEnd,
    /// A prompt, a call's result, and all that is not known by name.
    Other(String),
}

/// Why a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// What the model saw was replaced by the host's summary.
    Compact,
    /// Anything else.
    Other,
}

/// What is read of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) name: Name,
    pub(super) session: Option<String>,
    pub(super) transcript: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) agent_transcript: Option<String>,
}

/// The host's object, its texts as they stand: one that is no text is as good as missing.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    hook_event_name: Option<&'a RawValue>,
    #[serde(borrow)]
    session_id: Option<&'a RawValue>,
    #[serde(borrow)]
    transcript_path: Option<&'a RawValue>,
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_transcript_path: Option<&'a RawValue>,
}

impl Event {
    /// Reads an event.
    ///
    /// # Errors
    /// Where the text stops being a JSON object, without a word of it.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        // A host in another character set loses letters, and not the event.
        let text = String::from_utf8_lossy(bytes);
        let fields: Fields<'_> = serde_json::from_str(&text).map_err(|error| {
            let what = match error.classify() {
                Category::Eof => "ends too early",
                _ => "is no JSON object",
            };
            let (line, column) = (error.line(), error.column());
            format!("stdin {what}, at line {line} column {column}")
        })?;
        let source = match text_of(fields.source).as_deref() {
            Some("compact") => Source::Compact,
            _ => Source::Other,
        };
        Ok(Self {
            name: Name::new(text_of(fields.hook_event_name).unwrap_or_default(), source),
            session: text_of(fields.session_id),
            transcript: text_of(fields.transcript_path),
            agent: text_of(fields.agent_id),
            agent_transcript: text_of(fields.agent_transcript_path),
        })
    }

    /// Says whether there may be no transcript yet: a host makes it with the first message, so that a
    /// session begins, hears its first prompt or ends before that.
    pub(super) fn may_precede_its_transcript(&self) -> bool {
        match &self.name {
            Name::SessionStart(Source::Other) | Name::SessionEnd => true,
            Name::Other(name) => name == "UserPromptSubmit",
            _ => false,
        }
    }
}

impl Name {
    fn new(name: String, source: Source) -> Self {
        match name.as_str() {
            "SessionStart" => Self::SessionStart(source),
            "SubagentStop" => Self::SubagentStop,
            "PreCompact" => Self::PreCompact,
            "Stop" => Self::Stop,
            "SessionEnd" => Self::SessionEnd,
            _ => Self::Other(name),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::SessionStart(Source::Compact) => "SessionStart(compact)",
            Self::SessionStart(Source::Other) => "SessionStart",
            Self::SubagentStop => "SubagentStop",
            Self::PreCompact => "PreCompact",
            Self::Stop => "Stop",
            Self::SessionEnd => "SessionEnd",
            Self::Other(name) if name.is_empty() => "an event without a name",
            Self::Other(name) => {
                let is_word = name.chars().all(|letter| letter.is_ascii_alphanumeric());
                if is_word && name.len() <= MAX_NAME_BYTES {
                    name
                } else {
                    "an unknown event"
                }
            }
        })
    }
}

/// Reads a field that is a text and not empty.
fn text_of(field: Option<&RawValue>) -> Option<String> {
    let text: String = serde_json::from_str(field?.get()).ok()?;
    Some(text).filter(|text| !text.is_empty())
}
