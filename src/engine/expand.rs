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
            return Err(EngineError::wrong_use(
                "no ids to expand",
                "give at least one id, such as 42 or s12",
            ));
        }
        if request.max_tokens == Tokens::ZERO {
            return Err(EngineError::wrong_use(
                "a page of 0 tokens shows nothing",
                "give max_tokens of at least 1",
            ));
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
    let rows = reader.whole_message(row.conversation, row.continues.unwrap_or(row.seq))?;
    for message in whole_messages(rows) {
        push_whole(reader, message, shown, units)?;
    }
    Ok(())
}

fn push_whole(
    reader: &Reader,
    message: Message,
    shown: &mut BTreeSet<MessageId>,
    units: &mut Vec<Unit>,
) -> Result<(), StoreError> {
    if shown.insert(message.id) {
        let session = reader.branch(message.conversation)?.session;
        units.push(Unit::Message(message, session));
    }
    Ok(())
}

/// Joins heads and their continuations, all among `rows`, into messages with all their parts. No
/// cut falls inside a message, so a span holds it whole.
pub(super) fn whole_messages(rows: Vec<Message>) -> Vec<Message> {
    let mut whole: Vec<Message> = Vec::with_capacity(rows.len());
    for row in rows {
        let head = row
            .continues
            .and_then(|head| whole.iter_mut().rev().find(|message| message.seq == head));
        match head {
            Some(message) => {
                message.parts.extend(row.parts);
                message.tokens += row.tokens;
                message.view_tokens += row.view_tokens;
            }
            None => whole.push(row),
        }
    }
    whole
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
        for message in whole_messages(rows) {
            push_whole(reader, message, shown, units)?;
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
