//! The peak of a single command's own memory: pages of the store that the system holds for everybody are
//! left out.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::bench::{Bench, tell};
use crate::child::watch;
use crate::clock::count;
use crate::processes::PROGRAM;
use crate::reads::session_in;

/// Between two looks: a command may be over soon.
const PAUSE: Duration = Duration::from_millis(1);
/// What the figures' names begin with.
pub(crate) const MEMORY: &str = "peak of its own memory, MiB: ";

/// Runs commands over the store that was filled, one after the other.
pub(crate) fn memory(bench: &mut Bench<'_>) {
    tell("memory of single commands");
    let store = bench.folder("hippocamp").join("hippocamp.db");
    let (n, _) = bench.corpus.measured();
    let session = session_in(n, true);
    let (common, rare) = (bench.words.at(3), bench.words.at(20_000));
    let piece = rare.get(1..).unwrap_or(rare);
    let substring = format!("%{piece}%");
    let transcripts = bench.transcripts();
    let transcripts = transcripts.to_str().unwrap();
    let commands: [&[&str]; 12] = [
        &["grep", common],
        &["grep", common, "--sort", "time"],
        &["grep", rare],
        &["grep", &substring],
        &["grep", "--session", &session, &substring],
        &["context", "--session", &session],
        &["export", "--session", &session, "--format", "ndjson"],
        &["import", transcripts],
        &["sessions"],
        &["stats"],
        &["status"],
        &["doctor"],
    ];
    for words in commands {
        let mut command = Command::new(PROGRAM);
        command.arg("--db").arg(&store).args(words);
        command.stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let peak = Arc::new(AtomicU64::new(0));
        let watcher = watch(process.id(), Arc::clone(&peak), PAUSE);
        let ended = process.wait().unwrap();
        watcher.join().unwrap();
        let told = words.join(" ").replace(transcripts, "FOLDER");
        // 1 says that nothing was found.
        assert!(
            matches!(ended.code(), Some(0 | 1)),
            "hippocamp {told}: {ended}"
        );
        let name = format!("{MEMORY}{told}");
        let peak = count(peak.load(Ordering::Relaxed)) / 1024.0;
        bench.note(&name, "hippocamp", peak);
    }
}
