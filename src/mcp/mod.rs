//! The MCP server. Owns the way from a client's line or request to a tool, and back.
//! May not know what a tool does; its transports know no tool at all, and serve any handler.
//!
//! [`serve_lines`] and [`serve_stdio`] speak JSON-RPC on lines, [`serve_http`] over HTTP; [`MemoryServer`] is the handler
//! with the tools of a store.

mod advice;
mod binding;
mod bodies;
mod catalog;
mod connections;
mod context;
mod decode;
mod fault;
mod gate;
mod http;
mod in_flight;
mod kept;
mod lines;
mod outlet;
mod progress;
mod reader;
mod remember;
mod server;
mod sessions;
mod stdio;
mod whose;

pub use binding::{Binding, SESSION_HEADER};
pub use gate::{HttpOptions, OpenToAll, Token, TokenError};
pub use http::{HTTP_PATH, serve_http};
pub use lines::LineTransport;
pub use reader::MAX_MESSAGE_BYTES;
pub use server::{HostTool, MemoryServer, ServerOptions, Sight};
pub use stdio::{ServeError, serve_lines, serve_stdio};
