//! Plays rounds: a stretch of talk, compaction, then the checks.

use std::error::Error;
use std::sync::Arc;

use hippocamp::domain::{ItemId, Origin, SessionKey, Tokens, ViewItemKind, Window};
use hippocamp::engine::{Completer, Durability, Engine, ViewBudget};
use hippocamp::policy::limits::Limits;

use super::score::Score;
use super::teller::Teller;
use super::{found, told};

/// The window: small, so that a tree grows deep in a talk that is soon told.
const WINDOW: Tokens = Tokens::new(8_000);

/// How fast the tree grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// By the limits as they are shipped: rounds are long.
    Shipped,
    /// Summaries merge in pairs and early, so that few and short rounds make a deep tree: for slow
    /// models and for tests.
    Steep,
}

impl Pace {
    const fn turns_a_round(self) -> usize {
        match self {
            Self::Shipped => 60,
            Self::Steep => 5,
        }
    }

    fn limits(self) -> Limits {
        let mut limits = Limits::default();
        // A slow model is waited for: what drifts is measured here, not how long it takes.
        limits.turn_leaf_millis = 600_000;
        limits.call_millis = 600_000;
        limits.spend_calls = u32::MAX;
        if self == Self::Steep {
            limits.fanout = 2;
            limits.summarize_token_percent = 30;
        }
        limits
    }
}

/// How a conversation is played.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) rounds: usize,
    pub(crate) pace: Pace,
    /// Who writes the summaries; without one the local floor.
    pub(crate) model: Option<Arc<dyn Completer>>,
}

/// What came of a conversation.
pub(crate) struct Played {
    /// A score for each round.
    pub(crate) scores: Vec<Score>,
    /// In words, with the round, which constraints and file states were not told and what was not found.
    pub(crate) missing: Vec<String>,
}

/// Plays a conversation through an engine with a store of its own.
pub(crate) async fn play(setting: &Setting) -> Result<Played, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let window = Window::of(WINDOW)?;
    let mut builder = Engine::builder(folder.path().join("drift.db"))
        .durability(Durability::Normal)
        .limits(setting.pace.limits())
        .window(window);
    if let Some(model) = &setting.model {
        builder = builder.completer(Arc::clone(model));
    }
    let engine = builder.build()?;
    let session = SessionKey::new("drift")?;
    let mut teller = Teller::new(setting.seed);
    let mut played = Played {
        scores: Vec::new(),
        missing: Vec::new(),
    };
    for round in 1..=setting.rounds {
        for turn in teller.round(round, setting.pace.turns_a_round()) {
            let report = engine.turn(&session, turn.messages, window).await?;
            for (place, said_idx) in turn.marks {
                let row = &report.appended.rows[place];
                teller.ledger.said[said_idx].row = Some((row.id, row.seq));
            }
        }
        engine.settle().await?;
        let score = check(&engine, &session, &teller, round, &mut played.missing).await?;
        played.scores.push(score);
    }
    engine.shutdown().await?;
    Ok(played)
}

async fn check(
    engine: &Engine,
    session: &SessionKey,
    teller: &Teller,
    round: usize,
    missing: &mut Vec<String>,
) -> Result<Score, Box<dyn Error>> {
    let view = engine.view(session, ViewBudget::Configured).await?;
    let (mut score, untold) = told::check(&view, &teller.ledger);
    let depths = view.items.iter().filter_map(|item| item.depth);
    score.depth = depths
        .map(|depth| u64::from(depth.get()))
        .max()
        .unwrap_or(0);
    let (found, lost) = found::check(engine, session, &teller.ledger).await?;
    score.found = found;
    let words = untold.into_iter().chain(lost);
    missing.extend(words.map(|words| format!("round {round}: {words}")));
    for node in engine.tree(session).await? {
        let is_shown = view.items.iter().any(|item| {
            item.kind == ViewItemKind::Summary && item.id == Some(ItemId::Summary(node.id))
        });
        if is_shown {
            let is_models = node.origin == Origin::Model;
            score.by_model.note(is_models);
        }
    }
    Ok(score)
}
