//! Recovery. Owns the passes that bring a view under a budget, and when they stop.
//! May not commit: the caller does, and comes back with the frontier as it is then.

use std::collections::HashSet;

use crate::domain::{CondensePlan, Frontier, LeafPlan, Seq, Span, Tokens};

use super::condense::{self, CondenseDecision, plan_condense};
use super::leaf::{self, LeafDecision, plan_leaf};
use super::limits::Limits;

/// What to do next.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    /// Write this leaf.
    Leaf(LeafPlan),
    /// Write this merge.
    Condense(CondensePlan),
    /// Stop.
    End(EndReason),
}

/// Why a recovery stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Pressure is within the budget.
    Reached,
    /// All but the newest group is summarised, and the summaries cannot shrink.
    NothingToGain,
    /// The passes ran out, or what was planned was not written.
    NoProgress,
}

/// The two kinds of pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Pass {
    Leaf,
    Condense,
}

/// A recovery under way.
#[derive(Debug, Clone)]
pub struct UntilUnder {
    budget: Tokens,
    limits: Limits,
    pass: Pass,
    /// Whether the pass has planned anything yet; a pass that has not is not counted.
    has_begun: bool,
    /// The newest row when the pass began: rows that come later are another pass's.
    through: Option<Seq>,
    n_passes: u32,
    /// What was planned. The same again means that it was not written.
    planned: HashSet<Unit>,
    was_refused: bool,
}

/// What names a unit of work: a plan over the same rows of the same nodes is the same work.
type Unit = (Pass, Span, usize);

impl UntilUnder {
    /// Begins a recovery down to `budget`.
    #[must_use]
    pub fn new(budget: Tokens, limits: &Limits) -> Self {
        Self {
            budget,
            limits: limits.clone(),
            pass: Pass::Leaf,
            has_begun: false,
            through: None,
            n_passes: 0,
            planned: HashSet::new(),
            was_refused: false,
        }
    }

    /// Returns the passes begun so far.
    #[must_use]
    pub const fn n_passes(&self) -> u32 {
        self.n_passes
    }

    /// Decides the next step. `pressure` is what the view would hold now.
    pub fn next(&mut self, frontier: &Frontier, pressure: Tokens) -> NextStep {
        if pressure <= self.budget {
            return NextStep::End(EndReason::Reached);
        }
        // What remains of this pass, a pass of the other kind, and one of this kind anew.
        for _ in 0..3 {
            if let Some(step) = self.step(frontier, pressure) {
                if !self.has_begun {
                    if self.n_passes >= self.limits.recovery_passes {
                        return NextStep::End(EndReason::NoProgress);
                    }
                    self.has_begun = true;
                    self.n_passes += 1;
                    self.through = frontier.head;
                }
                return step;
            }
            self.turn_over();
        }
        NextStep::End(if self.was_refused {
            EndReason::NoProgress
        } else {
            EndReason::NothingToGain
        })
    }

    fn turn_over(&mut self) {
        self.has_begun = false;
        self.pass = match self.pass {
            Pass::Leaf => Pass::Condense,
            Pass::Condense => Pass::Leaf,
        };
    }

    fn step(&mut self, frontier: &Frontier, pressure: Tokens) -> Option<NextStep> {
        let (step, unit) = match self.pass {
            Pass::Leaf => self.leaf(frontier)?,
            Pass::Condense => self.condense(frontier, pressure)?,
        };
        if self.planned.insert(unit) {
            return Some(step);
        }
        self.was_refused = true;
        None
    }

    fn leaf(&self, frontier: &Frontier) -> Option<(NextStep, Unit)> {
        let demand = leaf::Demand::Recovery;
        let LeafDecision::Plan(plan) = plan_leaf(frontier, &self.limits, self.budget, demand)
        else {
            return None;
        };
        let is_later = self.has_begun && self.through < Some(plan.span.first());
        let unit = (Pass::Leaf, plan.span, 0);
        (!is_later).then_some((NextStep::Leaf(plan), unit))
    }

    fn condense(&self, frontier: &Frontier, pressure: Tokens) -> Option<(NextStep, Unit)> {
        let demand = condense::Demand::Recovery;
        let decision = plan_condense(frontier, &self.limits, self.budget, pressure, demand);
        let CondenseDecision::Plan(plan) = decision else {
            return None;
        };
        let unit = (Pass::Condense, plan.span, plan.children.ids().len());
        Some((NextStep::Condense(plan), unit))
    }
}
