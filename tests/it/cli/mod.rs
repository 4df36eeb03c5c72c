//! What each command prints: one object with every documented field, or text for people.

mod around;
mod copies;
mod named;
mod pins;
mod reading;
mod settings;
mod tools;
mod unmeetable;
#[cfg(unix)]
mod watch;
mod writing;

use serde_json::Value;

use crate::program::{Program, talk};

/// Holds an object to documented fields; more may come.
#[track_caller]
fn check_fields(object: &Value, fields: &[&str]) {
    for field in fields {
        assert!(object.get(field).is_some(), "no `{field}` in {object}");
    }
}

fn with_summaries() -> Program {
    let program = Program::new();
    let ended = program.feed(
        &["turn", "--session", "long", "--window", "3000", "--json"],
        talk(40, 40),
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for _ in 0..30 {
        program.json(&["compact", "--session", "long"]);
    }
    program
}
