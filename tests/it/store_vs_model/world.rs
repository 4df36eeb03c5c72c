//! The store and its model side by side: each step is done to both.

use hippocamp::domain::{
    AppendRequest, Children, CommitOutcome, CondensePlan, ConversationId, Depth, Draft,
    ForkRequest, Generation, LeafPlan, LiveMove, NewMessage, Origin, Plan, PlanCommit, RepairPlan,
    Seq, SessionKey, Span, Stamped, SummaryId, SyncAction, SyncRequest, Timestamp, Tokens,
};
use hippocamp::store::{
    Durability, OpenMode, Reader, Store, StoreError, SyncOutcome, WriteOp, WriteReply, Writer,
    fingerprint,
};
use tempfile::TempDir;

use super::history::History;
use super::model::{Branch, Node};
use super::ops::{Action, Key, Op, When};

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

/// One store for all histories, each under keys of its own: so they also run beside each other.
pub(crate) struct World {
    _dir: TempDir,
    pub(crate) store: Store,
    /// Two, used by turns.
    writers: [Writer; 2],
    pub(crate) reader: Reader,
    n_histories: usize,
    n_steps: usize,
}

pub(crate) fn seq(raw: u64) -> Seq {
    Seq::new(raw).unwrap()
}

pub(crate) fn span(first: u64, last: u64) -> Span {
    Span::new(seq(first), seq(last)).unwrap()
}

