//! Clients of models against a server of ours that answers well, badly, slowly or not at all.

mod answers;
#[cfg(feature = "cli")]
mod command;
mod engine;
mod faults;
#[cfg(feature = "cli")]
mod keys;
mod overflow;
pub(crate) mod server;
pub(crate) mod shape;

use std::time::Duration;

use hippocamp::domain::Tokens;
use hippocamp::engine::{CompleteError, CompleteOptions, Completer, Completion};
use hippocamp::policy::prompt::Prompt;
use hippocamp::providers::Models;

/// Options that give a call this long.
fn within(timeout: Duration) -> CompleteOptions {
    CompleteOptions::new(Tokens::new(50), 0.2, timeout)
}

/// Asks with more time than any test takes.
async fn ask(models: &Models) -> Result<Completion, CompleteError> {
    let prompt = Prompt::new("Summarise.", "The pier is closed.");
    models
        .complete(&prompt, &within(Duration::from_mins(1)))
        .await
}
