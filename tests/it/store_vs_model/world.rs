//! The store and its model side by side: each step is done to both.

use hippocamp::domain::{
    AppendRequest, CommitOutcome, ConversationId, ForkRequest, NewMessage, PinScan, PlanCommit,
    Seq, SessionKey, Span, Stamped, SyncAction, SyncRequest, Timestamp, Tokens,
};
use hippocamp::store::{
    Durability, OpenMode, Reader, Store, StoreError, SyncOutcome, WriteOp, WriteReply, Writer,
    fingerprint,
};
use tempfile::TempDir;

use super::history::History;
use super::model::Branch;
use super::ops::{Action, Key, Op};

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

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

    pub(super) fn run(&mut self, op: WriteOp) -> Result<WriteReply, StoreError> {
        self.n_steps += 1;
        self.writers[self.n_steps % 2].run(&[op]).remove(0)
    }

    pub(super) fn commit(&mut self, commit: PlanCommit) -> Result<CommitOutcome, StoreError> {
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
            Op::Clear { session, choice } => self.clear(history, *session, *choice),
            Op::WrongClear { session } => self.wrong_clear(history, *session),
            Op::Pin { session, choice } => self.pin(history, *session, *choice),
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

    fn reopen(&mut self) {
        let path = self.store.path().to_owned();
        self.store = Store::open(&path, OpenMode::Existing, Durability::Normal).unwrap();
        self.writers = [self.store.writer().unwrap(), self.store.writer().unwrap()];
        self.reader = self.store.reader().unwrap();
    }
}

fn stamp(message: &NewMessage) -> Stamped {
    Stamped {
        message: message.clone(),
        tokens: Tokens::new(10),
        view_tokens: Tokens::new(9),
        reasoning_tokens: Tokens::ZERO,
        has_words: true,
        pin_scan: PinScan::Unread,
        fingerprint: fingerprint(message),
    }
}
