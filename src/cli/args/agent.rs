//! The words of commands for coding agents.

use clap::{Args, ValueEnum};

/// A coding agent that has hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code.
    ClaudeCode,
}

/// `hook`.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// Whose event it is: claude-code
    #[arg(value_name = "AGENT", value_enum, hide_possible_values = true)]
    pub(crate) agent: Agent,
}
