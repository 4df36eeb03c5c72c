//! The samples of every format: each record has its place, a second import stores nothing, a file
//! of lines cut anywhere and completed is the whole, and the store is sound.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hippocamp::domain::Part;
use hippocamp::import::{Counts, Format, ImportMode};

use crate::import_cuts::{Transcript, check_cuts, random};
use crate::import_provenance::check_home;
use crate::import_support::{Home, options};
use crate::shared::shared;
use crate::support::assert_clean;

/// How a format's files can be read while they are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grows {
    /// By lines; the manifest's count of them is the count of records.
    ByLines,
    /// Not: the file is read whole. The manifest's lines say nothing of its records.
    Whole,
    /// By lines, but its cuts have a test of their own.
    Elsewhere,
}

/// Samples of one kind of file of a format.
struct Kind {
    format: &'static str,
    grows: Grows,
    /// What the names of its samples begin and end with.
    names: &'static [(&'static str, &'static str)],
}

const KINDS: &[Kind] = &[
    Kind {
        format: "claude-code",
        grows: Grows::Elsewhere,
        names: &[("claude-code/", ".jsonl")],
    },
    Kind {
        format: "codex",
        grows: Grows::ByLines,
        names: &[("codex/", ".jsonl")],
    },
    Kind {
        format: "gemini-cli",
        grows: Grows::ByLines,
        names: &[("gemini-cli/", ".jsonl")],
    },
    Kind {
        format: "gemini-cli",
        grows: Grows::Whole,
        names: &[("gemini-cli/", ".json")],
    },
    Kind {
        format: "kimi",
        grows: Grows::ByLines,
        names: &[("kimi/osv-wire", ".jsonl"), ("other/kimi-wire", ".jsonl")],
    },
    Kind {
        format: "aider",
        grows: Grows::Whole,
        names: &[("aider/", ".md")],
    },
    Kind {
        format: "claude-code",
        grows: Grows::Whole,
        names: &[("claude-code/", "-webexport.json")],
    },
    Kind {
        format: "chatgpt",
        grows: Grows::Whole,
        names: &[("chatgpt-export/", ".json")],
    },
    Kind {
        format: "claude-ai",
        grows: Grows::Whole,
        names: &[("claude-ai-export/", ".json")],
    },
    Kind {
        format: "swe-agent",
        grows: Grows::Whole,
        names: &[("swe-agent/", ".traj")],
    },
    Kind {
        format: "openhands",
        grows: Grows::ByLines,
        names: &[("openhands/", ".jsonl")],
    },
    Kind {
        format: "pi",
        grows: Grows::ByLines,
        names: &[("pi/", ".jsonl")],
    },
    Kind {
        format: "openclaw",
        grows: Grows::ByLines,
        names: &[
            ("openclaw/", "-session.jsonl"),
            ("openclaw/", "0e1f2a3b4c5d.jsonl"),
        ],
    },
    Kind {
        format: "openclaw",
        grows: Grows::Whole,
        names: &[("synthetic-schema/openclaw", ".sqlite")],
    },
    Kind {
        format: "picoclaw",
        grows: Grows::ByLines,
        names: &[("synthetic-schema/picoclaw", ".jsonl")],
    },
    Kind {
        format: "picoclaw",
        grows: Grows::Whole,
        names: &[("synthetic-schema/picoclaw", ".db")],
    },
    Kind {
        format: "opencode",
        grows: Grows::Whole,
        names: &[("synthetic-schema/opencode", ".db")],
    },
    Kind {
        format: "goose",
        grows: Grows::ByLines,
        names: &[("goose/", ".jsonl")],
    },
    Kind {
        format: "goose",
        grows: Grows::Whole,
        names: &[("synthetic-schema/goose", ".db")],
    },
];

/// Files below this many bytes are cut at more places.
const SMALL: usize = 100_000;

/// One line of the manifest.
struct Row {
    name: String,
    n_lines: Option<u64>,
    n_calls: Option<usize>,
}

fn manifest(shared: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(shared.join("samples/MANIFEST.tsv")).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let n_calls = fields[5].split("tool calls ").nth(1).map(|rest| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().unwrap()
        });
        Row {
            name: fields[0].to_owned(),
            n_lines: fields[4].parse().ok(),
            n_calls,
        }
    });
    rows.collect()
}

