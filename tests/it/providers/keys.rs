//! A key is in its request and nowhere else: in no log at any level, no error, no debug text, no file.

use std::io::Write;
use std::sync::{Arc, Mutex};

use hippocamp::domain::NewMessage;
use hippocamp::providers::{ApiKey, Models};
use tracing_subscriber::fmt::MakeWriter;

use super::ask;
use super::server::{Answer, Server};
use super::shape::{KEY, SHAPES, Shape};
use crate::bench::talk;
use crate::support::{FakeClock, builder, key, window};

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Kept {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Answers that quote the key in every way a provider could.
fn quoting(shape: Shape, n_before: usize) -> Answer {
    let said = format!("the key {KEY} is not known; you sent {KEY}");
    match n_before % 5 {
        0 => Answer::fails(401, shape.error(&said)),
        1 => Answer::fails(400, shape.error(&said)),
        2 => Answer::fails(500, said),
        3 => Answer::ok(shape.error(&said)),
        _ => Answer::Calls("text/plain", said),
    }
}

#[tokio::test]
async fn a_key_is_in_no_log_error_debug_text_or_file() {
    let kept = Kept::default();
    // Our own logs at every level; those of the crates beneath are off in the program, see `run`.
    let filter = tracing_subscriber::EnvFilter::new("hippocamp=trace");
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(kept.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let mut words = Vec::new();
    let folder = tempfile::tempdir().unwrap();
    for shape in SHAPES {
        let server = Server::start(move |n_before, _| quoting(shape, n_before));
        let models = shape.client(&server);
        words.push(format!("{models:?}"));
        for _ in 0..5 {
            let error = ask(&models).await.unwrap_err();
            words.push(format!("{error} {error:?}"));
        }
        let path = folder.path().join(format!("{shape:?}.db"));
        let engine = builder(&path, FakeClock::new())
            .completer(Arc::new(models))
            .build()
            .unwrap();
        engine
            .turn(&key("a"), talk(0, 80, 60), window(3_000))
            .await
            .unwrap();
        engine.settle().await.unwrap();
        words.push(format!("{:?}", engine.status().await.unwrap()));
        words.push(format!("{:?}", engine.events(&key("a")).await.unwrap()));
        engine.shutdown().await.unwrap();
        assert!(
            server
                .requests()
                .iter()
                .all(|request| request.head.contains(KEY))
        );
    }
    drop(guard);
    let words = words.concat();
    let logs = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
    assert!(
        logs.contains("no answer") && logs.contains("called a model"),
        "{logs}"
    );
    assert!(!logs.contains(KEY), "{logs}");
    assert!(words.contains("[redacted:api_key]"), "{words}");
    assert!(!words.contains(KEY), "{words}");
    assert!(!format!("{:?}", ApiKey::new(KEY)).contains(KEY));
    check_files(folder.path());
}

/// An answer that says the key is a summary like any other, without the key.
#[tokio::test]
async fn a_key_that_a_server_says_is_in_no_summary_and_no_file() {
    let folder = tempfile::tempdir().unwrap();
    for shape in SHAPES {
        let server = Server::start(move |_, _| {
            let said = format!("State: the pier is closed, and the key is {KEY}.");
            let answer = shape.answer(&said, shape.end());
            let answer = answer.replace("small-2026-01-02", &format!("small-{KEY}"));
            // Ollama's count of the prompt says that it was read whole.
            Answer::ok(answer.replace("\"prompt_eval_count\":100", "\"prompt_eval_count\":4000"))
        });
        let path = folder.path().join(format!("{shape:?}.db"));
        let engine = builder(&path, FakeClock::new())
            .completer(Arc::new(shape.client(&server)))
            .build()
            .unwrap();
        let report = engine
            .turn(&key("a"), talk(0, 80, 60), window(100_000))
            .await
            .unwrap();
        engine.settle().await.unwrap();
        let view = hippocamp::render::text::render(&report.view);
        assert!(view.contains("the key is [redacted:api_key]."), "{view}");
        let events = format!("{:?}", engine.events(&key("a")).await.unwrap());
        assert!(
            events.contains("api_key") && !events.contains(KEY),
            "{events}"
        );
        engine.shutdown().await.unwrap();
    }
    check_files(folder.path());
}

/// A key that somebody pasted into the talk is stored as it was said, and sent in no prompt.
#[tokio::test]
async fn a_key_that_was_pasted_is_in_no_prompt_though_another_provider_gave_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::saying(Shape::OpenAi.good());
    let environment = |name: &str| match name {
        "OPENAI_API_KEY" => Some(KEY.to_owned()),
        "OPENAI_BASE_URL" => Some(server.base()),
        "GEMINI_API_KEY" => Some("an0ther-Pr0v1der".to_owned()),
        _ => None,
    };
    let models = Models::named(["openai/small"], &environment).unwrap();
    let engine = builder(&folder.path().join("a.db"), FakeClock::new())
        .completer(Arc::new(models))
        .build()
        .unwrap();
    let mut messages = vec![NewMessage::user(format!(
        "is it {KEY} or an0ther-Pr0v1der?"
    ))];
    messages.extend(talk(2, 80, 60));
    engine
        .turn(&key("a"), messages, window(100_000))
        .await
        .unwrap();
    engine.settle().await.unwrap();
    let requests = server.requests();
    assert!(!requests.is_empty());
    let sent: String = requests
        .iter()
        .map(|request| request.body.as_str())
        .collect();
    assert!(
        sent.contains("is it [redacted:api_key] or [redacted:api_key]?"),
        "{sent}"
    );
    assert!(!sent.contains(KEY) && !sent.contains("Pr0v1der"), "{sent}");
    engine.shutdown().await.unwrap();
}

#[track_caller]
fn check_files(folder: &std::path::Path) {
    let mut n_files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let has_key = bytes
            .windows(KEY.len())
            .any(|window| window == KEY.as_bytes());
        assert!(!has_key, "a file holds the key");
        n_files += 1;
    }
    assert!(n_files >= SHAPES.len());
}

