//! What leaves for a model, what comes back, and what is noted of it.

use std::sync::Arc;

use async_trait::async_trait;
use hippocamp::domain::{
    EventKind, NewMessage, Part, Redacted, RedactionCounts, Redactor, Tokens, Usage,
};
use hippocamp::engine::{CompleteError, CompleteOptions, Completer, Completion, Engine};
use hippocamp::policy::prompt::Prompt;

use crate::bench::{Bench, Model, Reply, Setup, good, talk};
use crate::support::{FakeClock, builder, key, window};

const GITLAB: &str = "glpat-x7Kq29vBn4TzLw8RyP3d";
const STRIPE: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
const PASSWORD: &str = "Tr0ub4dor&3x";

/// A talk long enough for a leaf, with secrets in each kind of part.
fn told_secrets() -> Vec<NewMessage> {
    let mut messages = talk(0, 20, 60);
    messages.push(NewMessage::user(format!(
        "push with {GITLAB} to the mirror"
    )));
    let arguments = format!(r#"{{"command":"export KEY=\n{STRIPE}"}}"#);
    messages.push(NewMessage::tool_use("c1", "Bash", arguments));
    messages.push(NewMessage::tool_result(
        "c1",
        format!("postgres://app:{PASSWORD}@db/app"),
    ));
    messages.extend(talk(24, 60, 60));
    messages
}

#[track_caller]
fn check_without_secrets(text: &str) {
    for secret in [GITLAB, STRIPE, PASSWORD] {
        assert!(!text.contains(secret), "`{secret}` in {text}");
    }
}

#[tokio::test]
async fn technique_x3_secrets_reach_neither_a_model_nor_a_summary_it_wrote_and_the_store_keeps_them()
 {
    // The model knows one by heart and says it.
    let model = Model::new(|call, _| Reply::Says(format!("{} Deploy key: {GITLAB}.", good(call))));
    let bench = Setup::window(8_000).model(&model).bench();
    bench.append(told_secrets()).await;
    bench.engine.compact(&bench.session).await.unwrap();
    let prompts = model.prompts();
    assert!(!prompts.is_empty());
    for prompt in &prompts {
        check_without_secrets(&prompt.text);
        check_without_secrets(&prompt.system);
    }
    let told = prompts
        .iter()
        .map(|prompt| prompt.text.as_str())
        .collect::<String>();
    for kind in ["gitlab_token", "stripe_key", "url_password"] {
        assert!(
            told.contains(&format!("[redacted:{kind}]")),
            "{kind} in {told}"
        );
    }
    let bodies = bodies(&bench).await;
    assert!(!bodies.is_empty());
    for body in &bodies {
        check_without_secrets(body);
        assert!(body.contains("[redacted:gitlab_token]"), "{body}");
    }
    let stored = format!("{:?}", bench.stored());
    for secret in [GITLAB, STRIPE, PASSWORD] {
        assert!(stored.contains(secret), "the store keeps what was said");
    }
    bench.check().await;
}

async fn bodies(bench: &Bench) -> Vec<String> {
    let summaries = bench.summaries().await;
    summaries.into_iter().map(|summary| summary.body).collect()
}

/// X2: parts are cleaned before they are cut to fit, so that no cut leaves half a secret.
#[tokio::test]
async fn technique_x2_a_cut_in_a_long_text_leaves_no_half_of_a_secret() {
    let model = Model::with_window(Some(Tokens::new(2_000)), |call, _| Reply::Says(good(call)));
    let bench = Setup::window(40_000).model(&model).bench();
    let secret = "ghp_Zx81kQv27LmNp4Rt9WyB3Cd5Ef6Gh0JkAs2D";
    let mut messages = talk(0, 10, 40);
    messages.push(NewMessage::user(format!("{secret},").repeat(900)));
    messages.extend(talk(12, 60, 60));
    bench.append(messages).await;
    bench.engine.compact(&bench.session).await.unwrap();
    let prompts = model.prompts();
    let is_cut = prompts
        .iter()
        .any(|prompt| prompt.text.contains("bytes left out"));
    assert!(is_cut, "nothing was cut");
    for prompt in prompts {
        for start in 0..secret.len() - 10 {
            let piece = &secret[start..start + 10];
            assert!(
                !prompt.text.contains(piece),
                "`{piece}` of a key in {}",
                prompt.text
            );
        }
    }
}

/// A model that reports what it costs.
struct Metered;

#[async_trait]
impl Completer for Metered {
    fn name(&self) -> &'static str {
        "metered"
    }

    async fn complete(
        &self,
        prompt: &Prompt,
        _: &CompleteOptions,
    ) -> Result<Completion, CompleteError> {
        let input = Tokens::new(prompt.text.len() as u64);
        let usage = Usage::new(input, Tokens::new(30)).cached(Tokens::new(7));
        Ok(Completion::new("State: all is stored.")
            .model("metered-1")
            .usage(usage))
    }
}

async fn engine_with(completer: Arc<dyn Completer>, folder: &tempfile::TempDir) -> Engine {
    let path = folder.path().join("a.db");
    let engine = builder(&path, FakeClock::new())
        .completer(completer)
        .build()
        .unwrap();
    let session = key("a");
    engine
        .turn(&session, told_secrets(), window(8_000))
        .await
        .unwrap();
    engine.settle().await.unwrap();
    engine.compact(&session).await.unwrap();
    engine
}

