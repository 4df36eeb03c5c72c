//! How long another process waits for the write lock while one works behind its turns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use crate::bench::{Bench, tell};
use crate::corpus::Talk;
use crate::options::ours;
use crate::protocol::{Batch, Message, Request, Sync};
use crate::series::Sample;

pub(crate) const LOCK: &str = "wait for the write lock beside turns";
/// Turns of one round.
const TURNS: usize = 200;
/// Between two looks at a lock that is held, and between two waits.
const PAUSE: Duration = Duration::from_micros(50);

/// Asks for the lock again and again while a store takes turns.
pub(crate) fn lock(bench: &mut Bench<'_>) {
    tell(LOCK);
    let folder = bench.folder("hippocamp");
    let mut engine = ours("hippocamp").start(&folder, Sync::Normal);
    let place = bench.begin(LOCK, "hippocamp");
    let mut talk = Talk::new(bench.words, bench.corpus.seed, 3_000_000);
    let path = folder.join("hippocamp.db");
    for _ in 0..bench.options.rounds {
        let is_over = AtomicBool::new(false);
        let samples = thread::scope(|scope| {
            let waits = scope.spawn(|| wait_again(&path, &is_over));
            for _ in 0..TURNS {
                let messages = talk.three().iter().map(Message::of).collect();
                let session = "beside".to_owned();
                engine.must(&Request::Append(Batch { session, messages }));
            }
            engine.must(&Request::Settle);
            is_over.store(true, Ordering::Relaxed);
            waits.join().unwrap()
        });
        bench.findings.series[place].rounds.push(samples);
    }
    engine.close();
}

fn wait_again(path: &std::path::Path, is_over: &AtomicBool) -> Vec<Sample> {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    let mut samples = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let began = Instant::now();
        while !take(&connection) {
            thread::sleep(PAUSE);
        }
        let wall = began.elapsed().as_secs_f64() * 1e6;
        samples.push(Sample { wall, cpu: 0.0 });
        thread::sleep(PAUSE);
    }
    samples
}

/// Takes the lock and gives it back; says whether it was free.
fn take(connection: &Connection) -> bool {
    match connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK;") {
        Ok(()) => true,
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => false,
        Err(error) => panic!("{error}"),
    }
}
