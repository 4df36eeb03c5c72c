//! Stores and messages for tests.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::domain::{
    AppendRequest, Appended, Children, CommitOutcome, Committed, CondensePlan, ConversationId,
    Depth, Draft, ForkRequest, Forked, Frontier, FrontierItem, ImportBatch, ImportRow, LeafPlan,
    LeaseRequest, LiveMove, Message, NewMessage, Node, Origin, PinScan, Plan, PlanCommit,
    RepairPlan, Seq, SessionKey, SourceFile, Span, Stamped, SummaryId, Timestamp, Tokens,
    Visibility,
};
use crate::store::{
    Durability, LeaseOutcome, OpenMode, Reader, Store, StoreError, WriteOp, WriteReply, Writer,
    fingerprint,
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
        pin_scan: PinScan::Unread,
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
        note: Tokens::ZERO,
        target: Tokens::new(5),
    })
}

/// Merges nodes that stand side by side.
pub(super) fn condense(conversation: ConversationId, nodes: &[Node]) -> Plan {
    let (first, last) = (&nodes[0], &nodes[nodes.len() - 1]);
    Plan::Condense(CondensePlan {
        conversation,
        children: Children::new(nodes.iter().map(|node| node.id).collect()).unwrap(),
        span: Span::new(first.span.first(), last.span.last()).unwrap(),
        depth: nodes
            .iter()
            .map(|node| node.depth)
            .max()
            .map_or(Depth::LEAF, Depth::above),
        source_tokens: nodes.iter().map(|node| node.tokens).sum(),
        note: Tokens::ZERO,
        target: Tokens::new(5),
    })
}

/// Writes a node anew from `children`.
pub(super) fn repair(conversation: ConversationId, node: &Node, children: &[SummaryId]) -> Plan {
    Plan::Repair(RepairPlan {
        conversation,
        replaces: node.id,
        span: node.span,
        depth: node.depth,
        generation: node.generation.next(),
        children: children.to_vec(),
        source_tokens: Tokens::new(20),
        target: Tokens::new(5),
    })
}

pub(super) fn later(plan: Plan) -> PlanCommit {
    PlanCommit {
        live: LiveMove::Later,
        ..plan_commit(plan)
    }
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
        clear: None,
        tokens_before: Tokens::new(100),
        reason: "turn".to_owned(),
        now: NOW,
    }
}

impl Bench {
    /// Asks for a lease of 100 ms, so many ms after the start.
    pub(super) fn lease(&mut self, plan: Plan, holder: &str, after_millis: i64) -> LeaseOutcome {
        let reply = self.run(WriteOp::Lease(LeaseRequest {
            unit: "unit".to_owned(),
            plan,
            holder: holder.to_owned(),
            now: NOW.plus_millis(after_millis),
            until: NOW.plus_millis(after_millis + 100),
        }));
        match reply.unwrap() {
            WriteReply::Lease(outcome) => outcome,
            other => panic!("{other:?}"),
        }
    }

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

