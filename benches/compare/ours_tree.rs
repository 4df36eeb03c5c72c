//! Commits of leaves and merges: the store's own transaction, with no model and no plan before it.

use std::path::Path;

use hippocamp::domain::{
    Children, CommitOutcome, CondensePlan, Depth, Draft, Frontier, LeafPlan, LiveMove, Node,
    Origin, Plan, PlanCommit, SessionKey, Span, Timestamp, Tokens,
};
use hippocamp::store::{
    Durability, OpenMode, Reader, Store, StoreError, WriteOp, WriteReply, Writer,
};

/// Messages of a leaf.
const MESSAGES: usize = 8;
/// Children of a merge.
const CHILDREN: usize = 4;
/// What a summary is said to cost. No view is measured after it.
const SUMMARY: Tokens = Tokens::new(1_200);

/// What is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Leaf,
    Condense,
}

/// A store that trees are grown in.
pub(crate) struct Tree {
    reader: Reader,
    writer: Writer,
    _store: Store,
}

impl Tree {
    pub(crate) fn open(path: &Path, durability: Durability) -> Result<Self, StoreError> {
        let store = Store::open(path, OpenMode::Existing, durability)?;
        Ok(Self {
            reader: store.reader()?,
            writer: store.writer()?,
            _store: store,
        })
    }

    /// Commits one step of a conversation; says whether there was anything to cover.
    pub(crate) fn commit(
        &mut self,
        step: Step,
        session: &SessionKey,
        text: &str,
    ) -> Result<bool, StoreError> {
        let Some(conversation) = self.reader.conversation(session)? else {
            return Ok(false);
        };
        let frontier = self.reader.planner_frontier(conversation.id)?;
        let plan = match step {
            Step::Leaf => leaf(&frontier),
            Step::Condense => condense(&frontier),
        };
        let Some(plan) = plan else {
            return Ok(false);
        };
        let commit = PlanCommit {
            plan,
            draft: Draft {
                body: text.to_owned(),
                tokens: SUMMARY,
                origin: Origin::Model,
                model: Some("none".to_owned()),
            },
            live: LiveMove::Now,
            clear: None,
            tokens_before: Tokens::new(100_000),
            reason: "manual".to_owned(),
            now: Timestamp::from_millis(1_800_000_000_000),
        };
        let replies = self.writer.run(&[WriteOp::Commit(commit)]);
        let reply = replies.into_iter().next().unwrap()?;
        assert!(
            matches!(&reply, WriteReply::Committed(CommitOutcome::Applied(_))),
            "not committed: {reply:?}"
        );
        Ok(true)
    }
}

fn leaf(frontier: &Frontier) -> Option<Plan> {
    let oldest: Vec<_> = frontier.raw().take(MESSAGES).collect();
    let (first, last) = (oldest.first()?, oldest.last()?);
    (oldest.len() == MESSAGES).then_some(Plan::Leaf(LeafPlan {
        conversation: frontier.conversation,
        span: Span::new(first.seq, last.seq)?,
        n_messages: 8,
        source_tokens: Tokens::new(10_000),
        note: Tokens::ZERO,
        target: SUMMARY,
    }))
}

fn condense(frontier: &Frontier) -> Option<Plan> {
    let is_leaf = |node: &&Node| node.depth == Depth::LEAF;
    let oldest: Vec<_> = frontier.nodes().filter(is_leaf).take(CHILDREN).collect();
    let (first, last) = (oldest.first()?, oldest.last()?);
    let span = Span::new(first.span.first(), last.span.last())?;
    let children = Children::new(oldest.iter().map(|node| node.id).collect())?;
    (oldest.len() == CHILDREN).then_some(Plan::Condense(CondensePlan {
        conversation: frontier.conversation,
        children,
        span,
        depth: Depth::LEAF.above(),
        source_tokens: Tokens::new(10_000),
        note: Tokens::ZERO,
        target: SUMMARY,
    }))
}
