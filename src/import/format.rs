//! Formats by name. Owns what transcripts are called.
//! May not read one: the table says which can be read.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::table::FORMATS;

/// A format of transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// What Claude Code keeps under `projects`.
    ClaudeCode,
    /// The rollouts of the Codex CLI.
    Codex,
    /// The sessions of Pi.
    Pi,
    /// The sessions of `OpenClaw`.
    OpenClaw,
    /// The sessions and databases of `PicoClaw`.
    PicoClaw,
    /// The chats of the Gemini CLI.
    GeminiCli,
    /// The database of `OpenCode`.
    OpenCode,
    /// The sessions of Goose.
    Goose,
    /// Aider's chat history.
    Aider,
    /// The export of `ChatGPT`.
    ChatGpt,
    /// The export of Claude.ai.
    ClaudeAi,
    /// The trajectories of SWE-agent.
    SweAgent,
    /// The events of `OpenHands`.
    OpenHands,
    /// The wire logs of Kimi.
    Kimi,
}

/// A text that names no format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is no known format; known: {}", Format::known())]
pub struct FormatError {
    text: String,
}

impl Format {
    /// Returns the formats that can be read.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|spec| spec.format)
    }

    /// Returns the name that options, keys and accounts use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Pi => "pi",
            Self::OpenClaw => "openclaw",
            Self::PicoClaw => "picoclaw",
            Self::GeminiCli => "gemini-cli",
            Self::OpenCode => "opencode",
            Self::Goose => "goose",
            Self::Aider => "aider",
            Self::ChatGpt => "chatgpt",
            Self::ClaudeAi => "claude-ai",
            Self::SweAgent => "swe-agent",
            Self::OpenHands => "openhands",
            Self::Kimi => "kimi",
        }
    }

    /// Returns the names of all formats that can be read, for messages.
    #[must_use]
    pub fn known() -> String {
        let names: Vec<&str> = Self::all().map(Self::as_str).collect();
        names.join(", ")
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
        Self::all()
            .find(|format| format.as_str() == text)
            .ok_or_else(|| FormatError {
                text: text.to_owned(),
            })
    }
}
