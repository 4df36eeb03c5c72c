//! Stores and messages for tests.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::domain::{
    AppendRequest, Appended, CommitOutcome, Committed, ConversationId, Draft, LeafPlan, LiveMove,
    NewMessage, Origin, Plan, PlanCommit, Seq, SessionKey, Span, Stamped, Timestamp, Tokens,
};
use crate::store::{
    Durability, OpenMode, Reader, Store, StoreError, WriteOp, WriteReply, Writer, fingerprint,
};

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

pub(super) struct Bench {
    pub dir: TempDir,
    pub store: Store,
    pub writer: Writer,
    pub reader: Reader,
}

pub(super) fn bench() -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hippocamp.db");
    let store = Store::open(&path, OpenMode::Create, Durability::Normal).unwrap();
    let writer = store.writer().unwrap();
    let reader = store.reader().unwrap();
    Bench {
        dir,
        store,
        writer,
        reader,
    }
}

pub(super) fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

pub(super) fn seq(raw: u64) -> Seq {
    Seq::new(raw).unwrap()
}

pub(super) fn span(first: u64, last: u64) -> Span {
    Span::new(seq(first), seq(last)).unwrap()
}

/// Stamps a message as the engine would, with 10 tokens.
pub(super) fn stamp(message: NewMessage) -> Stamped {
    Stamped {
        fingerprint: fingerprint(&message),
        message,
        tokens: Tokens::new(10),
        view_tokens: Tokens::new(9),
        reasoning_tokens: Tokens::ZERO,
        has_words: true,
    }
}

pub(super) fn leaf(conversation: ConversationId, first: u64, last: u64) -> Plan {
    Plan::Leaf(LeafPlan {
        conversation,
        span: span(first, last),
        n_messages: last - first + 1,
        source_tokens: Tokens::new(9 * (last - first + 1)),
        target: Tokens::new(5),
    })
}

pub(super) fn plan_commit(plan: Plan) -> PlanCommit {
    PlanCommit {
        draft: Draft {
            body: format!("what {} says", plan.span()),
            tokens: Tokens::new(5),
            origin: Origin::Floor,
            model: None,
        },
        plan,
        live: LiveMove::Now,
        tokens_before: Tokens::new(100),
        reason: "turn".to_owned(),
        now: NOW,
    }
}

impl Bench {
    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("hippocamp.db")
    }

    pub(super) fn run(&mut self, op: WriteOp) -> Result<WriteReply, StoreError> {
        self.writer.run(&[op]).remove(0)
    }

    pub(super) fn append(&mut self, session: &str, messages: Vec<NewMessage>) -> Appended {
        let request = AppendRequest {
            session: key(session),
            messages: messages.into_iter().map(stamp).collect(),
            now: NOW,
        };
        match self.run(WriteOp::Append(request)).unwrap() {
            WriteReply::Appended(appended) => appended,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn commit(&mut self, commit: PlanCommit) -> CommitOutcome {
        match self.run(WriteOp::Commit(commit)).unwrap() {
            WriteReply::Committed(outcome) => outcome,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn applied(&mut self, commit: PlanCommit) -> Committed {
        match self.commit(commit) {
            CommitOutcome::Applied(committed) => committed,
            CommitOutcome::Stale => panic!("the plan is stale"),
        }
    }
}

/// Talk of `n` messages: user and assistant by turns.
pub(super) fn talk(n: usize) -> Vec<NewMessage> {
    (1..=n)
        .map(|idx| {
            if idx % 2 == 1 {
                NewMessage::user(format!("question {idx}"))
            } else {
                NewMessage::assistant(format!("answer {idx}"))
            }
        })
        .collect()
}
