//! A folder of transcripts is imported: memory stays flat, progress is shown, Ctrl-C at any time
//! leaves a store that the next run completes. What does not hold ends it with a failure. Its speed
//! beside bare statements is measured by `compare`.
//!
//! `cargo bench --bench folder -- [--files N] [--bytes N] [--interrupts N] [--seed N]`: 1,000 files
//! of 1 MB, interrupted 8 times. Without `--bench` (`cargo test --bench folder`) the folder is small.
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement stops at the first surprise and opens its own bare database"
)]

mod child;
mod clock;
mod compare;
mod transcripts;

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use child::{Import, Sample, Watched};
use clock::{Cost, of_children, real};
use transcripts::{Language, Random, records, session};

/// How much higher memory may stand in the second half than in the first quarter.
const MOST_GROWTH: f64 = 1.2;
/// With fewer files a quarter of them does not fill the store's page cache.
const FEWEST_FOR_GROWTH: usize = 100;
/// What an import may take of its own memory, in kibibytes, however much is imported.
const MOST_OWN: u64 = 64 * 1024;
/// Of these steps of progress at least so many must have been shown.
const FEWEST_STEPS: usize = 20;

/// What is done.
struct Plan {
    files: usize,
    bytes: usize,
    interrupts: usize,
    seed: u64,
    is_whole: bool,
}

