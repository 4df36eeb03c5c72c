//! Tier 1. Owns which oldest raw messages become a leaf.
//! May not call a model or read a body: the span and the sums decide.

use std::ops::Range;

use crate::domain::{ConversationId, Depth, Frontier, LeafPlan, Tokens, cost};

use super::assemble::note_growth;
use super::cut::Cuts;
use super::limits::Limits;

#[cfg(test)]
mod tests;

/// One in so many of the leaves that wait is planned from one reading.
const AHEAD_SHARE: usize = 16;

/// What asks for a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// A turn: the fresh tail stays raw, and a few small messages wait for more.
    Routine,
    /// A recovery: only the newest group stays raw, and any number of messages will do.
    Recovery,
}

/// How pressing a turn's leaf is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// The view is within its soft limit: a stretch that only the number of its messages makes worth
    /// a leaf waits until a turn ends in it, so that no turn is parted without need.
    Soft,
    /// It is past it: where no turn ends any legal cut will do.
    Hard,
}

impl Trigger {
    /// Tells which it is from what the view holds.
    #[must_use]
    pub fn of(pressure: Tokens, soft_limit: Tokens) -> Self {
        if pressure <= soft_limit {
            Self::Soft
        } else {
            Self::Hard
        }
    }
}

/// What came of asking for a leaf.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeafDecision {
    /// This chunk.
    Plan(LeafPlan),
    /// None, and why.
    Nothing(NoLeaf),
}

/// Why there is no leaf to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLeaf {
    /// Every message is covered or in the tail.
    Empty,
    /// The messages outside the tail are too few and too small.
    BelowThreshold,
    /// No summary of what is outside the tail could be smaller than it.
    NothingToGain,
    /// Only the end of a turn is waited for, see [`Trigger::Soft`].
    WaitsForTurn,
}

/// Decides on the leaf of a turn. A stretch that has reached the chunk cap is cut where it must be,
/// however soft the trigger.
pub fn plan_leaf_of_turn(
    frontier: &Frontier,
    limits: &Limits,
    budget: Tokens,
    trigger: Trigger,
) -> LeafDecision {
    if trigger == Trigger::Soft {
        let cuts = Cuts::of(frontier);
        let stretch = Stretch::new(frontier, &cuts, limits, budget, Demand::Routine);
        if let Ok(chunk) = stretch.next_chunk(0)
            && stretch.waits(&chunk)
        {
            return LeafDecision::Nothing(NoLeaf::WaitsForTurn);
        }
    }
    plan_leaf(frontier, limits, budget, Demand::Routine)
}

/// Decides on the next leaf.
pub fn plan_leaf(
    frontier: &Frontier,
    limits: &Limits,
    budget: Tokens,
    demand: Demand,
) -> LeafDecision {
    let cuts = Cuts::of(frontier);
    let stretch = Stretch::new(frontier, &cuts, limits, budget, demand);
    let plan = stretch.next_chunk(0).and_then(|chunk| {
        let plan = stretch.plan(frontier.conversation, budget, chunk);
        plan.ok_or(NoLeaf::Empty)
    });
    match plan {
        Ok(plan) => LeafDecision::Plan(plan),
        Err(reason) => LeafDecision::Nothing(reason),
    }
}

/// Plans leaves to be written one after another: the next one and, of a long backlog, a 16th of
/// what waits, as later calls would find them. Who reads the frontier again only then pays for
/// 16 readings of a whole backlog, not for one a leaf.
///
/// # Errors
/// Why there is no leaf to make.
pub fn plan_ahead(
    frontier: &Frontier,
    limits: &Limits,
    budget: Tokens,
    demand: Demand,
) -> Result<Vec<LeafPlan>, NoLeaf> {
    let cuts = Cuts::of(frontier);
    let stretch = Stretch::new(frontier, &cuts, limits, budget, demand);
    stretch.next_chunk(0)?;
    let chunks: Vec<_> = stretch.chunks().collect();
    let n_ahead = (chunks.len() / AHEAD_SHARE).max(1);
    let ahead = chunks.into_iter().take(n_ahead);
    let plan = |chunk| stretch.plan(frontier.conversation, budget, chunk);
    let plans: Option<Vec<_>> = ahead.map(plan).collect();
    plans.ok_or(NoLeaf::Empty)
}

