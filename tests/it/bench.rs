//! One conversation in a store of its own, with a model that answers as it is scripted.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hippocamp::domain::{
    ConversationId, GrepReply, GrepRequest, ItemId, Message, NewMessage, Origin, Reach, SessionKey,
    Summary, SummaryId, Tokens, TreeNode, View, ViewItemKind,
};
use hippocamp::engine::{
    CompleteError, CompleteOptions, Completer, Completion, Engine, LeafMode, StopReason, ViewBudget,
};
use hippocamp::policy::limits::Limits;
use hippocamp::policy::prompt::Prompt;
use hippocamp::store::Reader;

use crate::support::{FakeClock, assert_clean, builder, key, window};
use crate::walk;

/// What a model does when it is called.
pub(crate) enum Reply {
    Says(String),
    /// Says this and stops for a reason.
    Stops(StopReason, String),
    Fails(&'static str),
    Hangs,
    Panics,
    /// Answers once the test has let it go on.
    Waits(Arc<tokio::sync::Notify>, String),
}

/// A way to answer, for tests that need no script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// With a short, fitting summary.
    Good,
    /// With an error.
    Fails,
    /// Never.
    Hangs,
    /// With the prompt itself.
    Echoes,
    /// With far too much.
    Grows,
    /// With a refusal.
    Refuses,
    /// With less than it meant to say.
    IsCutOff,
    /// By panicking.
    Panics,
    /// With nothing.
    Empty,
}

impl Behaviour {
    pub(crate) fn reply(self, call: usize, prompt: &Prompt) -> Reply {
        let refusal = "I'm sorry, but I can't help with summarising this.";
        match self {
            Self::Good => Reply::Says(good(call)),
            Self::Fails => Reply::Fails("429 too many requests"),
            Self::Hangs => Reply::Hangs,
            Self::Echoes => Reply::Says(prompt.text.clone()),
            Self::Grows => Reply::Says("word ".repeat(30_000)),
            Self::Refuses => Reply::Says(refusal.to_owned()),
            Self::IsCutOff => Reply::Stops(StopReason::MaxTokens, good(call)),
            Self::Panics => Reply::Panics,
            Self::Empty => Reply::Says(" \n".to_owned()),
        }
    }
}

type Script = Box<dyn FnMut(usize, &Prompt) -> Reply + Send>;

/// A model that answers by a script and keeps its prompts.
pub(crate) struct Model {
    script: Mutex<Script>,
    prompts: Mutex<Vec<Prompt>>,
    window: Option<Tokens>,
}

impl Model {
    pub(crate) fn new(script: impl FnMut(usize, &Prompt) -> Reply + Send + 'static) -> Arc<Self> {
        Self::with_window(None, script)
    }

    pub(crate) fn with_window(
        window: Option<Tokens>,
        script: impl FnMut(usize, &Prompt) -> Reply + Send + 'static,
    ) -> Arc<Self> {
        let script: Script = Box::new(script);
        Arc::new(Self {
            script: Mutex::new(script),
            prompts: Mutex::new(Vec::new()),
            window,
        })
    }

    /// One that answers in one way until it is told another.
    pub(crate) fn behaving(behaviour: Behaviour) -> Arc<Self> {
        Self::new(move |call, prompt| behaviour.reply(call, prompt))
    }

    /// One that always gives a good, short answer.
    pub(crate) fn good() -> Arc<Self> {
        Self::behaving(Behaviour::Good)
    }

    /// Changes how it answers from now on.
    pub(crate) fn set(&self, behaviour: Behaviour) {
        *self.script.lock().unwrap() = Box::new(move |call, prompt| behaviour.reply(call, prompt));
    }

    pub(crate) fn calls(&self) -> usize {
        self.prompts.lock().unwrap().len()
    }

    pub(crate) fn prompts(&self) -> Vec<Prompt> {
        self.prompts.lock().unwrap().clone()
    }
}

/// A short answer, each another one.
pub(crate) fn good(call: usize) -> String {
    format!("State: step {call} is done.\nNext steps: go on.")
}

#[async_trait]
impl Completer for Model {
    fn context_window(&self) -> Option<Tokens> {
        self.window
    }

    async fn complete(
        &self,
        prompt: &Prompt,
        _options: &CompleteOptions,
    ) -> Result<Completion, CompleteError> {
        let call = {
            let mut prompts = self.prompts.lock().unwrap();
            prompts.push(prompt.clone());
            prompts.len() - 1
        };
        let reply = (self.script.lock().unwrap())(call, prompt);
        let text = match reply {
            Reply::Says(text) => text,
            Reply::Stops(stop, text) => {
                return Ok(Completion::from(text).model("scripted").stop(stop));
            }
            Reply::Fails(message) => {
                return Err(CompleteError::new(message));
            }
            Reply::Hangs => std::future::pending().await,
            Reply::Panics => panic!("the model's client panicked"),
            Reply::Waits(gate, text) => {
                gate.notified().await;
                text
            }
        };
        Ok(Completion::from(text).model("scripted"))
    }
}

/// How a bench is set up.
pub(crate) struct Setup {
    pub(crate) window: u64,
    pub(crate) model: Option<Arc<Model>>,
    pub(crate) limits: Limits,
    pub(crate) leaf_mode: LeafMode,
}

impl Setup {
    pub(crate) fn window(window: u64) -> Self {
        let mut limits = Limits::default();
        // Long enough for a busy machine, short enough to wait for where a model hangs.
        limits.turn_leaf_millis = 250;
        limits.call_millis = 250;
        Self {
            window,
            model: None,
            limits,
            leaf_mode: LeafMode::EveryTurn,
        }
    }

