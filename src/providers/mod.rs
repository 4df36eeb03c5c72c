//! Clients of models. Owns how a model is named, reached, asked again and given up on.
//! May not write a summary or choose what is asked; the engine does, through [`Completer`].
//!
//! The requests and answers of each provider are those of the crate `genai`; where its errors would
//! quote a request, they are said anew here.
//!
//! ```no_run
//! use std::sync::Arc;
//! use hippocamp::engine::Engine;
//! use hippocamp::providers::Models;
//!
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // `environment` is how your program looks variables up; keys come from nowhere else.
//! let environment = |name: &str| std::env::var(name).ok();
//! let models = Models::named(["anthropic/claude-haiku-4-5", "ollama/qwen3"], &environment)?;
//! let engine = Engine::builder("agent.db").completer(Arc::new(models)).build()?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Completer`]: crate::engine::Completer

mod client;
mod endpoint;
mod fault;
mod http;
mod models;
mod name;
mod retry;
#[cfg(test)]
mod tests;

pub use endpoint::{ApiKey, EndpointError, VARIABLES};
pub use models::{Models, ModelsError};
pub use name::{ModelName, ModelNameError, Provider};
pub use retry::RetryPolicy;
