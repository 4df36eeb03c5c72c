//! Instructions of the hot paths, counted by callgrind: the same on a busy machine as on a quiet one, so
//! that a slower path shows from one commit to the next. What is counted is a whole process, of which two
//! runs are compared that differ in the number of calls.

use std::fs;
use std::path::{Path, PathBuf};

use crate::child::{Running, Spec};
use crate::corpus::queries::Kind;
use crate::corpus::{Corpus, Talk, Words, session, transcripts};
use crate::options::ours;
use crate::protocol::{Batch, Grep, Message, Order, Request, Sync, View};
use crate::reads::session_in;

const SEED: u64 = 20_261_130;
/// Messages of the store; the first conversation that is imported has more than enough of them.
const SIZE: u64 = 2_000;
/// Calls of the shorter run, and how many more the longer one makes.
const CALLS: usize = 3;
const MORE: usize = 10;
/// A number of a conversation that is in no corpus.
const BEYOND: u64 = 1_000_000;

/// A call, by how many were made before.
type Call<'a> = (&'static str, &'a dyn Fn(usize) -> Vec<Request>);

/// Counts, and prints a line for each path: its name, a tab, instructions.
pub(crate) fn run() {
    let room = tempfile::tempdir().unwrap();
    let words = Words::new();
    let corpus = Corpus {
        seed: SEED,
        size: SIZE,
    };
    let filled = room.path().join("filled");
    let mut engine = ours("hippocamp").start(&filled, Sync::Normal);
    let mut n_imported = 0;
    for project in transcripts::projects(corpus) {
        let folder = room.path().join("transcripts").join(project.name());
        transcripts::write(corpus, &words, &project, &folder).unwrap();
        n_imported += project.messages();
    }
    let import = Request::Import {
        path: room.path().join("transcripts").to_str().unwrap().to_owned(),
    };
    engine.must(&import);
    engine.close();

    let (n, _) = corpus.measured();
    let mut talk = Talk::new(&words, SEED, BEYOND);
    let turns: Vec<Vec<Message>> = (0..CALLS + MORE)
        .map(|_| talk.three().iter().map(Message::of).collect())
        .collect();
    let batch = |at: usize| Batch {
        session: session(BEYOND),
        messages: turns[at].clone(),
    };
    let grep = |word: &str, order, one: bool| Grep {
        query: word.to_owned(),
        kind: if one { Kind::Substring } else { Kind::Word },
        order,
        session: one.then(|| session_in(n, true)),
        limit: 20,
        way: None,
    };
    let common = words.at(3);
    let calls: [Call<'_>; 7] = [
        ("append of 3 and its index", &|at| {
            vec![Request::Append(batch(at)), Request::Settle]
        }),
        ("turn of 3 and its index", &|at| {
            vec![Request::Turn(batch(at)), Request::Settle]
        }),
        ("view of 500", &|_| {
            vec![Request::View(View {
                session: session_in(n, true),
                items: 500,
                way: None,
            })]
        }),
        ("grep newest 20, common", &|_| {
            vec![Request::Grep(grep(common, Order::Newest, false))]
        }),
        ("grep ranked 20, common", &|_| {
            vec![Request::Grep(grep(common, Order::Ranked, false))]
        }),
        ("grep in one conversation, piece", &|_| {
            vec![Request::Grep(grep("ar", Order::Newest, true))]
        }),
        ("grep and expand 20", &|_| {
            let found = Request::Grep(grep(common, Order::Newest, false));
            vec![found, Request::Expand { hits: 20 }]
        }),
    ];
    for (name, requests) in calls {
        let [less, more] = [CALLS, CALLS + MORE].map(|times| {
            let all: Vec<Request> = (0..times).flat_map(requests).collect();
            counted(room.path(), Some(&filled), &all)
        });
        println!("{name}\t{}", more.saturating_sub(less) / MORE as u64);
    }
    let [less, more] =
        [&[][..], &[import, Request::Settle]].map(|all| counted(room.path(), None, all));
    println!(
        "import, a message\t{}",
        more.saturating_sub(less) / n_imported
    );
}

/// Counts the instructions of a process that answers the requests, over a copy of a store.
fn counted(room: &Path, store: Option<&PathBuf>, requests: &[Request]) -> u64 {
    let folder = room.join("counted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    if let Some(store) = store {
        for file in fs::read_dir(store).unwrap().flatten() {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
    }
    let out = room.join("callgrind.out");
    let program = std::env::current_exe().unwrap();
    let command = format!(
        "valgrind --tool=callgrind --callgrind-out-file='{}' '{}' engine hippocamp",
        out.display(),
        program.display()
    );
    let spec = Spec {
        name: "hippocamp".to_owned(),
        command: Some(command),
        most: u64::MAX,
    };
    let mut engine: Running = spec.start(&folder, Sync::Normal);
    for request in requests {
        engine.must(request);
    }
    engine.close();
    let text = fs::read_to_string(out).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("totals: "));
    line.and_then(|total| total.trim().parse().ok())
        .expect("callgrind counts instructions")
}
