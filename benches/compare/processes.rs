//! What a process costs from its start to its end: the program's first answer, ripgrep over the
//! transcripts, `sqlite3` doing one `SELECT`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::bench::{Bench, tell};
use crate::clock::of_children;
use crate::corpus::queries::{self, Class, Kind};
use crate::protocol::Order;
use crate::reads;
use crate::series::Sample;

pub(crate) const COLD: &str = "cold start to the first answer";
pub(crate) const GREP: &str = "hippocamp grep";
pub(crate) const SELECT: &str = "sqlite3, one SELECT";
pub(crate) const RIPGREP: &str = "ripgrep";
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_hippocamp");
/// Starts of one round.
const STARTS: usize = 10;

/// Asks stores from the shell.
pub(crate) fn cold(bench: &mut Bench<'_>) {
    tell(COLD);
    let store = bench.folder("hippocamp").join("hippocamp.db");
    let word = bench.words.at(5_000).to_owned();
    let mut grep = Command::new(PROGRAM);
    grep.arg("--db").arg(&store).args(["--json", "grep", &word]);
    let mut select = Command::new("sqlite3");
    select
        .arg("-readonly")
        .arg(&store)
        .arg("SELECT body FROM part WHERE id = 65536 * 100;");
    for (label, mut command) in [(SELECT, select), (GREP, grep)] {
        let place = bench.begin(COLD, label);
        for _ in 0..bench.options.rounds {
            let samples: Option<Vec<Sample>> = (0..STARTS).map(|_| run(&mut command)).collect();
            let Some(samples) = samples else {
                println!("{COLD}: no {label} here");
                bench.findings.series.remove(place);
                break;
            };
            bench.findings.series[place].rounds.push(samples);
        }
    }
}

/// Looks through the transcripts with ripgrep, for what engines look for in their stores.
pub(crate) fn ripgrep(bench: &mut Bench<'_>) {
    let words = queries::every_rank(bench.words, 5);
    let mut classes = vec![(
        reads::NEWEST.to_owned(),
        Class {
            name: "words",
            kind: Kind::Word,
            queries: words,
        },
    )];
    for class in reads::text_classes(bench) {
        classes.push((reads::name(class.name, Order::Newest), class));
    }
    for (measure, class) in classes {
        tell(&format!("ripgrep, {}", class.name));
        let place = bench.begin(&measure, RIPGREP);
        for _ in 0..bench.options.rounds {
            let queries = class.queries.iter().take(5);
            let samples: Option<Vec<Sample>> = queries
                .map(|query| look(query, &bench.transcripts()))
                .collect();
            let Some(samples) = samples else {
                println!("{measure}: no ripgrep here");
                bench.findings.series.remove(place);
                return;
            };
            bench.findings.series[place].rounds.push(samples);
        }
    }
}

fn look(query: &str, folder: &Path) -> Option<Sample> {
    let mut command = Command::new("rg");
    command
        .args(["-F", "--no-config", "--count", "--", query])
        .arg(folder);
    run(&mut command)
}

/// Runs a command to its end; none if there is no such program.
fn run(command: &mut Command) -> Option<Sample> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let (began, cpu) = (Instant::now(), of_children());
    command.output().ok()?;
    Some(Sample {
        wall: began.elapsed().as_secs_f64() * 1e6,
        cpu: of_children() - cpu,
    })
}
