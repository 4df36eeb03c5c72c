//! What is written while people wait: turns into stores that hold the corpus.

use crate::bench::{Bench, Column, tell};
use crate::child::Running;
use crate::corpus::Talk;
use crate::options::ours;
use crate::protocol::{Batch, Message, Request, Sync};

/// Turns of one round.
const TURNS: usize = 100;
/// Conversations that are alive at once.
const ALIVE: u64 = 8;
/// Numbers of conversations that are in no corpus.
const BEYOND: u64 = 1_000_000;

pub(crate) const LIMIT: &str = "fdatasync after 4 KB";

/// Returns the name of the measure of turns.
pub(crate) const fn turn(sync: Sync) -> &'static str {
    match sync {
        Sync::Normal => "turn of 3, normal",
        Sync::Full => "turn of 3, full",
    }
}

/// Takes turns with stores that were filled, which are opened anew.
pub(crate) fn turns(bench: &mut Bench<'_>, sync: Sync) {
    tell(turn(sync));
    let names = ["bare-rows", "hippocamp", "bare-fts"];
    let limit = (sync == Sync::Full).then_some("fdatasync");
    let mut engines: Vec<Running> = names
        .into_iter()
        .chain(limit)
        .map(|name| ours(name).start(&bench.folder(name), sync))
        .collect();
    let mut columns = vec![
        Column::named(&engines, "bare-rows", "bare-rows", None).unwrap(),
        Column::named(&engines, "hippocamp", "hippocamp append", Some("append")).unwrap(),
        Column::named(&engines, "hippocamp", "hippocamp turn", Some("turn")).unwrap(),
    ];
    columns.extend(Column::named(&engines, "bare-fts", "bare-fts", None));
    columns.extend(Column::named(&engines, "fdatasync", LIMIT, None));
    let first = BEYOND * if sync == Sync::Full { 2 } else { 1 };
    let mut said: Vec<Vec<Vec<Message>>> = Vec::new();
    let words = bench.words;
    let mut talks: Vec<Talk<'_>> = (0..ALIVE)
        .map(|n| Talk::new(words, bench.corpus.seed, first + n))
        .collect();
    for _ in 0..bench.options.rounds {
        let turns = (0..TURNS).map(|at| {
            let place = at % talks.len();
            talks[place].three().iter().map(Message::of).collect()
        });
        said.push(turns.collect());
    }
    bench.rounds(turn(sync), &mut engines, columns, &mut |column, round| {
        let request = |(at, messages): (usize, &Vec<Message>)| {
            let alive = u64::try_from(at).unwrap() % ALIVE;
            let kind = column.way.unwrap_or("turn");
            let batch = Batch {
                session: format!("live-{}-{kind}-{alive}", sync.as_str()),
                messages: messages.clone(),
            };
            if kind == "append" {
                Request::Append(batch)
            } else {
                Request::Turn(batch)
            }
        };
        said[round].iter().enumerate().map(request).collect()
    });
    for engine in engines {
        engine.close();
    }
}