#[track_caller]
fn check_refused(variables: &[(&str, &str)], model: &str, words: &str) {
    let environment = |name: &str| {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let error = Models::named([model], &environment)
        .unwrap_err()
        .to_string();
    assert!(error.contains(words), "{error}");
    assert!(!error.contains(KEY), "{error}");
}

#[test]
fn what_is_missing_or_wrong_is_named_by_its_variable() {
    check_refused(&[], "openai/m", "set OPENAI_API_KEY");
    check_refused(
        &[("ANTHROPIC_API_KEY", "  ")],
        "anthropic/m",
        "set ANTHROPIC_API_KEY",
    );
    check_refused(&[], "gemini/m", "set GEMINI_API_KEY");
    check_refused(&[], "openai_compat/m", "set HIPPOCAMP_BASE_URL");
    check_refused(&[], "m", "`m` names no model: write provider/name");
    check_refused(&[], "azure/m", "`azure/m` names no model");
    check_refused(&[], "ollama/", "names no model");
    let base = |base| [("HIPPOCAMP_BASE_URL", base), ("HIPPOCAMP_API_KEY", KEY)];
    check_refused(
        &base("ftp://x/v1"),
        "openai_compat/m",
        "HIPPOCAMP_BASE_URL is no address",
    );
    check_refused(
        &base("https://user:secret@x/v1"),
        "openai_compat/m",
        "no address",
    );
    check_refused(&base("https://x/v1?key=1"), "openai_compat/m", "no address");
    check_refused(
        &base("http://models.example/v1"),
        "openai_compat/m",
        "HIPPOCAMP_API_KEY would be sent over it",
    );
    check_refused(
        &base("models"),
        "openai_compat/m",
        "HIPPOCAMP_BASE_URL is read as http://models/, which is neither https nor this machine",
    );
    check_refused(
        &base("http://127.0.0.1.example/v1"),
        "openai_compat/m",
        "would be sent",
    );
}

#[test]
fn a_second_variable_serves_where_a_provider_has_two_names_for_its_key() {
    let environment = |name: &str| (name == "GOOGLE_API_KEY").then(|| KEY.to_owned());
    assert!(Models::named(["gemini/m"], &environment).is_ok());
}
