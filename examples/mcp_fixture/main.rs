//! What the conformance suite of the Model Context Protocol asks of a server, on this crate's
//! transports. The suite's own tools, prompts and resources stand in fixtures.json.
//! No memory is served here, and nothing is stored.
//!
//! `cargo run --example mcp_fixture -- 127.0.0.1:8000`, then run the suite against
//! `http://127.0.0.1:8000/mcp`. Without an address it serves a client on standard input and output.

mod asks;
mod fixtures;
mod handler;

use std::error::Error;

use hippocamp::mcp::{HTTP_PATH, HttpOptions, serve_http, serve_stdio};
use tokio::net::TcpListener;

use fixtures::Fixtures;
use handler::FixtureServer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = FixtureServer::new(Fixtures::read()?);
    let Some(address) = std::env::args().nth(1) else {
        return Ok(serve_stdio(server).await?);
    };
    let listener = TcpListener::bind(address).await?;
    eprintln!("serving at http://{}{HTTP_PATH}", listener.local_addr()?);
    let make = move || server.clone();
    Ok(serve_http(listener, HttpOptions::new(), make, std::future::pending()).await?)
}
