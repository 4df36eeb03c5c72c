//! The saw: how large the views of a long session are, request by request, and what it costs to
//! keep them so, at four windows and with leaves made in three ways.
//!
//! `cargo run --release --example saw` prints the table of `benches/README.md`; with `--svg FOLDER`
//! it also draws `saw.svg` there. `--turns N` and `--seed N` change the session,
//! `--jobs N` how many run side by side (default: one a core). It asserts of each
//! view that it is within its budget and holds the newest request word for word.
#![expect(clippy::print_stdout, reason = "the table is what it is for")]
#![expect(clippy::print_stderr, reason = "it shows how far it has come")]

mod simulation;

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use simulation::{Mode, Setup, Simulated, Writer, plot, row, simulate, table};

const WINDOWS: [u64; 4] = [16_000, 32_000, 128_000, 200_000];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut svg: Option<PathBuf> = None;
    let (mut n_turns, mut seed) = (2_000, 20_261_130);
    let mut n_jobs = std::thread::available_parallelism()?.get();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} takes a value"));
        match argument.as_str() {
            "--svg" => svg = Some(value()?.into()),
            "--turns" => n_turns = value()?.parse()?,
            "--seed" => seed = value()?.parse()?,
            "--jobs" => n_jobs = value()?.parse()?,
            _ => return Err(format!("`{argument}` is no option of saw").into()),
        }
    }
    let sessions = run_all(&setups(n_turns, seed), n_jobs)?;
    print!("{}", table(&sessions));
    if let Some(folder) = svg {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("saw.svg"), plot(&sessions))?;
    }
    Ok(())
}

/// Returns the sessions of the table, in its order: each way to make leaves with a model, and the
/// default one with the floor.
fn setups(n_turns: u64, seed: u64) -> Vec<Setup> {
    let with_model = Mode::ALL.map(|mode| (mode, Writer::Model));
    let written = with_model
        .into_iter()
        .chain([(Mode::EveryTurn, Writer::Floor)]);
    let of_window = |window| {
        written.clone().map(move |(mode, writer)| Setup {
            window,
            mode,
            writer,
            n_turns,
            seed,
        })
    };
    WINDOWS.into_iter().flat_map(of_window).collect()
}

/// Runs the sessions, so many side by side, and returns them in their order.
fn run_all(setups: &[Setup], n_jobs: usize) -> Result<Vec<Simulated>, String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(setup) = setups.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(run(*setup).map_err(|error| error.to_string())?);
        }
        Ok(done)
    };
    let ended: Vec<Result<Vec<Simulated>, String>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..n_jobs).map(|_| scope.spawn(work)).collect();
        let panicked = |_| Err("a session panicked".to_owned());
        let ended = running.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended
            .map(|joined| joined.unwrap_or_else(panicked))
            .collect()
    });
    let done: Result<Vec<Vec<Simulated>>, String> = ended.into_iter().collect();
    let mut sessions: Vec<Simulated> = done?.into_iter().flatten().collect();
    sessions.sort_by_key(|session| setups.iter().position(|setup| *setup == session.setup));
    Ok(sessions)
}

/// Runs one session and says what it cost, for those who do not wait for the others.
fn run(setup: Setup) -> Result<Simulated, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let begun = Instant::now();
    let session = runtime.block_on(simulate(setup))?;
    eprintln!("{} in {} s", row(&session), begun.elapsed().as_secs());
    Ok(session)
}
