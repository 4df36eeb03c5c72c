//! A process is killed at random points of turns, merges and indexing, and the store is whole.
//! Nothing acknowledged is lost, nothing stored changes, every check of `doctor` holds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use hippocamp::domain::{Depth, GrepRequest, Reach, SessionKey, Tokens, Window};
use hippocamp::engine::{Engine, EngineError};

use crate::children::{
    Ack, Random, begin_lines, check_acks, check_doctor, message_of, number, open, runtime, start,
};

const STORE: &str = "HIPPOCAMP_CRASH_STORE";
const ROUND: &str = "HIPPOCAMP_CRASH_ROUND";
const SESSIONS: [&str; 2] = ["harbour", "river"];

/// The program of the child that is killed; a test that passes at once for everyone else.
#[test]
fn child_writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(STORE).map(PathBuf::from) else {
        return;
    };
    let round = number(ROUND, 0);
    begin_lines();
    let error = runtime()
        .block_on(async { write_for_ever(&open(&path), round).await })
        .unwrap_err();
    println!("error {error}");
    std::process::exit(1);
}

/// Appends, turns, compacts and searches, and tells of each acknowledged message.
async fn write_for_ever(engine: &Engine, round: u64) -> Result<(), EngineError> {
    let window = Window::of(Tokens::new(2_000)).unwrap();
    println!("open");
    for step in 0_u64.. {
        let session = SessionKey::new(SESSIONS[usize::from(step % 3 == 0)]).unwrap();
        let words: Vec<String> = (0..=step % 4)
            .map(|n| format!("r{round}s{step}n{n}"))
            .collect();
        let messages = words.iter().map(|word| message_of(word)).collect();
        let appended = if step % 5 == 4 {
            engine.append(&session, messages).await?
        } else {
            let report = engine.turn(&session, messages, window).await?;
            for id in report.compacted.leaf {
                println!("leaf {id} {session}");
            }
            report.appended
        };
        for (row, word) in appended.rows.iter().zip(words) {
            let ack = Ack {
                id: row.id.get(),
                seq: row.seq.get(),
                session: session.to_string(),
                word,
            };
            println!("{}", ack.line());
        }
        match step % 12 {
            3 => drop(engine.grep(&GrepRequest::new("ferry", Reach::All)).await?),
            7 => drop(engine.compact(&session).await?),
            11 => drop(
                engine
                    .compact_until_under(&session, Tokens::new(1_200))
                    .await?,
            ),
            _ => {}
        }
    }
    Ok(())
}

/// What the child told before it was killed.
#[derive(Default)]
struct Told {
    acks: Vec<Ack>,
    leaves: Vec<(i64, String)>,
}

impl Told {
    fn take(&mut self, line: &str) {
        assert!(!line.starts_with("error"), "the child failed: {line}");
        if let Some(ack) = Ack::parse(line) {
            self.acks.push(ack);
        } else if let Some((id, session)) =
            line.strip_prefix("leaf ").and_then(|l| l.split_once(' '))
        {
            self.leaves.push((id.parse().unwrap(), session.to_owned()));
        }
    }
}

/// Lets a child write for a while that `random` chooses, kills it and returns what it told.
fn write_and_kill(path: &Path, round: u64, random: &mut Random) -> Told {
    let variables = [
        (STORE, path.to_str().unwrap().to_owned()),
        (ROUND, round.to_string()),
    ];
    let mut program = start("crash::child_writes_until_it_is_killed", &variables);
    let mut told = Told::default();
    // One in eight is killed while it opens the store, the others while they work.
    let is_early = random.below(8) == 0;
    if !is_early {
        loop {
            let line = program.lines.recv_timeout(Duration::from_mins(1)).unwrap();
            told.take(&line);
            if line == "open" {
                break;
            }
        }
    }
    let until = Instant::now()
        + Duration::from_micros(random.below(if is_early { 60_000 } else { 700_000 }));
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match program.lines.recv_timeout(left) {
            Ok(line) => told.take(&line),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => panic!("the child ended by itself"),
        }
    }
    program.child.kill().unwrap();
    let status = program.child.wait().unwrap();
    assert!(!status.success(), "killed, not finished");
    // What it printed before the kill is still in the pipe.
    program.lines.iter().for_each(|line| told.take(&line));
    told
}

/// Checks the store after a kill, all of it by `doctor`, what was told by expanding it.
async fn check_store(path: &Path, told: &Told) {
    let engine = open(path);
    check_doctor(&engine).await;
    check_acks(&engine, &told.acks).await;

    let mut trees = BTreeMap::new();
    for (id, session) in &told.leaves {
        let key = SessionKey::new(session.clone()).unwrap();
        if !trees.contains_key(session) {
            trees.insert(session.clone(), engine.tree(&key).await.unwrap());
        }
        assert!(
            trees[session].iter().any(|node| node.id.get() == *id),
            "leaf {id} is gone"
        );
    }
    engine.shutdown().await.unwrap();
}

#[test]
fn nothing_acknowledged_is_lost_by_a_kill() {
    let seed = number("HIPPOCAMP_SEED", 20_260_102);
    let n_kills = number("HIPPOCAMP_KILLS", 30);
    println!("HIPPOCAMP_SEED={seed} HIPPOCAMP_KILLS={n_kills}");
    let mut random = Random(seed);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crash.db");

    let mut all = Vec::new();
    let mut n_leaves = 0;
    for round in 0..n_kills {
        let told = write_and_kill(&path, round, &mut random);
        runtime().block_on(check_store(&path, &told));
        n_leaves += told.leaves.len();
        all.extend(told.acks);
    }
    assert!(
        all.len() as u64 > n_kills,
        "only {} messages before {n_kills} kills",
        all.len()
    );
    assert!(n_leaves > 0, "no leaf was written before a kill");
    println!(
        "{n_kills} kills, {} messages and {n_leaves} leaves acknowledged",
        all.len()
    );

    // All of them at the end too: a later kill may not take what an earlier round was told. And
    // merges and the indexer were at work, or the kills met only appends.
    runtime().block_on(async {
        let engine = open(&path);
        check_acks(&engine, &all).await;
        let mut deepest = None;
        for session in SESSIONS {
            let tree = engine
                .tree(&SessionKey::new(session).unwrap())
                .await
                .unwrap();
            deepest = deepest.max(tree.iter().map(|node| node.depth).max());
        }
        assert!(
            deepest > Some(Depth::LEAF),
            "nothing was merged: {deepest:?}"
        );
        assert!(
            engine.status().await.unwrap().index.mark > 0,
            "nothing was indexed"
        );
        engine.shutdown().await.unwrap();
    });
}
