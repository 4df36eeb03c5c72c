//! The engine for programs without a runtime. Mirrors every call and blocks on it.
//! May not do anything of its own: a thread drives one runtime, calls wait for it.

mod imports;
mod pins;
mod records;
mod sessions;
mod steering;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::{
    CompactReport, CopyProgress, EngineBuilder, EngineError, IndexProgress, Repair, Status,
    SyncReport, TurnReport, ViewBudget,
};
use crate::domain::{
    Appended, Check, CurveStep, Event, ExpandReply, ExpandRequest, Forked, GrepReply, GrepRequest,
    HistoryRow, MessageId, NewMessage, Reach, Seq, SessionKey, Span, StoreStats, Surroundings,
    Tokens, TreeNode, View, Window,
};
use crate::store::StoreError;

/// An engine whose calls block. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    engine: super::Engine,
    driver: Arc<Driver>,
}

/// The thread that drives the runtime.
struct Driver {
    runtime: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A driver that panicked has nothing left to end.
            drop(thread.join());
        }
    }
}

impl Engine {
    /// Begins to build an engine over the store at `path`; end with [`Engine::build`].
    pub fn builder(path: impl AsRef<Path>) -> EngineBuilder {
        super::Engine::builder(path)
    }

    /// Opens the store and starts the engine on a thread of its own.
    ///
    /// # Errors
    /// As [`EngineBuilder::build`], and `Store` if the thread cannot be started.
    pub fn build(builder: EngineBuilder) -> Result<Self, EngineError> {
        let failed = |source: std::io::Error| StoreError::Database {
            source: Box::new(source),
        };
        let runtime = Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(failed)?;
        let handle = runtime.handle().clone();
        let engine = {
            let _entered = handle.enter();
            builder.build()?
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new()
            .name("hippocamp-driver".to_owned())
            .spawn(move || {
                // Ends when the sender is dropped, which is an error of no interest.
                drop(runtime.block_on(stopped));
            })
            .map_err(failed)?;
        let driver = Driver {
            runtime: handle,
            stop: Some(stop),
            thread: Some(thread),
        };
        Ok(Self {
            engine,
            driver: Arc::new(driver),
        })
    }

    /// Returns the asynchronous engine behind this one.
    #[must_use]
    pub fn inner(&self) -> &super::Engine {
        &self.engine
    }

    /// Blocks on [`super::Engine::append`].
    ///
    /// # Errors
    /// As there.
    pub fn append(
        &self,
        session: &SessionKey,
        messages: Vec<NewMessage>,
    ) -> Result<Appended, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.append(session, messages))
    }

    /// Blocks on [`super::Engine::turn`].
    ///
    /// # Errors
    /// As there.
    pub fn turn(
        &self,
        session: &SessionKey,
        messages: Vec<NewMessage>,
        window: Window,
    ) -> Result<TurnReport, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.turn(session, messages, window))
    }

    /// Blocks on [`super::Engine::sync`].
    ///
    /// # Errors
    /// As there.
    pub fn sync(
        &self,
        session: &SessionKey,
        history: Vec<NewMessage>,
        window: Window,
    ) -> Result<SyncReport, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.sync(session, history, window))
    }

    /// Blocks on [`super::Engine::view`].
    ///
    /// # Errors
    /// As there.
    pub fn view(&self, session: &SessionKey, budget: ViewBudget) -> Result<View, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.view(session, budget))
    }

    /// Blocks on [`super::Engine::compact`].
    ///
    /// # Errors
    /// As there.
    pub fn compact(&self, session: &SessionKey) -> Result<CompactReport, EngineError> {
        self.driver.runtime.block_on(self.engine.compact(session))
    }

    /// Blocks on [`super::Engine::compact_with`].
    ///
    /// # Errors
    /// As there.
    pub fn compact_with(
        &self,
        session: &SessionKey,
        instructions: &str,
    ) -> Result<CompactReport, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.compact_with(session, instructions))
    }

    /// Blocks on [`super::Engine::compact_until_under`].
    ///
    /// # Errors
    /// As there.
    pub fn compact_until_under(
        &self,
        session: &SessionKey,
        budget: Tokens,
    ) -> Result<CompactReport, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.compact_until_under(session, budget))
    }

    /// Blocks on [`super::Engine::finish_stage`].
    ///
    /// # Errors
    /// As there.
    pub fn finish_stage(&self, session: &SessionKey) -> Result<CompactReport, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.finish_stage(session))
    }

    /// Blocks on [`super::Engine::grep`].
    ///
    /// # Errors
    /// As there.
    pub fn grep(&self, request: &GrepRequest) -> Result<GrepReply, EngineError> {
        self.driver.runtime.block_on(self.engine.grep(request))
    }

    /// Blocks on [`super::Engine::around`].
    ///
    /// # Errors
    /// As there.
    pub fn around(
        &self,
        ids: &[MessageId],
        reach: &Reach,
        n_turns: u64,
    ) -> Result<Vec<Surroundings>, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.around(ids, reach, n_turns))
    }

    /// Blocks on [`super::Engine::expand`].
    ///
    /// # Errors
    /// As there.
    pub fn expand(&self, request: &ExpandRequest) -> Result<ExpandReply, EngineError> {
        self.driver.runtime.block_on(self.engine.expand(request))
    }

    /// Blocks on [`super::Engine::fork`].
    ///
    /// # Errors
    /// As there.
    pub fn fork(
        &self,
        session: &SessionKey,
        at: Seq,
        new_session: Option<SessionKey>,
    ) -> Result<Forked, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.fork(session, at, new_session))
    }

    /// Blocks on [`super::Engine::events`].
    ///
    /// # Errors
    /// As there.
    pub fn events(&self, session: &SessionKey) -> Result<Vec<Event>, EngineError> {
        self.driver.runtime.block_on(self.engine.events(session))
    }

    /// Blocks on [`super::Engine::curve`].
    ///
    /// # Errors
    /// As there.
    pub fn curve(&self, session: &SessionKey) -> Result<Vec<CurveStep>, EngineError> {
        self.driver.runtime.block_on(self.engine.curve(session))
    }

    /// Blocks on [`super::Engine::tree`].
    ///
    /// # Errors
    /// As there.
    pub fn tree(&self, session: &SessionKey) -> Result<Vec<TreeNode>, EngineError> {
        self.driver.runtime.block_on(self.engine.tree(session))
    }

    /// Blocks on [`super::Engine::stats`].
    ///
    /// # Errors
    /// As there.
    pub fn stats(&self) -> Result<StoreStats, EngineError> {
        self.driver.runtime.block_on(self.engine.stats())
    }

    /// Blocks on [`super::Engine::session_stats`].
    ///
    /// # Errors
    /// As there.
    pub fn session_stats(&self, session: &SessionKey) -> Result<StoreStats, EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.session_stats(session))
    }

    /// Blocks on [`super::Engine::status`].
    ///
    /// # Errors
    /// As there.
    pub fn status(&self) -> Result<Status, EngineError> {
        self.driver.runtime.block_on(self.engine.status())
    }

    /// Blocks on [`super::Engine::doctor`].
    ///
    /// # Errors
    /// As there.
    pub fn doctor(&self) -> Result<Vec<Check>, EngineError> {
        self.driver.runtime.block_on(self.engine.doctor())
    }

    /// Blocks on [`super::Engine::settle`].
    ///
    /// # Errors
    /// As there.
    pub fn settle(&self) -> Result<(), EngineError> {
        self.driver.runtime.block_on(self.engine.settle())
    }

    /// Blocks on [`super::Engine::wait_at_most`].
    ///
    /// # Errors
    /// As there.
    pub fn wait_at_most(&self, patience: Duration) -> Result<(), EngineError> {
        let waiting = self.engine.wait_at_most(patience);
        self.driver.runtime.block_on(waiting)
    }

    /// Blocks on [`super::Engine::shutdown`].
    ///
    /// # Errors
    /// As there.
    pub fn shutdown(self) -> Result<(), EngineError> {
        self.driver.runtime.block_on(self.engine.shutdown())
    }

    /// Blocks on [`super::Engine::history`].
    ///
    /// # Errors
    /// As there.
    pub fn history(
        &self,
        session: &SessionKey,
        span: Option<Span>,
    ) -> Result<History, EngineError> {
        let history = self
            .driver
            .runtime
            .block_on(self.engine.history(session, span))?;
        Ok(History {
            history,
            driver: Arc::clone(&self.driver),
        })
    }

    /// Blocks on [`super::Engine::backup`].
    ///
    /// # Errors
    /// As there.
    pub fn backup(
        &self,
        path: &Path,
        told: impl FnMut(CopyProgress) + Send + 'static,
    ) -> Result<(), EngineError> {
        self.driver.runtime.block_on(self.engine.backup(path, told))
    }

    /// Blocks on [`super::Engine::reindex`].
    ///
    /// # Errors
    /// As there.
    pub fn reindex(&self, told: impl FnMut(IndexProgress)) -> Result<(), EngineError> {
        self.driver.runtime.block_on(self.engine.reindex(told))
    }

    /// Blocks on [`super::Engine::repair`].
    ///
    /// # Errors
    /// As there.
    pub fn repair(
        &self,
        repairs: &[Repair],
        told: impl FnMut(IndexProgress),
    ) -> Result<(), EngineError> {
        self.driver
            .runtime
            .block_on(self.engine.repair(repairs, told))
    }
}

/// A conversation that is being read out.
pub struct History {
    history: super::History,
    driver: Arc<Driver>,
}

impl History {
    /// Blocks on [`super::History::next_page`].
    ///
    /// # Errors
    /// As there.
    pub fn next_page(&mut self) -> Result<Vec<HistoryRow>, EngineError> {
        self.driver.runtime.block_on(self.history.next_page())
    }
}
