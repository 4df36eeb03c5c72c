//! What engine tests share: a clock that stands still, a model that misbehaves on demand.

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hippocamp::domain::{Clock, SessionKey, Timestamp, Tokens, Window};
use hippocamp::engine::{
    CompleteError, CompleteOptions, Completer, Completion, Durability, Engine, EngineBuilder,
};
use hippocamp::policy::prompt::Prompt;

/// A clock that moves only when told to.
pub(crate) struct FakeClock(AtomicI64);

impl FakeClock {
    /// Starts at 2026-01-01.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_767_225_600_000)))
    }

    /// Moves on.
    pub(crate) fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// How a scripted model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// With a short, fitting summary.
    Good,
    /// With an error.
    Fails,
    /// Never.
    Hangs,
    /// With the prompt itself.
    Echoes,
    /// With far too much.
    Grows,
    /// With a refusal.
    Refuses,
    /// By panicking.
    Panics,
    /// With nothing.
    Empty,
}

/// A model that does what it is told and counts its calls.
pub(crate) struct Script {
    behaviour: Mutex<Behaviour>,
    calls: AtomicU32,
}

impl Script {
    /// Begins with one behaviour.
    pub(crate) fn new(behaviour: Behaviour) -> Arc<Self> {
        Arc::new(Self {
            behaviour: Mutex::new(behaviour),
            calls: AtomicU32::new(0),
        })
    }

    /// Changes the behaviour.
    pub(crate) fn set(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }

    /// How often it was called.
    pub(crate) fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Completer for Script {
    async fn complete(
        &self,
        prompt: &Prompt,
        _options: &CompleteOptions,
    ) -> Result<Completion, CompleteError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let behaviour = *self.behaviour.lock().unwrap();
        let text = match behaviour {
            Behaviour::Good => format!("State: step {call} is done.\nNext steps: go on."),
            Behaviour::Fails => {
                return Err(CompleteError::new("429 too many requests"));
            }
            Behaviour::Hangs => std::future::pending().await,
            Behaviour::Echoes => prompt.text.clone(),
            Behaviour::Grows => "word ".repeat(30_000),
            Behaviour::Refuses => "I'm sorry, but I can't help with summarising this.".to_owned(),
            Behaviour::Panics => panic!("the model's client panicked"),
            Behaviour::Empty => " \n".to_owned(),
        };
        Ok(Completion::from(text).model("scripted"))
    }
}

/// A builder for tests: no disk sync, a clock that stands still.
pub(crate) fn builder(path: &Path, clock: Arc<FakeClock>) -> EngineBuilder {
    Engine::builder(path)
        .clock(clock)
        .durability(Durability::Normal)
}

/// A key.
pub(crate) fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

/// A window of so many tokens.
pub(crate) fn window(tokens: u64) -> Window {
    Window::of(Tokens::new(tokens)).unwrap()
}

/// Fails with every check that does not hold.
#[track_caller]
pub(crate) fn assert_clean(checks: &[hippocamp::domain::Check]) {
    let damage: Vec<_> = checks.iter().filter(|check| !check.is_ok).collect();
    assert!(damage.is_empty(), "{damage:#?}");
    assert!(
        checks.len() >= 5,
        "doctor checked only {} things",
        checks.len()
    );
}
