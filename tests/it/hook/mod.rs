//! `hippocamp hook claude-code`, as its host starts it: events on stdin, transcripts that grow.

mod hostile;
mod recall;
mod replay;

use serde_json::{Value, json};

use crate::program::{Ended, Program};

/// A host with a transcript.
pub(super) struct Host {
    pub(super) program: Program,
}

pub(super) const SESSION: &str = "5b1e7c1a-3f6d-4c0e-9a57-0d2f8e6b7c11";

impl Host {
    pub(super) fn new() -> Self {
        Self {
            program: Program::new(),
        }
    }

    /// Returns the transcript's name in the home.
    pub(super) fn transcript() -> String {
        format!("projects/-work/{SESSION}.jsonl")
    }

    /// Writes lines into the transcript, or into another file of it, behind what is there.
    pub(super) fn write(&self, name: &str, lines: &[String]) {
        let path = self.program.path(name);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        self.program.write(name, &(before + &lines.concat()));
    }

    /// Returns an event of the session.
    pub(super) fn event(&self, name: &str, fields: &Value) -> Value {
        let mut event = json!({
            "session_id": SESSION,
            "transcript_path": self.program.path(&Self::transcript()),
            "cwd": self.program.path(""),
            "hook_event_name": name,
        });
        let fields = fields.as_object().unwrap().clone();
        event.as_object_mut().unwrap().extend(fields);
        event
    }

    /// Hands an event to the hook.
    #[track_caller]
    pub(super) fn hook(&self, name: &str, fields: &Value) -> Ended {
        let event = self.event(name, fields).to_string();
        let ended = self.program.feed(&["hook", "claude-code"], event);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(ended.stderr, "");
        ended
    }

    /// The same for an event that is answered with nothing.
    #[track_caller]
    pub(super) fn hook_silently(&self, name: &str, fields: &Value) {
        assert_eq!(self.hook(name, fields).stdout, "", "{name}");
    }

    /// Returns what the log says.
    pub(super) fn log(&self) -> String {
        let path = self.program.path(".local/state/hippocamp/hook.log");
        std::fs::read_to_string(path).unwrap_or_default()
    }
}

/// Returns a record of what somebody says.
pub(super) fn said(n: usize, role: &str, words: &str) -> String {
    record(n, role, &json!([{"type": "text", "text": words}]))
}

/// Returns a record.
pub(super) fn record(n: usize, role: &str, content: &Value) -> String {
    let record = json!({
        "type": role,
        "uuid": format!("r{n}"),
        "parentUuid": n.checked_sub(1).map(|before| format!("r{before}")),
        "sessionId": SESSION,
        "timestamp": format!("2026-01-02T{:02}:{:02}:{:02}.000Z", n / 3600, n / 60 % 60, n % 60),
        "message": {"role": role, "content": content},
    });
    format!("{record}\n")
}
