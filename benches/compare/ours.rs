//! hippocamp through its library, as a host would use it.

use std::path::{Path, PathBuf};

use hippocamp::domain::{
    ExpandRequest, GrepRequest, ItemId, NewMessage, Part, Reach, Role, SearchScope, SessionKey,
    Sort, Timestamp, Tokens, ToolResults, ViewItemKind, Window,
};
use hippocamp::engine::{Engine, ViewBudget};
use hippocamp::import::{ImportOptions, import_paths};
use hippocamp::store::Durability;
use tokio::runtime::Runtime;

use crate::corpus::queries::Kind;
use crate::ours_tree::{Step, Tree};
use crate::protocol::{Batch, Grep, Message, Order, Sync, View};
use crate::serve::{Outcome, Reply, Subject};

/// The window of turns, that of the library's default.
const WINDOW: Tokens = Tokens::new(128_000);
/// More than any view or answer of these measurements holds.
const UNBOUNDED: Tokens = Tokens::new(100_000_000);

/// The engine and what it was asked last.
pub(crate) struct Ours {
    runtime: Runtime,
    engine: Option<Engine>,
    tree: Option<Tree>,
    path: PathBuf,
    durability: Durability,
    /// The hits of the last search, best first.
    hits: Vec<ItemId>,
}

impl Ours {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        Self {
            runtime,
            engine: None,
            tree: None,
            path: PathBuf::new(),
            durability: Durability::Full,
            hits: Vec::new(),
        }
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("opened before")
    }

    fn step(&mut self, step: Step, session: &str, text: &str) -> Reply {
        let key = SessionKey::new(session)?;
        let tree = match &mut self.tree {
            Some(tree) => tree,
            none => none.insert(Tree::open(&self.path, self.durability)?),
        };
        Ok(if tree.commit(step, &key, text)? {
            Outcome::done(1, text.len())
        } else {
            Outcome::Unsupported("there is nothing left to cover")
        })
    }
}

impl Subject for Ours {
    fn open(&mut self, folder: &str, sync: Sync) -> Reply {
        self.path = Path::new(folder).join("hippocamp.db");
        self.durability = match sync {
            Sync::Normal => Durability::Normal,
            Sync::Full => Durability::Full,
        };
        let _within = self.runtime.enter();
        let engine = Engine::builder(&self.path)
            .durability(self.durability)
            .build()?;
        self.engine = Some(engine);
        Ok(Outcome::done(0, 0))
    }

    fn append(&mut self, batch: Batch) -> Reply {
        let (session, messages, bytes) = new_messages(batch)?;
        let appended = self
            .runtime
            .block_on(self.engine().append(&session, messages))?;
        Ok(Outcome::done(appended.rows.len(), bytes))
    }

    fn turn(&mut self, batch: Batch) -> Reply {
        let (session, messages, bytes) = new_messages(batch)?;
        let window = Window::of(WINDOW)?;
        let turn = self
            .runtime
            .block_on(self.engine().turn(&session, messages, window))?;
        Ok(Outcome::done(turn.appended.rows.len(), bytes))
    }

    fn import(&mut self, path: &str) -> Reply {
        let options = ImportOptions::new(self.engine().now());
        let paths = [PathBuf::from(path)];
        let mut told = |_: hippocamp::import::Progress<'_>| {};
        let imported = import_paths(self.engine(), &paths, &options, &mut told);
        let account = self.runtime.block_on(imported)?;
        let stored = account.totals.stored;
        Ok(Outcome::done(usize::try_from(stored)?, 0))
    }

    fn leaf(&mut self, session: &str, text: &str) -> Reply {
        self.step(Step::Leaf, session, text)
    }

    fn condense(&mut self, session: &str, text: &str) -> Reply {
        self.step(Step::Condense, session, text)
    }

    fn view(&mut self, view: &View) -> Reply {
        let session = SessionKey::new(view.session.as_str())?;
        let budget = ViewBudget::Of(UNBOUNDED);
        let shown = self
            .runtime
            .block_on(self.engine().view(&session, budget))?;
        let is_message = |kind| kind == ViewItemKind::Message;
        let items = shown.items.iter().filter(|item| is_message(item.kind));
        let parts = shown.items.iter().flat_map(|item| &item.parts);
        let bytes = parts.map(|part| part.body().len()).sum();
        Ok(Outcome::done(items.count(), bytes))
    }

    fn grep(&mut self, grep: &Grep) -> Reply {
        let reach = match &grep.session {
            Some(session) => Reach::Session(SessionKey::new(session.as_str())?),
            None => Reach::All,
        };
        let mut request = GrepRequest::new(pattern(grep), reach);
        request.kinds = SearchScope::Message;
        request.limit = u64::try_from(grep.limit)?;
        request.sort = match grep.order {
            Order::Newest => Sort::Time,
            Order::Ranked => Sort::Relevance,
        };
        let found = self.runtime.block_on(self.engine().grep(&request))?;
        let bytes = found.hits.iter().map(|hit| hit.snippet.text.len()).sum();
        self.hits = found.hits.iter().map(|hit| hit.id).collect();
        Ok(Outcome::done(self.hits.len(), bytes))
    }

    fn expand(&mut self, hits: usize) -> Reply {
        let ids = self.hits.iter().take(hits).copied().collect();
        let request = ExpandRequest::new(ids, Reach::All)
            .tool_results(ToolResults::Include)
            .max_tokens(UNBOUNDED);
        let found = self.runtime.block_on(self.engine().expand(&request))?;
        let parts = found.messages.iter().flat_map(|item| &item.message.parts);
        let bytes = parts.map(|part| part.body().len()).sum();
        Ok(Outcome::done(found.messages.len(), bytes))
    }

    fn settle(&mut self) -> Reply {
        self.runtime.block_on(self.engine().settle())?;
        Ok(Outcome::done(0, 0))
    }

    fn close(&mut self) -> Reply {
        self.tree = None;
        if let Some(engine) = self.engine.take() {
            self.runtime.block_on(engine.shutdown())?;
        }
        Ok(Outcome::done(0, 0))
    }
}

fn new_messages(
    batch: Batch,
) -> Result<(SessionKey, Vec<NewMessage>, usize), Box<dyn std::error::Error>> {
    let session = SessionKey::new(batch.session)?;
    let bytes = batch
        .messages
        .iter()
        .map(|message| message.text.len())
        .sum();
    let messages = batch.messages.into_iter().map(new_message);
    Ok((session, messages.collect::<Result<_, _>>()?, bytes))
}

fn new_message(message: Message) -> Result<NewMessage, hippocamp::domain::RoleError> {
    let role: Role = message.role.parse()?;
    let part = Part::Text { text: message.text };
    Ok(NewMessage::new(role, vec![part]).at(Timestamp::from_millis(message.at)))
}

/// Writes a query as a pattern.
fn pattern(grep: &Grep) -> String {
    let joined = |by: &str| grep.query.replace(' ', by);
    match grep.kind {
        Kind::Word => grep.query.clone(),
        Kind::And => joined(" AND "),
        Kind::Or => joined(" OR "),
        Kind::Phrase => format!("\"{}\"", grep.query),
        Kind::Prefix => format!("{}*", grep.query),
        Kind::Fuzzy | Kind::Substring => format!("%{}%", grep.query),
    }
}
