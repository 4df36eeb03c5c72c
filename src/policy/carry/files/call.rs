//! Calls: which tools touch files, by their names and arguments.

use serde_json::Value;

use super::words::quoted;
use super::{Op, patch, shell};

/// The names under which tools take a path.
const PATH_KEYS: [&str; 8] = [
    "file_path",
    "path",
    "notebook_path",
    "filename",
    "file",
    "target_file",
    "filepath",
    "filePath",
];

/// What is under a path's old name.
const FROM_KEYS: [&str; 5] = ["source", "old_path", "from", "source_path", "src"];
/// What is under its new one.
const TO_KEYS: [&str; 6] = [
    "destination",
    "new_path",
    "to",
    "destination_path",
    "dst",
    "target",
];

/// What is under a text that is written or put in.
const TEXT_KEYS: [&str; 9] = [
    "content",
    "contents",
    "file_text",
    "new_string",
    "new_str",
    "new_source",
    "insert_text",
    "newString",
    "text",
];

/// Reads what a call does to files.
pub(super) fn ops(name: &str, arguments: &str) -> Vec<Op> {
    let parsed = serde_json::from_str::<Value>(arguments).unwrap_or(Value::Null);
    let text = |keys: &[&str]| keys.iter().find_map(|key| parsed.get(*key)?.as_str());
    // Some hosts give the patch itself as the arguments.
    let patched = match text(&["patch", "input", "diff"]) {
        Some(patch) => patch::ops(patch),
        None if parsed.is_null() => patch::ops(arguments),
        None => Vec::new(),
    };
    if !patched.is_empty() {
        return patched;
    }
    let path = text(&PATH_KEYS)
        .map(str::trim)
        .filter(|path| !path.is_empty());
    let Some(path) = path else {
        return match (script(&parsed), text(&FROM_KEYS), text(&TO_KEYS)) {
            (Some(script), ..) => of_script(&script),
            (None, Some(from), Some(to)) if is_move(name) => vec![Op::Move {
                from: from.trim().to_owned(),
                to: to.trim().to_owned(),
            }],
            _ => Vec::new(),
        };
    };
    // Editors with several commands name the command beside the path.
    let verb = text(&["command", "action", "operation", "mode"])
        .filter(|command| !command.contains(char::is_whitespace))
        .unwrap_or(name)
        .to_ascii_lowercase();
    if let (true, Some(to)) = (is_move(&verb), text(&TO_KEYS)) {
        return vec![Op::Move {
            from: path.to_owned(),
            to: to.trim().to_owned(),
        }];
    }
    of_verb(
        &verb,
        path,
        text(&TEXT_KEYS).or_else(|| first_edit(&parsed)),
    )
}

fn is_move(verb: &str) -> bool {
    let verb = verb.to_ascii_lowercase();
    verb.contains("move") || verb.contains("rename")
}

/// Returns the new text of the first of several edits.
fn first_edit(parsed: &Value) -> Option<&str> {
    let edit = parsed.get("edits")?.get(0)?;
    TEXT_KEYS.iter().find_map(|key| edit.get(*key)?.as_str())
}

fn of_verb(verb: &str, path: &str, text: Option<&str>) -> Vec<Op> {
    let has = |words: &[&str]| words.iter().any(|word| verb.contains(word));
    let path = path.to_owned();
    if has(&["mkdir", "directory"]) && !has(&["list", "read"]) {
        vec![set(path, "created".to_owned())]
    } else if has(&["write", "create", "save"]) {
        vec![set(path, quoted("written", text))]
    } else if has(&["undo"]) {
        vec![set(path, "last edit undone".to_owned())]
    } else if has(&["delete", "remove"]) {
        vec![Op::Delete { path }]
    } else if has(&[
        "edit", "replace", "insert", "update", "modify", "append", "patch",
    ]) {
        vec![set(path, quoted("edited", text))]
    } else if has(&["read", "view", "open", "cat"]) {
        vec![Op::Read { path }]
    } else {
        Vec::new()
    }
}

fn set(path: String, state: String) -> Op {
    Op::Set { path, state }
}

/// Returns the line a shell is to run; `["bash", "-lc", "…"]` is the last of it.
fn script(parsed: &Value) -> Option<String> {
    let command = ["command", "cmd", "script"]
        .iter()
        .find_map(|key| parsed.get(*key))?;
    match command {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [_, flag, line] if flag.starts_with('-') && flag.ends_with('c') => {
                    Some((*line).to_owned())
                }
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

fn of_script(script: &str) -> Vec<Op> {
    let patched = patch::ops(script);
    if patched.is_empty() {
        shell::ops(script)
    } else {
        patched
    }
}
