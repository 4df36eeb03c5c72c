//! The record on disk. Owns SQL: operations on domain values, each in one transaction.
//! May not decide: no connection, transaction or SQL text crosses its border, and no plan is made
//! here, only checked again.

mod anchor;
mod backup;
mod breaker;
mod check;
mod clear;
mod commit;
mod conn;
mod conversation;
mod error;
mod event;
mod expand;
mod foreign;
mod fork;
mod frontier;
mod hash;
mod history;
mod identity;
mod ids;
mod import;
mod index;
mod integrity;
mod lease;
mod lineage;
mod load;
mod made;
mod maintain;
mod message;
mod migrate;
mod op;
mod open;
mod part;
mod pin;
mod pinning;
mod provenance;
mod reach;
mod reader;
mod recount;
mod repair;
mod row;
mod search;
mod search_row;
mod sequence;
mod sessions;
mod spans;
mod stats;
mod steering;
mod sync;
mod tail;
mod walk;
mod writer;

#[cfg(test)]
mod tests;

pub use backup::CopyProgress;
pub use conn::{Durability, OpenMode};
pub use error::StoreError;
pub use expand::ItemHome;
pub use foreign::{Foreign, ForeignError, ForeignRow, ForeignValue, Rows};
pub use hash::fingerprint;
pub use history::{PAGE_BYTES, PAGE_ROWS};
pub use index::{
    IndexBatch, IndexMark, IndexOutcome, IndexStep, IndexTotals, IndexWork, STEP_BYTES, STEP_ROWS,
};
pub use integrity::Thoroughness;
pub use maintain::{LogState, Merging, Pace, Upkeep};
pub use migrate::{SCHEMA_VERSION, sqlite_version};
pub use op::{BreakerOutcome, LeaseOutcome, SteeringOutcome, SyncOutcome, WriteOp, WriteReply};
pub use open::Store;
pub use reader::Reader;
pub use repair::Repair;
pub use search::{
    CANDIDATES_AT_MOST, CandidateOrder, Found, Look, NewestBy, Verdict, Walked, Wants,
};
pub use search_row::SearchRows;
pub use writer::Writer;
