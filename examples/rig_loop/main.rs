//! Talks with a model by rig, in a window of 8,000 tokens, for as long as you like.
//!
//! `OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_MODEL=… cargo run --features rig --example rig_loop`,
//! with `OPENAI_API_KEY` where the server wants one. Reads a prompt a line; the store is `agent.db`
//! here. For an address with https add the feature `providers`, which brings TLS.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]
#![expect(
    clippy::disallowed_methods,
    reason = "the server is named in the environment"
)]

mod agent;
#[path = "../openai_loop/start.rs"]
mod start;

use std::error::Error;
use std::process::ExitCode;

use agent::{Server, agent};
use hippocamp::domain::{SessionKey, Tokens, Window};
use hippocamp::engine::Engine;
use start::{ended, named};

#[tokio::main]
async fn main() -> ExitCode {
    ended(talk().await)
}

async fn talk() -> Result<(), Box<dyn Error>> {
    #[cfg(feature = "providers")]
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = Server {
        base_url: named("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")?,
        key: std::env::var("OPENAI_API_KEY").unwrap_or_default(),
        model: named("OPENAI_MODEL", "NAME")?,
    };
    let engine = Engine::builder("agent.db").build()?;
    let session = SessionKey::new("main")?;
    let window = Window::new(Tokens::new(8_000), Tokens::new(1_500), Tokens::new(3_000))?;
    let agent = agent(&engine, &session, window, &server);
    for line in std::io::stdin().lines() {
        println!("{}", agent.prompt(line?).await?.output());
    }
    drop(agent);
    Ok(engine.shutdown().await?)
}
