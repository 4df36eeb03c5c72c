//! Conversation memory for agents.
//!
//! An append-only `SQLite` store keeps every message of an agent's conversations for ever. When a
//! conversation outgrows the model's window, the oldest messages become leaf summaries in the turn
//! and summaries merge by depth in the background, so that the view the model sees fits. Nothing
//! is lost: `short_grep` finds old things and `short_expand` gives them back whole.
//!
//! It is no vector database and no cache, it trains nothing and forgets nothing, and it needs no
//! model: without one a local floor writes the summaries.
//!
//! # A loop
//!
//! ```
//! use hippocamp::domain::{NewMessage, SessionKey, Tokens, Window};
//! use hippocamp::engine::Engine;
//! use hippocamp::tools::{ToolScope, dispatch, schema};
//!
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("memory.db");
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let engine = Engine::builder(path).build()?;
//! let session = SessionKey::new("main")?;
//! let window = Window::of(Tokens::new(8_000))?;
//!
//! // Register the two tools with your model, then call `turn` with what is new.
//! let tools = schema();
//! assert_eq!(tools.len(), 2);
//! let said = vec![NewMessage::user("The staging port is 8443.")];
//! let turn = engine.turn(&session, said, window).await?;
//! assert!(turn.view.fits);
//!
//! // When the model calls a tool, run it.
//! let scope = ToolScope::Session(session);
//! let call = serde_json::json!({ "pattern": "staging port" });
//! let answer = dispatch(&engine, &scope, "short_grep", call).await?;
//! assert_eq!(answer["total"], 1);
//! engine.shutdown().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rooms
//!
//! [`domain`] holds values. [`policy`] decides and is pure. [`store`] speaks SQL. [`engine`] puts
//! them in order. [`tools`] is what an agent sees, [`render`] turns views into text or into the
//! bodies of providers' requests, `import` reads transcripts (feature `import`), `rig`
//! is for agents built with rig (feature `rig`).

pub mod domain;
pub mod engine;
#[cfg(feature = "import")]
pub mod import;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod policy;
#[cfg(feature = "providers")]
pub mod providers;
pub mod render;
#[cfg(feature = "rig")]
pub mod rig;
pub mod store;
pub mod tools;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

/// The examples of README.md, compiled with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
