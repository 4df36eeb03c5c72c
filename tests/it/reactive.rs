//! After a provider's error: what is called again, with what, and when nothing is.

use hippocamp::domain::{EventKind, NewMessage, Part, SessionKey, Tokens, View, Window};
use hippocamp::engine::{
    CompactReason, EngineError, ErrorOutcome, FailedCall, GaveUpReason, ProviderError, ViewBudget,
    blocking,
};

use crate::bench::{Behaviour, Bench, Model, Setup, talk};
use crate::support::{FakeClock, builder, key, window};

const UNNAMED: &str = "Your input exceeds the context window of this model.";

/// A provider that counts `percent` of the estimate and takes `limit` of its own tokens.
struct Provider {
    percent: u64,
    limit: u64,
    /// Whether its error says how much.
    says_counts: bool,
}

impl Provider {
    fn counts(&self, view: &View) -> u64 {
        view.tokens.get() * self.percent / 100
    }

    /// Returns the error that a view meets, if it meets one.
    fn refuse(&self, view: &View) -> Option<FailedCall> {
        let used = self.counts(view);
        let text = if self.says_counts {
            format!("prompt is too long: {used} tokens > {} maximum", self.limit)
        } else {
            UNNAMED.to_owned()
        };
        (used > self.limit).then(|| FailedCall::new(text, Some(400)).view(view.version))
    }
}

fn retried(outcome: ErrorOutcome) -> View {
    match outcome {
        ErrorOutcome::Retry { view, .. } => view,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check_gave_up(outcome: &ErrorOutcome, wanted: GaveUpReason) {
    assert!(
        matches!(outcome, ErrorOutcome::GaveUp { reason } if *reason == wanted),
        "{outcome:?}"
    );
}

async fn on_error(bench: &Bench, failed: &FailedCall) -> ErrorOutcome {
    bench
        .engine
        .on_provider_error(&bench.session, failed)
        .await
        .unwrap()
}

/// A bench whose view is nearly full: raw, but for the leaves of its turns.
async fn full(window: u64) -> (Bench, View) {
    let mut setup = Setup::window(window);
    setup.limits.leaf_from_percent = 100;
    let bench = setup.bench();
    bench
        .append(talk(0, usize::try_from(window / 120).unwrap(), 110))
        .await;
    let view = bench
        .turn(vec![NewMessage::user("Where does the night boat land?")])
        .await
        .view;
    assert!(view.tokens.get() > window / 2, "{}", view.tokens);
    (bench, view)
}

#[tokio::test]
async fn technique_k6_named_counts_lower_the_window_and_the_next_call_fits() {
    let (bench, view) = full(32_000).await;
    let provider = Provider {
        percent: 130,
        limit: 12_000,
        says_counts: true,
    };
    let failed = provider.refuse(&view).unwrap();
    let outcome = on_error(&bench, &failed).await;
    let ErrorOutcome::Retry {
        view: again,
        report,
        attempt: 1,
    } = &outcome
    else {
        panic!("{outcome:?}")
    };
    assert!(
        provider.refuse(again).is_none(),
        "{} tokens are too many",
        provider.counts(again)
    );
    assert_eq!(report.reason, CompactReason::Reached, "{report:?}");
    let events = bench.engine.events(&bench.session).await.unwrap();
    let lowered = events
        .iter()
        .rev()
        .find(|event| event.kind == EventKind::Window)
        .unwrap();
    assert_eq!(lowered.window.unwrap().context(), Tokens::new(12_000));
    assert_eq!(lowered.reason.as_deref(), Some("overflow"));
    assert!(
        events
            .iter()
            .any(|event| event.kind == EventKind::Calibrate)
    );
    assert!(
        events
            .iter()
            .any(|event| event.reason.as_deref() == Some("overflow")
                && event.kind == EventKind::Leaf)
    );
    // The host goes on with the window it thinks it has, and with views that fit.
    for index in 0..30 {
        let turn = bench.turn(talk(1_000 + index * 2, 2, 300)).await;
        assert!(provider.refuse(&turn.view).is_none(), "turn {index}");
    }
    bench.engine.settle().await.unwrap();
    bench.check().await;
}

#[tokio::test]
async fn technique_t3_a_setting_may_only_go_below_what_the_model_takes() {
    let (bench, view) = full(32_000).await;
    let failed =
        FailedCall::new("maximum context length is 9000 tokens", Some(400)).view(view.version);
    assert!(retried(on_error(&bench, &failed).await).tokens <= Tokens::new(9_000));
    let budget = |tokens: u64| {
        let (engine, session) = (bench.engine.clone(), bench.session.clone());
        async move {
            engine
                .turn(&session, vec![NewMessage::user("on")], window(tokens))
                .await
                .unwrap()
                .view
                .budget
        }
    };
    assert_eq!(budget(128_000).await, Tokens::new(9_000));
    assert_eq!(budget(7_000).await, Tokens::new(7_000));
    assert_eq!(budget(64_000).await, Tokens::new(9_000));
    // Another model has a limit of its own, and the first one keeps what it said.
    let set = |model: &'static str| {
        let (engine, session) = (bench.engine.clone(), bench.session.clone());
        async move {
            engine
                .set_model(&session, model, window(64_000))
                .await
                .unwrap()
        }
    };
    assert_eq!(set("deep").await, window(64_000));
    let failed = FailedCall::new("maximum context length is 20000 tokens", Some(400)).model("deep");
    let _ = retried(on_error(&bench, &failed).await);
    assert_eq!(set("shallow").await, window(64_000));
    assert_eq!(set("deep").await, window(20_000));
    bench.check().await;
}

#[tokio::test]
async fn technique_t2_a_reserve_that_takes_the_whole_window_is_an_error() {
    let tokens = Tokens::new;
    for (context, overhead, reserve) in
        [(100, 0, 100), (100, 60, 40), (100, 0, u64::MAX), (0, 0, 0)]
    {
        let error = Window::new(tokens(context), tokens(overhead), tokens(reserve)).unwrap_err();
        assert!(error.to_string().contains("leaves no budget"), "{error}");
    }
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 20, 60)).await;
    let kept = Window::new(tokens(8_000), tokens(500), tokens(4_000)).unwrap();
    bench
        .engine
        .turn(&bench.session, vec![NewMessage::user("on")], kept)
        .await
        .unwrap();
    let named = FailedCall::new("maximum context length is 4096 tokens", Some(400));
    check_gave_up(&on_error(&bench, &named).await, GaveUpReason::NoRoom);
    let after = bench.turn(vec![NewMessage::user("on")]).await;
    assert_eq!(
        after.view.budget,
        tokens(8_000),
        "a limit that leaves no room is not gone by"
    );
    let capped = Window::new(tokens(9_000), tokens(0), tokens(100)).unwrap();
    let error = bench
        .engine
        .set_model(&bench.session, " ", capped)
        .await
        .unwrap_err();
    assert!(matches!(error, EngineError::Usage { .. }), "{error}");
}

