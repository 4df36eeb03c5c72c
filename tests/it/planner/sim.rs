//! A store of rows in memory, as the planners see one: rows, summaries, and the walk over them.

use std::collections::HashMap;

use hippocamp::domain::{
    CallKey, CondensePlan, ConversationId, Depth, Frontier, FrontierItem, Generation, Health,
    LeafPlan, MessageId, MessageMeta, Node, Origin, RepairPlan, Role, Seq, Span, SummaryId, Tokens,
    Visibility, cost,
};

/// The frame of a message with one part.
pub(super) const FRAME: u64 = 12;

/// What a commit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Applied,
    Stale,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Sim {
    pub(super) rows: Vec<MessageMeta>,
    pub(super) nodes: Vec<Node>,
    next_id: i64,
    n_calls: HashMap<String, u32>,
    n_results: HashMap<String, u32>,
}

impl Sim {
    fn id(&mut self) -> i64 {
        self.next_id += 1;
        self.next_id
    }

    /// Appends a row. Calls and results are given by id; occurrences are counted here.
    pub(crate) fn push(
        &mut self,
        role: Role,
        text_tokens: u64,
        calls: &[&str],
        results: &[&str],
    ) -> Seq {
        let previous = self.rows.iter().rev().find(|row| row.is_visible());
        let is_user = role == Role::User && results.is_empty();
        if is_user && previous.is_none_or(|row| row.cut_role() != Role::User) {
            self.n_calls.clear();
            self.n_results.clear();
        }
        let key = |counts: &mut HashMap<String, u32>, id: &str| {
            let count = counts.entry(id.to_owned()).or_default();
            *count += 1;
            CallKey {
                call_id: id.to_owned(),
                occurrence: *count - 1,
            }
        };
        let calls: Vec<_> = calls.iter().map(|id| key(&mut self.n_calls, id)).collect();
        let results: Vec<_> = results
            .iter()
            .map(|id| key(&mut self.n_results, id))
            .collect();
        let seq = Seq::new(self.rows.len() as u64 + 1).unwrap();
        let id = MessageId::new(self.id());
        self.rows.push(MessageMeta {
            id,
            seq,
            role,
            visibility: Visibility::Talk,
            continues: None,
            tokens: Tokens::new(FRAME + text_tokens),
            view_tokens: Tokens::new(FRAME + text_tokens),
            reasoning_tokens: Tokens::ZERO,
            has_words: text_tokens > 0 || !calls.is_empty(),
            at: None,
            calls,
            results,
            cleared: Vec::new(),
        });
        seq
    }

    /// Appends a row that is no talk.
    pub(super) fn push_hidden(&mut self, visibility: Visibility) {
        self.push(Role::User, 0, &[], &["hidden"]);
        let row = self.rows.last_mut().unwrap();
        row.visibility = visibility;
        row.view_tokens = Tokens::ZERO;
        row.results.clear();
        self.n_results.remove("hidden");
    }

    /// Makes the newest row a continuation of the message before it, where there is one.
    pub(super) fn join_newest(&mut self) {
        let (newest, older) = self.rows.split_last_mut().unwrap();
        if let Some(before) = older.iter().rev().find(|row| row.is_visible()) {
            newest.continues = Some(before.continues.unwrap_or(before.seq));
        }
    }

    pub(super) fn head(&self) -> Option<Seq> {
        self.rows.last().map(|row| row.seq)
    }

    pub(super) fn row(&self, seq: Seq) -> &MessageMeta {
        &self.rows[usize::try_from(seq.get()).unwrap() - 1]
    }

    /// Walks a span: the deepest row below a depth that starts here, newest generation first.
    pub(super) fn walk(&self, span: Span, below: Depth, before: Option<SummaryId>) -> Vec<Node> {
        let mut found = Vec::new();
        let mut at = span.first();
        loop {
            let here = self.nodes.iter().filter(|node| {
                node.span.first() == at
                    && span.covers(node.span)
                    && node.depth < below
                    && before.is_none_or(|id| node.id < id)
            });
            let Some(node) = here.max_by_key(|node| (node.depth, node.generation)) else {
                return found;
            };
            at = node.span.last().next();
            found.push(node.clone());
        }
    }

