//! Where a coding agent keeps its settings. May not read them.

use std::path::{Path, PathBuf};

use crate::cli::args::ScopeOfAgent;

/// The files of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    /// Its settings, which hold the hooks.
    pub(super) settings: PathBuf,
    /// Its list of MCP servers.
    pub(super) servers: PathBuf,
}

/// Returns the files of Claude Code; none where there is no home.
pub(super) fn claude_code(
    scope: ScopeOfAgent,
    home: Option<&Path>,
    config_dir: Option<&Path>,
    project: &Path,
) -> Option<Places> {
    Some(match scope {
        ScopeOfAgent::Project => Places {
            settings: project.join(".claude").join("settings.json"),
            servers: project.join(".mcp.json"),
        },
        ScopeOfAgent::User => Places {
            settings: match config_dir {
                Some(folder) => folder.join("settings.json"),
                None => home?.join(".claude").join("settings.json"),
            },
            // Beside the folder of settings, unless that was moved: then in it.
            servers: config_dir.or(home)?.join(".claude.json"),
        },
    })
}
