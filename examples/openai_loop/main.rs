//! Talks with a model behind any server that speaks as OpenAI's Chat Completions, in a window of 8,000
//! tokens, for as long as you like: nothing is forgotten, and the model looks up what it no longer sees.
//!
//! `OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_MODEL=… cargo run --example openai_loop`, with
//! `OPENAI_API_KEY` where the server wants one. Reads a prompt a line; the store is `agent.db` here.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]
#![expect(
    clippy::disallowed_methods,
    reason = "the server is named in the environment"
)]
#![expect(
    clippy::indexing_slicing,
    reason = "JSON has null for what is not there"
)]

mod agent;
mod start;

use std::error::Error;
use std::process::ExitCode;

use agent::Agent;
use hippocamp::domain::{SessionKey, Tokens, Window};
use hippocamp::engine::Engine;
use start::{ended, named};

#[tokio::main]
async fn main() -> ExitCode {
    ended(talk().await)
}

async fn talk() -> Result<(), Box<dyn Error>> {
    // Says which cryptography TLS uses; an https server is trusted as the system does.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let base_url = named("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")?;
    let model = named("OPENAI_MODEL", "NAME")?;
    let agent = Agent {
        engine: Engine::builder("agent.db").build()?,
        session: SessionKey::new("main")?,
        window: Window::new(Tokens::new(8_000), Tokens::new(1_500), Tokens::new(1_000))?,
        http: reqwest::Client::new(),
        base_url,
        key: std::env::var("OPENAI_API_KEY").ok(),
        model,
    };
    for line in std::io::stdin().lines() {
        println!("{}", agent.ask(&line?).await?);
    }
    Ok(agent.engine.shutdown().await?)
}
