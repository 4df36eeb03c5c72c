//! Records of the older wire, which wrapped each event in a `message`. Owns what an event means.
//! May not tell twice what a sub-agent's own log tells.

use serde_json::value::RawValue;

use super::event::{read_content, read_result_of};
use super::wire::{Wire, answer, row, spent};
use crate::domain::{NewMessage, Part, Role};
use crate::import::entry::{Entry, Side, clean_id, meta_row};
use crate::import::json::{Object, content};

/// The deepest sub-agent that is told through its parents; no version begins any below a few.
const MAX_DEPTH: usize = 16;

/// Fields of other events that carry words.
const WORDS: &[&str] = &[
    "title",
    "body",
    "content",
    "reason",
    "feedback",
    "arguments_part",
];

/// The types of its events.
const EVENTS: &[&str] = &[
    "ApprovalRequest",
    "ApprovalRequestResolved",
    "ApprovalResponse",
    "CompactionBegin",
    "CompactionEnd",
    "ContentPart",
    "HookResolved",
    "HookTriggered",
    "MCPLoadingBegin",
    "MCPLoadingEnd",
    "Notification",
    "PlanDisplay",
    "QuestionRequest",
    "StatusUpdate",
    "SteerInput",
    "StepBegin",
    "StepInterrupted",
    "SubagentEvent",
    "ToolCall",
    "ToolCallPart",
    "ToolCallRequest",
    "ToolResult",
    "TurnBegin",
    "TurnEnd",
];

/// Returns whether a JSON object is a record of the older wire.
pub(super) fn looks_like_record(record: &Object<'_>) -> bool {
    let Some(message) = record.object("message") else {
        return false;
    };
    let kind = message.text("type");
    record.has("timestamp")
        && message.object("payload").is_some()
        && kind.is_some_and(|kind| EVENTS.contains(&kind.as_str()))
}

impl Wire {
    /// Reads an event of the older wire that lies in so many others.
    pub(super) fn old_event(&mut self, event: &Object<'_>, depth: usize) -> Entry {
        let payload = event.object("payload").unwrap_or_default();
        match event.text("type").as_deref() {
            Some("TurnBegin" | "SteerInput") => {
                self.n_steps += 1;
                let input = content(payload.get("user_input"), super::event::read_part);
                row(NewMessage::new(Role::User, input))
            }
            Some("StepBegin") => {
                self.n_steps += 1;
                Entry::silent()
            }
            Some("ContentPart") => {
                let raw = event.get("payload");
                answer(read_content(raw), Some(format!("step {}", self.n_steps)))
            }
            Some("ToolCall") => {
                let joins = Some(format!("step {}", self.n_steps));
                answer(vec![read_call(&payload)], joins)
            }
            Some("ToolResult") => {
                let value = payload
                    .object("return_value")
                    .or_else(|| payload.object("result"));
                let call_id = payload.text("tool_call_id").unwrap_or_default();
                let parts = read_result_of(call_id, value.as_ref(), None);
                row(NewMessage::new(Role::Tool, parts))
            }
            Some("StatusUpdate") => {
                let mut entry = Entry::silent();
                let usage = payload.object("token_usage");
                entry.spent = usage.and_then(|usage| spent(&usage)).unwrap_or_default();
                entry
            }
            Some("SubagentEvent") if depth < MAX_DEPTH => self.of_sub_agent(&payload, depth),
            _ => {
                let words = WORDS.iter().filter_map(|name| payload.text(name));
                let words: Vec<String> = words.filter(|text| !text.is_empty()).collect();
                let mut entry = Entry::silent();
                entry.body = meta_row(&words, Role::System);
                entry
            }
        }
    }

    /// Reads an event that a sub-agent's parent tells.
    fn of_sub_agent(&mut self, payload: &Object<'_>, depth: usize) -> Entry {
        let agent = clean_id(payload.text("agent_id"));
        let names = ["parent_tool_call_id", "task_tool_call_id"];
        let call = names.iter().find_map(|name| clean_id(payload.text(name)));
        let has_own = agent.as_ref().is_some_and(|agent| self.has_own_log(agent));
        let Some(event) = payload.object("event").filter(|_| !has_own) else {
            return Entry::silent();
        };
        let mut entry = self.old_event(&event, depth + 1);
        if entry.side == Side::Main {
            entry.side = Side::Agent(agent.or(call));
        }
        entry
    }
}

fn read_call(payload: &Object<'_>) -> Part {
    let function = payload.object("function").unwrap_or_default();
    let arguments = function.text("arguments");
    let other = || function.get("arguments").map(RawValue::get);
    Part::ToolUse {
        call_id: payload.text("id").unwrap_or_default(),
        name: function.text("name").unwrap_or_default(),
        arguments: arguments
            .or_else(|| other().filter(|raw| *raw != "null").map(str::to_owned))
            .unwrap_or_else(|| "{}".to_owned()),
    }
}

/// Reads a call as messages carry it.
pub(super) fn read_calls(raw: Option<&RawValue>) -> Vec<Part> {
    content(raw, |call| Some(read_call(&Object::parse(call)?)))
}
