//! Formats by name. Owns which transcripts can be read.
//! May not read one.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A format of transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// The JSON lines that Claude Code keeps under `projects`.
    ClaudeCode,
}

/// A text that names no format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is no known format; known: {}", Format::known())]
pub struct FormatError {
    text: String,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 1] = [Self::ClaudeCode];

    /// Returns the name that options, keys and accounts use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
        }
    }

    /// Returns the names of all formats, for messages.
    #[must_use]
    pub fn known() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == text)
            .ok_or_else(|| FormatError {
                text: text.to_owned(),
            })
    }
}
