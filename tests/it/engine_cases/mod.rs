//! Behaviours of turns and compaction that broke other engines, each with a small input.

mod compaction;
mod engine;
mod model;

use std::sync::Arc;

use hippocamp::domain::{NewMessage, SessionKey};
use hippocamp::engine::{Completer, Engine, LeafMode};
use hippocamp::policy::limits::Limits;

use crate::support::{FakeClock, Script, assert_clean, builder, key, window};

/// A sentence of about `tokens` tokens that no other sentence equals.
pub(super) fn sentence(index: usize, tokens: usize) -> String {
    format!("entry {index}: ") + &"the harbour report was filed again ".repeat(tokens / 6)
}

pub(super) fn talk(from: usize, n_messages: usize, tokens: usize) -> Vec<NewMessage> {
    (from..from + n_messages)
        .map(|index| match index % 2 {
            0 => NewMessage::user(sentence(index, tokens)),
            _ => NewMessage::assistant(sentence(index, tokens)),
        })
        .collect()
}

pub(super) struct Bench {
    pub(super) _dir: tempfile::TempDir,
    pub(super) path: std::path::PathBuf,
    pub(super) clock: Arc<FakeClock>,
    pub(super) engine: Engine,
    pub(super) session: SessionKey,
}

pub(super) fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.turn_leaf_millis = 60;
    limits.call_millis = 60;
    limits
}

pub(super) fn bench(model: Option<&Arc<Script>>) -> Bench {
    bench_in(model, LeafMode::EveryTurn)
}

pub(super) fn bench_in(model: Option<&Arc<Script>>, mode: LeafMode) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let clock = FakeClock::new();
    let engine = open(&path, &clock, model, mode);
    Bench {
        _dir: dir,
        path,
        clock,
        engine,
        session: key("bench"),
    }
}

pub(super) fn open(
    path: &std::path::Path,
    clock: &Arc<FakeClock>,
    model: Option<&Arc<Script>>,
    mode: LeafMode,
) -> Engine {
    let mut builder = builder(path, Arc::clone(clock))
        .limits(limits())
        .leaf_mode(mode);
    if let Some(model) = model {
        builder = builder.completer(Arc::clone(model) as Arc<dyn Completer>);
    }
    builder.build().unwrap()
}

pub(super) async fn turns(bench: &Bench, n_turns: usize, tokens: usize, context: u64) {
    for index in 0..n_turns {
        let batch = talk(index * 2, 2, tokens);
        bench
            .engine
            .turn(&bench.session, batch, window(context))
            .await
            .unwrap();
    }
}

pub(super) async fn clean(bench: &Bench) {
    assert_clean(&bench.engine.doctor().await.unwrap());
}
