//! Source text as blocks: a line of ours over each body.
//! May not cut: `fit` does.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use crate::domain::{Message, Part, Span, Summary, Visibility};

use super::Child;

/// Blocks that a memory tool puts at the beginning of a user's message. They are recalled talk,
/// not talk, and would come back as facts again and again.
const RECALLED: [&str; 6] = [
    "relevant-memories",
    "relevant_memories",
    "recalled-memories",
    "memories",
    "memory",
    "memory-context",
];

/// A name in a line of ours is no longer than this.
const NAME_CHARS: usize = 80;

/// One message or summary: its line and what stands under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// The line, without the mark.
    pub label: String,
    /// The rows it stands for.
    pub span: Span,
    /// What it says, part by part.
    pub pieces: Vec<Piece<'a>>,
}

/// One part of a block: a line of ours, where the part needs one, over a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// The line, without the mark; none for plain text.
    pub label: Option<String>,
    /// The body.
    pub body: Cow<'a, str>,
}

impl Block<'_> {
    /// Returns every text in the block that is not ours.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        let pieces = self.pieces.iter();
        let texts =
            pieces.flat_map(|piece| piece.label.as_deref().into_iter().chain([&*piece.body]));
        std::iter::once(self.label.as_str()).chain(texts)
    }
}

/// Shows a summary that stands before the source.
pub(super) fn earlier(summary: &Summary) -> Block<'_> {
    summary_block("earlier", summary)
}

fn summary_block<'a>(kind: &str, summary: &'a Summary) -> Block<'a> {
    let node = &summary.node;
    let mut label = format!(
        "{kind} s{} depth {} of messages {}",
        node.id, node.depth, node.span
    );
    if let (Some(from), Some(to)) = (node.from, node.to) {
        write_into(&mut label, format_args!(" from {from} to {to}"));
    }
    Block {
        label,
        span: node.span,
        pieces: vec![Piece {
            label: None,
            body: Cow::Borrowed(&summary.body),
        }],
    }
}

/// Shows a source: each message with who speaks, its time and its tools.
pub(super) fn blocks<'a>(source: impl Iterator<Item = Child<'a>>) -> Vec<Block<'a>> {
    let mut tools: HashMap<&str, &str> = HashMap::new();
    let mut blocks = Vec::new();
    for child in source {
        let message = match child {
            Child::Summary(summary) => {
                blocks.push(summary_block("summary", summary));
                continue;
            }
            Child::Message(message) => message,
        };
        for part in &message.parts {
            if let Part::ToolUse { call_id, name, .. } = part {
                tools.insert(call_id, name);
            }
        }
        let is_start = |part_idx: usize| part_idx == 0 && message.continues.is_none();
        let parts = message.parts.iter().enumerate();
        blocks.push(Block {
            label: message_label(message),
            span: Span::single(message.seq),
            pieces: parts
                .flat_map(|(part_idx, part)| match part {
                    Part::Text { text } if is_start(part_idx) => text_pieces(text),
                    _ => piece(part, &tools).into_iter().collect(),
                })
                .collect(),
        });
    }
    blocks
}

fn message_label(message: &Message) -> String {
    let mut label = format!("message {} {}", message.seq, message.role);
    if let Some(head) = message.continues {
        write_into(&mut label, format_args!(" (continues {head})"));
    }
    label.push_str(match message.visibility {
        Visibility::Talk => "",
        Visibility::Meta => " (meta)",
        Visibility::Prompt => " (meta, system prompt)",
    });
    if let Some(name) = &message.name {
        write_into(&mut label, format_args!(" {}", plain(name)));
    }
    if let Some(at) = message.at {
        write_into(&mut label, format_args!(" at {at}"));
    }
    label
}

fn piece<'a>(part: &'a Part, tools: &HashMap<&str, &str>) -> Option<Piece<'a>> {
    let (label, body): (Option<String>, &str) = match part {
        Part::Text { text } => (None, text),
        Part::Reasoning { .. } => return None,
        Part::ToolUse {
            name, arguments, ..
        } => (Some(format!("call of {}", plain(name))), arguments),
        Part::ToolResult {
            call_id,
            content,
            is_error,
        } => {
            let kind = if *is_error { "error" } else { "result" };
            let tool = tools.get(call_id.as_str());
            let label = match tool {
                Some(name) => format!("{kind} of {}", plain(name)),
                None => format!("{kind} of call {}", plain(call_id)),
            };
            (Some(label), content)
        }
        Part::Media { uri, mime } => {
            let label = format!("media {}", plain(mime));
            // The bytes of a picture say nothing to a reader of text.
            let body = if uri.starts_with("data:") { "" } else { uri };
            (Some(label), body)
        }
        Part::Opaque { json } => (Some("block of an unknown kind".to_owned()), json),
    };
    Some(Piece {
        label,
        body: Cow::Borrowed(body),
    })
}

/// Parts recalled memory at the beginning of a text from what is said.
fn text_pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((block, after)) = RECALLED.iter().find_map(|tag| leading_block(rest, tag)) {
        pieces.push(Piece {
            label: Some(format!(
                "cut: {} bytes of recalled memory, not said here",
                block.len()
            )),
            body: Cow::Borrowed(""),
        });
        rest = after;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(Piece {
            label: None,
            body: Cow::Borrowed(rest),
        });
    }
    pieces
}

fn leading_block<'text>(text: &'text str, tag: &str) -> Option<(&'text str, &'text str)> {
    let trimmed = text.trim_start();
    let inner = trimmed.strip_prefix('<')?.strip_prefix(tag)?;
    if !inner.starts_with(['>', ' ']) {
        return None;
    }
    let closing = format!("</{tag}>");
    let end = trimmed.find(&closing)? + closing.len();
    trimmed.split_at_checked(end)
}

/// Makes a name fit for a line of ours: one line, nothing that moves a cursor, not long.
fn plain(name: &str) -> String {
    let visible = name
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    visible.take(NAME_CHARS).collect()
}

fn write_into(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _written = text.write_fmt(arguments);
}
