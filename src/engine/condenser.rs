//! Tier 2: the background task that drains a backlog, merges under pressure, repairs and promotes.
//! No turn waits for it. Wakes coalesce.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use super::builder::LeafMode;
use super::core::Core;
use super::error::EngineError;
use super::run_step::{Caller, MOST_UNITS, Order, StepOutcome};
use super::state::State;
use super::tasks::{Wake, answer_all, next_wake};
use super::turn::{LEFT_TO_TURNS, need};
use crate::domain::{ConversationId, LiveMove, Plan, Tokens};
use crate::policy::condense::{self, CondenseDecision};
use crate::policy::leaf::{self, LeafDecision};
use crate::policy::repair::{find_damage, plan_repair};

/// Runs until the engine ends.
pub(super) async fn run(
    core: Arc<Core>,
    mut inbox: mpsc::Receiver<Wake>,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        let Some(wake) = next_wake(&mut inbox, &mut stop).await else {
            return;
        };
        let mut waiting = BTreeSet::new();
        let mut settled: Vec<oneshot::Sender<()>> = Vec::new();
        take(wake, &mut waiting, &mut settled);
        while let Ok(wake) = inbox.try_recv() {
            take(wake, &mut waiting, &mut settled);
        }
        for id in waiting {
            let worked = tokio::select! {
                worked = core.relieve(id) => worked,
                _ = stop.wait_for(|stopped| *stopped) => return,
            };
            if let Err(error) = worked {
                core.tasks.note_failure(&error);
            }
        }
        answer_all(settled);
    }
}

fn take(
    wake: Wake,
    waiting: &mut BTreeSet<ConversationId>,
    settled: &mut Vec<oneshot::Sender<()>>,
) {
    match wake {
        Wake::Look(id) => {
            waiting.insert(id);
        }
        Wake::Settle(answer) => settled.push(answer),
    }
}

/// The next thing to do for a branch.
enum Next {
    Promote,
    Run(Plan),
}

impl Core {
    /// Works on one branch until it is below its threshold or nothing can be done.
    async fn relieve(&self, id: ConversationId) -> Result<(), EngineError> {
        let mut after_promotion = false;
        let mut is_draining = self.leaf_mode == LeafMode::Deferred;
        for _ in 0..MOST_UNITS {
            let state = self.state_of(id).await?;
            let Some(next) = self
                .next_in_background(&state, after_promotion, &mut is_draining)
                .await?
            else {
                break;
            };
            let plan = match next {
                Next::Promote => {
                    self.promote(&state, "background").await?;
                    after_promotion = true;
                    continue;
                }
                Next::Run(plan) => plan,
            };
            let live = match (self.leaf_mode, &plan) {
                (LeafMode::Deferred, Plan::Leaf(_)) => LiveMove::Later,
                _ => LiveMove::Now,
            };
            let order = Order {
                need: need(state.pressure, state.budget),
                caller: Caller::Automatic,
                live,
                deadline: None,
                pressure: state.pressure,
                reason: "background",
            };
            match self.run_step(plan, order).await? {
                StepOutcome::Applied(..) | StepOutcome::Stale => {}
                StepOutcome::NothingToGain | StepOutcome::ModelFailed | StepOutcome::HeldBack => {
                    break;
                }
            }
        }
        self.tasks.rows_stored();
        Ok(())
    }

    async fn next_in_background(
        &self,
        state: &State,
        after_promotion: bool,
        is_draining: &mut bool,
    ) -> Result<Option<Next>, EngineError> {
        let (limits, budget) = (&self.limits, state.budget);
        let threshold = budget.percent(limits.summarize_token_percent);
        if state.waits_for_promotion() && state.pressure > threshold {
            return Ok(Some(Next::Promote));
        }
        let is_due = state.pressure >= budget.percent(limits.leaf_from_percent);
        // A drain once begun goes on to its end.
        *is_draining =
            *is_draining || leaf::backlog_chunks(&state.planner, limits, budget) > LEFT_TO_TURNS;
        let leaf = leaf::plan_leaf(&state.planner, limits, budget, leaf::Demand::Routine);
        if let LeafDecision::Plan(plan) = leaf
            && is_due
        {
            // Raw rows count as pressure: merging while a backlog drains would make chains.
            return Ok(is_draining.then_some(Next::Run(Plan::Leaf(plan))));
        }
        let goal = if after_promotion {
            budget.percent(limits.promote_percent)
        } else {
            threshold
        };
        if state.pressure > goal {
            let demand = if after_promotion {
                condense::Demand::Promotion
            } else {
                condense::Demand::Routine
            };
            let decision =
                condense::plan_condense(&state.planner, limits, budget, state.pressure, demand);
            if let CondenseDecision::Plan(plan) = decision {
                return Ok(Some(Next::Run(Plan::Condense(plan))));
            }
        }
        self.next_repair(state, budget).await
    }

    /// A stale, fallback or broken node to write anew, once the model is back.
    async fn next_repair(
        &self,
        state: &State,
        budget: Tokens,
    ) -> Result<Option<Next>, EngineError> {
        if self.completer.is_none() {
            return Ok(None);
        }
        let id = state.conversation.id;
        let damage = self
            .db
            .read(move |reader| {
                let damage = find_damage(&reader.tree_rows(id)?);
                damage
                    .into_iter()
                    .map(|damage| Ok((reader.view_tokens(id, damage.node.span)?, damage)))
                    .collect::<Result<Vec<_>, _>>()
            })
            .await?;
        let plan = damage
            .iter()
            .find_map(|(tokens, damage)| plan_repair(id, damage, *tokens, &self.limits, budget));
        Ok(plan.map(|plan| Next::Run(Plan::Repair(plan))))
    }
}
