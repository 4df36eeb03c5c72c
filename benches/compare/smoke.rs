//! A run that times nothing: engines that mean the same must count the same. What keeps the
//! comparison true.

use crate::bench::Column;
use crate::child::Running;
use crate::corpus::queries::Kind;
use crate::corpus::{Corpus, Words, session, transcripts};
use crate::options::{Options, ours};
use crate::protocol::{Batch, Grep, Message, Order, Request, Sync, View};
use crate::reads::session_in;

/// Messages; two conversations.
const SIZE: u64 = 700;
/// More hits than any of the queries has.
const LIMIT: usize = 200;
/// What means the same by the rules of all engines, and is in some messages.
const QUERIES: [(&str, Kind); 6] = [
    ("commit", Kind::Word),
    ("commit blob", Kind::And),
    ("commit blob", Kind::Or),
    ("comm", Kind::Prefix),
    ("/cor", Kind::Substring),
    ("blob ", Kind::Substring),
];

/// Fills all engines with the same messages and compares what they count.
pub(crate) fn run(options: &Options) {
    let words = Words::new();
    let corpus = Corpus {
        seed: options.seed,
        size: SIZE,
    };
    let room = tempfile::tempdir().unwrap();
    let mut specs = vec![ours("bare-fts"), ours("hippocamp")];
    specs.extend(options.peers_for(SIZE));
    let mut engines: Vec<Running> = specs
        .iter()
        .map(|spec| spec.start(&room.path().join(&spec.name), Sync::Normal))
        .collect();
    fill(corpus, &words, &mut engines);
    let (mut n_compared, mut n_left_out) = (0, 0);
    for request in requests() {
        let mut first = None;
        for column in Column::of(&engines) {
            let answer = engines[column.engine].ask(&request);
            if let Some(why) = answer.unsupported {
                println!("{}: {why}", column.label);
                n_left_out += 1;
                continue;
            }
            assert!(
                answer.count > 0,
                "{}: nothing for {request:?}",
                column.label
            );
            let expected = *first.get_or_insert(answer.count);
            assert_eq!(answer.count, expected, "{}: {request:?}", column.label);
            n_compared += 1;
        }
    }
    import(
        corpus,
        &words,
        &room.path().join("transcripts"),
        &room.path().join("imported"),
    );
    for engine in engines {
        assert!(engine.disk() > 0, "{} has stored nothing", engine.name);
        engine.close();
    }
    println!(
        "{n_compared} answers of {} engines agree, {n_left_out} are not given",
        specs.len()
    );
}

fn fill(corpus: Corpus, words: &Words, engines: &mut Vec<Running>) {
    for (n, length) in corpus.conversations() {
        let said = corpus.talk(words, n, length);
        let batch = Batch {
            session: session(n),
            messages: said.iter().map(Message::of).collect(),
        };
        engines.retain_mut(|engine| {
            let answer = engine.ask(&Request::Append(batch.clone()));
            if let Some(why) = answer.unsupported {
                println!("{} is left out: {why}", engine.name);
                return false;
            }
            assert_eq!(answer.count, length, "{}", engine.name);
            let text: usize = said.iter().map(|one| one.text.len()).sum();
            assert_eq!(
                answer.bytes,
                u64::try_from(text).unwrap(),
                "{}",
                engine.name
            );
            true
        });
    }
    for engine in engines {
        engine.must(&Request::Settle);
    }
}

fn requests() -> Vec<Request> {
    let mut requests = vec![Request::View(View {
        session: session(0),
        items: 500,
        way: None,
    })];
    for (query, kind) in QUERIES {
        for within in [None, Some(session(0))] {
            let is_text = kind == Kind::Substring;
            requests.push(Request::Grep(Grep {
                query: query.to_owned(),
                kind,
                order: Order::Newest,
                // Bare statements look for words in all sessions only.
                session: within.filter(|_| is_text),
                limit: LIMIT,
                way: None,
            }));
            requests.push(Request::Expand { hits: 20 });
        }
    }
    requests
}

/// Every record of the transcripts is imported once, into the same conversations.
fn import(corpus: Corpus, words: &Words, folder: &std::path::Path, store: &std::path::Path) {
    for project in transcripts::projects(corpus) {
        let folder = folder.join(project.name());
        let written = transcripts::write(corpus, words, &project, &folder).unwrap();
        assert!(written.bytes > written.text);
    }
    let mut engine = ours("hippocamp").start(store, Sync::Normal);
    let path = folder.to_str().unwrap().to_owned();
    for expected in [SIZE, 0] {
        let answer = engine.must(&Request::Import { path: path.clone() });
        assert_eq!(answer.count, expected, "imported");
    }
    let view = View {
        session: session_in(0, true),
        items: 500,
        way: None,
    };
    assert_eq!(engine.must(&Request::View(view)).count, 500, "shown");
    engine.close();
}
