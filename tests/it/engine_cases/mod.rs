//! Behaviours of turns and compaction that broke other engines, each with a small input.

mod compaction;
mod engine;
mod model;

use std::sync::Arc;

use crate::bench::{Bench, Model, Setup, talk};
use crate::support::window;

/// A bench whose tests say the window of each turn.
fn bench(model: Option<&Arc<Model>>) -> Bench {
    let setup = Setup::window(128_000);
    match model {
        Some(model) => setup.model(model).bench(),
        None => setup.bench(),
    }
}

async fn turns(bench: &Bench, n_turns: usize, tokens: usize, context: u64) {
    for index in 0..n_turns {
        let batch = talk(index * 2, 2, tokens);
        bench
            .engine
            .turn(&bench.session, batch, window(context))
            .await
            .unwrap();
    }
}
