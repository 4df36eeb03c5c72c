//! Several engines, tasks and processes on one file: nothing refused, nothing doubled.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hippocamp::domain::{NewMessage, Reach, Tokens};
use hippocamp::engine::{CompactReason, Durability, Engine, EngineError, LeafMode};
use hippocamp::import::import_paths;
use hippocamp::store::{OpenMode, StoreError};

use crate::bench::{Model, Reply, Setup, good, talk};
use crate::import_support::{lines, options, user};
use crate::program::Program;
use crate::support::{assert_clean, key};

/// No two live nodes of one depth share a message, and no node has two parents.
#[track_caller]
fn check_tree(tree: &[hippocamp::domain::TreeNode]) {
    let mut spans: Vec<_> = tree.iter().map(|node| (node.depth, node.span)).collect();
    spans.sort();
    for pair in spans.windows(2) {
        let ((depth, one), (other_depth, other)) = (pair[0], pair[1]);
        assert!(
            depth != other_depth || one.last() < other.first(),
            "{one} and {other}: {tree:#?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b152_many_engines_append_and_search_at_once_and_none_is_refused() {
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 1, 20)).await;
    let is_done = Arc::new(AtomicBool::new(false));
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..8 {
        let engine = bench.another();
        writers.spawn(async move {
            let session = key(&format!("writer {}", writer % 5));
            for message in talk(0, 40, 20) {
                engine.append(&session, vec![message]).await.unwrap();
            }
            engine.shutdown().await.unwrap();
        });
    }
    let searcher = {
        let (engine, is_done) = (bench.another(), Arc::clone(&is_done));
        async move {
            let mut n_searches = 0;
            while !is_done.load(Ordering::SeqCst) {
                let request = hippocamp::domain::GrepRequest::new("harbour", Reach::All);
                assert!(engine.grep(&request).await.unwrap().total > 0);
                n_searches += 1;
            }
            n_searches
        }
    };
    let all_written = async {
        while let Some(ended) = writers.join_next().await {
            ended.unwrap();
        }
        is_done.store(true, Ordering::SeqCst);
    };
    let (n_searches, ()) = tokio::join!(searcher, all_written);
    assert!(n_searches > 0);
    let sessions = bench.engine.sessions().await.unwrap();
    let n_rows: u64 = sessions.iter().map(|row| row.rows).sum();
    assert_eq!((sessions.len(), n_rows), (6, 1 + 8 * 40));
    assert_clean(&bench.engine.doctor().await.unwrap());
}

