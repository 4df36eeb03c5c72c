//! From stdin to the answer. Owns the time a hook may take, and that every fault ends as a line in
//! the log.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::json;

use super::event::{Event, Name};
use super::files::is_plain;
use super::ingest::{Outcome, work};
use super::{log, size_limit};
use crate::cli::config::{self, Environment, Flags};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::escape_json;

/// How long the host waits at most. What is not stored by then is read at the next event.
const PATIENCE: Duration = Duration::from_secs(2);
/// As a session starts: there may be much to read, and nobody types yet.
const PATIENCE_AT_START: Duration = Duration::from_secs(5);
/// As it ends: the host itself gives no more than a second and a half.
const PATIENCE_AT_END: Duration = Duration::from_secs(1);
/// Bytes of an event that are read; a host sends the result of a call whole.
const MAX_STDIN: u64 = 64 << 20;

/// What was seen of an event, as far as it was read.
pub(super) type Seen = Option<Box<Event>>;

/// Answers one event. Never fails: what went wrong stands in the log.
pub(crate) fn run(flags: &Flags) -> Exit {
    let begun = Instant::now();
    // What a panic says may quote what was read.
    std::panic::set_hook(Box::new(|_| {}));
    size_limit::outlive();
    let done = catch_unwind(AssertUnwindSafe(|| answer(flags, begun)));
    // Not even the log could be written, and nobody else is there to be told.
    drop(done);
    Exit::Done
}

/// Ends a call that cannot be understood: a host reads an exit of 2 as a veto, so that settings written
/// for another version would stop it.
pub(crate) fn misused(failure: &Failure) -> Exit {
    if let Some(state_folder) = config::read_environment().state_dir {
        let words = failure.message.replace('\n', " ");
        // It stands on stderr too.
        let _ = log::note(
            &state_folder,
            &format!("a call that is not understood: {words}"),
        );
    }
    Exit::Done
}

fn answer(flags: &Flags, begun: Instant) {
    let environment = config::read_environment();
    let state_folder = environment.state_dir.clone();
    let (teller, told) = channel();
    // The work is done on the first thread, where memory is had at the least cost; the second one
    // does nothing but wait.
    let watching = std::thread::Builder::new()
        .name("hippocamp-watch".to_owned())
        .spawn(move || watch(&told, begun, state_folder.as_deref()));
    let (event, outcome) = match watching {
        Ok(_) => guarded(|seen| attend(flags, &environment, &teller, seen)),
        Err(error) => {
            let trouble = format!("no thread can be started: {}", error.kind());
            (None, Outcome::failed(trouble))
        }
    };
    if let (Some(event), Some(context)) = (&event, &outcome.context) {
        print(&event.name, context);
    }
    // The watcher ends by this: there shall be one line in the log.
    drop(teller);
    if let Some(state_folder) = &environment.state_dir {
        note(state_folder, event.as_deref(), &outcome.troubles);
    }
}

/// Ends the process when the host has waited as long as it can be made to. Returns when nobody is left
/// to be waited for.
fn watch(told: &Receiver<Box<Event>>, begun: Instant, state_folder: Option<&Path>) {
    let mut event: Seen = None;
    loop {
        let patience = match event.as_ref().map(|event| &event.name) {
            Some(Name::SessionStart(_)) => PATIENCE_AT_START,
            Some(Name::SessionEnd) => PATIENCE_AT_END,
            _ => PATIENCE,
        };
        let left = patience.saturating_sub(begun.elapsed());
        match told.recv_timeout(left) {
            Ok(read) => event = Some(read),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let seconds = patience.as_secs();
                let trouble = format!(
                    "given up after {seconds} s; what is not stored is read at the next event"
                );
                if let Some(state_folder) = state_folder {
                    note(state_folder, event.as_deref(), &[trouble]);
                }
                std::process::exit(Exit::Done.code().into());
            }
        }
    }
}

/// Does the work; a panic in it is a trouble like others.
pub(super) fn guarded(work: impl FnOnce(&mut Seen) -> Outcome) -> (Seen, Outcome) {
    let mut seen = None;
    let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut seen))).unwrap_or_else(|_| {
        Outcome::failed("a fault of hippocamp's own; please report it".to_owned())
    });
    (seen, outcome)
}

/// Reads the event and does what it asks for.
fn attend(
    flags: &Flags,
    environment: &Environment,
    teller: &Sender<Box<Event>>,
    seen: &mut Seen,
) -> Outcome {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MAX_STDIN).read_to_end(&mut bytes);
    if let Err(error) = read {
        return Outcome::failed(format!("stdin cannot be read: {}", error.kind()));
    }
    let event = match Event::read(&bytes) {
        Ok(event) => event,
        Err(trouble) => return Outcome::failed(trouble),
    };
    drop(bytes);
    // The watcher is there for as long as this is.
    drop(teller.send(Box::new(event.clone())));
    *seen = Some(Box::new(event.clone()));
    let settings = config::read_file(flags, environment)
        .and_then(|file| config::resolve(flags, environment, &file));
    match settings {
        Ok(settings) => work(&event, &settings),
        Err(failure) => Outcome::failed(format!("{}: {}", failure.kind, failure.message)),
    }
}

impl Outcome {
    fn failed(trouble: String) -> Self {
        Self {
            context: None,
            troubles: vec![trouble],
        }
    }
}

/// Prints what the host hands to the model.
fn print(name: &Name, context: &str) {
    let Name::SessionStart(_) = name else { return };
    let answer = json!({
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": context,
        }
    });
    let line = format!("{}\n", escape_json(&answer.to_string()));
    let mut stdout = io::stdout().lock();
    // A host that does not listen misses nothing that it cannot ask for.
    let _ = stdout
        .write_all(line.as_bytes())
        .and_then(|()| stdout.flush());
}

pub(super) fn note(state_folder: &Path, event: Option<&Event>, troubles: &[String]) {
    if troubles.is_empty() {
        return;
    }
    let name = event.map_or_else(
        || "an event that cannot be read".to_owned(),
        |event| event.name.to_string(),
    );
    let session = match event.and_then(|event| event.session.as_deref()) {
        Some(session) if is_plain(session) => format!(" of {session}"),
        Some(_) => " of a session with an odd id".to_owned(),
        None => String::new(),
    };
    let troubles = troubles.join("; ");
    // There is no other place to say that this one cannot be written.
    let _ = log::note(state_folder, &format!("{name}{session}: {troubles}"));
}
