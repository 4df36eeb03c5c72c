//! A view as text for people: who said what when, calls and results, summaries, gaps.
//! May not let a control character of stored text reach a terminal raw.

use std::fmt::Write;

use crate::domain::{Part, View, ViewItem, ViewItemKind};

#[cfg(test)]
mod tests;

/// Returns the view as text: a heading for each item, its words indented below, so that no stored
/// line can pass for a heading.
#[must_use]
pub fn render(view: &View) -> String {
    let mut text = String::new();
    for item in &view.items {
        text.push_str(&heading(item));
        text.push('\n');
        for part in &item.parts {
            for line in part_text(part).lines() {
                text.push_str("  ");
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

/// Returns an item's heading: `[user 42, seq 7, 2026-01-02T03:04:05.678Z, 12 tokens]`.
fn heading(item: &ViewItem) -> String {
    let mut text = String::from("[");
    match item.kind {
        ViewItemKind::Message => text.push_str(item.role.as_str()),
        kind => text.push_str(kind.as_str()),
    }
    // Writing to a string cannot fail.
    if let Some(name) = &item.name {
        let _ = write!(text, " {}", safe(name).replace(['\n', '\t'], " "));
    }
    if let Some(id) = item.id {
        let _ = write!(text, " {id}");
    }
    if let Some(span) = item.span {
        if span.n_rows() == 1 {
            let _ = write!(text, ", seq {}", span.first());
        } else {
            let _ = write!(text, ", seq {span}");
        }
    }
    if let Some(at) = item.at {
        let _ = write!(text, ", {at}");
    }
    let _ = write!(text, ", {} tokens]", item.tokens);
    text
}

fn part_text(part: &Part) -> String {
    match part {
        Part::Text { text } => safe(text),
        Part::Reasoning { text, .. } => format!("(reasoning) {}", safe(text)),
        Part::ToolUse {
            call_id,
            name,
            arguments,
        } => format!(
            "(call {} {}) {}",
            safe(call_id),
            safe(name),
            safe(arguments)
        ),
        Part::ToolResult {
            call_id,
            content,
            is_error,
        } => {
            let word = if *is_error { "failed result" } else { "result" };
            format!("({word} {}) {}", safe(call_id), safe(content))
        }
        Part::Media { uri, mime } if uri.starts_with("data:") => {
            format!("(media {}, {} bytes inline)", safe(mime), uri.len())
        }
        Part::Media { uri, mime } => format!("(media {} {})", safe(mime), safe(uri)),
        Part::Opaque { json } => format!("(block) {}", safe(json)),
    }
}

/// Returns text in which nothing can steer a terminal or turn the order of letters around: control
/// characters but line breaks and tabs, and bidirectional controls, are written as `\u{1b}`.
#[must_use]
pub fn safe(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\t' => shown.push(character),
            _ if character.is_control() || is_directional(character) => {
                shown.extend(character.escape_unicode());
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// Says whether a character changes the direction of text, or breaks a line where none is seen.
fn is_directional(character: char) -> bool {
    matches!(
        character,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}
