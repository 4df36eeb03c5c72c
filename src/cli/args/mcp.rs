//! The words of the MCP server. Owns which tools can be asked for.
//! May not do anything.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::value::session_key;
use crate::domain::SessionKey;

/// A tool that is there only where it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ToolArg {
    /// Lets the model ask for a summary when its turn has ended.
    ShortCompact,
    /// Lets the model keep words in view.
    Pin,
    /// Lets the host store the messages of a turn.
    Remember,
    /// Lets the host ask for the view.
    Context,
}

/// `mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// The conversation that every call is about [default: each call names its own]
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: Option<SessionKey>,
    /// More tools, with commas between: `short_compact`, `pin`; for hosts `remember`, `context`
    #[arg(
        long,
        value_name = "TOOLS",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub(crate) with: Vec<ToolArg>,
    /// Refuse `all_conversations`: a call sees its own conversation only
    #[arg(long)]
    pub(crate) confine: bool,
    /// Serve over HTTP at this address, such as 127.0.0.1:8000, instead of on stdin and stdout
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) http: Option<SocketAddr>,
    /// A file with the token that clients must show [default: `HIPPOCAMP_MCP_TOKEN`, or none]
    #[arg(long, value_name = "PATH", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Also let in requests to this host, with a port or without
    #[arg(long, value_name = "HOST", requires = "http", value_parser = host)]
    pub(crate) allow_host: Vec<String>,
    /// Also let in pages of this origin, such as `https://app.example:443` or `http://dev.example:*`
    #[arg(long, value_name = "ORIGIN", requires = "http", value_parser = origin)]
    pub(crate) allow_origin: Vec<String>,
}

/// Reads an address; `localhost` is this machine.
fn address(text: &str) -> Result<SocketAddr, String> {
    let local = text
        .strip_prefix("localhost:")
        .and_then(|port| port.parse().ok());
    if let Some(port) = local {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    text.parse()
        .map_err(|_| "it must be an address and a port, such as 127.0.0.1:8000".to_owned())
}

/// Reads a host, with a port or without, as it stands in the header `Host`.
fn host(text: &str) -> Result<String, String> {
    let is_host = !text.is_empty() && !text.contains(['/', ' ', '@', '*']);
    if is_host {
        Ok(text.to_owned())
    } else {
        Err("it must be a host, such as app.example or app.example:8443".to_owned())
    }
}

/// Reads an origin: a scheme and a host, and a port or `*`.
fn origin(text: &str) -> Result<String, String> {
    let is_origin = text.split_once("://").is_some_and(|(scheme, host)| {
        !scheme.is_empty() && !host.is_empty() && !host.contains(['/', ' '])
    });
    if is_origin || text == "null" {
        Ok(text.to_owned())
    } else {
        Err("it must be a scheme and a host, such as https://app.example:443".to_owned())
    }
}
