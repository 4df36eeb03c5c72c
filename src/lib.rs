//! Conversation memory for agents.
//!
//! An append-only `SQLite` store keeps every message for ever; the model sees a view that fits its
//! window; anything can be found again. It is no vector database and no cache: what is stored
//! stays.

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod domain;
pub mod engine;
#[cfg(feature = "import")]
pub mod import;
pub mod policy;
pub mod render;
pub mod store;
pub mod tools;