    pub(crate) fn model(mut self, model: &Arc<Model>) -> Self {
        self.model = Some(Arc::clone(model));
        self
    }

    /// Prepares leaves in the background and promotes them together.
    pub(crate) fn deferred(mut self) -> Self {
        self.leaf_mode = LeafMode::Deferred;
        self
    }

    /// Lets calls take as long as the test wants.
    pub(crate) fn patient(mut self) -> Self {
        self.limits.turn_leaf_millis = 600_000;
        self.limits.call_millis = 600_000;
        self
    }

    pub(crate) fn bench(self) -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        let clock = FakeClock::new();
        let engine = self.open(&path, &clock);
        Bench {
            dir,
            path,
            clock,
            engine,
            session: key("bench"),
            setup: self,
        }
    }

    fn open(&self, path: &Path, clock: &Arc<FakeClock>) -> Engine {
        let mut builder = builder(path, Arc::clone(clock))
            .limits(self.limits.clone())
            .window(window(self.window))
            .leaf_mode(self.leaf_mode);
        if let Some(model) = &self.model {
            builder = builder.completer(Arc::clone(model) as Arc<dyn Completer>);
        }
        builder.build().unwrap()
    }
}

pub(crate) struct Bench {
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "only tests of the program look into it")
    )]
    pub(crate) dir: tempfile::TempDir,
    pub(crate) path: PathBuf,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) engine: Engine,
    pub(crate) session: SessionKey,
    setup: Setup,
}

impl Bench {
    /// Ends the engine as a program that just ends, and starts another.
    pub(crate) fn restart(&mut self) {
        self.engine = self.another();
    }

    /// As [`Bench::restart`], with other limits.
    pub(crate) fn restart_with(&mut self, limits: Limits) {
        self.setup.limits = limits;
        self.restart();
    }

    /// Returns the moment the clock shows.
    pub(crate) fn clock_start(&self) -> hippocamp::domain::Timestamp {
        self.engine.now()
    }

    /// Opens another engine on the same file.
    pub(crate) fn another(&self) -> Engine {
        self.setup.open(&self.path, &self.clock)
    }

    pub(crate) async fn append(&self, messages: Vec<NewMessage>) {
        self.engine.append(&self.session, messages).await.unwrap();
    }

    pub(crate) async fn turn(&self, messages: Vec<NewMessage>) -> hippocamp::engine::TurnReport {
        let window = window(self.setup.window);
        self.engine
            .turn(&self.session, messages, window)
            .await
            .unwrap()
    }

    pub(crate) async fn view(&self, budget: u64) -> View {
        let budget = ViewBudget::Of(Tokens::new(budget));
        self.engine.view(&self.session, budget).await.unwrap()
    }

    /// Returns the newest versions of all nodes, oldest span first.
    pub(crate) async fn tree(&self) -> Vec<TreeNode> {
        let mut tree = self.engine.tree(&self.session).await.unwrap();
        tree.sort_by_key(|node| (node.span.first(), node.depth));
        tree
    }

    pub(crate) fn reader(&self) -> Reader {
        walk::reader(&self.path)
    }

    pub(crate) fn branch(&self) -> ConversationId {
        self.reader()
            .conversation(&self.session)
            .unwrap()
            .unwrap()
            .id
    }

    /// Returns the messages that are stored, from the rows.
    pub(crate) fn stored(&self) -> Vec<Message> {
        walk::stored(&self.reader(), self.branch())
    }

    /// Returns every summary row ever written, bodies and all, from the events that tell of them.
    pub(crate) async fn summaries(&self) -> Vec<Summary> {
        let events = self.engine.events(&self.session).await.unwrap();
        let ids: Vec<SummaryId> = events.iter().filter_map(|event| event.summary).collect();
        self.reader().summaries_by_id(&ids).unwrap()
    }

    pub(crate) async fn origins(&self) -> Vec<Origin> {
        self.tree().await.iter().map(|node| node.origin).collect()
    }

    pub(crate) async fn grep(&self, pattern: &str) -> GrepReply {
        let request = GrepRequest::new(pattern, Reach::Session(self.session.clone()));
        self.engine.grep(&request).await.unwrap()
    }

    pub(crate) async fn walk(&self, id: ItemId) -> Vec<Message> {
        walk::walk_down(&self.engine, &self.session, id).await
    }

    /// Every message is reached from the frontier, once and in order, and the store is sound.
    pub(crate) async fn check(&self) {
        assert_clean(&self.engine.doctor().await.unwrap());
        let ids = walk::frontier_ids(&self.reader(), self.branch());
        let found = walk::walk_all(&self.engine, &self.session, &ids).await;
        assert_eq!(found, self.stored(), "what the frontier leads to");
    }
}

/// Returns the places of the raw messages that a view shows.
pub(crate) fn raw_seqs(view: &View) -> Vec<u64> {
    let raw = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Message);
    raw.flat_map(|item| {
        let span = item.span.unwrap();
        span.first().get()..=span.last().get()
    })
    .collect()
}

/// A message of about `tokens` tokens, like no other.
pub(crate) fn sentence(index: usize, tokens: usize) -> String {
    format!("entry {index}: ") + &"the harbour report was filed again ".repeat(tokens / 6)
}

/// People and answers by turns.
pub(crate) fn talk(from: usize, n_messages: usize, tokens: usize) -> Vec<NewMessage> {
    (from..from + n_messages)
        .map(|index| match index % 2 {
            0 => NewMessage::user(sentence(index, tokens)),
            _ => NewMessage::assistant(sentence(index, tokens)),
        })
        .collect()
}
