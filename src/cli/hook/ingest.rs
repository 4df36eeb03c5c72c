//! The hook's work on the store: what is new in the transcripts goes in, and after a compaction the
//! way back to what went out of sight is told.

use std::time::Duration;

use super::event::{Event, Name, Source};
use super::files::{Files, files_of};
use super::recall::recall;
use crate::cli::commands::configured;
use crate::cli::config::Settings;
use crate::cli::failure::Failure;
use crate::domain::SessionKey;
use crate::engine::{Durability, Engine, EngineError, StoreThreads};
use crate::import::{Format, ImportAccount, ImportOptions, Problem, Recheck, import_paths};
use crate::store::StoreError;

/// How long an event waits for another process that writes, if another event follows: less than the
/// start of a process takes.
const IN_PASSING: Duration = Duration::from_millis(2);

/// What came of an event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// What the model is told.
    pub(super) context: Option<String>,
    /// What went wrong.
    pub(super) troubles: Vec<String>,
}

/// Does what an event asks for.
pub(super) fn work(event: &Event, settings: &Settings) -> Outcome {
    let files = files_of(event, settings.home.as_deref());
    let asks = matches!(event.name, Name::SessionStart(Source::Compact));
    if files.paths.is_empty() && !asks {
        return Outcome {
            context: None,
            troubles: files.troubles,
        };
    }
    // One thread of its own is less than a pool of them, where one record is read.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(on_store(event, files, settings)),
        Err(error) => Outcome {
            context: None,
            troubles: vec![format!("no thread can be started: {}", error.kind())],
        },
    }
}

async fn on_store(event: &Event, files: Files, settings: &Settings) -> Outcome {
    let mut troubles = files.troubles;
    let builder = Engine::builder(&settings.db)
        // The transcript is the source: what a power cut takes is read from it again.
        .durability(Durability::Brief)
        .store_threads(StoreThreads::Caller);
    let engine = match configured(settings, builder).build() {
        Ok(engine) => engine,
        Err(error) => {
            troubles.push(told(&Failure::at_opening(error)));
            return Outcome {
                context: None,
                troubles,
            };
        }
    };
    // Whatever a host names as its transcript is read as one: nothing else is looked for in it.
    let options = ImportOptions::new(engine.now())
        .format(Format::ClaudeCode)
        .recheck(recheck_of(&event.name));
    let waiting = waiting_of(&event.name);
    if waiting == Waiting::InPassing
        && let Err(error) = engine.wait_at_most(IN_PASSING).await
    {
        troubles.push(told(&Failure::from(error)));
    }
    match import_paths(&engine, &files.paths, &options, &mut |_| {}).await {
        Ok(account) => troubles.extend(troubles_of(&account)),
        Err(error) => {
            troubles.extend(troubles_of(&error.account));
            let is_busy = matches!(error.source, EngineError::Store(StoreError::Busy));
            if !is_busy || waiting == Waiting::Patiently {
                troubles.push(told(&Failure::from(error.source)));
            }
        }
    }
    let mut context = None;
    if event.name == Name::SessionStart(Source::Compact)
        && let Some(session) = session_of(event)
    {
        match recall(&engine, &session).await {
            Ok(text) => context = text,
            Err(error) => troubles.push(told(&Failure::from(error))),
        }
    }
    if let Err(error) = engine.shutdown().await {
        troubles.push(told(&Failure::from(error)));
    }
    Outcome { context, troubles }
}

/// Whether an event is worth waiting for while another process writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// The host is at work and another event follows: it takes in what this one leaves.
    InPassing,
    /// A turn, a sub-agent or the session begins, rests or ends.
    Patiently,
}

fn waiting_of(name: &Name) -> Waiting {
    match name {
        Name::Other(_) => Waiting::InPassing,
        Name::SessionStart(_)
        | Name::SubagentStop
        | Name::PreCompact
        | Name::Stop
        | Name::SessionEnd => Waiting::Patiently,
    }
}

/// Hosts write their transcripts on. Where one has been written anew all the same, that is seen at
/// the latest when the session begins, is compacted or ends: there all of it is read again.
fn recheck_of(name: &Name) -> Recheck {
    match name {
        Name::Other(_) | Name::SubagentStop | Name::Stop => Recheck::Ends,
        Name::SessionStart(_) | Name::PreCompact | Name::SessionEnd => Recheck::Whole,
    }
}

/// Returns the key that the import gives the session.
fn session_of(event: &Event) -> Option<SessionKey> {
    let id = event.session.as_ref()?;
    SessionKey::new(format!("{}:{id}", Format::ClaudeCode)).ok()
}

fn told(failure: &Failure) -> String {
    format!("{}: {}", failure.kind, failure.message)
}

/// Says what was not taken in, in counts: reasons may quote what a record says.
fn troubles_of(account: &ImportAccount) -> Vec<String> {
    let mut troubles = Vec::new();
    for file in &account.files {
        match &file.problem {
            Some(Problem::Foreign { .. }) => {
                troubles.push("a transcript is of no known format".to_owned());
            }
            Some(Problem::NotFound) => troubles.push("a transcript has gone".to_owned()),
            Some(Problem::Unreadable { .. }) => {
                troubles.push("a transcript cannot be read further".to_owned());
            }
            None => {}
        }
        if file.counts.refused > 0 {
            let n_refused = file.counts.refused;
            troubles.push(format!("{n_refused} records of a transcript were refused"));
        }
    }
    troubles
}
