//! How one part is made shorter. Owns the marked cuts and the lines that stand for a body.
//! May not decide when: the ladder does.

use std::fmt::Write as _;

use serde_json::Value;
use unicode_segmentation::GraphemeCursor;

use crate::domain::{Cleared, MessageId, Part, TokenCounter, Tokens};

/// Whether reasoning is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reasoning {
    /// It is, in the newest turn.
    Shown,
    /// It is not.
    Hidden,
}

/// Says whether a part says nothing, so that no view shows it.
pub(super) fn is_blank(part: &Part) -> bool {
    match part {
        Part::Text { text } => text.trim().is_empty(),
        Part::Reasoning { text, signature } => text.trim().is_empty() && signature.is_none(),
        _ => false,
    }
}

/// Returns the part as views show it at most, if that is shorter than it is: a tool result keeps
/// its head and tail, an unknown block becomes a line.
pub(super) fn cut_at_source(
    part: &Part,
    id: MessageId,
    cap: Tokens,
    counter: &dyn TokenCounter,
) -> Option<Part> {
    match part {
        Part::ToolResult {
            call_id,
            content,
            is_error,
        } => {
            let cut = cut_middle(content, cap, id, counter)?;
            Some(Part::ToolResult {
                call_id: call_id.clone(),
                content: cut,
                is_error: *is_error,
            })
        }
        // A provider's own summary is of use to it whole or not at all.
        Part::Opaque { json } if !part.is_compaction() => {
            let own = counter.count(json);
            let line = opaque_line(json, id);
            let is_shorter = own > cap && counter.count(&line) < own;
            is_shorter.then_some(Part::Text { text: line })
        }
        _ => None,
    }
}

/// Returns the line that stands for an unknown block.
pub(super) fn opaque_line(json: &str, id: MessageId) -> String {
    format!(
        "[a block of {} bytes left out; message {id} holds it]",
        json.len()
    )
}

/// Returns the line that stands for a picture or another medium.
pub(super) fn media_line(mime: &str, id: MessageId) -> String {
    let mime: String = mime
        .chars()
        .filter(char::is_ascii_graphic)
        .take(40)
        .collect();
    format!("[{mime} left out; message {id} holds it]")
}

/// Returns the line that stands for a tool result of an older step.
pub(super) fn result_line(own: Tokens, id: MessageId) -> String {
    format!("[result left out, {own} tokens; short_expand message {id} shows it]")
}

/// Returns the line that stands for a cleared tool result.
pub(in crate::policy) fn cleared_line(
    id: MessageId,
    cleared: &Cleared,
    content: &str,
    is_error: bool,
) -> String {
    let tool = cleared.tool.as_deref().unwrap_or("tool");
    let mut line: String = "[".into();
    line.extend(tool.chars().filter(|letter| !letter.is_control()).take(64));
    // Writing to a string cannot fail.
    let _ = write!(line, " result cleared: {} tokens", cleared.tokens);
    let n_lines = content.lines().count();
    if n_lines > 1 {
        let _ = write!(line, ", {n_lines} lines");
    }
    if is_error {
        line.push_str(", failed");
    }
    if let Some(twin) = cleared.same_as {
        let _ = write!(line, ", the same as in message {twin}");
    }
    let _ = write!(
        line,
        "; short_expand message {id} with include_tool_results shows it]"
    );
    line
}

/// Says whether a body is a line that stands for the result of this message already.
pub(super) fn is_line(content: &str, id: MessageId) -> bool {
    let ends = [
        format!("; short_expand message {id} with include_tool_results shows it]"),
        format!("; short_expand message {id} shows it]"),
    ];
    content.starts_with('[')
        && !content.contains('\n')
        && ends.iter().any(|end| content.ends_with(end))
}

