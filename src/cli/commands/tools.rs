//! `tools`: what a host tells a provider of the tools.

use serde_json::json;

use crate::cli::args::ToolsArgs;
use crate::cli::failure::Failure;
use crate::cli::reply::Reply;
use crate::tools::{declare, schema_with};

/// Needs neither a store nor settings.
pub(super) fn run(args: &ToolsArgs) -> Result<Reply, Failure> {
    let format = if args.strict {
        let strict = args.format.strict();
        strict.map_err(|error| Failure::usage(format!("--strict: {error}")))?
    } else {
        args.format
    };
    let tools = declare(&schema_with(&args.with), format);
    let text = format!("{tools}\n");
    Ok(Reply::new(json!({"tools": tools}), text))
}
