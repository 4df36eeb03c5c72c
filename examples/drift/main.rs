//! Measures what a view still tells after rounds of compaction, through the public API.
//!
//! `cargo run --release --example drift -- --rounds 12` plays conversations of ours in which facts
//! of several kinds are planted, compacts them round by round and prints, as a Markdown table, how
//! many of the facts the view at its configured budget still tells, letter for letter.
//! With `--seed N` it begins at that seed and with `--seeds N` it plays so many (default 1, 3); the
//! table takes the facts of all of them together. With `--steep` summaries merge in pairs and
//! early, so that short rounds make a deep tree. With `--wild` a model writes the summaries that
//! rambles, forgets and invents, with `--model PROVIDER/NAME` a real one whose key and address are
//! in the environment (feature `providers`). With `--missing` it prints which constraints and file states were
//! not told. With `--certain` it fails unless all constraints and all file states were.
#![expect(clippy::print_stdout, reason = "the table is what it is for")]
#![expect(
    clippy::indexing_slicing,
    reason = "what was planted stands where it was put"
)]

mod harness;

use std::error::Error;
use std::sync::Arc;

use hippocamp::engine::Completer;
#[cfg(feature = "providers")]
use hippocamp::providers::Models;

use self::harness::rounds::{Pace, Setting, play};
use self::harness::score::{Score, table};
use self::harness::wild::WildModel;

/// What is done about constraints and file states that were not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Counted,
    Listed,
    Refused,
}

/// What was asked for.
struct Asked {
    rounds: usize,
    seed: u64,
    seeds: u64,
    pace: Pace,
    model: Option<Arc<dyn Completer>>,
    missing: Missing,
}

fn read() -> Result<Asked, Box<dyn Error>> {
    let mut asked = Asked {
        rounds: 12,
        seed: 1,
        seeds: 3,
        pace: Pace::Shipped,
        model: None,
        missing: Missing::Counted,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let value = arguments.next().unwrap_or_default();
            let is_wrong =
                |_| format!("{argument} takes a number, as in `{argument} 12`, not `{value}`");
            value.parse::<u64>().map_err(is_wrong)
        };
        match argument.as_str() {
            "--rounds" => asked.rounds = usize::try_from(number()?)?,
            "--seed" => asked.seed = number()?,
            "--seeds" => asked.seeds = number()?,
            "--steep" => asked.pace = Pace::Steep,
            "--wild" => asked.model = Some(Arc::new(WildModel::default())),
            #[cfg(feature = "providers")]
            "--model" => {
                let name = arguments.next().unwrap_or_default();
                asked.model = Some(Arc::new(Models::named([name], &environment)?));
            }
            "--missing" => asked.missing = Missing::Listed,
            "--certain" => asked.missing = Missing::Refused,
            other => return Err(format!("`{other}` is no option of drift").into()),
        }
    }
    Ok(asked)
}

#[cfg(feature = "providers")]
#[expect(clippy::disallowed_methods, reason = "the example is its own program")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let asked = read()?;
    let mut runs = Vec::new();
    for seed in asked.seed..asked.seed.saturating_add(asked.seeds) {
        let setting = Setting {
            seed,
            rounds: asked.rounds,
            pace: asked.pace,
            model: asked.model.clone(),
        };
        let played = play(&setting).await?;
        if asked.missing != Missing::Counted {
            for line in &played.missing {
                println!("seed {seed}, {line}");
            }
        }
        runs.push(played.scores);
    }
    println!("{}", table(&runs));
    if asked.missing == Missing::Refused && !runs.iter().flatten().all(Score::is_certain) {
        return Err(
            "a constraint, a file's state or a fact's place in the record is missing".into(),
        );
    }
    Ok(())
}
