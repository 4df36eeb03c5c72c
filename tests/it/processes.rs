//! Four processes with four tasks each write, compact and search one store: no error, nothing
//! lost, no span summarised twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hippocamp::domain::{
    Depth, Generation, GrepRequest, ItemId, MessageId, Reach, SessionKey, Tokens, Window,
};
use hippocamp::engine::{Engine, EngineError};

use crate::children::{
    Ack, Program, Random, begin_lines, check_acks, check_doctor, message_of, number, open, runtime,
    start,
};

const STORE: &str = "HIPPOCAMP_PROCESSES_STORE";
const PROCESS: &str = "HIPPOCAMP_PROCESSES_NUMBER";
const SECONDS: &str = "HIPPOCAMP_SECONDS";
const N_PROCESSES: u64 = 4;
const N_TASKS: u64 = 4;

/// The program of one process; a test that passes at once for everyone else.
#[test]
fn child_works_until_its_time_is_up() {
    let Some(path) = std::env::var_os(STORE).map(PathBuf::from) else {
        return;
    };
    begin_lines();
    let process = number(PROCESS, 0);
    let until = Instant::now() + Duration::from_secs(number(SECONDS, 20));
    runtime().block_on(async {
        let engine = open(&path);
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..N_TASKS {
            let engine = engine.clone();
            tasks.spawn(async move { work(&engine, process, task, until).await });
        }
        for result in tasks.join_all().await {
            if let Err(error) = result {
                println!("error of process {process}: {error:?}");
            }
        }
        if let Err(error) = engine.shutdown().await {
            println!("error of process {process}: {error:?}");
        }
    });
    println!("finished");
}

/// One task: writes to a session of its own and to one that all processes share.
async fn work(engine: &Engine, process: u64, task: u64, until: Instant) -> Result<(), EngineError> {
    let window = Window::of(Tokens::new(2_000)).unwrap();
    let mut random = Random(process * N_TASKS + task);
    let own = SessionKey::new(format!("own-{process}-{task}")).unwrap();
    let shared = SessionKey::new(format!("shared-{task}")).unwrap();
    let mut known: Vec<Ack> = Vec::new();
    let mut step = 0;
    while Instant::now() < until {
        step += 1;
        let session = if random.below(3) == 0 { &own } else { &shared };
        let word = format!("p{process}t{task}s{step}");
        let message = vec![message_of(&word)];
        let appended = match random.below(2) {
            0 => engine.append(session, message).await?,
            _ => engine.turn(session, message, window).await?.appended,
        };
        let row = appended.rows[0];
        let ack = Ack {
            id: row.id.get(),
            seq: row.seq.get(),
            session: session.to_string(),
            word,
        };
        println!("{}", ack.line());
        known.push(ack);
        match random.below(12) {
            0 => drop(engine.compact(session).await?),
            1 => drop(
                engine
                    .compact_until_under(session, Tokens::new(1_200))
                    .await?,
            ),
            2 | 3 => {
                let at = random.below(known.len() as u64);
                find(engine, &known[usize::try_from(at).unwrap()]).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Searches for an acknowledged message and says so if it is not found.
async fn find(engine: &Engine, ack: &Ack) -> Result<(), EngineError> {
    let request = GrepRequest::new(ack.word.clone(), Reach::All);
    let reply = engine.grep(&request).await?;
    let id = ItemId::Message(MessageId::new(ack.id));
    let is_found = reply.hits.iter().any(|hit| hit.id == id);
    if !is_found && reply.complete {
        println!("error: {ack:?} is stored and not found");
    }
    Ok(())
}

/// Waits for a process and returns what it told; fails if it told of an error.
fn finish(mut program: Program) -> Vec<Ack> {
    let lines: Vec<String> = program.lines.iter().collect();
    assert!(program.child.wait().unwrap().success());
    let errors: Vec<&String> = lines.iter().filter(|line| line.contains("error")).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(lines.iter().any(|line| line == "finished"));
    lines.iter().filter_map(|line| Ack::parse(line)).collect()
}

/// Checks that no two leaves of a session cover one message, and no node stands twice.
async fn check_tree(engine: &Engine, session: &SessionKey) -> usize {
    let tree = engine.tree(session).await.unwrap();
    let mut leaves = Vec::new();
    let mut places = BTreeSet::new();
    for node in &tree {
        let place = (node.depth, node.span.first(), node.generation.get());
        assert!(places.insert(place), "{session}: {place:?} stands twice");
        if node.depth == Depth::LEAF && node.generation == Generation::FIRST {
            leaves.push(node.span);
        }
    }
    leaves.sort();
    for pair in leaves.windows(2) {
        assert!(
            pair[0].last() < pair[1].first(),
            "{session}: {} and {}",
            pair[0],
            pair[1]
        );
    }
    tree.len()
}

async fn check_store(path: &Path, acks: &[Ack]) {
    let engine = open(path);
    let mut n_rows: BTreeMap<&str, u64> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    let mut places = BTreeSet::new();
    for ack in acks {
        *n_rows.entry(&ack.session).or_default() += 1;
        assert!(ids.insert(ack.id), "id {} was given twice", ack.id);
        let place = (ack.session.as_str(), ack.seq);
        assert!(places.insert(place), "place {place:?} was given twice");
    }
    check_acks(&engine, acks).await;
    let mut n_nodes = 0;
    for row in engine.sessions().await.unwrap() {
        assert_eq!(
            Some(&row.rows),
            n_rows.get(row.session.as_str()),
            "rows of {}",
            row.session
        );
        n_nodes += check_tree(&engine, &row.session).await;
    }
    assert!(n_nodes > 0, "nothing was summarised");
    check_doctor(&engine).await;
    println!("{} messages, {n_nodes} summaries", acks.len());
    engine.shutdown().await.unwrap();
}

#[test]
fn four_processes_share_a_store_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.db");
    let programs: Vec<Program> = (0..N_PROCESSES)
        .map(|process| {
            let variables = [
                (STORE, path.to_str().unwrap().to_owned()),
                (PROCESS, process.to_string()),
                (SECONDS, number(SECONDS, 20).to_string()),
            ];
            start("processes::child_works_until_its_time_is_up", &variables)
        })
        .collect();
    let acks: Vec<Ack> = programs.into_iter().flat_map(finish).collect();
    assert!(
        acks.len() as u64 > N_PROCESSES * N_TASKS * 10,
        "only {} messages",
        acks.len()
    );
    runtime().block_on(check_store(&path, &acks));
}
