//! Ctrl-C during the import of a folder: what is stored is whole, and the next run completes it.
//! `.ci/long folder` does the same with 1,000 transcripts of 1 MB.

#[expect(dead_code, reason = "the texts by themselves are for the bare insert")]
#[path = "../../benches/folder/transcripts.rs"]
mod transcripts;

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::program::{Program, catches_interrupts, interrupt};
use transcripts::{Language, Random, records, session};

const FILES: usize = 20;
const BYTES: usize = 100_000;

/// Writes the folder and returns how many records it has.
fn write_folder(program: &Program, seed: u64) -> usize {
    let language = Language::new();
    let mut n_records = 0;
    for n in 0..FILES {
        let records = records(&language, seed, n, BYTES);
        n_records += records.len();
        let lines: Vec<String> = records.into_iter().map(|record| record.line).collect();
        program.write(
            &format!("in/{}.jsonl", session(n)),
            &(lines.join("\n") + "\n"),
        );
    }
    n_records
}

/// Imports for a while and presses Ctrl-C. Returns the exit code.
fn interrupt_after(program: &Program, time: Duration) -> Option<i32> {
    let mut command = program.process();
    command.args(["import", "in", "--db", "parts.db"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    while !catches_interrupts(&child) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    }
    std::thread::sleep(time);
    interrupt(&child);
    child.wait().unwrap().code()
}

fn n_messages(program: &Program, db: &str) -> u64 {
    program.json(&["stats", "--db", db])["messages"]
        .as_u64()
        .unwrap()
}

/// All that the two stores say of their conversations and messages.
fn contents(program: &Program, db: &str) -> Vec<String> {
    let listed = program.json(&["sessions", "--db", db]);
    let mut sessions: Vec<Value> = listed["sessions"].as_array().unwrap().clone();
    sessions.sort_by_key(|session| session["key"].to_string());
    assert_eq!(sessions.len(), FILES);
    let key = |session: &Value| session["key"].as_str().unwrap().to_owned();
    let told = sessions.iter().map(|session| {
        let words = ["export", "--format", "ndjson", "--db", db, "--session"];
        let exported = program.run(&[&words[..], &[&key(session)]].concat());
        let counts = ["key", "messages", "tokens", "first_time", "last_time"];
        let counts = counts.map(|name| session[name].to_string());
        format!("{counts:?}\n{}", exported.stdout)
    });
    told.collect()
}

#[test]
fn an_import_that_was_interrupted_is_completed_by_the_next() {
    let program = Program::new();
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let n_records = write_folder(&program, seed);
    let whole = program.json(&["import", "in", "--db", "whole.db"]);
    assert_eq!(whole["totals"]["stored"], n_records);
    let mut n_interrupted = 0;
    for most in [30, 300, 300] {
        let time = Duration::from_millis(u64::try_from(random.below(most)).unwrap());
        let code = interrupt_after(&program, time);
        assert!(matches!(code, Some(130 | 0)), "{code:?} after {time:?}");
        n_interrupted += usize::from(code == Some(130));
        if program.path("parts.db").exists() {
            assert_eq!(program.json(&["doctor", "--db", "parts.db"])["ok"], true);
        }
    }
    assert!(n_interrupted > 0, "it is over too soon for this test");
    let before = if program.path("parts.db").exists() {
        n_messages(&program, "parts.db")
    } else {
        0
    };
    let totals = program.json(&["import", "in", "--db", "parts.db"])["totals"].clone();
    // Nothing is read twice: what was stored lies before the checkpoint.
    assert_eq!(totals["duplicate"], 0, "{before} before, then {totals}");
    let all = before + totals["stored"].as_u64().unwrap();
    assert_eq!(all, u64::try_from(n_records).unwrap());
    assert_eq!(
        contents(&program, "parts.db"),
        contents(&program, "whole.db")
    );
    assert_eq!(program.json(&["doctor", "--db", "parts.db"])["ok"], true);
    let again = program.json(&["import", "in", "--db", "parts.db"]);
    assert_eq!(again["totals"]["records"], 0);
}
