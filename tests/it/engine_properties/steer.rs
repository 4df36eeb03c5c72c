//! What providers say in random stories: errors that ask for another view, and counts.

use super::look::check_view;
use super::story::Refusal;
use super::world::*;

use hippocamp::domain::{Part, Tokens, Usage, View};
use hippocamp::engine::{
    Calibration, EngineError, ErrorOutcome, FailedCall, Observed, ProviderError, ViewBudget,
};

/// How often the providers of a story were answered, and how.
#[derive(Debug, Default)]
pub(super) struct Answered {
    /// With a smaller view.
    pub(super) smaller_views: usize,
    /// With a view of texts.
    pub(super) plain_views: usize,
    /// With a factor that was recorded.
    pub(super) calibrations: usize,
}

impl World {
    /// A call with the view as it is now is refused.
    pub(super) async fn refused(&mut self, refusal: Refusal) {
        let Some(view) = self.configured().await else {
            return;
        };
        let (text, status) = match refusal {
            Refusal::TooLong => ("prompt is too long".to_owned(), 400),
            Refusal::Over(limit) => {
                let used = view.tokens.get().max(limit) + 1;
                let text = format!("prompt is too long: {used} tokens > {limit} maximum");
                (text, 400)
            }
            Refusal::Unpaired => (
                "unexpected `tool_use_id` found in `tool_result` blocks: call-1".to_owned(),
                400,
            ),
            Refusal::Busy => ("overloaded".to_owned(), 529),
        };
        let failed = FailedCall::new(text, Some(status)).view(view.version);
        let outcome = self.engine.on_provider_error(&self.session, &failed).await;
        match (outcome.unwrap(), refusal) {
            (
                ErrorOutcome::Retry {
                    view: smaller,
                    attempt,
                    ..
                },
                Refusal::TooLong | Refusal::Over(_),
            ) => {
                self.answered.smaller_views += 1;
                check_view(&smaller);
                assert!(
                    smaller.tokens < view.tokens && (1..=2).contains(&attempt),
                    "attempt {attempt}: {} after {}",
                    smaller.tokens,
                    view.tokens
                );
            }
            (ErrorOutcome::RepairView { view: plain }, Refusal::Unpaired) => {
                self.answered.plain_views += 1;
                check_view(&plain);
                let is_text =
                    |part: &Part| !matches!(part, Part::ToolUse { .. } | Part::ToolResult { .. });
                assert!(plain.items.iter().flat_map(|item| &item.parts).all(is_text));
            }
            (ErrorOutcome::NotOverflow(ProviderError::Unavailable), Refusal::Busy)
            | (
                ErrorOutcome::GaveUp { .. },
                Refusal::TooLong | Refusal::Over(_) | Refusal::Unpaired,
            ) => {}
            (outcome, refusal) => panic!("{refusal:?}: {outcome:?}"),
        }
    }

    /// A provider counts the view as it is now, in thousandths of the estimate.
    pub(super) async fn counted(&mut self, thousandths: u64) {
        // Nothing may happen between the view and its measurement.
        self.engine.settle().await.unwrap();
        let Some(view) = self.configured().await else {
            return;
        };
        let input = Tokens::new(view.tokens.get() * thousandths / 1_000);
        let observed = Observed::new(view.version.unwrap(), Usage::new(input, Tokens::new(9)));
        let report = self.engine.observe_usage(&self.session, &observed).await;
        let report = report.unwrap();
        assert!(
            !matches!(
                report.calibration,
                Calibration::Stale | Calibration::OtherModel
            ),
            "{report:?}"
        );
        if matches!(report.calibration, Calibration::Recorded(_)) {
            self.answered.calibrations += 1;
        }
        if let Some((_, ErrorOutcome::Retry { view: smaller, .. })) = &report.overflow {
            check_view(smaller);
            assert!(smaller.tokens < view.tokens);
        }
        let budget = self.configured().await.unwrap().budget;
        assert!(budget <= Tokens::new(WINDOW), "{budget} after {report:?}");
    }

    /// Returns the view of the configured budget; none of nothing.
    pub(super) async fn configured(&self) -> Option<View> {
        let budget = ViewBudget::Configured;
        match self.engine.view(&self.session, budget).await {
            Err(EngineError::UnknownSession { .. }) if self.expected.is_empty() => None,
            view => Some(view.unwrap()),
        }
    }
}