    pub(crate) fn frontier(&self) -> Frontier {
        let mut items = Vec::new();
        let mut next = Seq::FIRST;
        if let Some(span) = self.head().and_then(|head| Span::new(Seq::FIRST, head)) {
            for node in self.walk(span, Depth::new(u32::MAX), None) {
                next = node.span.last().next();
                items.push(FrontierItem::Node(node));
            }
        }
        let raw = self.rows.iter().filter(|row| row.seq >= next);
        items.extend(raw.cloned().map(FrontierItem::Raw));
        let is_message = |row: &&MessageMeta| row.is_visible() && row.continues.is_none();
        Frontier {
            conversation: ConversationId::new(1),
            prompt: None,
            prompt_last: None,
            items,
            head: self.head(),
            pins: Vec::new(),
            n_visible: self.rows.iter().filter(is_message).count() as u64,
        }
    }

    pub(super) fn pressure(&self) -> Tokens {
        let frontier = self.frontier();
        let nodes: Tokens = frontier.nodes().map(|node| node.tokens).sum();
        nodes + frontier.raw().map(|row| row.view_tokens).sum()
    }

    pub(super) fn view_tokens(&self, span: Span) -> Tokens {
        let inside = self.rows.iter().filter(|row| span.contains(row.seq));
        inside.map(|row| row.view_tokens).sum()
    }

    pub(super) fn commit_leaf(
        &mut self,
        plan: &LeafPlan,
        tokens: Tokens,
        origin: Origin,
    ) -> Outcome {
        let frontier = self.frontier();
        let first = frontier.raw().next().map(|row| row.seq);
        if first != Some(plan.span.first()) || self.head() < Some(plan.span.last()) {
            return Outcome::Stale;
        }
        self.insert(plan.span, Depth::LEAF, Generation::FIRST, tokens, origin);
        Outcome::Applied
    }

    pub(super) fn commit_condense(
        &mut self,
        plan: &CondensePlan,
        tokens: Tokens,
        origin: Origin,
    ) -> Outcome {
        let live: Vec<SummaryId> = self.frontier().nodes().map(|node| node.id).collect();
        let children = plan.children.ids();
        if !live.windows(children.len()).any(|run| run == children) {
            return Outcome::Stale;
        }
        self.insert(plan.span, plan.depth, Generation::FIRST, tokens, origin);
        Outcome::Applied
    }

    pub(super) fn commit_repair(
        &mut self,
        plan: &RepairPlan,
        tokens: Tokens,
        origin: Origin,
    ) -> Outcome {
        let same = |node: &&Node| node.span == plan.span && node.depth == plan.depth;
        let newest = self
            .nodes
            .iter()
            .filter(same)
            .max_by_key(|node| node.generation);
        let children: Vec<SummaryId> = self
            .walk(plan.span, plan.depth, None)
            .iter()
            .map(|node| node.id)
            .collect();
        if newest.map(|node| node.id) != Some(plan.replaces) || children != plan.children {
            return Outcome::Stale;
        }
        self.insert(plan.span, plan.depth, plan.generation, tokens, origin);
        Outcome::Applied
    }

    pub(super) fn insert(
        &mut self,
        span: Span,
        depth: Depth,
        generation: Generation,
        tokens: Tokens,
        origin: Origin,
    ) {
        let id = SummaryId::new(self.id());
        self.nodes.push(Node {
            id,
            conversation: ConversationId::new(1),
            span,
            depth,
            generation,
            origin,
            tokens,
            health: Health::Sound,
            from: None,
            to: None,
        });
    }
}

/// Returns what a summary costs as rendered if its body takes `percent` of 1.5 times the target
/// and shrinks.
pub(super) fn rendered(target: Tokens, source: Tokens, percent: u64) -> Tokens {
    let room = source.saturating_sub(cost::SUMMARY + Tokens::new(1));
    let body = target.percent(150).percent(percent).max(Tokens::new(1));
    cost::SUMMARY + body.min(room)
}
