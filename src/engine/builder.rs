//! Building an engine. Owns the defaults that are no limits.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::claims::Claims;
use super::clock::SystemClock;
use super::completer::Completer;
use super::core::{Core, Engine};
use super::db::{Db, StoreThreads};
use super::error::EngineError;
use super::hooks::CompactionHooks;
use super::looks::Looks;
use super::managed::Compactor;
use super::tasks::Tasks;
use crate::domain::{Clock, Estimator, Redactor, TokenCounter, Tokens, Window};
use crate::policy::limits::Limits;
use crate::policy::pin::AutoPins;
use crate::policy::recount::caps_text;
use crate::policy::redact::Patterns;
use crate::store::{Durability, OpenMode, Store};

/// The window of a conversation that has recorded none, in tokens.
const DEFAULT_WINDOW: Tokens = Tokens::new(128_000);

/// Where leaves become live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LeafMode {
    /// A leaf is written in the turn and live at once.
    #[default]
    EveryTurn,
    /// Leaves are prepared in the background and promoted together, so that the beginning of the
    /// prompt changes once in many turns.
    Deferred,
}

/// Builds an [`Engine`].
#[must_use]
pub struct EngineBuilder {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    completer: Option<Arc<dyn Completer>>,
    counter: Arc<dyn TokenCounter>,
    redactor: Arc<dyn Redactor>,
    limits: Limits,
    window: Option<Window>,
    leaf_mode: LeafMode,
    auto_pins: AutoPins,
    hooks: Option<Arc<dyn CompactionHooks>>,
    compactor: Compactor,
    open_mode: OpenMode,
    durability: Durability,
    store_threads: StoreThreads,
}

impl EngineBuilder {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            clock: Arc::new(SystemClock),
            completer: None,
            counter: Arc::new(Estimator),
            redactor: Arc::new(Patterns::default()),
            limits: Limits::default(),
            window: None,
            leaf_mode: LeafMode::default(),
            auto_pins: AutoPins::default(),
            hooks: None,
            compactor: Compactor::default(),
            open_mode: OpenMode::Create,
            durability: Durability::Full,
            store_threads: StoreThreads::Own,
        }
    }

    /// Sets the clock (default: the system's).
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the model's callback (default: none; the local floor writes summaries).
    pub fn completer(mut self, completer: Arc<dyn Completer>) -> Self {
        self.completer = Some(completer);
        self
    }

    /// Sets the token counter (default: [`Estimator`]).
    pub fn token_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.counter = counter;
        self
    }

    /// Sets what is replaced in texts that leave for the model, in its answers and in logs (default:
    /// keys, tokens and passwords, see [`Patterns`]). The store keeps every text as it is.
    pub fn redactor(mut self, redactor: Arc<dyn Redactor>) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets the limits (default: [`Limits::default`]).
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets views show at most this many tokens of a result of one tool (default: what they show of
    /// any, `tool_result_cap` of the limits). Call it after [`EngineBuilder::limits`].
    pub fn tool_result_cap(mut self, tool: impl Into<String>, most: Tokens) -> Self {
        self.limits.tool_result_caps.insert(tool.into(), most);
        self
    }

    /// Keeps the results of these tools from being cleared (default: none are kept). Call it after
    /// [`EngineBuilder::limits`].
    pub fn keep_results_of(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let tools = tools.into_iter().map(Into::into);
        self.limits.clear_exempt.extend(tools);
        self
    }

    /// Sets the window of conversations that have recorded none (default: 128,000 tokens).
    pub fn window(mut self, window: Window) -> Self {
        self.window = Some(window);
        self
    }

    /// Sets where leaves become live (default: every turn).
    pub fn leaf_mode(mut self, mode: LeafMode) -> Self {
        self.leaf_mode = mode;
        self
    }

    /// Sets what constraints become that are found in users' words (default: live pins).
    pub fn auto_pins(mut self, auto: AutoPins) -> Self {
        self.auto_pins = auto;
        self
    }

    /// Sets the host's say in compactions (default: none).
    pub fn hooks(mut self, hooks: Arc<dyn CompactionHooks>) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets who compacts conversations that have nothing else said of them (default: the engine).
    pub fn compactor(mut self, compactor: Compactor) -> Self {
        self.compactor = compactor;
        self
    }

    /// Sets how the file is opened (default: made if it does not exist).
    pub fn open_mode(mut self, mode: OpenMode) -> Self {
        self.open_mode = mode;
        self
    }

    /// Sets when a write counts as done (default: when it is on the disk).
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets on which threads the store is read and written (default: its own).
    pub fn store_threads(mut self, threads: StoreThreads) -> Self {
        self.store_threads = threads;
        self
    }

    /// Opens the store and starts the engine's tasks on the runtime that is running.
    ///
    /// # Errors
    /// `NoRuntime` outside a tokio runtime; `Store` if the file cannot be opened.
    pub fn build(self) -> Result<Engine, EngineError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| EngineError::NoRuntime)?;
        let window = match self.window {
            Some(window) => window,
            None => Window::of(DEFAULT_WINDOW).map_err(EngineError::usage)?,
        };
        let store = Store::open(&self.path, self.open_mode, self.durability)?;
        let db = Db::start(store, caps_text(&self.limits), self.store_threads)?;
        let holder = super::core::holder_name();
        let (tasks, inbox) = Tasks::new(runtime);
        let core = Arc::new(Core {
            db,
            clock: self.clock,
            completer: self.completer,
            counter: self.counter,
            redactor: self.redactor,
            limits: self.limits,
            window,
            leaf_mode: self.leaf_mode,
            auto_pins: self.auto_pins,
            hooks: self.hooks,
            compactor: self.compactor,
            holder,
            claims: Claims::default(),
            looks: Looks::default(),
            counts: std::sync::Mutex::default(),
            tasks,
        });
        Ok(Engine::start(core, inbox))
    }
}
