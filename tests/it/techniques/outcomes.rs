//! Every reason that a compaction or the answer to an error can have is reached by some call.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use hippocamp::domain::{NewMessage, SessionKey, Tokens, Window};
use hippocamp::engine::{
    CompactReason, CompactionHooks, Compactor, CompleteError, CompleteOptions, Completer,
    Completion, Engine, ErrorOutcome, FailedCall, HookDecision, Upcoming,
};
use hippocamp::policy::prompt::Prompt;

use crate::bench::{Behaviour, Bench, Model, Setup, good, sentence, talk};
use crate::steering::paused;
use crate::support::{FakeClock, builder, key, window};

const TOO_LONG: &str = "Your input exceeds the context window of this model.";

/// The names of a public enum's variants, from its source.
fn variants(file: &str, name: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
    let source = std::fs::read_to_string(path).unwrap();
    let opening = format!("pub enum {name} {{");
    let inside = source.lines().skip_while(|line| **line != *opening).skip(1);
    let found: BTreeSet<String> = inside
        .take_while(|line| *line != "}")
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(char::is_uppercase))
        .map(word)
        .collect();
    assert!(found.len() >= 3, "looked at too little: {found:?}");
    found
}

/// The letters that a text begins with.
fn word(text: &str) -> String {
    text.chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect()
}

fn name(value: &impl Debug) -> String {
    word(&format!("{value:?}"))
}

/// The reasons that calls have given.
#[derive(Default)]
struct Met(BTreeSet<String>);

impl Met {
    #[track_caller]
    fn check(&mut self, given: CompactReason, wanted: CompactReason) {
        assert_eq!(given, wanted);
        self.0.insert(name(&given));
    }
}

async fn turn(bench: &Bench, from: usize, n: usize) -> CompactReason {
    bench.turn(talk(from, n, 60)).await.compacted.reason
}

/// A model during whose answer another program summarises what it was asked about.
struct Overtaken {
    other: Engine,
    session: SessionKey,
}

#[async_trait]
impl Completer for Overtaken {
    async fn complete(
        &self,
        _prompt: &Prompt,
        _options: &CompleteOptions,
    ) -> Result<Completion, CompleteError> {
        let report = self.other.compact(&self.session).await.unwrap();
        assert!(!report.leaf.is_empty(), "{report:?}");
        Ok(Completion::from(good(0)))
    }
}

/// Hooks that are against everything.
struct Never;

impl CompactionHooks for Never {
    fn before(&self, _upcoming: &Upcoming) -> HookDecision {
        HookDecision::Veto("not now".to_owned())
    }
}

/// What is due, what is not due yet, and what is not worth it.
async fn by_the_numbers(met: &mut Met) {
    let bench = Setup::window(100_000).bench();
    met.check(turn(&bench, 0, 2).await, CompactReason::BelowThreshold);
    met.check(turn(&bench, 2, 60).await, CompactReason::Done);

    let mut setup = Setup::window(100_000);
    setup.limits.leaf_from_percent = 50;
    let bench = setup.bench();
    met.check(turn(&bench, 0, 60).await, CompactReason::BelowLeafPercent);

    let bench = Setup::window(100_000).bench();
    let mut messages = vec![NewMessage::user(sentence(0, 60))];
    messages.extend((1..60).map(|index| NewMessage::assistant(sentence(index, 60))));
    bench.append(messages).await;
    let report = bench.turn(vec![NewMessage::user("And then?")]).await;
    met.check(report.compacted.reason, CompactReason::WaitsForTurn);

    let bench = Setup::window(100).bench();
    let words = ["the quay is long", "the pier is grey", "no"];
    let both = |text: &str| [NewMessage::user(text), NewMessage::assistant(text)];
    bench
        .append(words.into_iter().flat_map(both).collect())
        .await;
    let report = bench.engine.compact(&bench.session).await.unwrap();
    met.check(report.reason, CompactReason::NothingToGain);
}

/// Under a budget, or not.
async fn until_under(met: &mut Met) {
    for (passes, budget, wanted) in [
        (20, 3_000, CompactReason::Reached),
        (1, 200, CompactReason::NoProgress),
    ] {
        let mut setup = Setup::window(16_000);
        setup.limits.recovery_passes = passes;
        setup.limits.leaf_from_percent = 100;
        let bench = setup.bench();
        bench.append(talk(0, 300, 60)).await;
        let report = bench
            .engine
            .compact_until_under(&bench.session, Tokens::new(budget))
            .await
            .unwrap();
        met.check(report.reason, wanted);
    }
}

/// A model that fails, another writer, a store that fails.
async fn what_goes_wrong(met: &mut Met) {
    let model = Model::behaving(Behaviour::Fails);
    let bench = Setup::window(100_000).model(&model).bench();
    bench.append(talk(0, 60, 60)).await;
    for round in 0..2 {
        let reason = turn(&bench, 100 + round * 2, 2).await;
        met.check(reason, CompactReason::ModelFailed);
    }
    met.check(turn(&bench, 200, 2).await, CompactReason::HeldBack);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let session = key("main");
    let other = builder(&path, FakeClock::new()).build().unwrap();
    let model = Overtaken {
        other: other.clone(),
        session: session.clone(),
    };
    let engine = builder(&path, FakeClock::new())
        .window(window(100_000))
        .completer(Arc::new(model))
        .build()
        .unwrap();
    let overtaken = engine.turn(&session, talk(0, 60, 60), window(100_000));
    let report = overtaken.await.unwrap();
    met.check(report.compacted.reason, CompactReason::Stale);
    assert_eq!(report.view.budget, Tokens::new(100_000));

    let bench = Setup::window(100_000).bench();
    bench.append(talk(0, 2, 60)).await;
    let store = rusqlite::Connection::open(&bench.path).unwrap();
    let refuse = "CREATE TRIGGER full BEFORE INSERT ON summary
                  BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    store.execute_batch(refuse).unwrap();
    met.check(turn(&bench, 2, 60).await, CompactReason::StoreFailed);
    store.execute_batch("DROP TRIGGER full").unwrap();
    assert_eq!(
        bench.stored().len(),
        62,
        "the messages themselves are stored"
    );
}

