//! All measures, size by size, and the tables.

use std::fs;
use std::path::Path;

use crate::bench::{Bench, load, tell};
use crate::child::Running;
use crate::clock::{Moment, count};
use crate::corpus::{Corpus, Words};
use crate::options::Options;
use crate::protocol::Sync;
use crate::series::{Findings, Sample};
use crate::{
    files, goals, live, lock, memory, plot, processes, reads, sessions, stock, syncs, table,
    tokens, tree, writes,
};

/// Measures and prints.
pub(crate) fn run(options: &Options) {
    let words = Words::new();
    let mut findings = Findings::default();
    let temporary = tempfile::tempdir().unwrap();
    let room = options
        .folder
        .as_ref()
        .map_or_else(|| temporary.path().to_owned(), std::path::PathBuf::from);
    println!(
        "seed {}, {} rounds, load {} at the beginning",
        options.seed,
        options.rounds,
        load()
    );
    for size in &options.sizes {
        tell(&format!("{size} messages, load {}", load()));
        let room = room.join(size.to_string());
        let bench = Bench {
            options,
            words: &words,
            corpus: Corpus {
                seed: options.seed,
                size: *size,
            },
            room: room.clone(),
            findings: &mut findings,
        };
        all(bench);
        fs::remove_dir_all(room).unwrap();
    }
    print(&findings);
    if let Some(size) = options.sizes.iter().max() {
        goals::print(&findings, *size);
    }
    if let Some(folder) = &options.svg
        && let Some(svg) = plot::plot(&findings)
    {
        fs::create_dir_all(folder).unwrap();
        fs::write(Path::new(folder).join("growth.svg"), svg).unwrap();
    }
    println!("\nload {} at the end", load());
}

/// Measures that need stores which hold the corpus.
const ON_A_STORE: [&str; 11] = [
    "import", "files", "view", "grep", "one", "expand", "tree", "turn", "cold", "lock", "memory",
];
/// Measures that peers take part in with a store that holds the corpus.
const READS: [&str; 4] = ["view", "grep", "one", "expand"];
/// With more messages the index inside each transaction alone takes minutes.
const MOST_LIVE: u64 = 100_000;

fn all(mut bench: Bench<'_>) {
    let options = bench.options;
    let wants_any = |names: &[&str]| names.iter().any(|name| options.wants(name));
    let has_peers = !options.peers_for(bench.size()).is_empty();
    let mut engines = Vec::new();
    if wants_any(&ON_A_STORE) {
        engines = stock::fill(&mut bench);
        if options.wants("files") && has_peers {
            engines.extend(files::files(&mut bench));
        }
    }
    let live_is_asked_for = options.wants("live") && bench.size() <= MOST_LIVE;
    if live_is_asked_for || has_peers && wants_any(&READS) {
        let peers = live::live(&mut bench);
        engines.extend(peers);
    }
    if !engines.is_empty() {
        reads(&mut bench, &mut engines);
    }
    for engine in engines {
        engine.close();
    }
    if options.wants("turn") {
        writes::turns(&mut bench, Sync::Normal);
        writes::turns(&mut bench, Sync::Full);
    }
    if options.wants("lock") {
        lock::lock(&mut bench);
    }
    if options.wants("syncs") {
        syncs::syncs(&mut bench);
    }
    if options.wants("cold") {
        processes::cold(&mut bench);
    }
    if options.wants("memory") {
        memory::memory(&mut bench);
    }
    if options.wants("tokens") {
        tokens::tokens(&mut bench);
    }
    if options.wants("sessions") {
        sessions::sessions(&mut bench);
    }
}

/// What is read of stores that hold the corpus, and summaries last, since they change the view.
fn reads(bench: &mut Bench<'_>, engines: &mut Vec<Running>) {
    let options = bench.options;
    if options.wants("view") {
        reads::view(bench, engines);
        copied(bench);
    }
    if options.wants("grep") {
        reads::grep(bench, engines);
        processes::ripgrep(bench);
    }
    if options.wants("one") {
        reads::in_one(bench, engines);
    }
    if options.wants("expand") {
        reads::expand(bench, engines);
    }
    for engine in engines.iter() {
        let (_, own) = engine.memory();
        let what = "own memory after all reads, MiB";
        bench.note(what, &engine.name, count(own) / 1024.0);
    }
    if options.wants("tree") {
        tree::grow(bench, engines);
    }
}

/// Copies as many bytes as a view has.
fn copied(bench: &mut Bench<'_>) {
    let series = bench
        .findings
        .series(reads::VIEW, bench.size(), "bare JOIN");
    let samples = series.map_or(1, |series| series.rounds.iter().map(Vec::len).sum());
    let bytes = series.map_or(0, |series| series.bytes) / u64::try_from(samples.max(1)).unwrap();
    let text = vec![b'x'; usize::try_from(bytes).unwrap()];
    let place = bench.begin(reads::VIEW, "memcpy of its bytes");
    for _ in 0..bench.options.rounds {
        let began = Moment::now();
        for _ in 0..100 {
            std::hint::black_box(text.clone());
        }
        let passed = Moment::now().since(began);
        let sample = Sample {
            wall: passed.wall,
            cpu: passed.process,
        };
        bench.findings.series[place]
            .rounds
            .push(vec![sample.per(100.0)]);
    }
}

fn print(findings: &Findings) {
    let mut measures: Vec<&str> = Vec::new();
    for series in &findings.series {
        if !measures.contains(&series.measure.as_str()) {
            measures.push(&series.measure);
        }
    }
    for measure in measures {
        table::print(findings, measure, "each", reference(measure));
    }
    println!("\n### figures\n\n| what | messages | engine | |\n|---|---:|---|---:|");
    for (what, size, column, value) in &findings.figures {
        println!("| {what} | {size} | {column} | {} |", table::short(*value));
    }
}

/// Returns the column that others of a measure are compared with.
fn reference(measure: &str) -> &'static str {
    match measure {
        reads::VIEW => "bare JOIN",
        processes::COLD => processes::SELECT,
        tokens::TOKENS => tokens::EXACT,
        files::FILES | files::UNCHANGED => "hippocamp",
        measure if measure.starts_with("turn") => "bare-rows",
        _ => "bare-fts",
    }
}