    pub(super) fn fork(&mut self, session: &str, at: u64, new: Option<&str>) -> Forked {
        let request = ForkRequest {
            session: key(session),
            at: seq(at),
            new_session: new.map(key),
            now: NOW,
        };
        match self.run(WriteOp::Fork(request)).unwrap() {
            WriteReply::Forked(forked) => forked,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the planner's nodes.
    pub(super) fn nodes(&self, conversation: ConversationId) -> Vec<Node> {
        let frontier = self.reader.planner_frontier(conversation).unwrap();
        frontier.nodes().cloned().collect()
    }

    /// Writes the planner's frontier as `span:depth` and raw places.
    pub(super) fn planner(&self, conversation: ConversationId) -> String {
        shape(&self.reader.planner_frontier(conversation).unwrap())
    }

    /// Writes the view's frontier.
    pub(super) fn view(&self, conversation: ConversationId) -> String {
        shape(&self.reader.view_frontier(conversation).unwrap().0)
    }

    /// Runs SQL as no caller could, to damage what is stored.
    pub(super) fn damage(&mut self, sql: &str) {
        let conn = self.writer.conn();
        conn.pragma_update(None, "ignore_check_constraints", true)
            .unwrap();
        conn.pragma_update(None, "foreign_keys", false).unwrap();
        conn.execute_batch(
            "DROP TRIGGER IF EXISTS summary_no_update; DROP TRIGGER IF EXISTS summary_no_delete;
             DROP TRIGGER IF EXISTS message_no_update; DROP TRIGGER IF EXISTS message_no_delete;
             DROP TRIGGER IF EXISTS part_no_update; DROP TRIGGER IF EXISTS part_no_delete;
             DROP TRIGGER IF EXISTS event_no_update; DROP TRIGGER IF EXISTS lineage_no_delete;",
        )
        .unwrap();
        conn.execute_batch(sql).unwrap();
    }

    /// Reads one number.
    pub(super) fn number(&mut self, sql: &str) -> i64 {
        self.writer
            .conn()
            .query_row(sql, [], |row| row.get(0))
            .unwrap()
    }

    /// Imports messages without words for the index.
    pub(super) fn import(&mut self, session: &str, messages: Vec<NewMessage>) {
        let row = |message| ImportRow {
            session: key(session),
            message: stamp(message),
            index_text: String::new(),
        };
        let batch = ImportBatch {
            copies: Vec::new(),
            file: SourceFile {
                path: "/t/a.jsonl".to_owned(),
                format: "claude-code".to_owned(),
            },
            conversations: Vec::new(),
            rows: messages.into_iter().map(row).collect(),
            offset: 1,
            lines: 1,
            prefix: [0; 32],
            state: String::new(),
            now: NOW,
        };
        self.writer.import(&batch, 1).unwrap();
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

/// Writes a frontier as `first-last:depth` for nodes and `seq` for raw rows.
pub(super) fn shape(frontier: &Frontier) -> String {
    let items: Vec<_> = frontier
        .items
        .iter()
        .map(|item| match item {
            FrontierItem::Node(node) => format!("{}:{}", node.span, node.depth),
            FrontierItem::Raw(row) => row.seq.to_string(),
        })
        .collect();
    items.join(" ")
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

/// Reads all messages of a session.
pub(super) fn all(bench: &Bench, session: &str) -> Vec<Message> {
    let found = bench.reader.conversation(&key(session)).unwrap().unwrap();
    match found.head {
        Some(head) => bench
            .reader
            .messages(found.id, span(1, head.get()))
            .unwrap(),
        None => Vec::new(),
    }
}

/// Reads a short form: `s` system, `u` user, `a` assistant, `m` meta, `p` a prompt by name,
/// `c` a call, `r` a result.
pub(super) fn write(short: &str) -> Vec<NewMessage> {
    short
        .chars()
        .map(|letter| match letter {
            's' => NewMessage::system("be brief"),
            'u' => NewMessage::user("please"),
            'a' => NewMessage::assistant("done"),
            'm' => NewMessage::user("<injected>").meta(),
            'p' => NewMessage {
                visibility: Visibility::Prompt,
                ..NewMessage::system("be kind")
            },
            'c' => NewMessage::tool_use("call", "ls", "{}"),
            'r' => NewMessage::tool_result("call", "a b"),
            other => panic!("{other}"),
        })
        .collect()
}

/// Fills a file of an older schema with the rows of another file, in the columns that it has.
pub(super) fn copy_rows(raw: &rusqlite::Connection, from: &std::path::Path) {
    raw.execute("ATTACH ?1 AS newer", [from.to_str().unwrap()])
        .unwrap();
    raw.execute("DELETE FROM sequence", []).unwrap();
    for table in [
        "sequence",
        "conversation",
        "session",
        "lineage",
        "message",
        "part",
        "salt",
        "mark",
    ] {
        let columns: String = raw
            .query_row(
                "SELECT group_concat(name, ', ') FROM pragma_table_info(?1, 'main')",
                [table],
                |row| row.get(0),
            )
            .unwrap();
        let sql =
            format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}");
        raw.execute(&sql, []).unwrap();
    }
    raw.execute("DETACH newer", []).unwrap();
}