/// Says whether leaves make a view smaller although its first summary brings the line before the
/// summaries. What is asked for by hand waits where they do not.
///
/// Routine leaves must save more than that line if each is as long as its target. A recovery goes
/// on to merge them, so it may begin where one summary of the least length would save anything.
#[must_use]
pub fn pays(frontier: &Frontier, limits: &Limits, budget: Tokens, demand: Demand) -> bool {
    if frontier.nodes().next().is_some() {
        return true;
    }
    let cuts = Cuts::of(frontier);
    let stretch = Stretch::new(frontier, &cuts, limits, budget, demand);
    match demand {
        Demand::Routine => {
            let saved = stretch.chunks().map(|chunk| {
                let source = cuts.tokens(chunk);
                source.saturating_sub(cost::SUMMARY + target(limits, budget, source))
            });
            saved.sum::<Tokens>() > stretch.note
        }
        Demand::Recovery => {
            let source = cuts.tokens(0..stretch.end);
            can_shrink(limits, source.saturating_sub(stretch.note))
        }
    }
}

/// Returns how many visible messages would become leaves now.
#[must_use]
pub fn candidates(frontier: &Frontier, limits: &Limits, budget: Tokens) -> u64 {
    let cuts = Cuts::of(frontier);
    let stretch = Stretch::new(frontier, &cuts, limits, budget, Demand::Routine);
    stretch.chunks().map(|chunk| chunk.len() as u64).sum()
}

/// Returns how many leaves could be made now, one after another.
#[must_use]
pub fn backlog_chunks(frontier: &Frontier, limits: &Limits, budget: Tokens) -> usize {
    let cuts = Cuts::of(frontier);
    let stretch = Stretch::new(frontier, &cuts, limits, budget, Demand::Routine);
    stretch.chunks().count()
}

/// Returns the tokens of one chunk at most, but for what cannot be parted.
#[must_use]
pub fn chunk_cap(limits: &Limits, budget: Tokens) -> Tokens {
    limits
        .chunk_tokens
        .min(budget.percent(limits.chunk_percent))
}

/// Returns what a leaf over `source` should hold at most.
#[must_use]
pub fn target(limits: &Limits, budget: Tokens, source: Tokens) -> Tokens {
    let wanted = limits
        .leaf_target
        .min(source.percent(limits.leaf_target_source_percent))
        .min(budget.percent(limits.leaf_target_budget_percent));
    within(limits, wanted, source)
}

/// Says whether some summary could be smaller, as rendered, than `source`.
#[must_use]
pub fn can_shrink(limits: &Limits, source: Tokens) -> bool {
    cost::SUMMARY + limits.least_summary < source
}

/// Bounds a target so that a summary which keeps it shrinks, wrapper and all. A window too small
/// for any share of it still gets the least body, since compaction always progresses.
pub(super) fn within(limits: &Limits, wanted: Tokens, source: Tokens) -> Tokens {
    let room = source.saturating_sub(cost::SUMMARY + Tokens::new(1));
    wanted.min(room).max(limits.least_summary)
}

/// The oldest messages outside the tail.
struct Stretch<'a> {
    cuts: &'a Cuts,
    limits: &'a Limits,
    demand: Demand,
    cap: Tokens,
    /// What the line before the summaries grows by with the first leaf.
    note: Tokens,
    /// The place before the tail, a legal cut.
    end: usize,
}

impl<'a> Stretch<'a> {
    fn new(
        frontier: &Frontier,
        cuts: &'a Cuts,
        limits: &'a Limits,
        budget: Tokens,
        demand: Demand,
    ) -> Self {
        let deepest = frontier.nodes().map(|node| node.depth).max();
        Self {
            note: note_growth(deepest, Depth::LEAF),
            cuts,
            limits,
            demand,
            cap: chunk_cap(limits, budget),
            end: match demand {
                Demand::Routine => cuts.fresh_tail(limits, budget),
                Demand::Recovery => cuts.newest_group(),
            },
        }
    }

