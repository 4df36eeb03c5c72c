//! Recovery. Owns the passes that bring a view under a budget, and when they stop.
//! May not commit: the caller does, and comes back with the frontier as it is then.

use std::collections::{HashSet, VecDeque};

use crate::domain::{CondensePlan, Frontier, LeafPlan, Seq, Span, Tokens};

use super::condense::{self, CondenseDecision, plan_condense};
use super::leaf::{self, plan_ahead};
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
    /// Leaves of the newest frontier that follow the one planned last.
    ahead: VecDeque<LeafPlan>,
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
            ahead: VecDeque::new(),
            was_refused: false,
        }
    }

    /// Returns the passes begun so far.
    #[must_use]
    pub const fn n_passes(&self) -> u32 {
        self.n_passes
    }

    /// Returns the next step if the newest frontier has decided it already: the step before was
    /// written as planned, and `pressure` is what the view holds since.
    pub fn next_ahead(&mut self, pressure: Tokens) -> Option<NextStep> {
        if pressure <= self.budget {
            return None;
        }
        let plan = self.ahead.pop_front()?;
        let is_new = !self.is_later(&plan) && self.planned.insert(leaf_unit(&plan));
        is_new.then_some(NextStep::Leaf(plan))
    }

    /// Decides the next step from the frontier as it is now. `pressure` is what the view would hold now.
    pub fn next(&mut self, frontier: &Frontier, pressure: Tokens) -> NextStep {
        self.ahead.clear();
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

    fn leaf(&mut self, frontier: &Frontier) -> Option<(NextStep, Unit)> {
        let demand = leaf::Demand::Recovery;
        if !leaf::pays(frontier, &self.limits, self.budget, demand) {
            return None;
        }
        let plans = plan_ahead(frontier, &self.limits, self.budget, demand).ok()?;
        self.ahead = plans.into();
        let plan = self.ahead.pop_front()?;
        let unit = leaf_unit(&plan);
        (!self.is_later(&plan)).then_some((NextStep::Leaf(plan), unit))
    }

    /// Says whether a leaf is over rows that came after the pass began.
    fn is_later(&self, plan: &LeafPlan) -> bool {
        self.has_begun && self.through < Some(plan.span.first())
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

fn leaf_unit(plan: &LeafPlan) -> Unit {
    (Pass::Leaf, plan.span, 0)
}
