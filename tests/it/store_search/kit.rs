//! A store with an index for tests. Words are cut by rules so simple that a test can repeat them.

use std::ops::ControlFlow;
use std::path::PathBuf;

use hippocamp::domain::{
    Answers, AppendRequest, Children, CommitOutcome, CondensePlan, ConversationId, Depth, Draft,
    ForkRequest, Generation, IndexQuery, IndexRow, ItemId, LeafPlan, LiveMove, MessageId,
    NewMessage, Origin, Part, PinScan, Plan, PlanCommit, RepairPlan, RowFilter, Scope, SearchRow,
    SearchScope, Seq, SessionKey, Span, Stamped, SummaryId, TimeRange, Timestamp, Tokens,
};
use hippocamp::store::{
    CandidateOrder, Durability, Found, IndexOutcome, IndexStep, Look, OpenMode, Reader, Store,
    StoreError, WriteOp, WriteReply, Writer, fingerprint,
};
use rusqlite::Connection;
use tempfile::TempDir;

/// The version of the rules of [`tokens`].
pub(crate) const RULES: i64 = 7;
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

pub(crate) struct Bench {
    pub(crate) dir: TempDir,
    pub(crate) store: Store,
    pub(crate) writer: Writer,
    pub(crate) reader: Reader,
}

pub(crate) fn bench() -> Bench {
    at(tempfile::tempdir().unwrap())
}

/// Opens a copy of a store's file.
pub(crate) fn reopened(file: &[u8]) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hippocamp.db"), file).unwrap();
    at(dir)
}

fn at(dir: TempDir) -> Bench {
    let path = dir.path().join("hippocamp.db");
    let store = Store::open(&path, OpenMode::Create, Durability::Normal).unwrap();
    Bench {
        writer: store.writer().unwrap(),
        reader: store.reader().unwrap(),
        dir,
        store,
    }
}

pub(crate) fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

pub(crate) fn span(first: u64, last: u64) -> Span {
    Span::new(Seq::new(first).unwrap(), Seq::new(last).unwrap()).unwrap()
}

pub(crate) fn token(word: &str) -> IndexQuery {
    IndexQuery::Token(word.to_owned())
}

/// Returns `n` different words, each with a blank behind it.
pub(crate) fn numbered(word: &str, n: usize) -> String {
    let mut text = String::new();
    for number in 0..n {
        text.push_str(word);
        text.push_str(&number.to_string());
        text.push(' ');
    }
    text
}

/// All rows, no filter.
pub(crate) fn all() -> RowFilter {
    RowFilter {
        scope: Scope::All,
        kinds: SearchScope::Both,
        role: None,
        time: TimeRange::default(),
        answers: Answers::Unnamed,
    }
}

pub(crate) fn branch(conversation: ConversationId) -> RowFilter {
    RowFilter {
        scope: Scope::Branch(conversation),
        ..all()
    }
}

