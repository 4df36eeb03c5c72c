//! `demo`: the whole story in a few seconds, in a store that is gone afterwards.

mod code;
mod random;
mod show;
mod story;
mod words;

use indicatif::{ProgressBar, ProgressStyle};

use self::show::Shown;
use self::story::{QUESTION, Turn, story, tokens_of};
use super::config::Settings;
use super::exit::Exit;
use super::failure::Failure;
use super::reply::Reply;
use super::temporary::TemporaryFolder;
use super::terminal::{Form, Talk, shows_progress};
use crate::domain::{
    ExpandReply, ExpandRequest, GrepReply, GrepRequest, Reach, SessionKey, Tokens, ToolResults,
    Window,
};
use crate::engine::{Durability, Engine, ViewBudget};
use crate::tools::PAGE_TOKENS;

/// The window that the story is squeezed through.
const WINDOW: Tokens = Tokens::new(8_000);
const SESSION: &str = "tidewater";

/// Replays the story and shows what came of it.
pub(super) async fn run(settings: &Settings, form: Form, talk: Talk) -> Result<Reply, Failure> {
    let folder = TemporaryFolder::make().map_err(|error| {
        let message = format!("cannot make a temporary folder: {error}");
        Failure::new(Exit::Failed, "io", message)
    })?;
    let window = Window::of(WINDOW).map_err(|error| Failure::usage(error.to_string()))?;
    let engine = Engine::builder(folder.path().join("demo.db"))
        .window(window)
        .limits(settings.limits.clone())
        .leaf_mode(settings.leaf)
        .auto_pins(settings.auto_pins)
        .durability(Durability::Normal)
        .build()
        .map_err(Failure::at_opening)?;
    let shown = replay(&engine, window, progress_bar(form, talk)).await;
    let closed = engine.shutdown().await;
    let shown = shown?;
    closed?;
    let reply = Reply::new(show::to_json(&shown), show::text(&shown));
    let is_sound = shown.checks.iter().all(|check| check.is_ok);
    let exit = if is_sound { Exit::Done } else { Exit::Damage };
    Ok(reply.with_exit(exit))
}

async fn replay(engine: &Engine, window: Window, bar: ProgressBar) -> Result<Shown, Failure> {
    let session = SessionKey::new(SESSION).map_err(|error| Failure::usage(error.to_string()))?;
    let turns = story();
    bar.set_length(turns.len() as u64);
    let mut largest_view = Tokens::ZERO;
    let (n_turns, n_messages) = (turns.len(), turns.iter().map(Vec::len).sum());
    let story_tokens = turns.iter().map(tokens_of).sum();
    for turn in turns {
        largest_view = largest_view.max(one_turn(engine, &session, turn, window).await?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let found = engine
        .grep(&GrepRequest::new(QUESTION, Reach::Session(session.clone())))
        .await?;
    let expanded = expand_first(engine, &session, &found).await?;
    Ok(Shown {
        n_turns,
        n_messages,
        story_tokens,
        largest_view,
        tree: engine.tree(&session).await?,
        curve: engine.curve(&session).await?,
        found,
        expanded,
        view: engine.view(&session, ViewBudget::Configured).await?,
        checks: engine.doctor().await?,
        now: engine.now(),
    })
}

/// Plays one turn and returns what the view then holds. Waiting for the background after each
/// turn makes the demo the same on every machine; a host would not wait.
async fn one_turn(
    engine: &Engine,
    session: &SessionKey,
    turn: Turn,
    window: Window,
) -> Result<Tokens, Failure> {
    let report = engine.turn(session, turn, window).await?;
    engine.settle().await?;
    Ok(report.view.tokens)
}

async fn expand_first(
    engine: &Engine,
    session: &SessionKey,
    found: &GrepReply,
) -> Result<Option<ExpandReply>, Failure> {
    let Some(hit) = found.hits.first() else {
        return Ok(None);
    };
    let request = ExpandRequest {
        ids: vec![hit.id],
        reach: Reach::Session(session.clone()),
        tool_results: ToolResults::Omit,
        max_tokens: PAGE_TOKENS,
        cursor: None,
    };
    Ok(Some(engine.expand(&request).await?))
}

fn progress_bar(form: Form, talk: Talk) -> ProgressBar {
    if !shows_progress(form, talk) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} turn {pos} of {len}") {
        bar.set_style(style);
    }
    bar
}
