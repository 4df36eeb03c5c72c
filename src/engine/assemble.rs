//! The view: frontier, plan and bodies, read in one snapshot. Records nothing.

use std::sync::{Arc, MutexGuard, PoisonError};

use super::clear::clear_for_read;
use super::core::{Core, Engine, resolve};
use super::error::EngineError;
use crate::domain::{ConversationId, SessionKey, TokenCounter, Tokens, View, ViewVersion, Window};
use crate::policy::assemble::{Bodies, Counts, ViewPlan, finish_view_by, plan_view};
use crate::policy::limits::Limits;
use crate::policy::pin::shown_at;
use crate::store::{Reader, StoreError};

/// Which budget a view is assembled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ViewBudget {
    /// That of the conversation's recorded window, else of the process's.
    #[default]
    Configured,
    /// This many tokens; nothing is recorded.
    Of(Tokens),
}

impl Engine {
    /// Returns what the model sees: a pure function of what is stored and the budget.
    ///
    /// # Errors
    /// `UnknownSession`; `Usage` for a budget of 0; `Store` if the rows cannot be read.
    pub async fn view(
        &self,
        session: &SessionKey,
        budget: ViewBudget,
    ) -> Result<View, EngineError> {
        if budget == ViewBudget::Of(Tokens::ZERO) {
            return Err(EngineError::wrong_use(
                "a budget of 0 tokens shows nothing",
                "give at least 1 token",
            ));
        }
        let wanted = session.clone();
        let conversation = self
            .core
            .db
            .read(move |reader| resolve(reader, &wanted))
            .await??;
        let tokens = match budget {
            ViewBudget::Configured => conversation.budget_or(self.core.window),
            ViewBudget::Of(tokens) => tokens,
        };
        self.core.view_of(conversation.id, tokens).await
    }
}

impl Core {
    /// Counts that are worth keeping are whole after any panic.
    fn lock_counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assembles the view of one branch.
    pub(super) async fn view_of(
        &self,
        id: ConversationId,
        budget: Tokens,
    ) -> Result<View, EngineError> {
        let asked = Asked {
            budget,
            window: self.window,
            limits: self.limits.clone(),
            counter: Arc::clone(&self.counter),
        };
        let (plan, bodies, state) = self
            .db
            .read(move |reader| {
                let (plan, bodies) = read_view(reader, id, &asked)?;
                let state = (
                    reader.branch(id)?.head,
                    reader.newest_event(id)?,
                    reader.steering(id)?,
                );
                Ok((plan, bodies, state))
            })
            .await?;
        // Taken out meanwhile: views made at the same time count for themselves.
        let mut counts = std::mem::take(&mut *self.lock_counts());
        let mut view = finish_view_by(plan, &bodies, self.counter.as_ref(), &mut counts);
        self.lock_counts().merge(counts);
        let (head, event, steering) = state;
        view.version = Some(ViewVersion::new(id, head, event, view.tokens));
        view.managed_by = self.compactor_of(&steering).map(str::to_owned);
        Ok(view)
    }
}

/// What a view is read for.
struct Asked {
    budget: Tokens,
    /// The process's window, for a branch that has recorded none.
    window: Window,
    limits: Limits,
    counter: Arc<dyn TokenCounter>,
}

fn read_view(
    reader: &Reader,
    id: ConversationId,
    asked: &Asked,
) -> Result<(ViewPlan, Bodies), StoreError> {
    let (budget, limits) = (asked.budget, &asked.limits);
    let configured = reader.branch(id)?.budget_or(asked.window);
    let (mut frontier, warnings) = reader.view_frontier(id)?;
    let (shown, left_out) = shown_at(frontier.pins, budget, configured, limits);
    frontier.pins = shown;
    if budget < configured {
        clear_for_read(
            reader,
            &mut frontier,
            budget,
            limits,
            asked.counter.as_ref(),
        )?;
    }
    let request = reader.newest_request(id)?;
    let plan = plan_view(&frontier, &request, budget, limits)
        .with_pins_left_out(left_out)
        .with_warnings(warnings);
    let (message_ids, summary_ids) = plan.needs();
    let messages = reader.messages_by_id(&message_ids)?;
    let summaries = reader.summaries_by_id(&summary_ids)?;
    let pins = reader.pin_texts(&plan.pin_ids())?;
    let bodies = Bodies {
        messages: messages
            .into_iter()
            .map(|message| (message.id, message))
            .collect(),
        summaries: summaries
            .into_iter()
            .map(|summary| (summary.id(), summary))
            .collect(),
        pins: pins.into_iter().collect(),
    };
    Ok((plan, bodies))
}
