//! A page of an expansion: what fits, where it is cut, where the next one begins.
//! May not read the store.

use super::error::EngineError;
use crate::domain::{
    ExpandReply, ExpandRequest, ExpandedMessage, ExpandedSummary, ItemId, Message, Part, Piece,
    SessionKey, Sources, TokenCounter, Tokens, ToolResults, cost,
};
use crate::policy::assemble::summary_tokens;

/// One thing to show.
#[derive(Debug, Clone)]
pub(super) enum Unit {
    Message(Message, SessionKey),
    Summary(ExpandedSummary),
}

/// Where a page begins: the unit, and the byte within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    unit: usize,
    byte: usize,
}

/// All that a request asks for, in order.
pub(super) struct Asked {
    pub(super) units: Vec<Unit>,
    pub(super) missing: Vec<ItemId>,
}

pub(super) fn page(
    asked: Asked,
    start: Place,
    request: &ExpandRequest,
    counter: &dyn TokenCounter,
) -> ExpandReply {
    let mut reply = ExpandReply {
        messages: Vec::new(),
        summaries: Vec::new(),
        tokens: Tokens::ZERO,
        cursor: None,
        missing: asked.missing,
    };
    for (index, unit) in asked.units.into_iter().enumerate().skip(start.unit) {
        let byte = if index == start.unit { start.byte } else { 0 };
        let left = request.max_tokens.saturating_sub(reply.tokens);
        let is_first = reply.messages.is_empty() && reply.summaries.is_empty();
        match unit {
            Unit::Summary(summary) => {
                let tokens = tokens_of_summary(&summary, counter);
                if tokens > left && !is_first {
                    reply.cursor = Some(
                        Place {
                            unit: index,
                            byte: 0,
                        }
                        .format(),
                    );
                    break;
                }
                reply.tokens += tokens;
                reply.summaries.push(summary);
            }
            Unit::Message(message, session) => {
                let (message, omitted) = omit(message, request.tool_results);
                let tokens = tokens_of(&message, counter);
                if byte == 0 && tokens <= left {
                    reply.tokens += tokens;
                    reply.messages.push(ExpandedMessage {
                        message,
                        session,
                        omitted,
                        cut: None,
                    });
                    continue;
                }
                if byte == 0 && !is_first {
                    reply.cursor = Some(
                        Place {
                            unit: index,
                            byte: 0,
                        }
                        .format(),
                    );
                    break;
                }
                let (piece, cut) = cut(message, byte, left, counter);
                reply.tokens += tokens_of(&piece, counter);
                reply.messages.push(ExpandedMessage {
                    message: piece,
                    session,
                    omitted,
                    cut: Some(cut),
                });
                if cut.to < cut.of {
                    let byte = usize::try_from(cut.to).unwrap_or(usize::MAX);
                    reply.cursor = Some(Place { unit: index, byte }.format());
                    break;
                }
            }
        }
    }
    reply
}

fn tokens_of_summary(summary: &ExpandedSummary, counter: &dyn TokenCounter) -> Tokens {
    let children = match &summary.sources {
        Sources::Children(children) => children.as_slice(),
        Sources::Messages(_) => &[],
    };
    std::iter::once(&summary.summary)
        .chain(children)
        .map(|summary| summary_tokens(&summary.body, counter))
        .sum()
}

fn tokens_of(message: &Message, counter: &dyn TokenCounter) -> Tokens {
    message
        .parts
        .iter()
        .map(|part| cost::PART + counter.count(part.body()))
        .sum::<Tokens>()
        + cost::MESSAGE
}

/// Leaves tool results out, with their sizes.
fn omit(mut message: Message, tool_results: ToolResults) -> (Message, Vec<(usize, u64)>) {
    let mut omitted = Vec::new();
    if tool_results == ToolResults::Omit {
        for (index, part) in message.parts.iter_mut().enumerate() {
            if let Part::ToolResult { content, .. } = part
                && !content.is_empty()
            {
                omitted.push((index, u64::try_from(content.len()).unwrap_or(u64::MAX)));
                content.clear();
            }
        }
    }
    (message, omitted)
}

/// Cuts the piece that begins at `from` and holds about `room` tokens out of a message.
fn cut(
    mut message: Message,
    from: usize,
    room: Tokens,
    counter: &dyn TokenCounter,
) -> (Message, Piece) {
    let all: usize = message.parts.iter().map(|part| part.body().len()).sum();
    let mut skip = from.min(all);
    let mut taken = 0;
    let mut left = room.saturating_sub(cost::MESSAGE);
    let mut parts = Vec::new();
    for part in std::mem::take(&mut message.parts) {
        let text = part.body();
        if skip >= text.len() && skip > 0 {
            skip -= text.len();
            continue;
        }
        let begin = floor_boundary(text, skip);
        skip = 0;
        let rest = text.get(begin..).unwrap_or_default();
        let size = fitting(rest, left.saturating_sub(cost::PART), counter);
        // At least one character a page, or a tiny page would never end.
        let size = if taken == 0 && size == 0 {
            first_char(rest)
        } else {
            size
        };
        let piece = rest.get(..size).unwrap_or_default().to_owned();
        left = left.saturating_sub(counter.count(&piece) + cost::PART);
        taken += piece.len();
        let is_whole = size == rest.len();
        parts.push(with_body(part, piece));
        if !is_whole {
            break;
        }
    }
    message.parts = parts;
    let to = from.min(all) + taken;
    let wide = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    (
        message,
        Piece {
            from: wide(from.min(all)),
            to: wide(to),
            of: wide(all),
        },
    )
}

/// The most bytes of `text`, ending at a character, that `room` tokens hold.
fn fitting(text: &str, room: Tokens, counter: &dyn TokenCounter) -> usize {
    if counter.count(text) <= room {
        return text.len();
    }
    let (mut fits, mut exceeds) = (0, text.len());
    while exceeds - fits > 1 {
        let middle = floor_boundary(text, fits + (exceeds - fits) / 2);
        if middle <= fits {
            break;
        }
        if counter.count(text.get(..middle).unwrap_or_default()) <= room {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    fits
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn first_char(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn with_body(mut part: Part, body: String) -> Part {
    match &mut part {
        Part::Text { text } | Part::Reasoning { text, .. } => *text = body,
        Part::ToolUse { arguments, .. } => *arguments = body,
        Part::ToolResult { content, .. } => *content = body,
        Part::Media { uri, .. } => *uri = body,
        Part::Opaque { json } => *json = body,
    }
    part
}

impl Place {
    fn format(self) -> String {
        format!("{}.{}", self.unit, self.byte)
    }

    pub(super) fn parse(cursor: &str) -> Result<Self, EngineError> {
        let parsed = cursor.split_once('.').and_then(|(unit, byte)| {
            Some(Self {
                unit: unit.parse().ok()?,
                byte: byte.parse().ok()?,
            })
        });
        parsed.ok_or_else(|| {
            EngineError::wrong_use(
                format!("`{cursor}` is no cursor of an expansion"),
                "give the cursor that the last page ended with, and the same ids".to_owned(),
            )
        })
    }
}
