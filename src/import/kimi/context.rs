//! What the older versions gave to the model, line by line. Owns sessions from before there was a
//! wire log; where that lies beside, these lines are copies of it. May not take the host's marks for
//! words.

use std::path::Path;

use super::event::{read_content, read_result_of};
use super::legacy::read_calls;
use super::wire::{answer, row};
use crate::domain::{NewMessage, Role};
use crate::import::entry::{Entry, meta_row};
use crate::import::json::Object;

/// The marks of the host, which stand where a message has its role.
const MARKS: &[&str] = &["_checkpoint", "_system_prompt", "_usage"];

/// Returns whether a JSON object is a mark in such a file: its messages alone look like those of any
/// other host.
pub(super) fn looks_like_mark(record: &Object<'_>) -> bool {
    let role = record.text("role");
    role.is_some_and(|role| MARKS.contains(&role.as_str()))
}

/// Returns whether a file is such a copy.
pub(super) fn is_beside_wire(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_named = name.starts_with("context") && name.ends_with(".jsonl");
    is_named && path.with_file_name("wire.jsonl").is_file()
}

/// Reads a line.
pub(super) fn read_line(role: &str, record: &Object<'_>) -> Entry {
    let parts = read_content(record.get("content"));
    match role {
        "user" => row(NewMessage::new(Role::User, parts)),
        "assistant" => {
            let calls = read_calls(record.get("tool_calls"));
            answer(parts.into_iter().chain(calls).collect(), None)
        }
        "tool" => {
            let call_id = record.text("tool_call_id").unwrap_or_default();
            let parts = read_result_of(call_id, None, record.get("content"));
            row(NewMessage::new(Role::Tool, parts))
        }
        "_system_prompt" => {
            let words: Vec<String> = record.text("content").into_iter().collect();
            let mut entry = Entry::silent();
            entry.body = meta_row(&words, Role::System);
            entry
        }
        mark if MARKS.contains(&mark) => Entry::silent(),
        _ => row(NewMessage::new(Role::System, parts).meta()),
    }
}
