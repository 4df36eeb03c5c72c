//! How the examples that talk with a server begin and end.

use std::error::Error;
use std::process::ExitCode;

/// Says on stderr why a talk broke off, with each cause.
pub(crate) fn ended(talk: Result<(), Box<dyn Error>>) -> ExitCode {
    let Err(error) = talk else {
        return ExitCode::SUCCESS;
    };
    eprint!("{error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprint!(": {error}");
        cause = error.source();
    }
    eprintln!();
    ExitCode::FAILURE
}

/// Reads a variable that has to be set.
pub(crate) fn named(name: &str, such_as: &str) -> Result<String, String> {
    std::env::var(name)
        .map_err(|_| format!("{name} is not set; write {name}={such_as} before the command"))
}
