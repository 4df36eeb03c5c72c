//! The MCP server as its clients meet it: a process on two pipes, or a port.
//! Every store that a test has used is clean afterwards.

#[cfg(feature = "providers")]
mod advice;
mod cases;
mod client;
mod host;
mod hostile;
#[cfg(feature = "providers")]
mod http;
#[cfg(feature = "providers")]
mod http_bodies;
#[cfg(feature = "providers")]
mod http_hostile;
#[cfg(feature = "providers")]
mod http_sessions;
mod schemas;
mod transport;

use serde_json::{Value, json};

use crate::program::{Ended, Program, line};

/// What a client says first.
pub(crate) fn greeting() -> String {
    let hello = json!({
        "jsonrpc": "2.0",
        "id": "hello",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    });
    format!(
        "{hello}\n{}\n",
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
    )
}

/// A line that calls a tool.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: &Value) -> String {
    let id: Value = id.into();
    request(
        &id,
        "tools/call",
        &json!({"name": tool, "arguments": arguments}),
    )
}

/// A line that asks for something.
pub(crate) fn request(id: &Value, method: &str, params: &Value) -> String {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    format!("{request}\n")
}

/// What a server said on a whole input.
#[derive(Debug)]
pub(crate) struct Spoken {
    pub(crate) answers: Vec<Value>,
    pub(crate) ended: Ended,
}

impl Spoken {
    /// Returns the one answer to a request.
    #[track_caller]
    pub(crate) fn to(&self, id: impl Into<Value>) -> &Value {
        let id: Value = id.into();
        let found: Vec<&Value> = self
            .answers
            .iter()
            .filter(|answer| answer.get("id") == Some(&id))
            .collect();
        assert_eq!(found.len(), 1, "answers to {id}: {found:?}");
        found[0]
    }

    /// Returns what a call that went well answered.
    #[track_caller]
    pub(crate) fn result(&self, id: impl Into<Value>) -> &Value {
        let answer = self.to(id);
        let content = &answer["result"]["structuredContent"];
        assert!(content.is_object(), "{answer}");
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        content
    }

    /// Returns the words of a call that went wrong in a way that a model can mend.
    #[track_caller]
    pub(crate) fn refusal(&self, id: impl Into<Value>) -> &str {
        let answer = self.to(id);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap()
    }

    /// Returns the code of an answer that is an error of the protocol.
    #[track_caller]
    pub(crate) fn code(&self, id: impl Into<Value>) -> i64 {
        let answer = self.to(id);
        answer["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("{answer}"))
    }
}

/// Reads what stands on stdout: one JSON-RPC object a line and nothing else.
#[track_caller]
pub(crate) fn answers(stdout: &str) -> Vec<Value> {
    assert!(
        stdout.is_empty() || stdout.ends_with('\n'),
        "half a line: {stdout}"
    );
    let read = |line: &str| {
        let answer: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer["jsonrpc"], "2.0", "{line}");
        answer
    };
    stdout.lines().map(read).collect()
}

/// Says all of `input` to the server, then that there is no more.
#[track_caller]
pub(crate) fn speak(program: &Program, words: &[&str], input: impl Into<Vec<u8>>) -> Spoken {
    let ended = program.feed(&[&["mcp"], words].concat(), input);
    let answers = answers(&ended.stdout);
    Spoken { answers, ended }
}

/// A home whose store has the conversation `main`, in which there is talk of alpha.
pub(crate) fn with_alpha() -> Program {
    let program = Program::new();
    let said =
        line("user", "alpha listens on port 8443") + &line("assistant", "noted: alpha, 8443");
    program.append("main", &said);
    program.append("other", &line("user", "alpha is a secret of the other one"));
    program
}

/// Fails unless `doctor` finds the store clean.
#[track_caller]
pub(crate) fn check_clean(program: &Program) {
    assert_eq!(program.json(&["doctor"])["ok"], true);
}
