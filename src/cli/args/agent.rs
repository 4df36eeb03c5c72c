//! The words of commands for coding agents.

use clap::{Args, ValueEnum};

/// A coding agent that has hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code.
    ClaudeCode,
}

/// Whose settings are edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeOfAgent {
    /// The user's, for all projects.
    User,
    /// Those of the project in the current folder.
    Project,
}

/// `install` and `uninstall`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Whose settings: claude-code
    #[arg(value_name = "AGENT", value_enum, hide_possible_values = true)]
    pub(crate) agent: Agent,
    /// Show what would change and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// For all projects (user) or for the one in the current folder (project)
    #[arg(
        long,
        value_enum,
        value_name = "SCOPE",
        default_value = "user",
        hide_possible_values = true
    )]
    pub(crate) scope: ScopeOfAgent,
}

/// `hook`.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// Whose event it is: claude-code
    #[arg(value_name = "AGENT", value_enum, hide_possible_values = true)]
    pub(crate) agent: Agent,
}
