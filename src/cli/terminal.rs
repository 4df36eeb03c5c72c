//! The process's streams. Owns what is printed where, and that a closed pipe is no error.

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use super::exit::Exit;
use super::failure::Failure;
use super::paint::{BAD, DIM, PathForm, escape_json, painted};
use super::reply::Reply;
use crate::render::text::safe;

/// In which form answers and errors are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// One object.
    Json,
}

/// How much is said on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// Errors only.
    Quiet,
    /// Remarks too.
    Usual,
}

/// Prints an answer and returns how the process ends.
pub(crate) fn print_reply(reply: &Reply, form: Form, talk: Talk) -> Exit {
    if talk == Talk::Usual {
        for note in &reply.notes {
            print_note(note);
        }
    }
    let printed = match form {
        Form::Json if reply.json.is_null() => Ok(()),
        Form::Json => print_json(reply),
        Form::Text => print_text(&reply.text),
    };
    let exit = match printed {
        Ok(()) => reply.exit,
        // Whoever reads has enough: that is no failure, and no reason to speak.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Exit::Done,
        Err(error) => {
            let failure = Failure::new(
                Exit::Failed,
                "io",
                format!("cannot write to standard output: {error}"),
            );
            print_failure(&failure, form);
            reply.exit.or(Exit::Failed)
        }
    };
    match &reply.failure {
        Some(failure) => {
            print_failure(failure, form);
            exit.or(failure.exit)
        }
        None => exit,
    }
}

/// Prints an error on stderr.
pub(crate) fn print_failure(failure: &Failure, form: Form) {
    let mut stderr = anstream::stderr().lock();
    // Nothing can be said where stderr itself is gone.
    let _ = match form {
        Form::Json => writeln!(stderr, "{}", escape_json(&failure.to_json().to_string())),
        Form::Text => {
            let message = safe(&failure.message);
            let hint = failure.hint.as_deref().map(safe);
            let hint = hint.map(|hint| format!("\n{}", painted(DIM, format!("hint: {hint}"))));
            let hint = hint.unwrap_or_default();
            writeln!(stderr, "{} {message}{hint}", painted(BAD, "error:"))
        }
    };
}

/// Prints a remark on stderr.
pub(crate) fn print_note(note: &str) {
    let mut stderr = anstream::stderr().lock();
    // Nothing can be said where stderr itself is gone.
    let _ = writeln!(stderr, "{}", painted(DIM, safe(note)));
}

/// Prints text on stdout; styles reach a terminal only.
pub(crate) fn print_text(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

fn print_json(reply: &Reply) -> io::Result<()> {
    let json = serde_json::to_string(reply)?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(escape_json(&json).as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

/// Reads all of stdin.
///
/// # Errors
/// Usage if stdin is a terminal, since nobody types JSON by hand without knowing it.
pub(crate) fn read_stdin() -> Result<Vec<u8>, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(Failure::usage(
            "messages are read from standard input, and that is a terminal",
        )
        .with_hint("pipe them in, one JSON object a line: … | hippocamp append --session KEY"));
    }
    let mut bytes = Vec::new();
    stdin.lock().read_to_end(&mut bytes).map_err(|error| {
        Failure::new(
            Exit::Failed,
            "io",
            format!("cannot read standard input: {error}"),
        )
    })?;
    Ok(bytes)
}

/// Returns how paths are shown on stdout.
pub(crate) fn path_form(home: Option<&Path>) -> PathForm<'_> {
    if io::stdout().is_terminal() {
        PathForm::Short { home }
    } else {
        PathForm::Whole
    }
}

/// Says whether progress can be drawn.
pub(crate) fn shows_progress(form: Form, talk: Talk) -> bool {
    form == Form::Text && talk == Talk::Usual && io::stderr().is_terminal()
}
