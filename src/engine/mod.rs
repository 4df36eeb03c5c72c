//! Time and tasks. Owns the order in which things happen.
//! May not decide what to compact, how a query is read, or how rows are stored.

mod around;
mod ask;
mod assemble;
mod best;
pub mod blocking;
mod breaker;
mod builder;
mod claims;
mod clear;
mod clock;
mod compact;
mod completer;
mod condenser;
mod core;
mod db;
mod error;
mod expand;
mod export;
mod frequency;
mod gather;
mod hooks;
mod import;
mod indexer;
mod inspect;
mod kept;
mod looks;
mod managed;
mod newest;
mod overflow;
mod page;
mod pinner;
mod pins;
mod ranked;
mod records;
mod recount;
mod redact;
mod report;
mod request;
mod run_step;
mod search;
mod source;
mod standing;
mod state;
mod steering;
mod sync;
mod tasks;
mod tools;
mod turn;
mod upkeep;
mod usage;
mod wanted;

pub use assemble::ViewBudget;
pub use builder::{EngineBuilder, LeafMode};
pub use clock::SystemClock;
pub use completer::{CompleteError, CompleteOptions, Completer, Completion, FailureKind};
pub use core::Engine;
pub use db::StoreThreads;
pub use error::EngineError;
pub use export::History;
pub use hooks::{CompactionHooks, HookDecision, Upcoming};
pub use managed::Compactor;
pub use overflow::{ErrorOutcome, FailedCall, GaveUpReason};
pub use pins::{PinReport, PinStep};
pub use report::{
    BreakerStatus, CompactReason, CompactReport, SessionStatus, Status, SyncKind, SyncReport,
    TurnReport,
};

pub use request::{FOCUS_CHARS, RequestOutcome};
pub use upkeep::IndexProgress;
pub use usage::{Calibration, Observed, UsageReport};

pub use crate::policy::effect::Effect;
pub use crate::policy::judge::StopReason;
pub use crate::policy::overflow::{Overflow, ProviderError, Silent};
pub use crate::policy::pin::AutoPins;
pub use crate::store::{
    CopyProgress, Durability, OpenMode, Repair, SCHEMA_VERSION, sqlite_version,
};