#[tokio::test]
async fn technique_t15_an_error_of_another_model_is_ignored() {
    let (bench, _) = full(16_000).await;
    bench
        .engine
        .set_model(&bench.session, "a/new", window(16_000))
        .await
        .unwrap();
    let n_events = bench.engine.events(&bench.session).await.unwrap().len();
    let late =
        FailedCall::new("prompt is too long: 9000 tokens > 4000 maximum", Some(400)).model("a/old");
    let outcome = on_error(&bench, &late).await;
    assert!(matches!(&outcome, ErrorOutcome::OtherModel { current } if current == "a/new"));
    assert_eq!(
        bench.engine.events(&bench.session).await.unwrap().len(),
        n_events
    );
    let own = FailedCall::new(UNNAMED, Some(400)).model("a/new");
    let _ = retried(on_error(&bench, &own).await);
}

#[tokio::test]
async fn at_most_two_smaller_views_are_given_in_a_turn_each_smaller_than_the_one_before() {
    let (bench, first) = full(16_000).await;
    let failed = FailedCall::new(UNNAMED, Some(400));
    let second = retried(on_error(&bench, &failed).await);
    let third = retried(on_error(&bench, &failed).await);
    assert!(second.tokens.get() * 100 <= first.tokens.get() * 75);
    assert!(third.tokens.get() * 100 <= second.tokens.get() * 75);
    check_gave_up(&on_error(&bench, &failed).await, GaveUpReason::RetriesSpent);
    // A restart changes nothing; the next turn of the user begins anew.
    let mut bench = bench;
    bench.restart();
    check_gave_up(&on_error(&bench, &failed).await, GaveUpReason::RetriesSpent);
    bench
        .turn(vec![
            NewMessage::assistant("At the old pier."),
            NewMessage::user("And then?"),
        ])
        .await;
    let _ = retried(on_error(&bench, &failed).await);
    bench.check().await;
}

#[tokio::test]
async fn what_cannot_be_made_smaller_is_given_up() {
    let bench = Setup::window(16_000).bench();
    bench
        .append(vec![
            NewMessage::system("word ".repeat(3_000)),
            NewMessage::user("?"),
        ])
        .await;
    let failed = FailedCall::new(UNNAMED, Some(400));
    check_gave_up(&on_error(&bench, &failed).await, GaveUpReason::NoProgress);
    let unknown = bench
        .engine
        .on_provider_error(&key("nobody"), &failed)
        .await;
    assert!(matches!(unknown, Err(EngineError::UnknownSession { .. })));
}

