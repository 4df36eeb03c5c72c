//! The record on disk. Owns SQL: operations on domain values, each in one transaction.
//! May not decide: no connection, transaction or SQL text crosses its border, and no plan is made
//! here, only checked again.

mod breaker;
mod commit;
mod conn;
mod conversation;
mod error;
mod event;
mod fork;
mod frontier;
mod hash;
mod import;
mod lease;
mod lineage;
mod load;
mod message;
mod migrate;
mod op;
mod open;
mod reader;
mod row;
mod sequence;
mod sync;
mod tail;
mod walk;
mod writer;

#[cfg(test)]
mod tests;

pub use conn::{Durability, OpenMode};
pub use error::StoreError;
pub use hash::fingerprint;
pub use migrate::SCHEMA_VERSION;
pub use op::{LeaseOutcome, SyncOutcome, WriteOp, WriteReply};
pub use open::Store;
pub use reader::Reader;
pub use writer::Writer;
