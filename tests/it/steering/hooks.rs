//! What a host says to compactions, and what a person wants of them.

use std::sync::{Arc, Mutex};

use hippocamp::domain::Event;
use hippocamp::engine::{
    CompactReason, CompactionHooks, ErrorOutcome, FailedCall, HookDecision, Upcoming,
};

use crate::bench::{Behaviour, Model, Setup, talk};
use crate::support::{assert_clean, builder, window};

/// A host's hooks, as a test scripts them.
#[derive(Default)]
struct Hooks {
    seen: Mutex<Vec<(Upcoming, Option<Event>)>>,
    says: Mutex<Says>,
}

#[derive(Clone, Default)]
enum Says {
    #[default]
    Nothing,
    This(HookDecision),
    Panics,
}

impl CompactionHooks for Hooks {
    fn before(&self, upcoming: &Upcoming) -> HookDecision {
        self.seen.lock().unwrap().push((upcoming.clone(), None));
        let says = self.says.lock().unwrap().clone();
        match says {
            Says::Nothing => HookDecision::Go,
            Says::This(decision) => decision,
            Says::Panics => panic!("the host's hook panicked"),
        }
    }

    fn after(&self, event: &Event) {
        if let Some(last) = self.seen.lock().unwrap().last_mut() {
            last.1 = Some(event.clone());
        }
        let panics = matches!(*self.says.lock().unwrap(), Says::Panics);
        assert!(!panics, "the host's hook panicked");
    }
}

#[tokio::test]
async fn technique_k9_hooks_veto_add_and_are_told_and_a_panic_is_no_veto() {
    let dir = tempfile::tempdir().unwrap();
    let model = Model::behaving(Behaviour::Good);
    let hooks = Arc::new(Hooks::default());
    let engine = builder(
        &dir.path().join("store.db"),
        crate::support::FakeClock::new(),
    )
    .window(window(8_000))
    .completer(Arc::clone(&model) as Arc<_>)
    .hooks(Arc::clone(&hooks) as Arc<_>)
    .build()
    .unwrap();
    let session = crate::support::key("main");
    engine.append(&session, talk(0, 80, 110)).await.unwrap();
    *hooks.says.lock().unwrap() = Says::This(HookDecision::Veto("the demo is running".to_owned()));
    let report = engine.compact(&session).await.unwrap();
    assert_eq!(
        (report.reason, report.leaf.len(), model.calls()),
        (CompactReason::Vetoed, 0, 0)
    );
    // A provider's error finds a smaller view all the same: what is not summarised is left out.
    let failed = FailedCall::new("prompt is too long", Some(400));
    let outcome = engine.on_provider_error(&session, &failed).await.unwrap();
    assert!(matches!(outcome, ErrorOutcome::Retry { .. }), "{outcome:?}");
    *hooks.says.lock().unwrap() =
        Says::This(HookDecision::GoWith("Keep the tide tables.".to_owned()));
    let report = engine
        .compact_with(&session, "Keep the berth numbers.")
        .await
        .unwrap();
    assert!(!report.leaf.is_empty());
    let prompt = model.prompts().remove(0);
    let (berths, tides) = (
        prompt.system.find("Keep the berth numbers."),
        prompt.system.find("Keep the tide tables."),
    );
    assert!(berths.is_some() && berths < tides, "{}", prompt.system);
    let events = engine.events(&session).await.unwrap();
    let (upcoming, event) = hooks.seen.lock().unwrap().last().unwrap().clone();
    let event = event.expect("no hook was told");
    assert!(events.contains(&event));
    assert_eq!(
        (Some(upcoming.span), upcoming.reason),
        (event.span, "manual")
    );
    assert_eq!(event.tokens_before, Some(upcoming.pressure));
    *hooks.says.lock().unwrap() = Says::Panics;
    engine.append(&session, talk(80, 60, 110)).await.unwrap();
    assert!(!engine.compact(&session).await.unwrap().leaf.is_empty());
    assert_clean(&engine.doctor().await.unwrap());
}

#[tokio::test]
async fn technique_t12_focus_text_reaches_the_model_as_the_operators_and_not_as_source() {
    let model = Model::behaving(Behaviour::Good);
    let bench = Setup::window(8_000).model(&model).bench();
    bench.append(talk(0, 40, 110)).await;
    let focus = "Keep to what the harbour master decided.";
    bench
        .engine
        .compact_with(&bench.session, focus)
        .await
        .unwrap();
    for prompt in model.prompts() {
        assert!(prompt.system.contains(focus) && !prompt.text.contains(focus));
    }
    bench.append(talk(40, 40, 110)).await;
    bench
        .engine
        .compact_with(&bench.session, " ")
        .await
        .unwrap();
    assert!(
        !model
            .prompts()
            .last()
            .unwrap()
            .system
            .contains("The operator of this program adds")
    );
}