impl Plan {
    fn read() -> Self {
        let words: Vec<String> = std::env::args().collect();
        let is_whole = words.iter().any(|word| word == "--bench");
        let number = |name: &str, usual: usize| {
            let at = words.iter().position(|word| word == name);
            at.map_or(usual, |at| words[at + 1].parse().unwrap())
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seed = usize::try_from(now.unwrap().as_millis() % 1_000_000).unwrap();
        Self {
            files: number("--files", if is_whole { 1_000 } else { 10 }),
            bytes: number("--bytes", if is_whole { 1_000_000 } else { 50_000 }),
            interrupts: number("--interrupts", if is_whole { 8 } else { 1 }),
            seed: u64::try_from(number("--seed", seed)).unwrap(),
            is_whole,
        }
    }
}

/// What a folder holds.
#[derive(Default)]
struct Written {
    bytes: u64,
    text_bytes: u64,
    records: u64,
}

fn main() {
    let plan = Plan::read();
    println!(
        "seed {}: {} files, {} interrupts",
        plan.seed, plan.files, plan.interrupts
    );
    let room = tempfile::tempdir().unwrap();
    let language = Language::new();
    let folder = room.path().join("transcripts");
    let written = write_folder(&folder, &plan, &language);
    println!(
        "{:.0} MB in {} records, {:.0} MB of it text",
        real(written.bytes) / 1e6,
        written.records,
        real(written.text_bytes) / 1e6
    );
    let (whole, parts) = (room.path().join("whole.db"), room.path().join("parts.db"));
    let whole = Import {
        db: &whole,
        folder: &folder,
    };
    let cost = import_whole(&whole, &plan, &written);
    import_again(&whole, &plan);
    let parts = Import {
        db: &parts,
        folder: &folder,
    };
    import_in_parts(&parts, &plan, cost.wall, &written);
    compare::stores(whole.db, parts.db, written.records);
    println!("both stores hold the same");
}

fn write_folder(folder: &Path, plan: &Plan, language: &Language) -> Written {
    fs::create_dir(folder).unwrap();
    let mut written = Written::default();
    for n in 0..plan.files {
        let path = folder.join(format!("{}.jsonl", session(n)));
        let mut file = BufWriter::new(fs::File::create(path).unwrap());
        for record in records(language, plan.seed, n, plan.bytes) {
            written.records += 1;
            written.text_bytes += u64::try_from(record.text.len()).unwrap();
            written.bytes += u64::try_from(record.line.len() + 1).unwrap();
            writeln!(file, "{}", record.line).unwrap();
        }
        file.flush().unwrap();
    }
    written
}

/// Imports all at once, on a terminal.
fn import_whole(import: &Import<'_>, plan: &Plan, written: &Written) -> Cost {
    let (watched, cost) = of_children(|| import.watch());
    let Some(watched) = watched else {
        println!("SKIPPED progress and memory: there is no `script` of util-linux here");
        return of_children(|| import.run()).1;
    };
    println!(
        "import: {:.1} s, {:.1} s of processor; {:.1} MB of file a second",
        cost.wall.as_secs_f64(),
        cost.cpu.as_secs_f64(),
        cost.rates(written.bytes).0
    );
    check_account(&watched, plan, written);
    if plan.is_whole {
        check_progress(&watched);
        check_memory(&watched.samples, plan.files);
    }
    cost
}

/// The last line of the account counts every record once.
fn check_account(watched: &Watched, plan: &Plan, written: &Written) {
    let lines = watched.screen.lines();
    let total = lines.rev().find(|line| line.contains(" files"));
    let total = total.unwrap_or_else(|| panic!("no account: {}", watched.screen));
    let counts: Vec<String> = total
        .split_whitespace()
        .map(|word| word.replace(',', ""))
        .collect();
    println!("account: {}", counts.join(" "));
    let records = written.records.to_string();
    assert_eq!(counts[..2], [records.clone(), records], "{total}");
    assert_eq!(counts[2..6], ["0"; 4], "{total}");
    assert_eq!(counts[6], plan.files.to_string(), "{total}");
}

/// The bar has moved from the beginning to the end and is gone.
fn check_progress(watched: &Watched) {
    let mut steps: Vec<&str> = watched
        .screen
        .split(['\r', '\n'])
        .filter(|line| line.contains("iB/") && line.contains(".jsonl"))
        .collect();
    steps.dedup();
    println!("progress: {} steps, such as", steps.len());
    for step in steps.iter().step_by((steps.len() / 3).max(1)) {
        println!("    {}", step.trim_start_matches("\u{1b}[2K"));
    }
    assert!(steps.len() >= FEWEST_STEPS, "{}", watched.screen);
}

/// Memory in the second half stands where it stood in the first quarter.
fn check_memory(samples: &[Sample], files: usize) {
    let peak = |from: usize, to: usize, of: fn(&Sample) -> u64| {
        let within = samples.iter().filter(|sample| {
            let place = sample.file * 100 / files;
            from <= place && place < to
        });
        within.map(of).max().unwrap_or_default()
    };
    let own = |sample: &Sample| sample.own;
    for (name, of) in [
        ("own memory", own as fn(&Sample) -> u64),
        ("with mapped pages of the store", |sample| sample.resident),
    ] {
        let [tenth, half, all] = [10, 50, 100].map(|to| peak(0, to, of) / 1024);
        println!("{name}: {tenth} MB at 10 %, {half} MB at 50 %, {all} MB at 100 %");
    }
    // Mapped pages are the system's own cache of the file, and go when it needs them elsewhere.
    let (early, late) = (peak(0, 25, own), peak(50, 100, own));
    assert!(
        files < FEWEST_FOR_GROWTH || real(late) <= real(early) * MOST_GROWTH,
        "own memory grows from {early} to {late} KiB"
    );
    assert!(late <= MOST_OWN, "own memory: {late} KiB");
}

/// Nothing is new the second time, and that is found out fast.
fn import_again(import: &Import<'_>, plan: &Plan) {
    let (account, cost) = of_children(|| import.run());
    println!(
        "again, unchanged: {:.2} s, {:.2} s of processor for {} files",
        cost.wall.as_secs_f64(),
        cost.cpu.as_secs_f64(),
        plan.files
    );
    assert_eq!(account["totals"]["records"], 0, "{}", account["totals"]);
    assert_clean(import);
}

fn assert_clean(import: &Import<'_>) {
    let (report, cost) = of_children(|| import.ask(&["doctor"]));
    assert_eq!(report["ok"], true, "{report}");
    println!("doctor: clean, {:.1} s", cost.wall.as_secs_f64());
}

/// Imports all with interruptions, each at another time.
fn import_in_parts(import: &Import<'_>, plan: &Plan, whole: Duration, written: &Written) {
    let mut random = Random::new(plan.seed);
    let millis = usize::try_from(whole.as_millis()).unwrap();
    for _ in 0..plan.interrupts {
        // Together most of what the whole takes, so that few of them come too late.
        let time = random.below(millis * 3 / 2 / plan.interrupts + 1);
        let time = Duration::from_millis(u64::try_from(time).unwrap());
        let code = import.interrupt_after(time);
        println!("interrupted after {time:?}: {code:?}");
        assert!(matches!(code, Some(130 | 0)), "{code:?}");
        if import.db.exists() {
            assert_clean(import);
        }
    }
    let before = compare::count(import.db);
    let totals = import.run()["totals"].clone();
    println!("{before} rows were stored, then {}", totals["stored"]);
    assert_eq!(totals["stored"], written.records - before, "{totals}");
    assert_eq!(totals["duplicate"], 0, "{totals}");
    assert_clean(import);
    assert_eq!(import.run()["totals"]["records"], 0);
}
