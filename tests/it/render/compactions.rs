//! Bodies of a whole engine's views, between two and ten compactions.

use hippocamp::domain::{NewMessage, Tokens};
use proptest::prelude::*;

use super::check_bodies;
use super::history::histories;
use super::read_back::check_read;
use crate::bench::{Bench, Model, Setup};

async fn check_all(bench: &Bench) {
    for budget in [1, 80, 400, 1_500, 6_000, 1_000_000] {
        let view = bench.view(budget).await;
        check_bodies(&view);
        check_read(&view);
    }
}

/// Says a history in as many parts as there are compactions, and looks after each.
async fn check_story(said: Vec<NewMessage>, n_compactions: usize, has_model: bool) {
    let model = Model::good();
    let setup = Setup::window(4_000);
    let setup = if has_model {
        setup.model(&model)
    } else {
        setup
    };
    let bench = setup.bench();
    bench
        .append(vec![
            NewMessage::system("Be brief."),
            NewMessage::user("Begin."),
        ])
        .await;
    let chunk = said.len().div_ceil(n_compactions).max(1);
    let mut chunks = said.chunks(chunk);
    for round in 0..n_compactions {
        if let Some(chunk) = chunks.next() {
            bench.turn(chunk.to_vec()).await;
            check_all(&bench).await;
        }
        let under = Tokens::new([3_000, 1_000, 300][round % 3]);
        let reached = bench
            .engine
            .compact_until_under(&bench.session, under)
            .await;
        reached.unwrap();
        check_all(&bench).await;
    }
    bench.engine.settle().await.unwrap();
    bench.check().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn bodies_are_lawful_and_whole_through_two_to_ten_compactions(
        rows in histories(24),
        n_compactions in 2..=10_usize,
        has_model in any::<bool>(),
    ) {
        let said = rows.into_iter().map(|row| row.message).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check_story(said, n_compactions, has_model));
    }
}
