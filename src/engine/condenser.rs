//! Tier 2: the background task that drains a backlog, merges under pressure, repairs and promotes.
//! No turn waits for it. Wakes coalesce.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use super::builder::LeafMode;
use super::core::Core;
use super::error::EngineError;
use super::run_step::{MOST_UNITS, Order, StepOutcome};
use super::state::State;
use super::tasks::{Wake, answer_all, next_wake};
use super::turn::{LEFT_TO_TURNS, need};
use crate::domain::{ConversationId, LiveMove, Plan, Tokens};
use crate::policy::condense::{self, CondenseDecision};
use crate::policy::leaf;
use crate::policy::repair::{find_damage, plan_repair};
use crate::store::StoreError;

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
    /// One unit, or leaves of a backlog one after another.
    Run(Vec<Plan>),
}

impl Core {
    /// Works on one branch until it is below its threshold or nothing can be done.
    async fn relieve(&self, id: ConversationId) -> Result<(), EngineError> {
        let mut after_promotion = false;
        let mut is_draining = self.leaf_mode == LeafMode::Deferred;
        for _ in 0..MOST_UNITS {
            let state = self.state_of(id).await?;
            if self.hold(&state).is_some() {
                break;
            }
            let next = self
                .next_in_background(&state, after_promotion, &mut is_draining)
                .await?;
            match next {
                None => break,
                Some(Next::Promote) => {
                    self.promote(&state, "background").await?;
                    after_promotion = true;
                }
                Some(Next::Run(plans)) => {
                    if self.run_in_background(&state, plans).await?.is_break() {
                        break;
                    }
                }
            }
        }
        self.tasks.rows_stored();
        Ok(())
    }

    /// Runs plans of one reading while each is written and the next is still due.
    async fn run_in_background(
        &self,
        state: &State,
        plans: Vec<Plan>,
    ) -> Result<ControlFlow<()>, EngineError> {
        let mut pressure = state.pressure;
        for (plan_idx, plan) in plans.into_iter().enumerate() {
            if plan_idx > 0 && !self.is_leaf_due(state, pressure) {
                break;
            }
            let live = match (self.leaf_mode, &plan) {
                (LeafMode::Deferred, Plan::Leaf(_)) => LiveMove::Later,
                _ => LiveMove::Now,
            };
            let order = Order {
                need: need(pressure, state.budget),
                caller: self.unasked(state),
                live,
                deadline: None,
                pressure,
                clear: None,
                reason: "background",
                instructions: None,
                focus: None,
            };
            match self.run_step(plan, order).await? {
                StepOutcome::Applied(committed, _) => pressure = committed.pressure,
                // Another writer was first; what it wrote is read before the next decision.
                StepOutcome::Stale => break,
                StepOutcome::NothingToGain
                | StepOutcome::ModelFailed
                | StepOutcome::HeldBack
                | StepOutcome::Vetoed => {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn is_leaf_due(&self, state: &State, pressure: Tokens) -> bool {
        pressure >= state.share(self.limits.leaf_from_percent)
    }

    async fn next_in_background(
        &self,
        state: &State,
        after_promotion: bool,
        is_draining: &mut bool,
    ) -> Result<Option<Next>, EngineError> {
        let (limits, budget) = (&self.limits, state.budget);
        let threshold = state.share(limits.summarize_token_percent);
        if state.waits_for_promotion() && state.pressure > threshold {
            return Ok(Some(Next::Promote));
        }
        // A drain once begun goes on to its end.
        *is_draining =
            *is_draining || leaf::backlog_chunks(&state.planner, limits, budget) > LEFT_TO_TURNS;
        let leaves = leaf::plan_ahead(&state.planner, limits, budget, leaf::Demand::Routine);
        if let Ok(leaves) = leaves
            && self.is_leaf_due(state, state.pressure)
        {
            // Raw rows count as pressure: merging while a backlog drains would make chains.
            let plans = leaves.into_iter().map(Plan::Leaf).collect();
            return Ok(is_draining.then_some(Next::Run(plans)));
        }
        let goal = if after_promotion {
            state.share(limits.promote_percent)
        } else {
            threshold
        };
        if state.pressure > goal {
            let demand = if after_promotion {
                condense::Demand::Promotion
            } else {
                condense::Demand::Routine
            };
            let weight = state.weight(state.pressure);
            let decision = condense::plan_condense(&state.planner, limits, budget, weight, demand);
            if let CondenseDecision::Plan(plan) = decision {
                return Ok(Some(Next::Run(vec![Plan::Condense(plan)])));
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
        let shows_damage = state.planner.nodes().any(|node| !condense::is_sound(node));
        if !shows_damage && !self.looks.is_due(id) {
            return Ok(None);
        }
        let (n_rows, damage) = self
            .db
            .read(move |reader| {
                let rows = reader.tree_rows(id)?;
                let damage = find_damage(&rows)
                    .into_iter()
                    .map(|damage| Ok((reader.view_tokens(id, damage.node.span)?, damage)))
                    .collect::<Result<Vec<_>, StoreError>>()?;
                Ok((rows.len(), damage))
            })
            .await?;
        if damage.is_empty() {
            self.looks.found_sound(id, n_rows);
        }
        let plan = damage
            .iter()
            .find_map(|(tokens, damage)| plan_repair(id, damage, *tokens, &self.limits, budget));
        Ok(plan.map(|plan| Next::Run(vec![Plan::Repair(plan)])))
    }
}