/// Returns the samples of the formats that are not read.
pub(crate) fn other_samples(shared: &Path) -> Vec<PathBuf> {
    let rows = manifest(shared).into_iter();
    let others = rows.filter(|row| row.name.starts_with("other/"));
    others
        .map(|row| shared.join("samples").join(row.name))
        .collect()
}

impl Kind {
    fn rows<'a>(&self, manifest: &'a [Row]) -> Vec<&'a Row> {
        let is_own = |row: &&Row| {
            let mut names = self.names.iter();
            names.any(|(begin, end)| row.name.starts_with(begin) && row.name.ends_with(end))
        };
        let rows: Vec<&Row> = manifest.iter().filter(is_own).collect();
        assert!(!rows.is_empty(), "{} has no samples", self.format);
        rows
    }
}

fn n_calls(home: &Home) -> usize {
    let rows = home.rows();
    let parts = rows.iter().flat_map(|(_, message)| &message.parts);
    parts
        .filter(|part| matches!(part, Part::ToolUse { .. }))
        .count()
}

/// Imports one sample into a store of its own and returns its counts and calls.
fn check_sample(shared: &Path, kind: &Kind, row: &Row) -> (Counts, usize) {
    let name = &row.name;
    let path = shared.join("samples").join(name);
    let home = Home::new();
    let dry = home.import_with(
        std::slice::from_ref(&path),
        &options().mode(ImportMode::DryRun),
    );
    let account = home.import(std::slice::from_ref(&path));
    let problem = account.files.first().and_then(|file| file.problem.as_ref());
    assert_eq!(problem, None, "{name}");
    let format = account.files.first().and_then(|file| file.format);
    assert_eq!(format.map(Format::as_str), Some(kind.format), "{name}");
    assert_eq!(dry.totals, account.totals, "{name}");
    check_home(&home);
    if kind.grows != Grows::Whole
        && let Some(n_lines) = row.n_lines
    {
        assert_eq!(account.totals.records, n_lines, "{name}");
    }
    let found = n_calls(&home);
    if let Some(wanted) = row.n_calls {
        assert_eq!(found, wanted, "{name}");
    }
    let before = home.picture();
    let again = home.import(&[path]).totals;
    assert_eq!((again.stored, again.edited), (0, 0), "{name}");
    assert_eq!(home.picture(), before, "{name}");
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
    (account.totals, found)
}

#[test]
fn every_sample_of_every_format_balances_and_is_stored_once() {
    let Some(shared) = shared("every_sample_of_every_format_balances_and_is_stored_once") else {
        return;
    };
    let manifest = manifest(&shared);
    let mut table = format!(
        "{:<12} {:>5} {:>7} {:>8} {:>5}\n",
        "format", "files", "records", "messages", "calls"
    );
    for kind in KINDS {
        let (mut counts, mut n_calls) = (Counts::default(), 0);
        let rows = kind.rows(&manifest);
        for row in &rows {
            let (found, calls) = check_sample(&shared, kind, row);
            counts += found;
            n_calls += calls;
        }
        writeln!(
            table,
            "{:<12} {:>5} {:>7} {:>8} {n_calls:>5}",
            kind.format,
            rows.len(),
            counts.records,
            counts.messages
        )
        .unwrap();
    }
    println!("{table}");
}

#[test]
fn samples_of_lines_cut_anywhere_and_completed_are_the_whole() {
    let test = "samples_of_lines_cut_anywhere_and_completed_are_the_whole";
    let Some(shared) = shared(test) else { return };
    let manifest = manifest(&shared);
    let mut random = random();
    let mut transcripts = Vec::new();
    for kind in KINDS.iter().filter(|kind| kind.grows == Grows::ByLines) {
        for row in kind.rows(&manifest) {
            let bytes = std::fs::read(shared.join("samples").join(&row.name)).unwrap();
            let n_cuts = if bytes.len() < SMALL { 50 } else { 20 };
            transcripts.push(Transcript::new(&row.name, bytes, n_cuts, &mut random));
        }
    }
    check_cuts(&transcripts);
}