pub(crate) fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hippocamp.db");
        let store = Store::open(&path, OpenMode::Create, Durability::Normal).unwrap();
        Self {
            writers: [store.writer().unwrap(), store.writer().unwrap()],
            reader: store.reader().unwrap(),
            store,
            _dir: dir,
            n_histories: 0,
            n_steps: 0,
        }
    }

    pub(crate) fn begin(&mut self) -> History {
        self.n_histories += 1;
        History::new(self.n_histories)
    }

    fn run(&mut self, op: WriteOp) -> Result<WriteReply, StoreError> {
        self.n_steps += 1;
        self.writers[self.n_steps % 2].run(&[op]).remove(0)
    }

    fn commit(&mut self, commit: PlanCommit) -> Result<CommitOutcome, StoreError> {
        match self.run(WriteOp::Commit(commit))? {
            WriteReply::Committed(outcome) => Ok(outcome),
            other => panic!("{other:?}"),
        }
    }

    /// Does one step to the store and the model.
    pub(crate) fn step(&mut self, history: &mut History, op: &Op) {
        match op {
            Op::Append { session, letters } => self.append(history, *session, letters),
            Op::Sync {
                session,
                action,
                choice,
                letters,
            } => self.sync(history, *session, *action, *choice, letters),
            Op::LateSync { session } => self.late_sync(history, *session),
            Op::Fork { session, at, key } => self.fork(history, *session, *at, *key),
            Op::Leaf {
                session,
                length,
                when,
            } => self.leaf(history, *session, *length, *when),
            Op::WrongLeaf { session, is_long } => self.wrong_leaf(history, *session, *is_long),
            Op::Condense {
                session,
                start,
                n_children,
                when,
            } => self.condense(history, *session, *start, *n_children, *when),
            Op::Repair {
                session,
                choice,
                when,
            } => self.repair(history, *session, *choice, *when),
            Op::Again { choice } => self.again(history, *choice),
            Op::Promote { session } => self.promote(history, *session),
            Op::Reopen => self.reopen(),
        }
    }

    fn append(&mut self, history: &mut History, session: usize, letters: &str) {
        let messages = history.write(letters);
        let n_keys = history.pointers.len();
        let (name, target) = match history.session(session) {
            Some(branch) => (history.branches[branch].key.clone(), Some(branch)),
            None => (format!("{} {n_keys}", history.name), None),
        };
        let request = AppendRequest {
            session: key(&name),
            messages: messages.iter().map(stamp).collect(),
            now: NOW,
        };
        let appended = match self.run(WriteOp::Append(request)).unwrap() {
            WriteReply::Appended(appended) => appended,
            other => panic!("{other:?}"),
        };
        let branch = target.unwrap_or_else(|| {
            history
                .branches
                .push(Branch::new(appended.conversation, &name));
            history.pointers.push(history.branches.len() - 1);
            history.branches.len() - 1
        });
        history.take(branch, &messages, &appended);
    }

    fn sync(
        &mut self,
        history: &mut History,
        session: usize,
        action: Action,
        choice: usize,
        letters: &str,
    ) {
        let Some(current) = history.session(session) else {
            return;
        };
        let name = history.branches[current].key.clone();
        let head = history.branches[current].head();
        let at = choice as u64 % (head + 1);
        let others = history.branches_of(&name);
        let target = others[choice % others.len()];
        let (action, expected_head) = match action {
            Action::Extend => (SyncAction::Extend, head),
            Action::Fork => (SyncAction::Fork(Seq::new(at)), head),
            Action::Switch => (
                SyncAction::Switch(history.branches[target].id),
                history.branches[target].head(),
            ),
        };
        let messages = history.write(letters);
        let request = SyncRequest {
            session: key(&name),
            expected: Some(history.branches[current].id),
            expected_head: Seq::new(expected_head),
            action: action.clone(),
            messages: messages.iter().map(stamp).collect(),
            list_first: None,
            now: NOW,
        };
        let Ok(WriteReply::Synced(SyncOutcome::Applied {
            appended,
            conversation,
            fork_seq,
        })) = self.run(WriteOp::Sync(request))
        else {
            panic!("a sync that holds was not applied");
        };
        let landed = match action {
            SyncAction::Extend => current,
            SyncAction::Switch(_) => {
                history.branches[target].n_events += usize::from(target != current);
                target
            }
            SyncAction::Fork(_) => {
                let branch = history.branches[current].fork(current, conversation, &name, at);
                history.branches.push(branch);
                assert_eq!(fork_seq, Seq::new(at));
                history.branches.len() - 1
            }
        };
        history.point(&name, landed);
        assert_eq!(history.branches[landed].id, conversation);
        history.take(landed, &messages, &appended);
    }

    fn late_sync(&mut self, history: &mut History, session: usize) {
        let Some(current) = history.session(session) else {
            return;
        };
        let branch = &history.branches[current];
        let messages = vec![stamp(&NewMessage::user("too late"))];
        for (expected, head) in [
            (Some(branch.id), branch.head() + 1),
            (
                Some(ConversationId::new(branch.id.get() + 1)),
                branch.head(),
            ),
            (None, 0),
        ] {
            let request = SyncRequest {
                session: key(&branch.key),
                expected,
                expected_head: Seq::new(head),
                action: SyncAction::Extend,
                messages: messages.clone(),
                list_first: None,
                now: NOW,
            };
            let reply = self.run(WriteOp::Sync(request)).unwrap();
            assert_eq!(reply, WriteReply::Synced(SyncOutcome::Stale));
        }
    }

    fn fork(&mut self, history: &mut History, session: usize, at: usize, own: Key) {
        let Some(parent) = history.session(session) else {
            return;
        };
        let head = history.branches[parent].head();
        if head == 0 {
            return;
        }
        let at = at as u64 % head + 1;
        let parent_key = history.branches[parent].key.clone();
        let name = match own {
            Key::Same => parent_key.clone(),
            Key::Own => format!("{} {}", history.name, history.pointers.len()),
        };
        let request = ForkRequest {
            session: key(&parent_key),
            at: seq(at),
            new_session: (own == Key::Own).then(|| key(&name)),
            now: NOW,
        };
        let forked = match self.run(WriteOp::Fork(request)).unwrap() {
            WriteReply::Forked(forked) => forked,
            other => panic!("{other:?}"),
        };
        assert_eq!(forked.fork_seq, seq(at));
        let branch = history.branches[parent].fork(parent, forked.conversation, &name, at);
        history.branches.push(branch);
        let landed = history.branches.len() - 1;
        match own {
            Key::Same => history.point(&name, landed),
            Key::Own => history.pointers.push(landed),
        }
    }

    fn leaf(&mut self, history: &mut History, session: usize, length: usize, when: When) {
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

    fn wrong_leaf(&mut self, history: &mut History, session: usize, is_long: bool) {
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
    fn condense(
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

    fn repair(&mut self, history: &mut History, session: usize, choice: usize, when: When) {
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
    fn again(&mut self, history: &mut History, choice: usize) {
        if history.done.is_empty() {
            return;
        }
        let commit = history.done[choice % history.done.len()].clone();
        assert_eq!(self.commit(commit).unwrap(), CommitOutcome::Stale);
    }

    fn promote(&mut self, history: &mut History, session: usize) {
        let Some(idx) = history.session(session) else {
            return;
        };
        let branch = &mut history.branches[idx];
        let newest = branch.nodes.iter().map(|node| node.id).max().unwrap_or(0);
        let reply = self.run(WriteOp::Promote {
            conversation: branch.id,
            reason: "manual".to_owned(),
            tokens_before: Tokens::new(50),
            now: NOW,
        });
        let WriteReply::Promoted(event) = reply.unwrap() else {
            panic!("no promotion");
        };
        assert_eq!(event.is_some(), newest > branch.live);
        branch.n_events += usize::from(event.is_some());
        branch.live = branch.live.max(newest);
    }

    fn reopen(&mut self) {
        let path = self.store.path().to_owned();
        self.store = Store::open(&path, OpenMode::Existing, Durability::Normal).unwrap();
        self.writers = [self.store.writer().unwrap(), self.store.writer().unwrap()];
        self.reader = self.store.reader().unwrap();
    }
}

impl Branch {
    fn next_raw(&self) -> u64 {
        let end = self.planned().last().map(|node| node.last);
        end.unwrap_or_else(|| self.prompt_last()) + 1
    }
}

fn stamp(message: &NewMessage) -> Stamped {
    Stamped {
        message: message.clone(),
        tokens: Tokens::new(10),
        view_tokens: Tokens::new(9),
        reasoning_tokens: Tokens::ZERO,
        has_words: true,
        fingerprint: fingerprint(message),
    }
}

fn leaf(conversation: ConversationId, first: u64, last: u64) -> Plan {
    Plan::Leaf(LeafPlan {
        conversation,
        span: span(first, last),
        n_messages: last - first + 1,
        source_tokens: Tokens::new(9),
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
        tokens_before: Tokens::new(100),
        reason: "turn".to_owned(),
        now: NOW,
    }
}
