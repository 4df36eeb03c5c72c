//! Stores that hold the corpus: hippocamp imports the transcripts, the bare statements insert the
//! same texts. What that takes is the first measure.

use crate::bench::{Bench, tell};
use crate::child::Running;
use crate::clock::count;
use crate::corpus::{Said, session, transcripts};
use crate::options::ours;
use crate::protocol::{Batch, Message, Request, Sync};
use crate::series::Sample;

pub(crate) const IMPORT: &str = "import";
pub(crate) const AGAIN: &str = "import again, unchanged";
/// Rows of one bare transaction.
const BATCH: usize = 1_000;

/// Fills the three stores, a project at a time, and returns the engines.
pub(crate) fn fill(bench: &mut Bench<'_>) -> Vec<Running> {
    let begin = bench.findings.series.len();
    let engines = ["hippocamp", "bare-rows", "bare-fts"];
    let mut engines: Vec<Running> = engines
        .map(|name| {
            bench.begin(IMPORT, name);
            ours(name).start(&bench.folder(name), Sync::Normal)
        })
        .into();
    let before: Vec<u64> = engines.iter().map(Running::written).collect();
    let (mut text, mut bytes) = (0, 0);
    for project in transcripts::projects(bench.corpus) {
        tell(&format!("import, project {}", project.number));
        let folder = bench.transcripts().join(project.name());
        let written = transcripts::write(bench.corpus, bench.words, &project, &folder).unwrap();
        text += written.text;
        bytes += written.bytes;
        for (place, engine) in engines.iter_mut().enumerate() {
            let cost = if engine.name == "hippocamp" {
                let path = folder.to_str().unwrap().to_owned();
                let answer = engine.must(&Request::Import { path });
                assert_eq!(answer.count, project.messages(), "imported messages");
                Sample::whole(&answer)
            } else {
                insert(bench, engine, &project)
            };
            let series = &mut bench.findings.series[begin + place];
            series.count += project.messages();
            series.bytes += written.text;
            series
                .rounds
                .push(vec![cost.per(count(project.messages()))]);
        }
    }
    for (place, engine) in engines.iter_mut().enumerate() {
        // What is left to do at the end is everybody's, so each project bears its share.
        let left = Sample::whole(&engine.must(&Request::Settle)).per(count(bench.size()));
        for round in &mut bench.findings.series[begin + place].rounds {
            round[0].add(left);
        }
    }
    for (engine, before) in engines.iter().zip(before) {
        let (peak, own) = engine.memory();
        bench.note(
            "peak memory of import, MiB",
            &engine.name,
            count(peak) / 1024.0,
        );
        bench.note("of that its own, MiB", &engine.name, count(own) / 1024.0);
        let disk = count(engine.disk()) / count(text);
        bench.note("bytes on disk per byte of text", &engine.name, disk);
        let written = count(engine.written() - before) / count(text);
        bench.note(
            "bytes written per byte of text, import",
            &engine.name,
            written,
        );
    }
    bench.note("text, MB", "", count(text) / 1e6);
    bench.note("transcripts, MB", "", count(bytes) / 1e6);
    again(bench, &mut engines);
    engines
}

/// Imports all again, of which nothing is new.
fn again(bench: &mut Bench<'_>, engines: &mut [Running]) {
    let place = bench.begin(AGAIN, "hippocamp");
    let path = bench.transcripts().to_str().unwrap().to_owned();
    for _ in 0..bench.options.rounds {
        let answer = engines[0].must(&Request::Import { path: path.clone() });
        assert_eq!(answer.count, 0, "imported again");
        bench.findings.series[place]
            .rounds
            .push(vec![Sample::of(&answer)]);
    }
}

/// Inserts the texts of a project, a thousand rows a transaction.
fn insert(bench: &Bench<'_>, engine: &mut Running, project: &transcripts::Project) -> Sample {
    let mut cost = Sample::default();
    let mut waiting: Vec<Message> = Vec::new();
    for (n, length) in &project.conversations {
        let said = bench.corpus.talk(bench.words, *n, *length);
        waiting.extend(said.iter().map(|said| addressed(said, *n)));
        while waiting.len() >= BATCH {
            let rest = waiting.split_off(BATCH);
            cost.add(append(engine, waiting));
            waiting = rest;
        }
    }
    if !waiting.is_empty() {
        cost.add(append(engine, waiting));
    }
    cost
}

fn append(engine: &mut Running, messages: Vec<Message>) -> Sample {
    let batch = Batch {
        session: String::new(),
        messages,
    };
    Sample::whole(&engine.must(&Request::Append(batch)))
}

fn addressed(said: &Said, n: u64) -> Message {
    Message {
        session: Some(session(n)),
        ..Message::of(said)
    }
}
