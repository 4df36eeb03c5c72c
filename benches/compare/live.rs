//! Live ingest: the corpus arrives turn by turn in several conversations at once, into stores that
//! were empty. All work behind turns is counted.

use crate::bench::{Bench, tell};
use crate::child::{Running, Spec};
use crate::clock::count;
use crate::corpus::{Corpus, Said, Words, session};
use crate::options::ours;
use crate::protocol::{Batch, Message, Request, Sync};
use crate::series::Sample;

pub(crate) const LIVE: &str = "live ingest, a message";
/// Conversations that are alive at once.
const ALIVE: usize = 8;

/// Feeds all engines with the same turns, and returns the peers, whose stores hold all then.
pub(crate) fn live(bench: &mut Bench<'_>) -> Vec<Running> {
    let begin = bench.findings.series.len();
    let mut engines = Vec::new();
    for (spec, kind) in specs(bench) {
        let label = if kind == "turn" && spec.command.is_none() && spec.name == "hippocamp" {
            "hippocamp turn".to_owned()
        } else {
            spec.name.clone()
        };
        bench.begin(LIVE, &label);
        let folder = bench.folder(&format!("live-{label}").replace(' ', "-"));
        engines.push((spec.start(&folder, Sync::Normal), kind));
    }
    let before: Vec<u64> = engines.iter().map(|(engine, _)| engine.written()).collect();
    let rounds = u64::try_from(bench.options.rounds).unwrap();
    let in_a_round = bench.size().div_ceil(rounds);
    let (mut costs, mut n_messages) = (vec![Sample::default(); engines.len()], 0);
    let mut text = 0;
    for turn in turns(bench.corpus, bench.words) {
        let n_turn = u64::try_from(turn.messages.len()).unwrap();
        n_messages += n_turn;
        for (place, (engine, kind)) in engines.iter_mut().enumerate() {
            let batch = turn.clone();
            let request = if *kind == "append" {
                Request::Append(batch)
            } else {
                Request::Turn(batch)
            };
            let answer = engine.ask(&request);
            costs[place].add(Sample::whole(&answer));
            let series = &mut bench.findings.series[begin + place];
            series.count += answer.count;
            series.bytes += answer.bytes;
        }
        text += turn
            .messages
            .iter()
            .map(|one| count_of(one.text.len()))
            .sum::<u64>();
        if n_messages >= in_a_round {
            end_round(bench, begin, &mut engines, &mut costs, n_messages);
            n_messages = 0;
        }
    }
    if n_messages > in_a_round / 2 {
        end_round(bench, begin, &mut engines, &mut costs, n_messages);
    }
    for ((engine, _), before) in engines.iter().zip(before) {
        let written = count(engine.written() - before) / count(text);
        bench.note(
            "bytes written per byte of text, live",
            &engine.name,
            written,
        );
        let disk = count(engine.disk()) / count(text);
        bench.note("bytes on disk per byte of text, live", &engine.name, disk);
        let (peak, own) = engine.memory();
        bench.note("peak memory live, MiB", &engine.name, count(peak) / 1024.0);
        bench.note(
            "of that its own, live, MiB",
            &engine.name,
            count(own) / 1024.0,
        );
    }
    let (peers, rest): (Vec<_>, Vec<_>) =
        engines
            .into_iter()
            .map(|(engine, _)| engine)
            .partition(|engine| {
                bench
                    .options
                    .peers
                    .iter()
                    .any(|spec| spec.name == engine.name)
            });
    for engine in rest {
        engine.close();
    }
    peers
}

/// Waits for the work behind the turns and ends a round.
fn end_round(
    bench: &mut Bench<'_>,
    begin: usize,
    engines: &mut [(Running, &str)],
    costs: &mut [Sample],
    n_messages: u64,
) {
    tell("live, a round");
    for (place, (engine, _)) in engines.iter_mut().enumerate() {
        costs[place].add(Sample::whole(&engine.must(&Request::Settle)));
        let cost = costs[place].per(count(n_messages));
        bench.findings.series[begin + place].rounds.push(vec![cost]);
        costs[place] = Sample::default();
    }
}

/// The engines, and whether they are sent turns or appends.
fn specs(bench: &Bench<'_>) -> Vec<(Spec, &'static str)> {
    let mut specs = vec![
        (ours("hippocamp"), "append"),
        (ours("hippocamp"), "turn"),
        (ours("bare-rows"), "turn"),
        (ours("bare-fts"), "turn"),
    ];
    let peers = bench.options.peers_for(bench.size());
    specs.extend(peers.into_iter().map(|spec| (spec, "turn")));
    specs
}

/// Returns the corpus turn by turn, eight conversations at a time.
fn turns(corpus: Corpus, words: &Words) -> impl Iterator<Item = Batch> {
    let all: Vec<(u64, u64)> = corpus.conversations().collect();
    let groups: Vec<Vec<(u64, u64)>> = all.chunks(ALIVE).map(<[_]>::to_vec).collect();
    groups.into_iter().flat_map(move |group| {
        let talks = group.iter().map(|(n, length)| {
            let said = corpus.talk(words, *n, *length);
            (session(*n), split(said))
        });
        let mut talks: Vec<(String, std::vec::IntoIter<Vec<Said>>)> = talks.collect();
        let mut batches = Vec::new();
        while !talks.is_empty() {
            talks.retain_mut(|(session, turns)| {
                let Some(turn) = turns.next() else {
                    return false;
                };
                batches.push(Batch {
                    session: session.clone(),
                    messages: turn.iter().map(Message::of).collect(),
                });
                true
            });
        }
        batches
    })
}

/// Divides a talk into its turns, each of which begins with what a person says.
fn split(said: Vec<Said>) -> std::vec::IntoIter<Vec<Said>> {
    let mut turns: Vec<Vec<Said>> = Vec::new();
    for one in said {
        match turns.last_mut() {
            Some(turn) if one.role != crate::corpus::Role::User => turn.push(one),
            _ => turns.push(vec![one]),
        }
    }
    turns.into_iter()
}

fn count_of(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}
