//! The words of a part. Owns which parts are searched and what text they show.
//! May not cut words.

use std::borrow::Cow;

use crate::domain::{HitKind, Part};

use super::searchable::searchable;

/// Returns what is searched of a part; none for thoughts, which are searched on request only.
pub(super) fn part_text(part: &Part) -> Option<(HitKind, Cow<'_, str>)> {
    match part {
        Part::Text { text } => Some((HitKind::Text, searchable(text))),
        Part::Reasoning { .. } => None,
        Part::ToolUse {
            name, arguments, ..
        } => {
            let text = format!("{name}\n{}", json_or_text(arguments));
            Some((HitKind::ToolUse, owned(&text)))
        }
        Part::ToolResult { content, .. } => Some((HitKind::ToolResult, searchable(content))),
        Part::Media { uri, mime } => {
            let place = if uri.starts_with("data:") { "" } else { uri };
            Some((HitKind::Other, owned(&format!("{mime}\n{place}"))))
        }
        Part::Opaque { json } => Some((HitKind::Other, owned(&json_or_text(json)))),
    }
}

/// Returns what is searched of a part where thoughts are asked for.
pub(super) fn part_or_thought(part: &Part) -> Option<(HitKind, Cow<'_, str>)> {
    match part {
        Part::Reasoning { text, .. } => Some((HitKind::Reasoning, searchable(text))),
        _ => part_text(part),
    }
}

fn owned(text: &str) -> Cow<'static, str> {
    Cow::Owned(searchable(text).into_owned())
}

fn json_or_text(text: &str) -> String {
    if text.trim_start().starts_with(['{', '[']) {
        json_words(text)
    } else {
        text.to_owned()
    }
}

/// Writes the keys and scalars of a JSON text, one pair a line, strings decoded. It does not ask
/// whether the text is valid: what cannot be decoded stays as written.
fn json_words(json: &str) -> String {
    let mut words = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            _ if first.is_whitespace() => {
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
                continue;
            }
            _ => rest
                .find(|c: char| c.is_whitespace() || "{}[],:\"".contains(c))
                .unwrap_or(rest.len()),
        };
        let (scalar, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after;
        if scalar == "null" {
            continue;
        }
        words.push_str(&decoded(scalar));
        let is_key = after.trim_start().starts_with(':');
        words.push_str(if is_key { ": " } else { "\n" });
    }
    words
}

/// Returns the length of the string that a text begins with, quotes and all.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn decoded(scalar: &str) -> Cow<'_, str> {
    if !scalar.starts_with('"') {
        return Cow::Borrowed(scalar);
    }
    match serde_json::from_str::<String>(scalar) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(scalar.trim_matches('"')),
    }
}
