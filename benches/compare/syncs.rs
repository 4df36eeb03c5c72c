//! How often the disk is waited for, counted from outside by `strace`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::bench::{Bench, tell};
use crate::child::Running;
use crate::clock::count;
use crate::corpus::Talk;
use crate::options::ours;
use crate::protocol::{Batch, Message, Request, Sync};

pub(crate) const SYNCS: &str = "syncs an append, full";
/// Appends that follow each other so fast that no work behind them begins.
const APPENDS: u64 = 5;

/// Counts the syncs of appends, without those of the work behind them.
pub(crate) fn syncs(bench: &mut Bench<'_>) {
    tell(SYNCS);
    let mut engine = ours("hippocamp").start(&bench.folder("synced-store"), Sync::Full);
    let mut talk = Talk::new(bench.words, bench.corpus.seed, 4_000_000);
    let mut append = |engine: &mut Running| {
        let messages = talk.three().iter().map(Message::of).collect();
        let session = "synced".to_owned();
        engine.must(&Request::Append(Batch { session, messages }));
    };
    append(&mut engine);
    engine.must(&Request::Settle);
    let Some(trace) = Trace::of(engine.id()) else {
        println!("{SYNCS}: no strace here");
        return engine.close();
    };
    let mut counts = Vec::new();
    for _ in 0..4 * bench.options.rounds {
        // The first one begins the log anew behind a checkpoint, which takes a sync of its own.
        append(&mut engine);
        let before = trace.count();
        for _ in 0..APPENDS {
            append(&mut engine);
        }
        counts.push(trace.count() - before);
        engine.must(&Request::Settle);
    }
    trace.end();
    counts.sort_unstable();
    // Where appends were slow, work behind them is counted too.
    let middle = counts[counts.len() / 2];
    bench.note(SYNCS, "hippocamp", count(middle) / count(APPENDS));
    engine.close();
}

/// `strace` on a process.
struct Trace {
    strace: Child,
    n_calls: Arc<AtomicU64>,
}

impl Trace {
    fn of(id: u32) -> Option<Self> {
        let mut command = Command::new("strace");
        command.args(["-f", "-e", "trace=fsync,fdatasync", "-p", &id.to_string()]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut strace = command.spawn().ok()?;
        let mut lines = BufReader::new(strace.stderr.take()?).lines();
        let first = lines.next()?.ok()?;
        if !first.contains("attached") {
            strace.wait().ok()?;
            return None;
        }
        let n_calls = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&n_calls);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // A call that others interrupted is told twice.
                if line.contains("sync(") {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        Some(Self { strace, n_calls })
    }

    fn count(&self) -> u64 {
        self.n_calls.load(Ordering::Relaxed)
    }

    fn end(mut self) {
        let id = self.strace.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().unwrap();
        self.strace.wait().unwrap();
    }
}
