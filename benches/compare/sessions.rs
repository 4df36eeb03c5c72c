//! Several agents at once: each a process with a conversation of its own, all in one store.

use std::thread;
use std::time::Instant;

use crate::bench::{Bench, tell};
use crate::child::Running;
use crate::clock::count;
use crate::corpus::{Talk, Words};
use crate::options::ours;
use crate::protocol::{Batch, Message, Request, Sync};
use crate::series::Sample;

/// How many at once.
pub(crate) const AT_ONCE: [u64; 3] = [1, 4, 16];
/// Turns of all together in one round.
const TURNS: u64 = 160;

/// Returns the name of the measure.
pub(crate) fn name(at_once: u64) -> String {
    format!("turn of 3 with {at_once} at once, full")
}

/// Lets processes take turns with one store at the same time.
pub(crate) fn sessions(bench: &mut Bench<'_>) {
    for at_once in AT_ONCE {
        let measure = name(at_once);
        tell(&measure);
        for (label, kind) in [
            ("bare-rows", "turn"),
            ("bare-fts", "turn"),
            ("hippocamp", "append"),
        ] {
            let folder = bench.folder(&format!("sessions-{at_once}-{label}"));
            let mut engines: Vec<Running> = (0..at_once)
                .map(|_| ours(label).start(&folder, Sync::Full))
                .collect();
            let place = bench.begin(&measure, label);
            let mut rates = Vec::new();
            for round in 0..bench.options.rounds {
                let began = Instant::now();
                let samples = together(bench.words, &mut engines, kind, round);
                rates.push(count(TURNS) / began.elapsed().as_secs_f64());
                bench.findings.series[place].rounds.push(samples);
            }
            rates.sort_by(f64::total_cmp);
            bench.note(
                &format!("{measure}: turns a second"),
                label,
                rates[rates.len() / 2],
            );
            for engine in engines {
                engine.close();
            }
        }
    }
}

/// Each engine takes its share of the turns, all at the same time.
fn together(words: &Words, engines: &mut [Running], kind: &str, round: usize) -> Vec<Sample> {
    let share = TURNS / u64::try_from(engines.len()).unwrap();
    thread::scope(|scope| {
        let one = |(place, engine): (usize, &mut Running)| -> Vec<Sample> {
            let number = u64::try_from(place + 100 * (round + 1)).unwrap();
            let mut talk = Talk::new(words, number, 2_000_000 + number);
            let turn = |_| {
                let messages = talk.three().iter().map(Message::of).collect();
                let session = format!("agent-{place}");
                let batch = Batch { session, messages };
                let request = if kind == "append" {
                    Request::Append(batch)
                } else {
                    Request::Turn(batch)
                };
                Sample::of(&engine.must(&request))
            };
            (0..share).map(turn).collect()
        };
        let handles: Vec<_> = engines
            .iter_mut()
            .enumerate()
            .map(|pair| scope.spawn(move || one(pair)))
            .collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap())
            .collect()
    })
}
