//! Agents in a small window for hundreds of turns, against a model that is a script: what was said long
//! ago is found again by the tools, and no request breaks a rule of the interface.

#[path = "../../../examples/openai_loop/agent.rs"]
mod openai;
mod plain;
mod real;
#[cfg(feature = "rig")]
#[path = "../../../examples/rig_loop/agent.rs"]
mod rig;
pub(crate) mod script;
#[cfg(feature = "rig")]
mod with_rig;

use hippocamp::engine::Engine;
use tempfile::TempDir;

/// An engine in a folder of its own.
fn engine() -> (TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::builder(folder.path().join("agent.db"))
        .build()
        .unwrap();
    (folder, engine)
}
