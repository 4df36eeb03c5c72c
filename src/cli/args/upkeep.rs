//! The words of what is done to a store by hand, and of what is told without one.
//! May not do anything.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

use super::value::{session_key, span};
use crate::domain::{SessionKey, Span};

/// Which conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct SessionFilter {
    /// Only those whose working directory holds this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only those with messages from this time on (inclusive)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// Only those with messages before this time (exclusive)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) before: Option<String>,
    /// Only those whose title, or first words without one, holds this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
}

/// `sessions`.
#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Only those imported from this format
    #[arg(long, value_name = "F")]
    pub(crate) format: Option<String>,
    /// Which conversations.
    #[command(flatten)]
    pub(crate) filter: SessionFilter,
}

/// How a conversation is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// For people.
    Markdown,
    /// One JSON object a line, for `append`.
    Ndjson,
}

/// `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The conversation's key, or its beginning
    #[arg(long, value_name = "KEY", value_parser = session_key, required_unless_present = "all")]
    pub(crate) session: Option<SessionKey>,
    /// Every conversation, or those the filters leave; each to a file of its own
    #[arg(long, conflicts_with = "session", requires = "to")]
    pub(crate) all: bool,
    /// Only these messages, by their places: 5-20, or 5
    #[arg(long, value_name = "A-B", value_parser = span, conflicts_with = "all")]
    pub(crate) span: Option<Span>,
    /// How it is written: markdown, or ndjson to be appended again
    #[arg(
        long,
        value_enum,
        default_value = "markdown",
        hide_possible_values = true
    )]
    pub(crate) format: ExportFormat,
    /// Write new files in this folder instead of standard output
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: Option<PathBuf>,
    /// Which conversations.
    #[command(flatten)]
    pub(crate) filter: SessionFilter,
}

/// `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Say what could be repaired
    #[arg(long)]
    pub(crate) repair: bool,
    /// Repair it, after a copy of the store
    #[arg(long, requires = "repair")]
    pub(crate) yes: bool,
}

/// `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The new file
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", value_enum, hide_possible_values = true)]
    pub(crate) shell: Shell,
}

/// `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// A command of its own page
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}
