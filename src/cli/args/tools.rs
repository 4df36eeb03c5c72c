//! The words of `tools`.
//! May not do anything.

use clap::Args;

use super::value::{optional_tool, tool_format};
use crate::tools::{OptionalTool, ToolFormat};

/// `tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// Whose form: openai (or openai-chat), openai-responses, anthropic or gemini
    #[arg(long, value_name = "F", value_parser = tool_format)]
    pub(crate) format: ToolFormat,
    /// Tools beside `short_grep` and `short_expand`: `short_compact`, `pin`
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', value_parser = optional_tool)]
    pub(crate) with: Vec<OptionalTool>,
    /// Have the provider hold the model to the schema
    #[arg(long)]
    pub(crate) strict: bool,
}
