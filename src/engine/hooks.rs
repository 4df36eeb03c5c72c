//! What a host may say to a compaction before it, and learns after it. Owns the seam.
//! May not let a hook that panics, or says nothing, change what happens.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::core::Core;
use super::error::EngineError;
use super::run_step::{Order, StepOutcome};
use crate::domain::{ConversationId, Depth, Event, EventKind, Plan, Span, Tokens};

/// A compaction that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upcoming {
    /// The branch.
    pub conversation: ConversationId,
    /// What it will be: a leaf, a merge, a repair.
    pub kind: EventKind,
    /// The messages it will cover.
    pub span: Span,
    /// How deep the summary will stand.
    pub depth: Depth,
    /// The tokens of what it replaces.
    pub source_tokens: Tokens,
    /// What the summary should hold at most.
    pub target: Tokens,
    /// What the view holds now.
    pub pressure: Tokens,
    /// Why it is made: the word that its event will have.
    pub reason: &'static str,
}

/// What a host says to a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HookDecision {
    /// Make it.
    #[default]
    Go,
    /// Make it, and tell the model this as well.
    GoWith(String),
    /// Do not make it, for this reason. What is over a budget is then left out of views.
    Veto(String),
}

/// A host's say in compactions. Both methods have a default that says nothing; they are called from
/// the engine's tasks and should not take long.
pub trait CompactionHooks: Send + Sync + 'static {
    /// Is asked before each unit of compaction. A panic counts as [`HookDecision::Go`].
    fn before(&self, upcoming: &Upcoming) -> HookDecision {
        let _ = upcoming;
        HookDecision::Go
    }

    /// Is told of each unit that was stored, by its event. A panic changes nothing.
    fn after(&self, event: &Event) {
        let _ = event;
    }
}

impl Core {
    /// Runs one unit, if the host's hooks have nothing against it.
    pub(super) async fn run_step(
        &self,
        plan: Plan,
        order: Order<'_>,
    ) -> Result<StepOutcome, EngineError> {
        let Some(hooks) = &self.hooks else {
            return self.run_unit(plan, order).await;
        };
        let upcoming = Upcoming {
            conversation: plan.conversation(),
            kind: kind_of(&plan),
            span: plan.span(),
            depth: plan.depth(),
            source_tokens: plan.source_tokens(),
            target: plan.target(),
            pressure: order.pressure,
            reason: order.reason,
        };
        let asked = catch_unwind(AssertUnwindSafe(|| hooks.before(&upcoming)));
        let decision = asked.unwrap_or_else(|_| {
            tracing::warn!("a hook before a compaction panicked");
            HookDecision::default()
        });
        let added = match decision {
            HookDecision::Go => None,
            HookDecision::GoWith(words) => Some(words),
            HookDecision::Veto(reason) => {
                let conversation = upcoming.conversation.get();
                tracing::info!(conversation, span = %upcoming.span, reason, "vetoed");
                return Ok(StepOutcome::Vetoed);
            }
        };
        let words = joined(order.instructions, added.as_deref());
        let order = Order {
            instructions: words.as_deref(),
            ..order
        };
        let outcome = self.run_unit(plan, order).await?;
        if let StepOutcome::Applied(committed, _) = outcome {
            let id = committed.event;
            let event = self.db.read(move |reader| reader.event(id)).await?;
            let told = event.map(|event| catch_unwind(AssertUnwindSafe(|| hooks.after(&event))));
            if let Some(Err(_)) = told {
                tracing::warn!("a hook after a compaction panicked");
            }
        }
        Ok(outcome)
    }
}

const fn kind_of(plan: &Plan) -> EventKind {
    match plan {
        Plan::Leaf(_) => EventKind::Leaf,
        Plan::Condense(_) => EventKind::Condense,
        Plan::Repair(_) => EventKind::Repair,
    }
}

/// Puts the words of the caller and of the host one below the other.
fn joined(first: Option<&str>, second: Option<&str>) -> Option<String> {
    let words: Vec<&str> = [first, second]
        .into_iter()
        .flatten()
        .filter(|words| !words.trim().is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join("\n"))
}
