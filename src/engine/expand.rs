//! Expansion: rows shown whole, page by page, within reach.
//! May not show a row that the caller's session cannot see.

use std::collections::BTreeSet;

use super::core::{Engine, resolve};
use super::error::EngineError;
use super::page::{Asked, Place, Unit, page};
use crate::domain::{
    ConversationId, Depth, ExpandReply, ExpandRequest, ExpandedSummary, ItemId, Message, MessageId,
    Node, Reach, Scope, Sources, Summary, SummaryId, Tokens,
};
use crate::store::{Reader, StoreError};

impl Engine {
    /// Shows rows whole: messages with their parts, summaries with what they were made from (a
    /// leaf's messages follow among the messages). Ids that no row in reach has are named in
    /// `missing`. A page holds about `max_tokens`; a message larger than a page comes in pieces.
    ///
    /// # Errors
    /// `Usage` for no ids, a page of 0 tokens or a cursor that is none; `UnknownSession`; `Store`.
    pub async fn expand(&self, request: &ExpandRequest) -> Result<ExpandReply, EngineError> {
        if request.ids.is_empty() {
            return Err(EngineError::Usage {
                message: "no ids to expand".to_owned(),
                hint: Some("give at least one id, such as 42 or s12".to_owned()),
            });
        }
        if request.max_tokens == Tokens::ZERO {
            return Err(EngineError::Usage {
                message: "a page of 0 tokens shows nothing".to_owned(),
                hint: Some("give max_tokens of at least 1".to_owned()),
            });
        }
        let start = match &request.cursor {
            Some(cursor) => Place::parse(cursor)?,
            None => Place::default(),
        };
        let ids = unique(&request.ids);
        let reach = request.reach.clone();
        let asked = self
            .core
            .db
            .read(move |reader| {
                let scope = match &reach {
                    Reach::All => Scope::All,
                    Reach::Session(session) => match resolve(reader, session)? {
                        Ok(conversation) => Scope::Branch(conversation.id),
                        Err(unknown) => return Ok(Err(unknown)),
                    },
                };
                gather(reader, &ids, scope).map(Ok)
            })
            .await??;
        Ok(page(asked, start, request, self.core.counter.as_ref()))
    }
}

/// Each id once, in the order asked for.
fn unique(ids: &[ItemId]) -> Vec<ItemId> {
    let mut seen = BTreeSet::new();
    ids.iter().copied().filter(|id| seen.insert(*id)).collect()
}

fn gather(reader: &Reader, ids: &[ItemId], scope: Scope) -> Result<Asked, StoreError> {
    let homes = reader.items_within(scope, ids)?;
    let (found, missing): (Vec<_>, Vec<_>) = ids
        .iter()
        .copied()
        .zip(homes)
        .partition(|(_, home)| home.is_some());
    let missing = missing.into_iter().map(|(id, _)| id).collect();
    let mut units = Vec::new();
    let mut shown = BTreeSet::new();
    for (id, _) in found {
        match id {
            ItemId::Message(id) => {
                for message in reader.messages_by_id(&[id])? {
                    push_message(reader, &message, &mut shown, &mut units)?;
                }
            }
            ItemId::Summary(id) => push_summary(reader, id, &mut shown, &mut units)?,
        }
    }
    Ok(Asked { units, missing })
}

/// Adds the whole message that a row belongs to, once.
fn push_message(
    reader: &Reader,
    row: &Message,
    shown: &mut BTreeSet<MessageId>,
    units: &mut Vec<Unit>,
) -> Result<(), StoreError> {
    let whole = reader.whole_message(row.conversation, row.continues.unwrap_or(row.seq))?;
    let Some(message) = join(whole) else {
        return Ok(());
    };
    if shown.insert(message.id) {
        let session = reader.branch(message.conversation)?.session;
        units.push(Unit::Message(message, session));
    }
    Ok(())
}

/// Joins a head and its continuations into one message with all their parts.
fn join(rows: Vec<Message>) -> Option<Message> {
    let mut rows = rows.into_iter();
    let mut whole = rows.next()?;
    for row in rows {
        whole.parts.extend(row.parts);
        whole.tokens += row.tokens;
        whole.view_tokens += row.view_tokens;
    }
    Some(whole)
}

fn push_summary(
    reader: &Reader,
    id: SummaryId,
    shown: &mut BTreeSet<MessageId>,
    units: &mut Vec<Unit>,
) -> Result<(), StoreError> {
    for summary in reader.summaries_by_id(&[id])? {
        let node = summary.node.clone();
        let session = reader.branch(node.conversation)?.session;
        let (sources, rows) = sources_of(reader, &node)?;
        units.push(Unit::Summary(ExpandedSummary {
            summary,
            session,
            sources,
        }));
        for row in rows {
            if row.continues.is_none() || !shown.contains(&row.id) {
                push_message(reader, &row, shown, units)?;
            }
        }
    }
    Ok(())
}

/// The children of a node; for a leaf, and where a child is missing, the messages.
fn sources_of(reader: &Reader, node: &Node) -> Result<(Sources, Vec<Message>), StoreError> {
    if node.depth == Depth::LEAF {
        let rows = reader.messages(node.conversation, node.span)?;
        return Ok((Sources::Messages(node.span), rows));
    }
    let children = reader.children(node.id)?;
    let ids: Vec<SummaryId> = children.iter().map(|child| child.id).collect();
    let summaries: Vec<Summary> = reader.summaries_by_id(&ids)?;
    let uncovered = uncovered_rows(reader, node.conversation, node, &children)?;
    Ok((Sources::Children(summaries), uncovered))
}

/// Messages inside a node that no child covers: only where a row is broken.
fn uncovered_rows(
    reader: &Reader,
    conversation: ConversationId,
    node: &Node,
    children: &[Node],
) -> Result<Vec<Message>, StoreError> {
    let mut rows = Vec::new();
    let mut next = node.span.first();
    for child in children {
        if let Some(last) = child.span.first().prev()
            && let Some(gap) = crate::domain::Span::new(next, last)
        {
            rows.extend(reader.messages(conversation, gap)?);
        }
        next = child.span.last().next();
    }
    if let Some(gap) = crate::domain::Span::new(next, node.span.last()) {
        rows.extend(reader.messages(conversation, gap)?);
    }
    Ok(rows)
}
<<<<<<< HEAD
=======

fn page(
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
        .map(|part| cost::PART + counter.count(body(part)))
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
    let all: usize = message.parts.iter().map(|part| body(part).len()).sum();
    let mut skip = from.min(all);
    let mut taken = 0;
    let mut left = room.saturating_sub(cost::MESSAGE);
    let mut parts = Vec::new();
    for part in std::mem::take(&mut message.parts) {
        let text = body(&part);
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

/// The words of a part that a page counts and cuts.
fn body(part: &Part) -> &str {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text,
        Part::ToolUse { arguments, .. } => arguments,
        Part::ToolResult { content, .. } => content,
        Part::Media { uri, .. } => uri,
        Part::Opaque { json } => json,
    }
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

    fn parse(cursor: &str) -> Result<Self, EngineError> {
        let parsed = cursor.split_once('.').and_then(|(unit, byte)| {
            Some(Self {
                unit: unit.parse().ok()?,
                byte: byte.parse().ok()?,
            })
        });
        parsed.ok_or_else(|| EngineError::Usage {
            message: format!("`{cursor}` is no cursor of an expansion"),
            hint: Some(
                "give the cursor that the last page ended with, and the same ids".to_owned(),
            ),
        })
    }
}
>>>>>>> import