    /// Returns the chunks one after another, as later turns would find them.
    fn chunks(&self) -> impl Iterator<Item = Range<usize>> {
        let first = self.next_chunk(0).ok();
        std::iter::successors(first, |chunk| self.next_chunk(chunk.end).ok())
    }

    fn next_chunk(&self, start: usize) -> Result<Range<usize>, NoLeaf> {
        if start >= self.end {
            return Err(NoLeaf::Empty);
        }
        if !self.qualifies(start..self.end) {
            return Err(NoLeaf::BelowThreshold);
        }
        let end = self.grow(start).ok_or(NoLeaf::NothingToGain)?;
        Ok(start..self.preferred_end(start..end).unwrap_or(end))
    }

    fn plan(
        &self,
        conversation: ConversationId,
        budget: Tokens,
        chunk: Range<usize>,
    ) -> Option<LeafPlan> {
        let source_tokens = self.cuts.tokens(chunk.clone());
        let is_oldest = chunk.start == 0;
        Some(LeafPlan {
            conversation,
            note: if is_oldest { self.note } else { Tokens::ZERO },
            n_messages: chunk.len() as u64,
            span: self.cuts.span(chunk)?,
            source_tokens,
            target: target(self.limits, budget, source_tokens),
        })
    }

    fn qualifies(&self, stretch: Range<usize>) -> bool {
        match self.demand {
            Demand::Recovery => true,
            Demand::Routine => {
                self.has_leaf_messages(&stretch) || self.cuts.tokens(stretch) >= self.cap
            }
        }
    }

    /// Takes whole groups up to the cap, and on past it while a leaf would be worth nothing.
    fn grow(&self, start: usize) -> Option<usize> {
        let legal = self.cuts.legal();
        let first = legal.partition_point(|&place| place <= start);
        let last = legal.partition_point(|&place| place <= self.end);
        let ends = legal.get(first..last)?;
        // A first group past the cap cannot be parted: it is a chunk of its own.
        let mut n_groups = ends
            .partition_point(|&end| self.cuts.tokens(start..end) <= self.cap)
            .max(1);
        let capped = start..*ends.get(n_groups - 1)?;
        let is_small = !self.has_leaf_messages(&capped) && !self.is_half_cap(capped);
        if is_small && n_groups < ends.len() {
            n_groups += 1;
        }
        let mut ends = ends.get(n_groups - 1..)?.iter().copied();
        ends.find(|&end| self.is_worth(start..end))
    }

    /// Returns the last preferred cut inside a chunk if what it keeps is worth a leaf.
    fn preferred_end(&self, chunk: Range<usize>) -> Option<usize> {
        let preferred = self.cuts.preferred();
        let n_before = preferred.partition_point(|&place| place <= chunk.end);
        let end = *preferred.get(n_before.checked_sub(1)?)?;
        let kept = chunk.start..end;
        if kept.is_empty() {
            return None;
        }
        let keeps_half = double(self.cuts.tokens(kept.clone())) >= self.cuts.tokens(chunk).get();
        let is_enough = self.has_leaf_messages(&kept) || self.is_half_cap(kept.clone());
        (keeps_half && is_enough && self.is_worth(kept)).then_some(end)
    }

    /// Says whether a chunk parts a turn though the stretch is still below the cap.
    fn waits(&self, chunk: &Range<usize>) -> bool {
        let is_preferred = self.cuts.preferred().binary_search(&chunk.end).is_ok();
        !is_preferred && self.cuts.tokens(chunk.start..self.end) < self.cap
    }

    fn has_leaf_messages(&self, units: &Range<usize>) -> bool {
        units.len() as u64 >= self.limits.leaf_messages
    }

    fn is_half_cap(&self, units: Range<usize>) -> bool {
        double(self.cuts.tokens(units)) >= self.cap.get()
    }

    fn is_worth(&self, units: Range<usize>) -> bool {
        self.cuts.has_words(units.clone()) && can_shrink(self.limits, self.cuts.tokens(units))
    }
}

fn double(tokens: Tokens) -> u64 {
    tokens.get().saturating_mul(2)
}
