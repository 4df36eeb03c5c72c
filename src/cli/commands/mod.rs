//! One file per command. Each asks the engine and turns the answer into a reply.

mod append;
mod around;
mod backup;
mod compact;
mod config;
mod context;
mod copies;
mod doctor;
mod events;
mod expand;
mod export;
mod fork;
mod grep;
mod import;
#[cfg(feature = "mcp")]
mod mcp;
mod named;
mod pins;
mod progress;
mod reindex;
mod sessions;
mod squeeze;
mod stats;
mod status;
mod tools;
mod tree;
mod turn;

use std::sync::Arc;

use super::args::Command;
use super::config::Settings;
use super::demo;
use super::exit::Exit;
use super::failure::Failure;
use super::pages;
use super::reply::Reply;
use super::temporary::TemporaryFolder;
use super::terminal::{Form, Talk};
use crate::engine::{Engine, EngineBuilder, OpenMode};
use crate::providers::Models;

pub(crate) use expand::expand_text;
pub(crate) use grep::{Beside, grep_text};
pub(crate) use stats::curve_text;

/// Answers a command that needs neither a store nor settings; none for the others.
pub(crate) fn without_settings(command: &Command) -> Option<Result<Reply, Failure>> {
    match command {
        Command::Completions(args) => Some(Ok(pages::completions(args.shell))),
        Command::Man(args) => Some(pages::manual(args.command.as_deref())),
        Command::Tools(args) => Some(tools::run(args)),
        Command::Compact(args) if args.stdin => Some(squeeze::run()),
        _ => None,
    }
}

/// Runs a command to its end.
pub(crate) fn run(
    command: Command,
    settings: &Settings,
    form: Form,
    talk: Talk,
) -> Result<Reply, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(
                Exit::Failed,
                "failed",
                format!("cannot start threads: {error}"),
            )
        })?;
    let reply = runtime.block_on(dispatch(command, settings, form, talk));
    // A thread that reads standard input cannot be called back, and nothing waits for it: the
    // engine has been shut down.
    runtime.shutdown_background();
    reply
}

async fn dispatch(
    command: Command,
    settings: &Settings,
    form: Form,
    talk: Talk,
) -> Result<Reply, Failure> {
    match command {
        Command::Demo => demo::run(settings, form, talk).await,
        Command::Import(args) => import::run(settings, &args, form, talk).await,
        Command::Append(args) => append::run(settings, &args).await,
        Command::Turn(args) => turn::run(settings, &args).await,
        Command::Fork(args) => {
            reading(settings, async |engine| fork::run(engine, &args).await).await
        }
        Command::Context(args) => {
            reading(settings, async |engine| {
                context::run(engine, settings, &args).await
            })
            .await
        }
        Command::Compact(args) => {
            // Without a key it is `--stdin`, which is answered without a store.
            let Some(session) = &args.session else {
                return squeeze::run();
            };
            summarising(settings, OpenMode::Existing, async |engine| {
                compact::run(engine, settings, session, &args).await
            })
            .await
        }
        Command::Grep(args) => {
            reading(settings, async |engine| {
                grep::run(engine, settings, &args).await
            })
            .await
        }
        Command::Expand(args) => expand::run(settings, &args).await,
        Command::Pin(args) => {
            reading(settings, async |engine| pins::pin(engine, &args).await).await
        }
        Command::Unpin(args) => {
            reading(settings, async |engine| pins::unpin(engine, &args).await).await
        }
        Command::Pins(args) => {
            reading(settings, async |engine| pins::pins(engine, &args).await).await
        }
        Command::Tree(args) => {
            reading(settings, async |engine| tree::run(engine, &args).await).await
        }
        Command::Sessions(args) => {
            reading(settings, async |engine| {
                sessions::run(engine, settings, &args).await
            })
            .await
        }
        Command::Stats(args) => {
            reading(settings, async |engine| stats::run(engine, &args).await).await
        }
        Command::Status => reading(settings, async |engine| status::run(engine).await).await,
        Command::Events(args) => {
            reading(settings, async |engine| events::run(engine, &args).await).await
        }
        Command::Doctor(args) => {
            let bar = progress::steps(form, talk);
            reading(settings, async |engine| {
                doctor::run(engine, &args, &settings.db, bar).await
            })
            .await
        }
        Command::Export(args) => {
            reading(settings, async |engine| {
                export::run(engine, &args, form).await
            })
            .await
        }
        Command::Backup(args) => {
            let bar = progress::steps(form, talk);
            reading(settings, async |engine| {
                backup::run(engine, &args, bar).await
            })
            .await
        }
        Command::Reindex => {
            let bar = progress::steps(form, talk);
            reading(settings, async |engine| reindex::run(engine, &bar).await).await
        }
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => mcp::run(settings, &args, talk).await,
        Command::Config => Ok(config::run(settings)),
        other @ (Command::Completions(_)
        | Command::Man(_)
        | Command::Tools(_)
        | Command::Hook(_)
        | Command::Install(_)
        | Command::Uninstall(_)) => without_settings(&other)
            .unwrap_or_else(|| Err(Failure::usage("this command needs no store"))),
    }
}