/// Somebody else decides.
async fn what_is_held(met: &mut Met) {
    let bench = Setup::window(100_000).bench();
    bench.append(talk(0, 2, 60)).await;
    let managed = Compactor::Provider("anthropic".to_owned());
    bench
        .engine
        .set_compactor(&bench.session, &managed)
        .await
        .unwrap();
    met.check(turn(&bench, 2, 60).await, CompactReason::Managed);

    let bench = Setup::window(8_000).bench();
    paused(&bench.engine, &bench.session).await;
    met.check(turn(&bench, 5_000, 1).await, CompactReason::Paused);

    let folder = tempfile::tempdir().unwrap();
    let engine = builder(&folder.path().join("store.db"), FakeClock::new())
        .hooks(Arc::new(Never))
        .build()
        .unwrap();
    let session = key("main");
    let report = engine
        .turn(&session, talk(0, 60, 60), window(100_000))
        .await
        .unwrap();
    met.check(report.compacted.reason, CompactReason::Vetoed);
}

#[tokio::test]
async fn technique_o5_every_reason_of_a_compaction_is_reached() {
    let mut met = Met::default();
    by_the_numbers(&mut met).await;
    until_under(&mut met).await;
    what_goes_wrong(&mut met).await;
    what_is_held(&mut met).await;
    assert_eq!(met.0, variants("engine/report.rs", "CompactReason"));
}

/// A raw talk that fills most of 16,000 tokens, and its errors' outcomes.
async fn full() -> Bench {
    let mut setup = Setup::window(16_000);
    setup.limits.leaf_from_percent = 100;
    let bench = setup.bench();
    bench.append(talk(0, 110, 110)).await;
    bench
}

async fn outcome(bench: &Bench, failed: &FailedCall) -> ErrorOutcome {
    let handled = bench.engine.on_provider_error(&bench.session, failed);
    handled.await.unwrap()
}

#[tokio::test]
async fn technique_o5_every_outcome_of_a_providers_error_is_reached() {
    let too_long = FailedCall::new(TOO_LONG, Some(400));
    let bench = full().await;
    let mut outcomes = Vec::new();
    // Twice a smaller view, and then none any more.
    for _ in 0..3 {
        outcomes.push(outcome(&bench, &too_long).await);
    }
    let unpaired = "unexpected `tool_use_id` found in `tool_result` blocks: c1";
    outcomes.push(outcome(&full().await, &FailedCall::new(unpaired, Some(400))).await);

    let bench = full().await;
    let set = bench
        .engine
        .set_model(&bench.session, "a/new", window(16_000));
    set.await.unwrap();
    let late = too_long.clone().model("a/old");
    outcomes.push(outcome(&bench, &late).await);

    let bench = Setup::window(16_000).bench();
    let prompt = NewMessage::system("word ".repeat(3_000));
    bench.append(vec![prompt, NewMessage::user("?")]).await;
    outcomes.push(outcome(&bench, &too_long).await);

    let bench = full().await;
    let tokens = Tokens::new;
    let kept = Window::new(tokens(16_000), tokens(500), tokens(4_000)).unwrap();
    let more = vec![NewMessage::user("on")];
    bench.engine.turn(&bench.session, more, kept).await.unwrap();
    let named = FailedCall::new("maximum context length is 4096 tokens", Some(400));
    outcomes.push(outcome(&bench, &named).await);

    let bench = full().await;
    for (text, status) in [
        ("Rate limit reached for tokens per minute (TPM)", 413),
        ("You exceeded your current quota", 429),
        ("overloaded", 529),
        ("The minimum token count to start caching is 4096", 400),
        (
            "max_tokens: 9 > 8, which is the maximum allowed number of output tokens",
            400,
        ),
        ("Unsupported value: temperature", 400),
        ("no such model", 404),
    ] {
        outcomes.push(outcome(&bench, &FailedCall::new(text, Some(status))).await);
    }

    let reached: BTreeSet<String> = outcomes.iter().map(name).collect();
    assert_eq!(reached, variants("engine/overflow.rs", "ErrorOutcome"));
    let reasons = outcomes.iter().filter_map(|outcome| match outcome {
        ErrorOutcome::GaveUp { reason } => Some(name(reason)),
        _ => None,
    });
    let reasons: BTreeSet<String> = reasons.collect();
    assert_eq!(reasons, variants("engine/overflow.rs", "GaveUpReason"));
    let others = outcomes.iter().filter_map(|outcome| match outcome {
        ErrorOutcome::NotOverflow(kind) => Some(name(kind)),
        _ => None,
    });
    let mut kinds: BTreeSet<String> = others.collect();
    // These two are answered with a view.
    kinds.extend(["Overflow", "MalformedHistory"].map(str::to_owned));
    assert_eq!(kinds, variants("policy/overflow/mod.rs", "ProviderError"));
}
