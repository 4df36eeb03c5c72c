//! Live ingest: the corpus arrives turn by turn in several conversations at once, into stores that
//! were empty. All work behind turns is counted.

use crate::bench::{Bench, tell};
use crate::child::{Running, Spec};
use crate::clock::count;
use crate::corpus::{Corpus, Said, Words, session};
use crate::options::ours;
use crate::protocol::{Batch, Message, Request, Sync};
use crate::series::{Sample, Series};

pub(crate) const LIVE: &str = "live ingest, a message";
/// Conversations that are alive at once.
const ALIVE: usize = 8;

/// An engine that is fed.
struct Fed {
    engine: Running,
    /// Whether it is sent appends, which only store, in place of turns.
    appends: bool,
    series: Series,
    /// What this round has taken so far.
    cost: Sample,
    /// Bytes written before.
    written: u64,
    is_peer: bool,
}

impl Fed {
    fn start(bench: &Bench<'_>, spec: &Spec, label: &str) -> Self {
        let folder = bench.folder(&format!("live {label}").replace(' ', "-"));
        let engine = spec.start(&folder, Sync::Normal);
        Self {
            appends: label == "hippocamp",
            series: bench.series(LIVE, label),
            cost: Sample::default(),
            written: engine.written(),
            is_peer: spec.command.is_some(),
            engine,
        }
    }

    /// Takes a turn; says why not, if the engine cannot.
    fn take(&mut self, turn: &Batch) -> Option<String> {
        let request = if self.appends {
            Request::Append(turn.clone())
        } else {
            Request::Turn(turn.clone())
        };
        let answer = self.engine.ask(&request);
        self.cost.add(Sample::whole(&answer));
        self.series.count += answer.count;
        self.series.bytes += answer.bytes;
        answer.unsupported
    }

    /// Waits for the work behind the turns and ends a round.
    fn end_round(&mut self, n_messages: u64) {
        let answer = self.engine.must(&Request::Settle);
        self.cost.add(Sample::whole(&answer));
        let cost = std::mem::take(&mut self.cost);
        self.series.rounds.push(vec![cost.per(count(n_messages))]);
    }
}

/// Feeds all engines with the same turns, and returns the peers, whose stores hold all then.
pub(crate) fn live(bench: &mut Bench<'_>) -> Vec<Running> {
    let mut all = vec![
        Fed::start(bench, &ours("bare-fts"), "bare-fts"),
        Fed::start(bench, &ours("bare-rows"), "bare-rows"),
        Fed::start(bench, &ours("hippocamp"), "hippocamp"),
        Fed::start(bench, &ours("hippocamp"), "hippocamp turn"),
    ];
    for spec in bench.options.peers_for(bench.size()) {
        all.push(Fed::start(bench, &spec, &spec.name));
    }
    let rounds = u64::try_from(bench.options.rounds).unwrap();
    let in_a_round = bench.size().div_ceil(rounds);
    let (mut n_messages, mut text) = (0, 0);
    for turn in turns(bench.corpus, bench.words) {
        all.retain_mut(|fed| match fed.take(&turn) {
            None => true,
            Some(why) => {
                println!("{LIVE}: {} left out: {why}", fed.series.column);
                false
            }
        });
        n_messages += whole(turn.messages.len());
        text += turn
            .messages
            .iter()
            .map(|one| whole(one.text.len()))
            .sum::<u64>();
        if n_messages >= in_a_round {
            end_round(&mut all, n_messages);
            n_messages = 0;
        }
    }
    if n_messages > in_a_round / 2 {
        end_round(&mut all, n_messages);
    }
    let mut peers = Vec::new();
    for fed in all {
        note(bench, &fed, count(text));
        bench.findings.series.push(fed.series);
        if fed.is_peer {
            peers.push(fed.engine);
        } else {
            fed.engine.close();
        }
    }
    peers
}

fn end_round(all: &mut [Fed], n_messages: u64) {
    tell("live, a round");
    for fed in all {
        fed.end_round(n_messages);
    }
}

/// Notes what is no time.
fn note(bench: &mut Bench<'_>, fed: &Fed, text: f64) {
    let (engine, label) = (&fed.engine, &fed.series.column);
    let written = count(engine.written() - fed.written) / text;
    bench.note("bytes written per byte of text, live", label, written);
    let disk = count(engine.disk()) / text;
    bench.note("bytes on disk per byte of text, live", label, disk);
    let (peak, own) = engine.memory();
    bench.note("peak memory live, MiB", label, count(peak) / 1024.0);
    bench.note("of that its own, live, MiB", label, count(own) / 1024.0);
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

fn whole(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}