/// Does `work` on a store that must be there.
pub(crate) async fn reading(
    settings: &Settings,
    work: impl AsyncFnOnce(&Engine) -> Result<Reply, Failure>,
) -> Result<Reply, Failure> {
    with_engine(settings, OpenMode::Existing, work).await
}

/// Does `work` on a store that is made if it is not there.
pub(crate) async fn writing(
    settings: &Settings,
    work: impl AsyncFnOnce(&Engine) -> Result<Reply, Failure>,
) -> Result<Reply, Failure> {
    with_engine(settings, OpenMode::Create, work).await
}

/// Does `work` on a store that is gone afterwards.
pub(crate) async fn on_temporary_store(
    settings: &Settings,
    work: impl AsyncFnOnce(&Engine) -> Result<Reply, Failure>,
) -> Result<Reply, Failure> {
    let folder = TemporaryFolder::make().map_err(|error| {
        Failure::new(
            Exit::Failed,
            "io",
            format!("cannot make a temporary folder: {error}"),
        )
    })?;
    let settings = Settings {
        db: folder.path().join("hippocamp.db"),
        ..settings.clone()
    };
    writing(&settings, work).await
}

/// Does `work` on a store with the models that are configured: for commands that summarise.
pub(crate) async fn summarising(
    settings: &Settings,
    mode: OpenMode,
    work: impl AsyncFnOnce(&Engine) -> Result<Reply, Failure>,
) -> Result<Reply, Failure> {
    let builder = Engine::builder(&settings.db);
    let builder = match models(settings)? {
        Some(models) => builder.completer(Arc::new(models)),
        None => builder,
    };
    with_builder(settings, builder, mode, work).await
}

/// Makes clients of the models that are configured.
fn models(settings: &Settings) -> Result<Option<Models>, Failure> {
    if settings.models.is_empty() {
        return Ok(None);
    }
    let environment = |name: &str| settings.providers.get(name);
    Models::new(settings.models.clone(), &environment)
        .map(Some)
        .map_err(|error| {
            Failure::new(Exit::Usage, "config", error.to_string())
                .with_hint("without `model` the summaries are written with no model")
        })
}

async fn with_engine(
    settings: &Settings,
    mode: OpenMode,
    work: impl AsyncFnOnce(&Engine) -> Result<Reply, Failure>,
) -> Result<Reply, Failure> {
    with_builder(settings, Engine::builder(&settings.db), mode, work).await
}

/// Gives an engine what is configured.
pub(crate) fn configured(settings: &Settings, builder: EngineBuilder) -> EngineBuilder {
    builder
        .window(settings.window.window())
        .limits(settings.limits.clone())
        .leaf_mode(settings.leaf)
        .auto_pins(settings.auto_pins)
        .redactor(Arc::new(settings.redact.clone()))
}

async fn with_builder(
    settings: &Settings,
    builder: EngineBuilder,
    mode: OpenMode,
    work: impl AsyncFnOnce(&Engine) -> Result<Reply, Failure>,
) -> Result<Reply, Failure> {
    let engine = configured(settings, builder)
        .open_mode(mode)
        .build()
        .map_err(Failure::at_opening)?;
    let reply = work(&engine).await;
    let closed = engine.shutdown().await;
    let mut reply = reply?;
    if let Err(error) = closed {
        let failure = Failure::from(error);
        match mode {
            OpenMode::Create => reply.failure = reply.failure.or(Some(failure)),
            // What was asked for is answered; the step is made up for by whoever writes next.
            _ => reply.notes.push(failure.message),
        }
    }
    Ok(reply)
}
