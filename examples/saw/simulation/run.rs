//! One session through the engine. Owns the host's loop and what is asserted of each of its views.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use hippocamp::domain::{EventKind, NewMessage, SessionKey, Tokens, Window};
use hippocamp::engine::{Completer, Durability, Engine, EngineError, LeafMode};
use hippocamp::policy::limits::Limits;
use hippocamp::render::anthropic;

use super::clock::SessionClock;
use super::figures::{Compared, Figures};
use super::model::{Model, Spent};
use super::talk::{Talk, Turn};
use super::view::{Asked, check};

/// Seconds from one request to the next: the model answers and tools run.
const STEP_SECONDS: i64 = 20;
/// Seconds until the user asks again.
const TURN_SECONDS: i64 = 70;

/// When leaves are made, and when they show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// In each turn that has enough for one.
    EveryTurn,
    /// The same, from half of the budget on.
    FromHalf,
    /// Prepared in the background and shown together.
    Deferred,
}

impl Mode {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::EveryTurn, Self::FromHalf, Self::Deferred];

    /// Returns the words of tables and legends.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::EveryTurn => "every turn, from 0 %",
            Self::FromHalf => "every turn, from 50 %",
            Self::Deferred => "deferred",
        }
    }
}

/// Who writes the summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    /// A model, simulated.
    Model,
    /// The local floor.
    Floor,
}

impl Writer {
    /// Returns the word of tables.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Floor => "floor",
        }
    }
}

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Setup {
    pub(crate) window: u64,
    pub(crate) mode: Mode,
    pub(crate) writer: Writer,
    pub(crate) n_turns: u64,
    pub(crate) seed: u64,
}

impl fmt::Display for Setup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mode, writer) = (self.mode.as_str(), self.writer.as_str());
        write!(formatter, "window {}, {mode}, {writer}", self.window)
    }
}

impl Setup {
    fn engine(
        &self,
        path: &Path,
        clock: &Arc<SessionClock>,
        model: &Arc<Model>,
    ) -> Result<Engine, EngineError> {
        let mut limits = Limits::default();
        if self.mode == Mode::FromHalf {
            limits.leaf_from_percent = 50;
        }
        let mut builder = Engine::builder(path)
            .clock(Arc::<SessionClock>::clone(clock))
            .durability(Durability::Normal)
            .limits(limits);
        if self.mode == Mode::Deferred {
            builder = builder.leaf_mode(LeafMode::Deferred);
        }
        if self.writer == Writer::Model {
            builder = builder.completer(Arc::clone(model) as Arc<dyn Completer>);
        }
        builder.build()
    }
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The turn it belongs to, from 1.
    pub(crate) turn: u64,
    /// Tokens of the view that was sent.
    pub(crate) view: u64,
}

/// A session that went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Simulated {
    pub(crate) setup: Setup,
    /// The requests, in order.
    pub(crate) samples: Vec<Sample>,
    pub(crate) figures: Figures,
}

/// Runs a session to its end.
///
/// The background has come to rest before the next request: between two requests the agent's model
/// answers and its tools run, which takes longer than a summary.
pub(crate) async fn simulate(setup: Setup) -> Result<Simulated, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let clock = SessionClock::new();
    let model = Arc::new(Model::default());
    let engine = setup.engine(&folder.path().join("session.db"), &clock, &model)?;
    let mut host = Host {
        engine,
        clock,
        session: SessionKey::new("saw")?,
        window: Window::of(Tokens::new(setup.window))?,
        body: String::new(),
        samples: Vec::new(),
        figures: Figures::default(),
    };
    let mut talk = Talk::new(setup.seed);
    let system = NewMessage::system(talk.system());
    host.engine.append(&host.session, vec![system]).await?;
    for (number, turn) in (1..=setup.n_turns).zip(talk) {
        host.turn(number, turn)
            .await
            .map_err(|error| format!("{setup}, turn {number}: {error}"))?;
    }
    host.end(setup, model.spent()).await
}

/// The agent's program.
struct Host {
    engine: Engine,
    clock: Arc<SessionClock>,
    session: SessionKey,
    window: Window,
    /// The body of the request before.
    body: String,
    samples: Vec<Sample>,
    figures: Figures,
}

impl Host {
    /// Sends the request, runs the calls step by step, keeps the answer.
    async fn turn(&mut self, number: u64, turn: Turn) -> Result<(), Box<dyn Error>> {
        self.clock.advance(TURN_SECONDS);
        let said = vec![NewMessage::user(turn.request.as_str())];
        self.send(number, said, &turn.request, 0).await?;
        for step in turn.steps {
            self.send(number, step.messages, &turn.request, step.n_calls)
                .await?;
        }
        let answer = vec![NewMessage::assistant(turn.answer)];
        self.engine.append(&self.session, answer).await?;
        Ok(())
    }

    /// Sends the model what it sees now.
    async fn send(
        &mut self,
        turn: u64,
        messages: Vec<NewMessage>,
        request: &str,
        n_calls: u64,
    ) -> Result<(), Box<dyn Error>> {
        self.clock.advance(STEP_SECONDS);
        let report = self
            .engine
            .turn(&self.session, messages, self.window)
            .await?;
        let view = report.view;
        let budget = self.window.budget();
        let asked = Asked {
            request,
            n_calls,
            budget,
        };
        check(&view, &asked)?;
        let body = anthropic::render(&view).ok_or("nothing to send")?;
        let compared = Compared::of(&self.body, body.as_str());
        self.figures.add_request(view.tokens, &compared);
        self.figures.unfit += u64::from(!view.fits);
        body.as_str().clone_into(&mut self.body);
        self.engine.settle().await?;
        let threshold = budget.percent(Limits::default().summarize_token_percent);
        if report.compacted.tokens_after > threshold {
            let status = self.engine.status().await?;
            let state = status.sessions.first().ok_or("no session")?;
            // What could be merged was merged: the background is at rest.
            let is_stuck = state.pressure > threshold && state.leaf_candidates == 0;
            self.figures.stuck += u64::from(is_stuck);
        }
        self.samples.push(Sample {
            turn,
            view: view.tokens.get(),
        });
        Ok(())
    }

    /// Checks the store and adds up.
    async fn end(mut self, setup: Setup, spent: Spent) -> Result<Simulated, Box<dyn Error>> {
        let checks = self.engine.doctor().await?;
        if let Some(broken) = checks.iter().find(|check| !check.is_ok) {
            return Err(format!("{setup}: {}: {}", broken.name, broken.detail).into());
        }
        let events = self.engine.events(&self.session).await?;
        let count = |kind| events.iter().filter(|event| event.kind == kind).count() as u64;
        let live = self.engine.tree(&self.session).await?;
        let depths = live.iter().filter(|node| node.is_live);
        let deepest = depths.map(|node| u64::from(node.depth.get())).max();
        self.figures.depth = deepest.unwrap_or_default();
        self.figures.leaves = count(EventKind::Leaf);
        self.figures.merges = count(EventKind::Condense);
        self.figures.clears = count(EventKind::Clear);
        self.figures.events = events.len() as u64;
        self.figures.spent = spent;
        self.engine.shutdown().await?;
        Ok(Simulated {
            setup,
            samples: self.samples,
            figures: self.figures,
        })
    }
}