#[tokio::test]
async fn technique_o9_each_call_is_an_event_with_its_model_usage_and_counts_and_they_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_with(Arc::new(Metered), &folder).await;
    let events = engine.events(&key("a")).await.unwrap();
    let calls: Vec<_> = events
        .iter()
        .filter(|event| event.kind == EventKind::Call)
        .collect();
    assert!(calls.len() >= 2);
    let mut sum = Usage::default();
    let mut counts = RedactionCounts::default();
    for call in &calls {
        assert_eq!(call.model.as_deref(), Some("metered-1"));
        assert_eq!(call.reason.as_deref(), Some("answered"));
        assert!(call.span.is_some());
        let usage = call.usage.unwrap();
        assert_eq!((usage.output.get(), usage.cached.get()), (30, 7));
        sum.input += usage.input;
        sum.output += usage.output;
        sum.cached += usage.cached;
        counts.add(call.redactions.clone());
    }
    let counted: Vec<(&str, u64)> = counts.iter().collect();
    assert_eq!(
        counted,
        [("gitlab_token", 1), ("stripe_key", 1), ("url_password", 1)]
    );
    let stats = engine.stats().await.unwrap();
    assert_eq!((stats.calls, stats.usage), (calls.len() as u64, sum));
    let of_session = engine.session_stats(&key("a")).await.unwrap();
    assert_eq!(
        (of_session.calls, of_session.usage),
        (stats.calls, stats.usage)
    );
    crate::support::assert_clean(&engine.doctor().await.unwrap());
    engine.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_call_that_fails_is_an_event_too() {
    let model = Model::behaving(crate::bench::Behaviour::Fails);
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_with(model, &folder).await;
    let events = engine.events(&key("a")).await.unwrap();
    let call = events
        .iter()
        .find(|event| event.kind == EventKind::Call)
        .unwrap();
    assert_eq!(call.reason.as_deref(), Some("failed"));
    assert_eq!((call.model.as_deref(), call.usage), (Some("model"), None));
    engine.shutdown().await.unwrap();
}

/// A redactor of a host's own.
struct NoShips;

impl Redactor for NoShips {
    fn redact<'text>(&self, text: &'text str) -> Redacted<'text> {
        let n = text.matches("ship").count() as u64;
        let clean = text.replace("ship", "[redacted:vessel]");
        Redacted::new(clean, [("vessel", n)].into_iter().collect())
    }
}

#[tokio::test]
async fn a_redactor_of_a_hosts_own_takes_the_place_of_ours() {
    let model = Model::good();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let completer: Arc<Model> = Arc::clone(&model);
    let engine = builder(&path, FakeClock::new())
        .completer(completer)
        .redactor(Arc::new(NoShips))
        .build()
        .unwrap();
    let mut messages = vec![NewMessage::user(format!("the ship carries {GITLAB}"))];
    messages.extend(talk(2, 60, 60));
    engine
        .turn(&key("a"), messages, window(8_000))
        .await
        .unwrap();
    let prompt = &model.prompts()[0];
    assert!(prompt.text.contains("the [redacted:vessel] carries"));
    assert!(prompt.text.contains(GITLAB), "ours was asked not to look");
    engine.shutdown().await.unwrap();
}

#[cfg(feature = "cli")]
mod logs {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    /// Logs kept in memory.
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

    #[tokio::test]
    async fn logs_hold_no_body_and_no_secret_even_where_a_provider_quotes_one() {
        let kept = Kept::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(kept.clone())
            .finish();
        let guard = tracing::subscriber::set_default(subscriber);
        let model = Model::new(|call, _| match call {
            0 => Reply::Fails("401: no such key sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
            1 => Reply::Says("I'm sorry, but I can't help with the harbour.".to_owned()),
            _ => Reply::Says(good(call)),
        });
        let folder = tempfile::tempdir().unwrap();
        let engine = engine_with(model, &folder).await;
        engine.shutdown().await.unwrap();
        drop(guard);
        let logs = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert!(
            logs.contains("no answer") && logs.contains("called a model"),
            "{logs}"
        );
        assert!(logs.contains("[redacted:stripe_key]"), "{logs}");
        check_without_secrets(&logs);
        for words in ["push with", "harbour", "step 2 is done"] {
            assert!(!logs.contains(words), "`{words}` in {logs}");
        }
    }
}

/// Parts that hold no text of their own come back as they were.
#[tokio::test]
async fn what_holds_no_secret_reaches_the_model_byte_for_byte() {
    let model = Model::good();
    let bench = Setup::window(8_000).model(&model).bench();
    let words = "o barco «Aurora» sai às 7h; token: nenhum, password: ${PASSWORD}";
    let mut messages = vec![NewMessage::user(words)];
    messages.extend(talk(2, 60, 60));
    bench.append(messages).await;
    bench.engine.compact(&bench.session).await.unwrap();
    assert!(model.prompts()[0].text.contains(words));
    let first = &bench.stored()[0];
    assert!(matches!(&first.parts[0], Part::Text { text } if text == words));
}
