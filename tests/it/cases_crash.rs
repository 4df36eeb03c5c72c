//! Kills, full disks, foreign files and damaged indexes: the store is whole before and after.

use std::path::Path;
use std::process::{Child, Output, Stdio};

use hippocamp::domain::Reach;
use hippocamp::engine::{Durability, Engine, EngineError};
use hippocamp::policy::pattern::RULES_VERSION;
use hippocamp::store::{OpenMode, SCHEMA_VERSION, Store, StoreError};
use rusqlite::Connection;

use crate::bench::{Setup, talk};
use crate::import_support::{lines, user};
use crate::program::Program;
use crate::support::{assert_clean, key};

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |meta| meta.len())
}

fn log_of(program: &Program) -> std::path::PathBuf {
    program.db().with_file_name("hippocamp.db-wal")
}

fn start(program: &Program, words: &[&str], stdin: Stdio) -> Child {
    let mut command = program.process();
    command
        .args(words)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Kills a process without warning once its log has grown to `bytes`, or lets it end before.
fn kill_at(mut process: Child, log: &Path, bytes: u64) -> Output {
    while size(log) < bytes && process.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    // It may have ended by itself meanwhile.
    let _ = process.kill();
    process.wait_with_output().unwrap()
}

#[test]
fn b157_an_import_killed_anywhere_is_sound_and_ends_at_the_exact_count() {
    let program = Program::new();
    let text = "the quay was swept and the lamps were lit. ".repeat(6);
    let records: Vec<String> = (0..1_500)
        .map(|n| user(n, &format!("{n} {text}")))
        .collect();
    let path = program.write("large.jsonl", &lines(&records));
    let mut n_killed = 0;
    for step in 0..10_u64 {
        let import = start(&program, &["import", &path], Stdio::null());
        let ended = kill_at(import, &log_of(&program), 1 + step * step * 30_000);
        n_killed += u32::from(ended.status.code().is_none());
        if program.db().exists() {
            let checked = program.run(&["doctor", "--json"]);
            assert_eq!(checked.code, Some(0), "after kill {step}: {checked:?}");
        }
    }
    assert!(
        n_killed >= 1,
        "{n_killed} of 10 were killed while they worked"
    );
    program.json(&["import", &path]);
    assert_eq!(program.json(&["stats"])["messages"], 1_500);
    let found = program.json(&["grep", "\"1499 the quay\""]);
    assert_eq!(found["total"], 1);
}

/// P5.
#[test]
fn b157_appends_and_compactions_killed_anywhere_lose_nothing_acknowledged() {
    let program = Program::new();
    let text = "the harbour report was filed again ".repeat(12);
    let batch = |from: usize| -> String {
        let line = |n: usize| format!("{{\"role\":\"user\",\"content\":\"{n} {text}\"}}\n");
        (from..from + 40).map(line).collect::<Vec<_>>().concat()
    };
    let mut n_acknowledged = 0;
    let mut n_killed = 0;
    for step in 0..8_usize {
        let input = program.write("in", &batch(step * 40));
        let file = std::fs::File::open(input).unwrap();
        let append = start(&program, &["append", "--session", "s"], file.into());
        let ended = kill_at(append, &log_of(&program), step as u64 * 20_000);
        n_acknowledged += 40 * u64::from(ended.status.code() == Some(0));
        let words = ["compact", "--session", "s", "--window", "6000"];
        let compact = start(&program, &words, Stdio::null());
        let ended = kill_at(compact, &log_of(&program), 1 + step as u64 * 15_000);
        n_killed += u32::from(ended.status.code().is_none());
        if program.db().exists() {
            let checked = program.run(&["doctor", "--json"]);
            assert_eq!(checked.code, Some(0), "after kill {step}: {checked:?}");
        }
    }
    assert!(
        n_killed >= 1,
        "{n_killed} compactions were killed while they worked"
    );
    program.append("s", &batch(1_000));
    let n_stored = program.json(&["stats"])["messages"].as_u64().unwrap();
    assert!(
        n_stored >= n_acknowledged + 40,
        "{n_stored} of {n_acknowledged} acknowledged"
    );
    assert_eq!(n_stored % 40, 0, "a batch is stored whole or not at all");
    program.json(&["compact", "--session", "s", "--window", "6000"]);
    assert_eq!(program.json(&["doctor"])["ok"], true);
}

#[tokio::test]
async fn b157_dropping_a_turn_loses_no_acknowledged_row() {
    let mut bench = Setup::window(4_000).bench();
    let mut n_acknowledged = 0;
    for round in 0..40_usize {
        bench.append(talk(round * 3, 1, 40)).await;
        n_acknowledged += 1;
        let (engine, session) = (bench.engine.clone(), bench.session.clone());
        let turn = async move {
            let window = crate::support::window(4_000);
            engine
                .turn(&session, talk(round * 3 + 1, 2, 40), window)
                .await
                .unwrap();
        };
        // The future is dropped after so many steps, wherever it stands.
        let mut turn = Box::pin(turn);
        for _ in 0..round % 7 {
            tokio::select! {
                biased;
                () = &mut turn => break,
                () = tokio::task::yield_now() => {}
            }
        }
        drop(turn);
        if round % 10 == 9 {
            bench.restart();
        }
    }
    bench.restart();
    let n_stored = bench.stored().len();
    assert!(n_stored >= n_acknowledged, "{n_stored} of {n_acknowledged}");
    assert_eq!(
        (n_stored - n_acknowledged) % 2,
        0,
        "a batch is stored whole or not at all"
    );
    bench.check().await;
}

/// Runs the program where no file may grow beyond so many blocks.
#[cfg(unix)]
fn run_in(program: &Program, blocks: u32, words: &[&str], stdin: Stdio) -> Output {
    let own = program.process();
    let mut command = std::process::Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command
        .arg("-c")
        .arg(script)
        .arg(own.get_program())
        .args(words);
    command
        .env_clear()
        .current_dir(own.get_current_dir().unwrap());
    for (name, value) in own.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.stdin(stdin).output().unwrap()
}

#[cfg(unix)]
#[test]
fn b158_a_file_that_cannot_grow_leaves_nothing_half_written() {
    let program = Program::new();
    let text = "the harbour report was filed again ".repeat(12);
    let line = |n: usize| format!("{{\"role\":\"user\",\"content\":\"{n} {text}\"}}\n");
    program.append("s", &(0..200).map(line).collect::<String>());

    let huge = format!(
        "{}{{\"role\":\"user\",\"content\":\"{}\"}}\n",
        line(200),
        "x ".repeat(4_000_000)
    );
    let file = std::fs::File::open(program.write("huge", &huge)).unwrap();
    let ended = run_in(
        &program,
        2_000,
        &["append", "--session", "s", "--json"],
        file.into(),
    );
    assert_eq!(ended.status.code(), Some(6), "{ended:?}");
    let errors = String::from_utf8(ended.stderr).unwrap();
    let error: serde_json::Value = serde_json::from_str(errors.trim()).unwrap();
    assert!(
        error["error"]["message"].as_str().unwrap().len() > 10,
        "{error}"
    );
    assert!(
        !errors.contains("INSERT") && !errors.contains("panicked"),
        "{errors}"
    );
    assert_eq!(
        program.json(&["stats"])["messages"],
        200,
        "neither line of it is stored"
    );

    let words = ["compact", "--session", "s", "--window", "6000"];
    let ended = run_in(&program, 90, &words, Stdio::null());
    assert_eq!(ended.status.code(), Some(6), "{ended:?}");
    assert_eq!(program.json(&["doctor"])["ok"], true);
    let n_nodes = || {
        program.json(&["tree", "--session", "s"])["nodes"]
            .as_array()
            .unwrap()
            .len()
    };
    let before = n_nodes();

    // With room again, all of it works.
    program.json(&["compact", "--session", "s", "--window", "6000"]);
    assert!(n_nodes() > before);
    program.append("s", &huge);
    assert_eq!(program.json(&["stats"])["messages"], 202);
    assert_eq!(program.json(&["doctor"])["ok"], true);
}

fn refusal(path: &Path) -> StoreError {
    match Engine::builder(path)
        .durability(Durability::Normal)
        .build()
        .err()
    {
        Some(EngineError::Store(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn b159_files_of_newer_versions_and_other_programs_are_refused_unchanged() {
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 4, 20)).await;
    bench.engine.clone().shutdown().await.unwrap();
    let raw = Connection::open(&bench.path).unwrap();
    raw.pragma_update(None, "user_version", SCHEMA_VERSION + 1)
        .unwrap();
    drop(raw);
    let folder = bench.dir.path();
    let other = folder.join("other.db");
    let raw = Connection::open(&other).unwrap();
    raw.execute_batch("CREATE TABLE message (id INTEGER); INSERT INTO message VALUES (1);")
        .unwrap();
    drop(raw);
    let text = folder.join("text.db");
    std::fs::write(&text, "Dear diary, today the quay was swept.").unwrap();
    for path in [&bench.path, &other, &text] {
        let bytes = std::fs::read(path).unwrap();
        let error = refusal(path);
        if *path == bench.path {
            let words = error.to_string();
            for number in [SCHEMA_VERSION, SCHEMA_VERSION + 1] {
                assert!(words.contains(&number.to_string()), "{words}");
            }
        } else {
            assert!(matches!(error, StoreError::Foreign { .. }), "{error:?}");
        }
        assert_eq!(std::fs::read(path).unwrap(), bytes, "{}", path.display());
    }
    let empty = folder.join("empty.db");
    std::fs::write(&empty, "").unwrap();
    let engine = Engine::builder(&empty).build().unwrap();
    assert_eq!(
        engine.stats().await.unwrap().rows,
        0,
        "an empty file is a new store"
    );
}

/// Returns all that a database declares, word for word.
fn schema(path: &Path) -> Vec<String> {
    let raw = Connection::open(path).unwrap();
    let mut statement = raw
        .prepare(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1",
        )
        .unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[tokio::test]
async fn b160_a_store_that_has_lived_declares_what_a_new_one_does() {
    let mut bench = Setup::window(4_000).bench();
    for round in 0..40 {
        bench.turn(talk(round * 2, 2, 60)).await;
    }
    bench.engine.settle().await.unwrap();
    bench.engine.clone().shutdown().await.unwrap();
    let store = Store::open(&bench.path, OpenMode::Existing, Durability::Normal).unwrap();
    store.writer().unwrap().reset_index(RULES_VERSION).unwrap();
    bench.restart();
    bench.engine.settle().await.unwrap();
    let new = Setup::window(4_000).bench();
    let declared = schema(&new.path);
    assert!(
        declared
            .iter()
            .filter(|line| line.starts_with("trigger "))
            .count()
            >= 4
    );
    assert_eq!(schema(&bench.path), declared);
    // A trigger that is not ours word for word is no trigger of ours.
    let raw = Connection::open(&bench.path).unwrap();
    let name: String = raw
        .query_row(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' LIMIT 1",
            [],
            |row| row.get(0),
        )
        .unwrap();
    raw.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    let checks = bench.engine.doctor().await.unwrap();
    let found = checks
        .iter()
        .find(|check| !check.is_ok)
        .expect("doctor sees it");
    assert!(found.detail.contains(&name), "{found:?}");
}

#[tokio::test]
async fn b161_an_index_that_lost_rows_is_seen_and_made_anew_without_touching_messages() {
    for damage in [
        "DELETE FROM search_index WHERE rowid IN (SELECT id FROM message LIMIT 3)",
        "DELETE FROM search_index_data WHERE id > 10",
    ] {
        let mut bench = Setup::window(8_000).bench();
        bench.append(talk(0, 30, 20)).await;
        bench.engine.settle().await.unwrap();
        let before = bench.stored();
        let raw = Connection::open(&bench.path).unwrap();
        raw.execute_batch(damage).unwrap();
        let checks = bench.engine.doctor().await.unwrap();
        assert!(
            checks.iter().any(|check| !check.is_ok),
            "{damage}: not seen"
        );
        bench.append(talk(30, 1, 20)).await;
        assert_eq!(bench.stored().len(), 31, "{damage}: appending goes on");
        bench.engine.clone().shutdown().await.ok();
        let store = Store::open(&bench.path, OpenMode::Existing, Durability::Normal).unwrap();
        store.writer().unwrap().reset_index(RULES_VERSION).unwrap();
        bench.restart();
        bench.append(talk(31, 1, 20)).await;
        bench.engine.settle().await.unwrap();
        assert_clean(&bench.engine.doctor().await.unwrap());
        assert_eq!(bench.stored()[..30], before[..], "{damage}");
        let request = hippocamp::domain::GrepRequest::new("harbour", Reach::Session(key("bench")));
        assert_eq!(
            bench.engine.grep(&request).await.unwrap().total,
            32,
            "{damage}"
        );
    }
}
