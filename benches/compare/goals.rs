//! The goals beside what was measured. What was not measured is said to be so.

use crate::goals_of::{self, Figure};
use crate::series::Findings;
use crate::table::short;

/// What is measured, what is aimed at, and the figures that show it.
type Goal = (
    &'static str,
    &'static str,
    fn(&Findings, u64) -> Vec<Figure>,
);

const GOALS: [Goal; 17] = [
    (
        "import",
        "≤ 1.4× the CPU of bare rows with FTS5",
        goals_of::import,
    ),
    (
        "live ingest, a message",
        "≤ 1.75× the CPU of import",
        goals_of::live_to_import,
    ),
    (
        "live ingest beside peers, CPU",
        "PicoClaw ≥ 15×, lossless-claw ≥ 30× (quoted as multiples of bare rows with FTS5), \
         hermes-agent ≥ 15×, openai-agents ≥ 1×",
        goals_of::live_to_peers,
    ),
    (
        "import of transcripts beside agentsview, CPU",
        "it takes ≥ 3×, again unchanged ≥ 4×",
        goals_of::transcripts,
    ),
    (
        "turn, normal",
        "p50 ≤ 1.8×, p99 ≤ 3× of the bare transaction; p50 ≤ 1.2× of that at 10^3; p99 with the \
         index inside ≥ 50×",
        goals_of::turn_normal,
    ),
    (
        "turn, full",
        "p50 ≤ 1.1×, p99 ≤ 1.5× of fdatasync",
        goals_of::turn_full,
    ),
    ("syncs of an append, full", "1", goals_of::syncs),
    (
        "wait for the write lock",
        "p99 ≤ 100, most ≤ 200 bare turns",
        goals_of::held,
    ),
    (
        "view of 500",
        "≤ 1.3× of one JOIN; N+1 ≥ 4×, openai-agents ≥ 10×",
        goals_of::view,
    ),
    (
        "grep, newest 20, any word",
        "≤ 2× of bare FTS5 at p50 and p99; ripgrep ≥ 500× the CPU",
        goals_of::newest,
    ),
    (
        "grep, ranked 20, any word",
        "≤ 2× of bm25 over the newest 1,000; ORDER BY rank on common words ≥ 50×; p99 / p50 ≤ 12",
        goals_of::ranked,
    ),
    (
        "grep in one conversation of 500",
        "≤ 3× of a memmem over its rows; ≤ 1.5× of the same in a store of 500",
        goals_of::in_one,
    ),
    (
        "pieces of text in all messages",
        "≤ 3× the CPU of ripgrep, inside words ≤ 0.1×",
        goals_of::pieces,
    ),
    (
        "disk",
        "≤ 2.0 bytes a byte of text; ≤ 45 written a byte live",
        goals_of::disk,
    ),
    (
        "memory",
        "any single command ≤ 64 MiB beyond mapped pages",
        goals_of::memory,
    ),
    (
        "cold start to the first answer",
        "≤ 3× of sqlite3 doing one SELECT",
        goals_of::cold,
    ),
    (
        "token estimate",
        "an exact count by o200k ≥ 10× its CPU",
        goals_of::tokens,
    ),
];

/// Prints all goals for the largest size measured.
pub(crate) fn print(findings: &Findings, size: u64) {
    println!("\n## Goals, at {size} messages\n");
    println!("| what | goal | measured | |\n|---|---|---|---|");
    for (what, goal, figures_of) in GOALS {
        let figures = figures_of(findings, size);
        let verdict = match figures.as_slice() {
            [] => "not measured",
            figures if figures.iter().all(Figure::is_met) => "met",
            _ => "**not met**",
        };
        let told: Vec<String> = figures.iter().map(tell).collect();
        println!("| {what} | {goal} | {} | {verdict} |", told.join("; "));
    }
}

fn tell(figure: &Figure) -> String {
    let mark = if figure.is_met() { "" } else { " ✗" };
    format!(
        "{} {}{}{mark}",
        figure.name,
        short(figure.value),
        figure.unit
    )
}
