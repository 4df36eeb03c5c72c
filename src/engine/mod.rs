//! Time and tasks. Owns the order in which things happen.
//! May not decide what to compact or how rows are stored.

mod completer;
mod error;
mod report;

use std::path::Path;
use std::sync::Arc;

pub use completer::{CompleteError, CompleteOptions, Completer, Completion};
pub use error::EngineError;
pub use report::*;

use crate::domain::*;
use crate::policy::limits::Limits;

/// Where leaves are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeafMode {
    /// A leaf is live at once.
    #[default]
    EveryTurn,
    /// Leaves are prepared and promoted together.
    Deferred,
}
/// How a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenMode {
    /// Made if it does not exist.
    #[default]
    Create,
    /// Must exist.
    Existing,
    /// Must exist and is not written to.
    ReadOnly,
}
/// When an acknowledged write is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Before it is acknowledged.
    #[default]
    Full,
    /// Soon after; a power cut can take the newest writes, a crash of the process cannot.
    Normal,
}
/// Which budget a view is assembled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ViewBudget {
    /// The recorded window's, else the process's.
    #[default]
    Configured,
    /// This many tokens, without recording anything.
    Of(Tokens),
}

/// Builds an engine.
pub struct EngineBuilder {}
#[allow(unused_variables)]
impl EngineBuilder {
    /// Sets the clock (default: the system's).
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        self
    }
    /// Sets the model's callback (default: none, the floor serves).
    #[must_use]
    pub fn completer(self, completer: Arc<dyn Completer>) -> Self {
        self
    }
    /// Sets the limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        self
    }
    /// Sets the process's window, used where a conversation has recorded none.
    #[must_use]
    pub fn window(self, window: Window) -> Self {
        self
    }
    /// Sets where leaves are written.
    #[must_use]
    pub fn leaf_mode(self, mode: LeafMode) -> Self {
        self
    }
    /// Sets how the file is opened.
    #[must_use]
    pub fn open_mode(self, mode: OpenMode) -> Self {
        self
    }
    /// Sets when writes are on disk.
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        self
    }
    /// Opens the store and starts the engine's tasks.
    ///
    /// # Errors
    /// `NoRuntime` outside a runtime, `Store` if the file cannot be opened.
    pub fn build(self) -> Result<Engine, EngineError> {
        unimplemented!()
    }
}

/// The engine.
#[derive(Clone)]
pub struct Engine {}
#[allow(
    unused_variables,
    clippy::missing_errors_doc,
    clippy::unused_async,
    missing_docs
)]
impl Engine {
    pub fn builder(path: impl AsRef<Path>) -> EngineBuilder {
        EngineBuilder {}
    }
    pub async fn append(
        &self,
        session: &SessionKey,
        messages: Vec<NewMessage>,
    ) -> Result<Appended, EngineError> {
        unimplemented!()
    }
    pub async fn turn(
        &self,
        session: &SessionKey,
        messages: Vec<NewMessage>,
        window: Window,
    ) -> Result<TurnReport, EngineError> {
        unimplemented!()
    }
    pub async fn sync(
        &self,
        session: &SessionKey,
        history: Vec<NewMessage>,
        window: Window,
    ) -> Result<SyncReport, EngineError> {
        unimplemented!()
    }
    /// `UnknownSession` if no conversation has the key.
    pub async fn view(
        &self,
        session: &SessionKey,
        budget: ViewBudget,
    ) -> Result<View, EngineError> {
        unimplemented!()
    }
    pub async fn compact(&self, session: &SessionKey) -> Result<CompactReport, EngineError> {
        unimplemented!()
    }
    pub async fn compact_until_under(
        &self,
        session: &SessionKey,
        budget: Tokens,
    ) -> Result<CompactReport, EngineError> {
        unimplemented!()
    }
    pub async fn finish_stage(&self, session: &SessionKey) -> Result<CompactReport, EngineError> {
        unimplemented!()
    }
    pub async fn grep(&self, request: &GrepRequest) -> Result<GrepReply, EngineError> {
        unimplemented!()
    }
    pub async fn expand(&self, request: &ExpandRequest) -> Result<ExpandReply, EngineError> {
        unimplemented!()
    }
    pub async fn fork(
        &self,
        session: &SessionKey,
        at: Seq,
        new_session: Option<SessionKey>,
    ) -> Result<Forked, EngineError> {
        unimplemented!()
    }
    pub async fn events(&self, session: &SessionKey) -> Result<Vec<Event>, EngineError> {
        unimplemented!()
    }
    /// The token curve: a point for each visible message stored and each event.
    pub async fn curve(&self, session: &SessionKey) -> Result<Vec<CurvePoint>, EngineError> {
        unimplemented!()
    }
    pub async fn tree(&self, session: &SessionKey) -> Result<Vec<TreeNode>, EngineError> {
        unimplemented!()
    }
    pub async fn sessions(&self) -> Result<Vec<SessionRow>, EngineError> {
        unimplemented!()
    }
    pub async fn stats(&self, session: Option<&SessionKey>) -> Result<StoreStats, EngineError> {
        unimplemented!()
    }
    pub async fn status(&self) -> Result<Status, EngineError> {
        unimplemented!()
    }
    pub async fn doctor(&self) -> Result<Vec<Check>, EngineError> {
        unimplemented!()
    }
    /// Writes one batch of an import in one transaction.
    pub async fn import(&self, batch: ImportBatch) -> Result<ImportReply, EngineError> {
        unimplemented!()
    }
    /// Stamps an imported message: tokens, words, fingerprint, index text.
    pub fn stamp_import(&self, session: SessionKey, message: NewMessage) -> ImportRow {
        unimplemented!()
    }
    /// How far a file (by canonical path) has been read.
    pub async fn checkpoint(&self, path: &str) -> Result<Option<Checkpoint>, EngineError> {
        unimplemented!()
    }
    /// Which rows have these keys (record ids), in any conversation: key, conversation's session key, seq.
    pub async fn find_keys(
        &self,
        keys: &[String],
    ) -> Result<Vec<(String, SessionKey, Seq)>, EngineError> {
        unimplemented!()
    }
    /// Waits until tier 2 and the indexer have nothing left to do.
    pub async fn settle(&self) -> Result<(), EngineError> {
        unimplemented!()
    }
    pub async fn shutdown(self) -> Result<(), EngineError> {
        unimplemented!()
    }
}
