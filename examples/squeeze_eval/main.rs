//! Measures what summaries without a model keep, on talks with planted facts.
//!
//! `cargo run --release --example squeeze_eval` squeezes talks of three languages five times over, as
//! `compact --stdin` does, and prints what is left; `--binary PATH` asks the program itself. The
//! seed is drawn and printed; `--seed N` draws the same talks again.
#![expect(clippy::print_stdout, reason = "the table is what it is for")]

mod plant;
mod squeezed;
mod words;

use std::error::Error;

use self::plant::{Random, plant};
use self::squeezed::{Squeezer, Survival, survive};
use self::words::TONGUES;

/// Talks of each language.
const N_TALKS: u64 = 20;
/// Times each is squeezed.
const ROUNDS: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed()?;
    let mut seed = u64::from(since.subsec_nanos());
    let mut squeezer = Squeezer::Function;
    while let Some(argument) = arguments.next() {
        let mut value = || {
            let value = arguments.next();
            value.ok_or(format!("`{argument}` takes a value"))
        };
        match argument.as_str() {
            "--seed" => seed = value()?.parse()?,
            "--binary" => squeezer = Squeezer::Binary(value()?.into()),
            other => return Err(format!("`{other}` is no option of squeeze_eval").into()),
        }
    }
    print_squeezed(seed, &squeezer)
}

/// Prints a line for each language and size, and one for all languages.
fn print_squeezed(seed: u64, squeezer: &Squeezer) -> Result<(), Box<dyn Error>> {
    println!("seed {seed}: {N_TALKS} talks a language, each squeezed {ROUNDS} times");
    for (tongue_idx, tongue) in TONGUES.iter().enumerate() {
        let density = plant(tongue_idx, &mut Random::new(seed)).density();
        println!(
            "{}: facts are {density:.1} % of the first talk",
            tongue.name
        );
    }
    println!();
    println!("| size | language | facts kept | updates resolved | stale values |");
    println!("|---|---|---|---|---|");
    for percent in [10, 20, 30] {
        let mut all = Survival::default();
        for (tongue_idx, tongue) in TONGUES.iter().enumerate() {
            let mut sum = Survival::default();
            for nth in 0..N_TALKS {
                let talk = plant(tongue_idx, &mut Random::new(seed.wrapping_add(nth)));
                sum.add(survive(&talk, ROUNDS, percent, squeezer)?);
            }
            print_line(percent, tongue.name, sum);
            all.add(sum);
        }
        print_line(percent, "all", all);
    }
    Ok(())
}

fn print_line(percent: usize, language: &str, sum: Survival) {
    println!(
        "| {percent} % | {language} | {:.1} % | {} of {} | {} |",
        sum.percent(),
        sum.resolved,
        sum.updates,
        sum.stale
    );
}
