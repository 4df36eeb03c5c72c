//! hippocamp beside the limits, and beside what people would pick instead: one corpus, one run, engines
//! that take turns. `README.md` has the protocol, `run` is the command.
//!
//! Without `--bench` (`cargo test --bench compare`) nothing is timed: engines must count the same.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement stops at the first surprise and opens its own bare database"
)]

mod bare;
mod bare_search;
mod bench;
mod child;
mod clock;
mod corpus;
mod files;
mod goals;
mod goals_of;
mod instructions;
mod live;
mod lock;
mod memory;
mod options;
mod ours;
mod ours_tree;
mod plot;
mod processes;
mod protocol;
mod reads;
mod run;
mod series;
mod serve;
mod sessions;
mod smoke;
mod stock;
mod synced;
mod syncs;
mod table;
mod tokens;
mod tree;
mod writes;

use std::process::ExitCode;

use bare::{Bare, Words};
use options::Options;
use ours::Ours;
use serve::{Subject, serve};
use synced::Synced;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, name, ..] = words.as_slice()
        && first == "engine"
    {
        return serve_as(name);
    }
    if words.iter().any(|word| word == "instructions") {
        instructions::run();
        return ExitCode::SUCCESS;
    }
    match Options::read(&words) {
        Ok(options) => {
            if words.iter().any(|word| word == "--bench") {
                run::run(&options);
            } else {
                smoke::run(&options);
            }
            ExitCode::SUCCESS
        }
        Err(usage) => {
            eprintln!("{}", usage.0);
            ExitCode::from(2)
        }
    }
}

/// Is one of the engines.
fn serve_as(name: &str) -> ExitCode {
    let mut subject: Box<dyn Subject> = match name {
        "hippocamp" => Box::new(Ours::new()),
        "bare-rows" => Box::new(Bare::new(Words::None)),
        "bare-fts" => Box::new(Bare::new(Words::Inside)),
        "fdatasync" => Box::new(Synced::default()),
        _ => {
            eprintln!("{name}: the engines are hippocamp, bare-rows, bare-fts and fdatasync");
            return ExitCode::from(2);
        }
    };
    serve(subject.as_mut()).unwrap();
    ExitCode::SUCCESS
}
