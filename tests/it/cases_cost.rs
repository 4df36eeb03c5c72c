//! What an operation costs does not know how much else is stored.

use std::time::{Duration, Instant};

use hippocamp::domain::{GrepRequest, Reach, SearchScope};

use crate::bench::{Bench, Setup, talk};
use crate::support::key;

/// The median time of an operation, in microseconds.
async fn median<F: Future>(mut operation: impl FnMut(usize) -> F) -> u128 {
    let mut times = Vec::new();
    for round in 0..31 {
        let begun = Instant::now();
        operation(round).await;
        times.push(begun.elapsed().as_micros());
    }
    times.sort_unstable();
    times[15]
}

// W17
#[tokio::test]
async fn the_cost_of_an_append_does_not_know_the_length_of_the_history() {
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 100, 10)).await;
    bench.engine.settle().await.unwrap();
    let short = median(|round| bench.append(talk(round, 1, 10))).await;
    bench.append(talk(0, 20_000, 10)).await;
    bench.engine.settle().await.unwrap();
    let long = median(|round| bench.append(talk(round, 1, 10))).await;
    // Two hundred times the history; a cost that knew it would be far above five times.
    assert!(
        long <= short * 5 + 1_000,
        "{short} µs with 100 messages, {long} µs with 20,000"
    );
}

// W23
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn upkeep_of_the_index_stops_no_turn() {
    let bench = Setup::window(8_000).bench();
    // An engine that stores and is gone leaves the index to be written by the next.
    bench.append(talk(0, 6_000, 30)).await;
    let engine = bench.engine.clone();
    let upkeep = tokio::spawn(async move { engine.settle().await.unwrap() });
    let mut longest = Duration::ZERO;
    let mut n_turns = 0;
    while !upkeep.is_finished() || n_turns < 20 {
        let begun = Instant::now();
        bench
            .engine
            .append(&key("beside"), talk(n_turns, 1, 10))
            .await
            .unwrap();
        longest = longest.max(begun.elapsed());
        n_turns += 1;
    }
    upkeep.await.unwrap();
    println!("{n_turns} appends beside the indexing of 6,000 rows, the longest {longest:?}");
    assert!(
        longest < Duration::from_secs(2),
        "one append waited {longest:?}"
    );
    let mut request = GrepRequest::new("harbour", Reach::All);
    request.kinds = SearchScope::Message;
    assert!(bench.engine.grep(&request).await.unwrap().complete);
}

// W24
#[tokio::test]
async fn the_cost_of_a_view_does_not_know_the_other_conversations() {
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 300, 20)).await;
    bench.engine.compact(&bench.session).await.unwrap();
    let alone = view_cost(&bench).await;
    let view = bench.view(8_000).await;
    for index in 0..60 {
        let other = key(&format!("other {index}"));
        bench.engine.append(&other, talk(0, 300, 20)).await.unwrap();
    }
    bench.engine.settle().await.unwrap();
    let beside = view_cost(&bench).await;
    assert_eq!(bench.view(8_000).await, view);
    assert!(
        beside <= alone * 4 + 1_000,
        "{alone} µs alone, {beside} µs beside 60 others"
    );
}

async fn view_cost(bench: &Bench) -> u128 {
    median(|_| bench.view(8_000)).await
}
