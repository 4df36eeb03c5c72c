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
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::render::broken_openai_chat;
use crate::render::rule::{list, text};

/// An engine in a folder of its own.
fn engine() -> (TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::builder(folder.path().join("agent.db"))
        .build()
        .unwrap();
    (folder, engine)
}

/// What a request asks, as far as the rules of messages are about it.
fn messages_of(body: &Value) -> Value {
    json!({"messages": body["messages"]})
}

/// The last request shows that the model searched and looked, and each keeps the rules and offers both tools.
#[track_caller]
fn check_requests(bodies: &[Value]) {
    let called: Vec<&str> = list(&bodies[bodies.len() - 1]["messages"])
        .iter()
        .flat_map(|message| list(&message["tool_calls"]))
        .map(|call| text(&call["function"]["name"]))
        .collect();
    assert!(
        called.ends_with(&["short_grep", "short_expand"]),
        "{called:?}"
    );
    for body in bodies {
        assert_eq!(
            broken_openai_chat(&messages_of(body)),
            Vec::<&str>::new(),
            "{body}"
        );
        assert_eq!(list(&body["tools"]).len(), 2);
    }
}