/// Keeps head and tail of a text around a marker that names its message, within `most` tokens
/// marker included; `None` if the text is no longer than that, or no longer than
/// the marker.
///
/// Never cuts a character. Where not even the marker fits, the marker alone is returned.
pub(super) fn cut_middle(
    text: &str,
    most: Tokens,
    id: MessageId,
    counter: &dyn TokenCounter,
) -> Option<String> {
    let own = counter.count(text);
    if own <= most {
        return None;
    }
    let marker = marker(own, id);
    let marker_tokens = counter.count(&marker);
    if marker_tokens >= own {
        return None;
    }
    let room = most.saturating_sub(marker_tokens);
    let mut kept = scale(text.len(), room, own);
    while kept > 0 {
        let head = text
            .get(..boundary_before(text, kept / 3 * 2))
            .unwrap_or("");
        let tail_start = boundary_after(text, text.len() - kept / 3);
        let tail = text.get(tail_start..).unwrap_or("");
        let cut = format!("{head}\n{marker}\n{tail}");
        let tokens = counter.count(&cut);
        if tokens <= most {
            return Some(cut);
        }
        // The kept ends may be denser than the whole: less of them, by what they are over and a bit.
        kept = scale(kept, most, tokens).min(kept - 1) / 16 * 15;
    }
    Some(marker)
}

fn marker(own: Tokens, id: MessageId) -> String {
    format!("[… cut: {own} tokens in all; short_expand message {id} shows them …]")
}

/// Returns what a body of `own` tokens costs at most once it is cut to `most`, whatever its
/// message's id.
pub(super) fn cut_bound(own: Tokens, most: Tokens, counter: &dyn TokenCounter) -> Tokens {
    if own <= most {
        return own;
    }
    let longest = counter.count(&marker(own, LAST_MESSAGE));
    most.max(longest).min(own)
}

/// The longest id a message can have.
pub(super) const LAST_MESSAGE: MessageId = MessageId::new(i64::MAX);

/// Returns `length` times `part / whole`, rounded down.
fn scale(length: usize, part: Tokens, whole: Tokens) -> usize {
    let scaled = u128::try_from(length).unwrap_or(u128::MAX / u128::from(u64::MAX))
        * u128::from(part.get())
        / u128::from(whole.get().max(1));
    usize::try_from(scaled).unwrap_or(usize::MAX)
}

/// Returns the last boundary between characters, as people see them, at or before `at`.
fn boundary_before(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) | Err(_) => at,
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    }
}

/// Returns the first boundary between characters, as people see them, at or after `at`.
fn boundary_after(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) | Err(_) => at,
        Ok(false) => cursor
            .next_boundary(text, 0)
            .ok()
            .flatten()
            .unwrap_or(text.len()),
    }
}

/// Cuts each string inside a call's arguments to `most` tokens; the JSON stays valid. Arguments
/// that are no JSON become an object with the cut text under `arguments`.
pub(super) fn cut_arguments(
    arguments: &str,
    most: Tokens,
    id: MessageId,
    counter: &dyn TokenCounter,
) -> Option<String> {
    if counter.count(arguments) <= most {
        return None;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(arguments) else {
        let cut = cut_middle(arguments, most, id, counter)?;
        return Some(serde_json::json!({ "arguments": cut }).to_string());
    };
    cut_leaves(&mut value, most, id, counter).then(|| value.to_string())
}

/// Cuts the strings inside a value and says whether any was cut.
fn cut_leaves(value: &mut Value, most: Tokens, id: MessageId, counter: &dyn TokenCounter) -> bool {
    match value {
        Value::String(text) => match cut_middle(text, most, id, counter) {
            Some(cut) => {
                *text = cut;
                true
            }
            None => false,
        },
        Value::Array(values) => cut_all(values.iter_mut(), most, id, counter),
        Value::Object(fields) => cut_all(fields.values_mut(), most, id, counter),
        _ => false,
    }
}

fn cut_all<'a>(
    values: impl Iterator<Item = &'a mut Value>,
    most: Tokens,
    id: MessageId,
    counter: &dyn TokenCounter,
) -> bool {
    let mut any = false;
    for value in values {
        any |= cut_leaves(value, most, id, counter);
    }
    any
}
