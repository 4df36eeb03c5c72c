//! What providers count and hosts say: calibration, pauses, requests, hooks, provider-managed mode.

mod hooks;
mod managed;
mod request;
mod usage;

use hippocamp::domain::{EventKind, SessionKey, Timestamp, Tokens, Usage, View};
use hippocamp::engine::{Effect, Engine, Observed, RequestOutcome, ViewBudget};

use crate::bench::{Bench, Setup, talk};

pub(super) fn tokens(count: u64) -> Tokens {
    Tokens::new(count)
}

/// What a provider says of a view that counts so many thousandths of the estimate.
pub(super) fn counted(view: &View, thousandths: u64) -> Observed {
    let input = tokens((view.tokens.get() * thousandths).div_ceil(1_000));
    Observed::new(view.version.unwrap(), Usage::new(input, tokens(50)))
}

pub(super) async fn observe(bench: &Bench, observed: &Observed) -> hippocamp::engine::UsageReport {
    bench
        .engine
        .observe_usage(&bench.session, observed)
        .await
        .unwrap()
}

pub(super) async fn shown(bench: &Bench) -> View {
    bench
        .engine
        .view(&bench.session, ViewBudget::Configured)
        .await
        .unwrap()
}

pub(super) async fn n_events(bench: &Bench, kind: EventKind) -> usize {
    let events = bench.engine.events(&bench.session).await.unwrap();
    events.iter().filter(|event| event.kind == kind).count()
}

/// Talks and compacts in vain until nothing is compacted unasked; returns until when.
pub(crate) async fn paused(engine: &Engine, session: &SessionKey) -> Timestamp {
    let view = || async { engine.view(session, ViewBudget::Configured).await.unwrap() };
    let observe = |version, measured| async move {
        let observed = Observed::new(version, Usage::new(tokens(measured), tokens(9)));
        engine.observe_usage(session, &observed).await.unwrap()
    };
    engine.append(session, talk(0, 40, 110)).await.unwrap();
    let first = view().await;
    let (mut estimated, mut measured) = (first.tokens.get(), first.tokens.get());
    let _ = observe(first.version.unwrap(), measured).await;
    for round in 0..6 {
        let more = talk(1_000 + round * 12, 12, 60);
        engine.append(session, more).await.unwrap();
        let goal = tokens(view().await.tokens.get() * 8 / 10);
        let report = engine.compact_until_under(session, goal).await.unwrap();
        let saved = report.tokens_before.get() - report.tokens_after.get();
        // The provider counts what it would have counted without the compaction.
        let after = view().await;
        measured = (after.tokens.get() + saved) * measured / estimated;
        estimated = after.tokens.get();
        let report = observe(after.version.unwrap(), measured).await;
        if let Some(until) = report.paused_until {
            assert_eq!(report.effect, Effect::Ineffective);
            return until;
        }
    }
    panic!("no pause");
}

/// Raw talk that fills so many percent of a window.
pub(super) async fn filled(window: u64, percent: u64) -> Bench {
    let mut setup = Setup::window(window);
    setup.limits.leaf_from_percent = 100;
    let bench = setup.bench();
    let one = talk(0, 1, 110);
    bench.append(one).await;
    let each = shown(&bench).await.tokens.get();
    let n = usize::try_from(window * percent / 100 / each).unwrap();
    bench.append(talk(1, n - 1, 110)).await;
    bench
}

pub(super) async fn ask(bench: &Bench, focus: Option<&str>) -> RequestOutcome {
    bench
        .engine
        .request_compaction(&bench.session, focus)
        .await
        .unwrap()
}
