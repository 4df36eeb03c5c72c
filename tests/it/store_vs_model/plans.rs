//! The steps that write summaries: plans that hold, and plans that do not.

use hippocamp::domain::{
    Children, CommitOutcome, CondensePlan, ConversationId, Depth, Draft, Generation, LeafPlan,
    LiveMove, Origin, Plan, PlanCommit, RepairPlan, SummaryId, Tokens,
};
use hippocamp::store::{StoreError, WriteOp, WriteReply};

use super::history::History;
use super::model::{Branch, Node};
use super::ops::When;
use super::world::{NOW, World, span};

impl World {
    pub(super) fn leaf(
        &mut self,
        history: &mut History,
        session: usize,
        length: usize,
        when: When,
    ) {
        let Some(branch) = history.session(session) else {
            return;
        };
        let first = history.branches[branch].next_raw();
        let last = (first + length as u64).min(history.branches[branch].head());
        if first > last {
            return;
        }
        let plan = leaf(history.branches[branch].id, first, last);
        if history.branches[branch].has_talk(first, last) {
            self.carry_out(history, branch, plan, when);
        } else {
            let refused = self.commit(draft(plan, when));
            assert!(matches!(refused, Err(StoreError::Refused { .. })));
        }
    }

    pub(super) fn wrong_leaf(&mut self, history: &mut History, session: usize, is_long: bool) {
        let Some(branch) = history.session(session) else {
            return;
        };
        let branch = &history.branches[branch];
        let first = branch.next_raw();
        let plan = if is_long {
            leaf(branch.id, first, branch.head().max(first) + 1)
        } else {
            leaf(branch.id, first + 1, branch.head().max(first + 1))
        };
        let outcome = self.commit(draft(plan, When::Now)).unwrap();
        assert_eq!(outcome, CommitOutcome::Stale);
    }

    /// Merges a run that starts at the first node of its depth; any other run must be refused.
    pub(super) fn condense(
        &mut self,
        history: &mut History,
        session: usize,
        start: usize,
        n_children: usize,
        when: When,
    ) {
        let Some(idx) = history.session(session) else {
            return;
        };
        let branch = &history.branches[idx];
        let nodes = branch.planned();
        if nodes.len() < 2 {
            return;
        }
        let start = start % (nodes.len() - 1);
        let run: Vec<_> = nodes.iter().skip(start).take(n_children).collect();
        let deepest = run.iter().map(|node| node.depth).max().unwrap();
        let plan = Plan::Condense(CondensePlan {
            conversation: branch.id,
            children: Children::new(run.iter().map(|node| SummaryId::new(node.id)).collect())
                .unwrap(),
            span: span(run[0].first, run[run.len() - 1].last),
            depth: Depth::new(deepest + 1),
            source_tokens: Tokens::new(20),
            note: Tokens::ZERO,
            target: Tokens::new(5),
        });
        let rises = start > 0 && nodes[start - 1].depth <= deepest;
        if rises {
            let refused = self.commit(draft(plan, when));
            assert!(matches!(refused, Err(StoreError::Refused { .. })));
        } else {
            self.carry_out(history, idx, plan, when);
        }
    }

    pub(super) fn repair(
        &mut self,
        history: &mut History,
        session: usize,
        choice: usize,
        when: When,
    ) {
        let Some(idx) = history.session(session) else {
            return;
        };
        let branch = &history.branches[idx];
        let newest = branch.newest();
        if newest.is_empty() {
            return;
        }
        let node = newest[choice % newest.len()];
        let children = branch
            .inside(node)
            .into_iter()
            .map(SummaryId::new)
            .collect();
        let plan = Plan::Repair(RepairPlan {
            conversation: branch.id,
            replaces: SummaryId::new(node.id),
            span: span(node.first, node.last),
            depth: Depth::new(node.depth),
            generation: Generation::new(node.generation + 1),
            children,
            source_tokens: Tokens::new(20),
            target: Tokens::new(5),
        });
        self.carry_out(history, idx, plan, when);
    }

    /// Commits a plan that holds.
    fn carry_out(&mut self, history: &mut History, idx: usize, plan: Plan, when: When) {
        let commit = draft(plan, when);
        let CommitOutcome::Applied(done) = self.commit(commit.clone()).unwrap() else {
            panic!("a plan that holds is stale: {:?}", commit.plan);
        };
        let branch = &mut history.branches[idx];
        let id = done.summary.get();
        let waiting = branch.nodes.iter().any(|node| node.id > branch.live);
        let generation = match &commit.plan {
            Plan::Repair(plan) => plan.generation.get(),
            Plan::Leaf(_) | Plan::Condense(_) => 0,
        };
        branch.nodes.push(Node {
            id,
            owner: idx,
            depth: commit.plan.depth().get(),
            first: commit.plan.span().first().get(),
            last: commit.plan.span().last().get(),
            generation,
        });
        branch.n_events += 1;
        if when == When::Now {
            branch.n_events += usize::from(waiting);
            branch.live = id;
        }
        history.done.push(commit);
    }

    /// A plan that was carried out never holds again.
    pub(super) fn again(&mut self, history: &mut History, choice: usize) {
        if history.done.is_empty() {
            return;
        }
        let commit = history.done[choice % history.done.len()].clone();
        assert_eq!(self.commit(commit).unwrap(), CommitOutcome::Stale);
    }

    pub(super) fn promote(&mut self, history: &mut History, session: usize) {
        let Some(idx) = history.session(session) else {
            return;
        };
        let branch = &mut history.branches[idx];
        let newest = branch.nodes.iter().map(|node| node.id).max().unwrap_or(0);
        let reply = self.run(WriteOp::Promote {
            conversation: branch.id,
            reason: "manual".to_owned(),
            tokens_before: Tokens::new(50),
            tokens_after: Tokens::new(40),
            now: NOW,
        });
        let WriteReply::Promoted(event) = reply.unwrap() else {
            panic!("no promotion");
        };
        assert_eq!(event.is_some(), newest > branch.live);
        branch.n_events += usize::from(event.is_some());
        branch.live = branch.live.max(newest);
    }
}

impl Branch {
    fn next_raw(&self) -> u64 {
        let end = self.planned().last().map(|node| node.last);
        end.unwrap_or_else(|| self.prompt_last()) + 1
    }
}

fn leaf(conversation: ConversationId, first: u64, last: u64) -> Plan {
    Plan::Leaf(LeafPlan {
        conversation,
        span: span(first, last),
        n_messages: last - first + 1,
        source_tokens: Tokens::new(9),
        note: Tokens::ZERO,
        target: Tokens::new(5),
    })
}

fn draft(plan: Plan, when: When) -> PlanCommit {
    PlanCommit {
        draft: Draft {
            body: format!("what {} says", plan.span()),
            tokens: Tokens::new(5),
            origin: Origin::Floor,
            model: None,
        },
        plan,
        live: match when {
            When::Now => LiveMove::Now,
            When::Later => LiveMove::Later,
        },
        clear: None,
        tokens_before: Tokens::new(100),
        reason: "turn".to_owned(),
        now: NOW,
    }
}
