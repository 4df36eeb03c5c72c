//! A stored conversation as Markdown for people: a heading for each message, its parts below.
//! Not to be read back: NDJSON is. May not let a control character of stored text through.

use std::fmt::Write;

use super::text::safe;
use crate::domain::{Message, Part, SessionKey, Visibility};

/// Returns the heading of a conversation.
#[must_use]
pub fn title(session: &SessionKey) -> String {
    format!("# {}\n", one_line(session.as_str()))
}

/// Returns a row with a heading of its own, or without one where it continues the row before it.
#[must_use]
pub fn message(message: &Message) -> String {
    let mut text = String::new();
    if message.continues.is_none() {
        text.push_str(&heading(message));
    }
    for part in &message.parts {
        let shown = part_text(part);
        let shown = shown.trim_matches('\n');
        if !shown.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{shown}\n");
        }
    }
    text
}

/// Returns `## 7 · user Ada · 2026-01-02T03:04:05.678Z`.
fn heading(message: &Message) -> String {
    let mut text = format!("\n## {} · {}", message.seq, message.role);
    // Writing to a string cannot fail.
    if let Some(name) = &message.name {
        let _ = write!(text, " {}", one_line(name));
    }
    if let Some(model) = &message.model {
        let _ = write!(text, " ({})", one_line(model));
    }
    if let Some(at) = message.at {
        let _ = write!(text, " · {at}");
    }
    match message.visibility {
        Visibility::Talk => {}
        Visibility::Meta => text.push_str(" · no talk"),
        Visibility::Prompt => text.push_str(" · prompt"),
    }
    text.push('\n');
    text
}

fn part_text(part: &Part) -> String {
    match part {
        Part::Text { text } => closed(safe(text)),
        Part::Reasoning { text, .. } => quote(&safe(text)),
        Part::ToolUse {
            call_id,
            name,
            arguments,
        } => {
            let (name, call_id) = (one_line(name), one_line(call_id));
            format!("**call** {name} ({call_id})\n\n{}", fenced(arguments))
        }
        Part::ToolResult {
            call_id,
            content,
            is_error,
        } => {
            let word = if *is_error { "failed result" } else { "result" };
            let call_id = one_line(call_id);
            format!("**{word}** ({call_id})\n\n{}", fenced(content))
        }
        Part::Media { uri, mime } if uri.starts_with("data:") => {
            format!("[{}, {} bytes inline]", one_line(mime), uri.len())
        }
        Part::Media { uri, mime } => format!("[{}: {}]", one_line(mime), one_line(uri)),
        Part::Opaque { json } => fenced(json),
    }
}

fn one_line(text: &str) -> String {
    safe(text).replace(['\n', '\t'], " ")
}

fn quote(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// Closes a fence that a text leaves open: what comes after it is another's.
fn closed(mut text: String) -> String {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let Some((fence, info)) = fence(line) else {
            continue;
        };
        match open {
            None => open = Some(fence),
            Some(begun) if fence.starts_with(begun) && info.trim().is_empty() => open = None,
            Some(_) => {}
        }
    }
    if let Some(fence) = open.map(str::to_owned) {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        text.push_str(end);
        text.push_str(&fence);
    }
    text
}

/// Splits a line that begins or ends fenced text into the fence and what stands behind it.
fn fence(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim_start_matches(' ');
    let mark = bare.chars().next().filter(|mark| "`~".contains(*mark))?;
    let info = bare.trim_start_matches(mark);
    let fence = bare.strip_suffix(info)?;
    let is_fence = fence.len() >= 3 && line.len() - bare.len() <= 3;
    // With a backtick behind it, it is code within a line.
    let is_code = mark == '`' && info.contains('`');
    (is_fence && !is_code).then_some((fence, info))
}

/// Returns text in a fence longer than any run of backticks in it.
fn fenced(text: &str) -> String {
    let text = safe(text);
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}\n{text}{end}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ConversationId, MessageId, NewMessage, Role, Seq, Timestamp};

    fn stored(new: NewMessage) -> Message {
        Message::from_new(
            new,
            MessageId::new(9),
            ConversationId::new(1),
            Seq::new(7).unwrap(),
        )
    }

    #[test]
    fn a_message_has_a_heading_and_its_parts() {
        let mut new = NewMessage::user("Look.\n").at(Timestamp::from_millis(0));
        new.name = Some("Ada".to_owned());
        let want = "\n## 7 · user Ada · 1970-01-01T00:00:00.000Z\n\nLook.\n";
        assert_eq!(message(&stored(new)), want);
        let call = stored(NewMessage::tool_use("c1", "ls", "{\"a\":1}"));
        let want = "\n## 7 · assistant\n\n**call** ls (c1)\n\n```\n{\"a\":1}\n```\n";
        assert_eq!(message(&call), want);
        let noise = stored(NewMessage::text(Role::User, "noise").meta());
        assert!(message(&noise).starts_with("\n## 7 · user · no talk\n"));
    }

    #[test]
    fn a_continuation_has_no_heading() {
        let mut row = stored(NewMessage::assistant("and so on"));
        row.continues = Seq::new(6);
        assert_eq!(message(&row), "\nand so on\n");
    }

    #[test]
    fn stored_text_closes_no_fence_and_steers_no_terminal() {
        let result = stored(NewMessage::tool_result(
            "c",
            "a\n````\n# no heading\u{1b}[2J",
        ));
        let text = message(&result);
        assert!(text.contains("\n`````\na\n````\n"), "{text}");
        assert!(text.ends_with("\n`````\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        let key = SessionKey::new("a\nb").unwrap();
        assert_eq!(title(&key), "# a b\n");
    }

    #[test]
    fn a_fence_that_a_message_leaves_open_ends_with_it() {
        for (text, end) in [
            ("```rust\nfn f()", "\nfn f()\n```\n"),
            ("~~~~\n```\nx\n~~~", "\n~~~\n~~~~\n"),
            ("```\nx\n```\n", "\nx\n```\n"),
            ("```\nx\n`````  ", "\nx\n`````  \n"),
            ("```\nx\n``` y", "\n``` y\n```\n"),
            ("```a``` b", "\n```a``` b\n"),
            ("    ```\nx", "```\nx\n"),
        ] {
            let shown = message(&stored(NewMessage::user(text)));
            assert!(shown.ends_with(end), "{text:?} {shown:?}");
        }
    }
}