#[test]
fn b152_many_processes_append_and_search_at_once_and_none_is_refused() {
    let program = Program::new();
    program.append("seed", "{\"role\":\"user\",\"content\":\"the harbour\"}\n");
    let (n_writers, n_rounds) = (6, 5);
    for round in 0..n_rounds {
        let mut running = Vec::new();
        for writer in 0..n_writers {
            let line = format!("{{\"role\":\"user\",\"content\":\"harbour {writer} {round}\"}}\n");
            let input = program.write(&format!("in{writer}"), &line);
            let mut append = program.process();
            append.args(["append", "--session", &format!("w{}", writer % 3)]);
            append.stdin(std::fs::File::open(input).unwrap());
            running.push(
                append
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap(),
            );
        }
        let mut grep = program.process();
        grep.args(["grep", "harbour"]).stdin(Stdio::null());
        running.push(
            grep.stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap(),
        );
        for process in running {
            let output = process.wait_with_output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(0), "{errors}");
            assert!(
                !errors.contains("busy") && !errors.contains("locked"),
                "{errors}"
            );
        }
    }
    let found = program.json(&["grep", "harbour", "--limit", "200"]);
    assert_eq!(found["total"], 1 + n_writers * n_rounds);
    assert_eq!(program.json(&["doctor"])["ok"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b153_a_large_import_keeps_no_other_writer_waiting() {
    let bench = Setup::window(8_000).bench();
    let text = "the quay was swept and the lamps were lit, and nobody came by. ".repeat(8);
    let records: Vec<String> = (0..8_000)
        .map(|n| user(n, &format!("{n} {text}")))
        .collect();
    let path = bench.dir.path().join("large.jsonl");
    std::fs::write(&path, lines(&records)).unwrap();
    let importer = bench.another();
    let is_done = Arc::new(AtomicBool::new(false));
    let import = {
        let is_done = Arc::clone(&is_done);
        tokio::spawn(async move {
            let account = import_paths(&importer, &[path], &options(), &mut |_| {})
                .await
                .unwrap();
            is_done.store(true, Ordering::SeqCst);
            account.totals.stored
        })
    };
    let mut waits = Vec::new();
    while !is_done.load(Ordering::SeqCst) {
        let begun = Instant::now();
        bench.append(talk(waits.len(), 1, 20)).await;
        waits.push(begun.elapsed());
        bench.view(8_000).await;
    }
    assert_eq!(import.await.unwrap(), 8_000);
    let longest = waits.iter().max().unwrap();
    assert!(
        waits.len() > 10,
        "{} appends beside the import",
        waits.len()
    );
    // SQLite would give up after ten seconds; a batch takes a fraction of one.
    assert!(
        *longest < Duration::from_secs(4),
        "{longest:?} of {} appends",
        waits.len()
    );
    println!(
        "{} appends beside an import of 8,000 rows, the longest {longest:?}",
        waits.len()
    );
    assert_eq!(bench.stored().len(), waits.len());
    assert_clean(&bench.engine.doctor().await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b155_two_engines_that_compact_at_once_write_one_set_of_leaves() {
    let mut n_wasted = 0;
    for _ in 0..15 {
        let model = Model::new(|call, _| Reply::Says(good(call)));
        let bench = Setup::window(8_000).model(&model).patient().bench();
        bench.append(talk(0, 90, 60)).await;
        let other = bench.another();
        let (engine, session) = (bench.engine.clone(), bench.session.clone());
        let one = tokio::spawn(async move { engine.compact(&session).await.unwrap() });
        let session = bench.session.clone();
        let two = tokio::spawn(async move { other.compact(&session).await.unwrap() });
        let (one, two) = (one.await.unwrap(), two.await.unwrap());
        let tree = bench.tree().await;
        check_tree(&tree);
        let n_written = one.leaf.len() + two.leaf.len() + one.condensed.len() + two.condensed.len();
        assert_eq!(n_written, tree.len(), "{one:?} {two:?}");
        n_wasted += model.calls() - tree.len();
        bench.check().await;
    }
    assert_eq!(n_wasted, 0, "a lease keeps two from paying for one summary");
}

#[tokio::test]
async fn b155_a_slow_call_keeps_its_lease_for_as_long_as_it_may_take() {
    let gate = Arc::new(tokio::sync::Notify::new());
    let model = {
        let gate = Arc::clone(&gate);
        Model::new(move |call, _| match call {
            0 => Reply::Waits(Arc::clone(&gate), good(call)),
            _ => Reply::Says(good(call)),
        })
    };
    let bench = Setup::window(8_000).model(&model).patient().bench();
    bench.append(talk(0, 45, 60)).await;
    let other = bench.another();
    let compact = async { bench.engine.compact(&bench.session).await.unwrap() };
    let meanwhile = async {
        while model.calls() == 0 {
            tokio::task::yield_now().await;
        }
        // Each of two calls may take ten minutes here.
        for _ in 0..19 {
            bench.clock.advance(60_000);
            let report = other.compact(&bench.session).await.unwrap();
            assert_eq!(
                (report.leaf.len(), report.reason),
                (0, CompactReason::HeldBack)
            );
        }
        assert_eq!(model.calls(), 1, "nobody pays for what another is writing");
        gate.notify_one();
    };
    let (report, ()) = tokio::join!(compact, meanwhile);
    assert_eq!(report.leaf.len(), 1, "{report:?}");
}

#[test]
fn b155_two_processes_that_compact_at_once_write_one_set_of_leaves() {
    let program = Program::new();
    let line = |n: usize| {
        let text = "the harbour report was filed again ".repeat(12);
        format!("{{\"role\":\"user\",\"content\":\"{n} {text}\"}}\n")
    };
    program.append("s", &(0..200).map(line).collect::<String>());
    let run = || {
        let mut compact = program.process();
        compact.args(["compact", "--session", "s", "--window", "8000", "--json"]);
        let piped = compact
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        piped.spawn().unwrap()
    };
    let mut n_written = 0;
    for process in [run(), run(), run()] {
        let output = process.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for list in ["leaf", "condensed"] {
            n_written += report[list].as_array().unwrap().len();
        }
    }
    let tree = program.json(&["tree", "--session", "s"]);
    assert_eq!(tree["nodes"].as_array().unwrap().len(), n_written);
    assert!(n_written > 3);
    assert_eq!(program.json(&["doctor"])["ok"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b088_eight_tasks_over_two_engines_give_each_node_one_parent() {
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 300, 60)).await;
    let other = bench.another();
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..8 {
        let engine = if task % 2 == 0 {
            bench.engine.clone()
        } else {
            other.clone()
        };
        let session = bench.session.clone();
        tasks.spawn(async move {
            engine
                .compact_until_under(&session, Tokens::new(1_500))
                .await
                .unwrap()
        });
    }
    let mut n_written = 0;
    while let Some(report) = tasks.join_next().await {
        let report = report.unwrap();
        assert!(report.fits, "{report:?}");
        n_written += report.leaf.len() + report.condensed.len();
    }
    let tree = bench.tree().await;
    assert_eq!(tree.len(), n_written);
    check_tree(&tree);
    bench.check().await;
}

#[tokio::test]
async fn b156_a_store_that_may_not_be_written_is_read_and_says_why_it_refuses() {
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 30, 20)).await;
    bench.engine.settle().await.unwrap();
    bench.engine.clone().shutdown().await.unwrap();
    let bytes = std::fs::read(&bench.path).unwrap();

    // The file and its folder without the right to write, where rights bind (not for root); and
    // a copy alone, without a log beside it.
    let copy = bench.dir.path().join("copy/store.db");
    std::fs::create_dir(copy.parent().unwrap()).unwrap();
    std::fs::write(&copy, &bytes).unwrap();
    let forbid = |is_forbidden: bool| {
        for path in [copy.as_path(), copy.parent().unwrap()] {
            let mut rights = std::fs::metadata(path).unwrap().permissions();
            rights.set_readonly(is_forbidden);
            std::fs::set_permissions(path, rights).unwrap();
        }
    };
    forbid(true);
    for path in [&bench.path, &copy] {
        let engine = Engine::builder(path)
            .open_mode(OpenMode::ReadOnly)
            .build()
            .unwrap();
        let request =
            hippocamp::domain::GrepRequest::new("harbour", Reach::Session(bench.session.clone()));
        assert_eq!(engine.grep(&request).await.unwrap().total, 30);
        let view = engine
            .view(
                &bench.session,
                hippocamp::engine::ViewBudget::Of(Tokens::new(8_000)),
            )
            .await
            .unwrap();
        assert!(!view.items.is_empty());
        let error = engine
            .append(&bench.session, talk(0, 1, 20))
            .await
            .unwrap_err();
        assert!(
            matches!(error, EngineError::Store(StoreError::ReadOnly { .. })),
            "{error:?}"
        );
        assert!(
            error.to_string().contains(path.to_str().unwrap()),
            "{error}"
        );
        engine.shutdown().await.unwrap();
        assert_eq!(std::fs::read(path).unwrap(), bytes, "no byte of it changes");
    }
    forbid(false);
}

/// P37.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b085_a_hanging_model_in_the_background_holds_up_neither_turns_nor_the_end() {
    let model = Model::new(|_, _| Reply::Hangs);
    let bench = Setup::window(4_000).model(&model).patient().bench();
    let engine = Engine::builder(bench.dir.path().join("deferred.db"))
        .durability(Durability::Normal)
        .leaf_mode(LeafMode::Deferred)
        .completer(Arc::clone(&model) as Arc<_>)
        .build()
        .unwrap();
    let session = key("slow");
    for round in 0..30 {
        // A turn that waited for the model would never end.
        let batch = talk(round * 2, 2, 60);
        engine
            .turn(&session, batch, crate::support::window(4_000))
            .await
            .unwrap();
    }
    engine
        .append(&session, vec![NewMessage::user("and now")])
        .await
        .unwrap();
    while model.calls() == 0 {
        tokio::task::yield_now().await;
    }
    let ended = tokio::time::timeout(Duration::from_secs(3), engine.shutdown()).await;
    ended.expect("a running call is cancelled").unwrap();
}