/// Returns the words of a row, folded.
pub(crate) fn words(row: &SearchRow) -> Vec<String> {
    row.parts
        .iter()
        .map(|part| match part {
            Part::Text { text } | Part::Reasoning { text, .. } => text.as_str(),
            Part::ToolUse { arguments, .. } => arguments.as_str(),
            Part::ToolResult { content, .. } => content.as_str(),
            _ => "",
        })
        .flat_map(|text| text.split(|char: char| !char.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn tokens(row: &SearchRow) -> IndexRow {
    IndexRow {
        id: number(row.id),
        tokens: words(row).join(" "),
    }
}

pub(crate) fn number(id: ItemId) -> i64 {
    match id {
        ItemId::Message(id) => id.get(),
        ItemId::Summary(id) => id.get(),
    }
}

pub(crate) fn message(id: i64) -> ItemId {
    ItemId::Message(MessageId::new(id))
}

pub(crate) fn summary(id: i64) -> ItemId {
    ItemId::Summary(SummaryId::new(id))
}

/// Returns the ids of the candidates, in order of ids.
pub(crate) fn ids(found: &Found) -> Vec<i64> {
    let mut ids: Vec<i64> = found
        .candidates
        .iter()
        .map(|candidate| number(candidate.id))
        .collect();
    ids.sort_unstable();
    ids
}

fn stamp(message: NewMessage) -> Stamped {
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

impl Bench {
    /// Opens the file beside the store, to look at it or to damage it.
    pub(crate) fn raw(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("hippocamp.db")
    }

    pub(crate) fn damage(&self, sql: &str) {
        self.raw().execute_batch(sql).unwrap();
    }

    pub(crate) fn run(&mut self, op: WriteOp) -> Result<WriteReply, StoreError> {
        self.writer.run(&[op]).remove(0)
    }

    /// Appends messages; returns their ids.
    pub(crate) fn append(&mut self, session: &str, messages: Vec<NewMessage>) -> Vec<i64> {
        let request = AppendRequest {
            session: key(session),
            messages: messages.into_iter().map(stamp).collect(),
            now: NOW,
        };
        match self.run(WriteOp::Append(request)).unwrap() {
            WriteReply::Appended(appended) => {
                appended.rows.iter().map(|row| row.id.get()).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn say(&mut self, session: &str, text: &str) -> i64 {
        self.append(session, vec![NewMessage::user(text)])[0]
    }

    pub(crate) fn conversation(&self, session: &str) -> ConversationId {
        self.reader.conversation(&key(session)).unwrap().unwrap().id
    }

    pub(crate) fn fork(&mut self, session: &str, at: u64) -> ConversationId {
        let request = ForkRequest {
            session: key(session),
            at: Seq::new(at).unwrap(),
            new_session: None,
            now: NOW,
        };
        match self.run(WriteOp::Fork(request)).unwrap() {
            WriteReply::Forked(forked) => forked.conversation,
            other => panic!("{other:?}"),
        }
    }

    /// Stores a summary; returns its id.
    pub(crate) fn summarise(&mut self, plan: Plan, body: &str, live: LiveMove) -> i64 {
        let commit = PlanCommit {
            draft: Draft {
                body: body.to_owned(),
                tokens: Tokens::new(5),
                origin: Origin::Floor,
                model: None,
            },
            plan,
            live,
            clear: None,
            tokens_before: Tokens::new(100),
            reason: "turn".to_owned(),
            now: NOW,
        };
        match self.run(WriteOp::Commit(commit)).unwrap() {
            WriteReply::Committed(CommitOutcome::Applied(done)) => done.summary.get(),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn leaf(&mut self, of: ConversationId, first: u64, last: u64, body: &str) -> i64 {
        self.summarise(leaf_plan(of, first, last), body, LiveMove::Now)
    }

    pub(crate) fn condense(&mut self, of: ConversationId, children: &[i64], over: Span) -> i64 {
        let children = children.iter().map(|id| SummaryId::new(*id)).collect();
        let plan = CondensePlan {
            conversation: of,
            children: Children::new(children).unwrap(),
            span: over,
            depth: Depth::new(1),
            source_tokens: Tokens::new(20),
            note: Tokens::ZERO,
            target: Tokens::new(5),
        };
        self.summarise(Plan::Condense(plan), "above", LiveMove::Now)
    }

    pub(crate) fn repair(&mut self, of: ConversationId, leaf: i64, over: Span, body: &str) -> i64 {
        let plan = RepairPlan {
            conversation: of,
            replaces: SummaryId::new(leaf),
            span: over,
            depth: Depth::LEAF,
            generation: Generation::new(1),
            children: Vec::new(),
            source_tokens: Tokens::new(20),
            target: Tokens::new(5),
        };
        self.summarise(Plan::Repair(plan), body, LiveMove::Now)
    }

    /// Reads the next batch and deals it out to steps.
    pub(crate) fn steps(&self) -> Vec<IndexStep> {
        self.steps_of(RULES)
    }

    pub(crate) fn steps_of(&self, rules: i64) -> Vec<IndexStep> {
        let batch = self.reader.index_backlog(rules, 256, 1 << 20).unwrap();
        let rows = batch.rows.iter().map(tokens).collect();
        batch.steps(rows)
    }

    /// Indexes all that there is; returns how many steps it took.
    pub(crate) fn index(&mut self) -> usize {
        let mut count = 0;
        loop {
            let steps = self.steps();
            if steps.is_empty() {
                return count;
            }
            for step in &steps {
                assert_eq!(self.writer.index_step(step).unwrap(), IndexOutcome::Applied);
                count += 1;
            }
        }
    }

    pub(crate) fn search(&self, query: &IndexQuery, filter: &RowFilter, limit: usize) -> Found {
        self.reader
            .search(query, filter, &Look::default(), limit, CandidateOrder::Rank)
            .unwrap()
    }

    pub(crate) fn find(&self, word: &str, filter: &RowFilter) -> Vec<i64> {
        ids(&self.search(&token(word), filter, usize::MAX))
    }

    /// Scans what passes the filter, newest first.
    pub(crate) fn scan(&self, filter: &RowFilter, above: Option<i64>) -> Vec<SearchRow> {
        let mut rows = Vec::new();
        self.reader
            .scan(filter, &Look::default(), above, &mut |row| {
                rows.push(row);
                ControlFlow::Continue(())
            })
            .unwrap();
        rows
    }
}

pub(crate) fn leaf_plan(conversation: ConversationId, first: u64, last: u64) -> Plan {
    Plan::Leaf(LeafPlan {
        conversation,
        span: span(first, last),
        n_messages: last - first + 1,
        source_tokens: Tokens::new(9 * (last - first + 1)),
        note: Tokens::ZERO,
        target: Tokens::new(5),
    })
}