#[tokio::test]
async fn other_errors_leave_the_view_alone() {
    let (bench, _) = full(16_000).await;
    let n_events = bench.engine.events(&bench.session).await.unwrap().len();
    for (text, status, wanted) in [
        (
            "Rate limit reached for tokens per minute (TPM)",
            413,
            ProviderError::RateLimit,
        ),
        ("You exceeded your current quota", 429, ProviderError::Quota),
        ("overloaded", 529, ProviderError::Unavailable),
        (
            "The minimum token count to start caching is 4096",
            400,
            ProviderError::CacheMinimum,
        ),
        (
            "max_tokens: 9 > 8, which is the maximum allowed number of output tokens",
            400,
            ProviderError::OutputLimit,
        ),
        (
            "Unsupported value: temperature",
            400,
            ProviderError::Configuration,
        ),
        ("no such model", 404, ProviderError::Other),
    ] {
        let outcome = on_error(&bench, &FailedCall::new(text, Some(status))).await;
        assert!(
            matches!(outcome, ErrorOutcome::NotOverflow(kind) if kind == wanted),
            "{text}: {outcome:?}"
        );
    }
    assert_eq!(
        bench.engine.events(&bench.session).await.unwrap().len(),
        n_events
    );
}

#[tokio::test]
async fn calls_that_a_provider_refuses_are_given_as_words() {
    let bench = Setup::window(16_000).bench();
    bench
        .append(vec![
            NewMessage::user("Look at the tide table."),
            NewMessage::tool_use("c1", "Read", r#"{"path":"tides.txt"}"#),
            NewMessage::tool_result("c1", "high water at 04:12"),
            NewMessage::assistant("High water is at 04:12."),
        ])
        .await;
    let failed = FailedCall::new(
        "unexpected `tool_use_id` found in `tool_result` blocks: c1",
        Some(400),
    );
    let outcome = on_error(&bench, &failed).await;
    let ErrorOutcome::RepairView { view } = &outcome else {
        panic!("{outcome:?}")
    };
    let parts: Vec<&Part> = view.items.iter().flat_map(|item| &item.parts).collect();
    assert!(
        parts.iter().all(|part| matches!(part, Part::Text { .. })),
        "{parts:?}"
    );
    let said = format!("{parts:?}");
    for words in ["tides.txt", "high water at 04:12", "Read"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let whole = bench.view(16_000).await;
    assert!(view.tokens <= whole.tokens);
    let _ = on_error(&bench, &failed).await;
    check_gave_up(&on_error(&bench, &failed).await, GaveUpReason::RetriesSpent);
}

/// K6: a recovery passes every breaker, and goes on at the floor when the model does not answer.
#[tokio::test]
async fn a_recovery_passes_the_breaker() {
    let model = Model::behaving(Behaviour::Fails);
    let mut setup = Setup::window(16_000).model(&model);
    setup.limits.leaf_from_percent = 100;
    let bench = setup.bench();
    bench.append(talk(0, 130, 110)).await;
    for _ in 0..3 {
        bench.engine.compact(&bench.session).await.unwrap();
    }
    let status = bench.engine.status().await.unwrap();
    assert_eq!(status.breakers[0].state, "open");
    let n_calls = model.calls();
    let outcome = on_error(&bench, &FailedCall::new(UNNAMED, Some(400))).await;
    assert!(model.calls() > n_calls, "the breaker held a recovery back");
    let _ = retried(outcome);
    bench.check().await;
}

#[tokio::test]
async fn technique_k5_a_recovery_that_stops_early_leaves_a_whole_tree_and_says_why() {
    let mut setup = Setup::window(16_000);
    setup.limits.recovery_passes = 1;
    setup.limits.leaf_from_percent = 100;
    let bench = setup.bench();
    bench.append(talk(0, 300, 60)).await;
    let report = bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(200))
        .await
        .unwrap();
    assert_eq!(report.reason, CompactReason::NoProgress, "{report:?}");
    assert!(!report.fits && report.tokens_after < report.tokens_before);
    bench.check().await;
}

#[test]
fn a_program_without_a_runtime_has_the_same_calls() {
    let dir = tempfile::tempdir().unwrap();
    let builder = builder(&dir.path().join("store.db"), FakeClock::new()).window(window(8_000));
    let engine = blocking::Engine::build(builder).unwrap();
    let session: SessionKey = key("main");
    engine.append(&session, talk(0, 60, 110)).unwrap();
    assert_eq!(
        engine.set_model(&session, "m", window(8_000)).unwrap(),
        window(8_000)
    );
    let failed = FailedCall::new(UNNAMED, None).model("m");
    let view = retried(engine.on_provider_error(&session, &failed).unwrap());
    assert!(
        view.tokens
            < engine
                .view(&session, ViewBudget::Configured)
                .unwrap()
                .budget
    );
    engine.shutdown().unwrap();
}
