//! The way down: what the rows of a store say, and what `expand` gives back of them.

use std::path::Path;

use hippocamp::domain::{
    ConversationId, ExpandRequest, FrontierItem, ItemId, Message, Reach, SessionKey, Sources, Span,
    Tokens, ToolResults,
};
use hippocamp::engine::{Durability, Engine};
use hippocamp::store::{OpenMode, Reader, Store};

/// Opens a connection of its own to a store that an engine has open.
pub(crate) fn reader(path: &Path) -> Reader {
    let store = Store::open(path, OpenMode::Existing, Durability::Normal).unwrap();
    store.reader().unwrap()
}

/// Returns the messages of a branch from its rows, read by their ids: continuations are joined
/// to their head.
pub(crate) fn stored(reader: &Reader, branch: ConversationId) -> Vec<Message> {
    let Some(head) = reader.conversation_by_id(branch).unwrap().unwrap().head else {
        return Vec::new();
    };
    let span = Span::new(hippocamp::domain::Seq::FIRST, head).unwrap();
    let ids: Vec<_> = reader
        .messages(branch, span)
        .unwrap()
        .iter()
        .map(|row| row.id)
        .collect();
    assert_eq!(
        ids.len() as u64,
        span.n_rows(),
        "a row of the branch is missing"
    );
    let mut whole: Vec<Message> = Vec::new();
    for row in reader.messages_by_id(&ids).unwrap() {
        let Some(seq) = row.continues else {
            whole.push(row);
            continue;
        };
        let head = whole.iter_mut().rev().find(|head| head.seq == seq).unwrap();
        head.parts.extend(row.parts);
        head.tokens += row.tokens;
        head.view_tokens += row.view_tokens;
    }
    whole
}

/// Returns the ids on the frontier that views walk.
pub(crate) fn frontier_ids(reader: &Reader, branch: ConversationId) -> Vec<ItemId> {
    let (frontier, warnings) = reader.view_frontier(branch).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let prompt = frontier
        .prompt
        .iter()
        .flat_map(|prompt| &prompt.rows)
        .copied();
    let items = frontier.items.iter().map(|item| match item {
        FrontierItem::Node(node) => ItemId::Summary(node.id),
        FrontierItem::Raw(row) => ItemId::Message(row.id),
    });
    prompt.map(ItemId::Message).chain(items).collect()
}

/// Expands one id whole, page by page.
async fn expand(engine: &Engine, session: &SessionKey, id: ItemId) -> (Vec<Message>, Vec<Sources>) {
    let mut request = ExpandRequest::new(vec![id], Reach::Session(session.clone()))
        .tool_results(ToolResults::Include)
        .max_tokens(Tokens::new(1_000_000_000));
    let (mut messages, mut sources) = (Vec::new(), Vec::new());
    loop {
        let reply = engine.expand(&request).await.unwrap();
        assert!(reply.missing.is_empty(), "{id:?} is out of reach");
        for row in reply.messages {
            assert!(
                row.cut.is_none() && row.omitted.is_empty(),
                "{id:?} comes in pieces"
            );
            messages.push(row.message);
        }
        sources.extend(reply.summaries.into_iter().map(|summary| summary.sources));
        request.cursor = reply.cursor;
        if request.cursor.is_none() {
            return (messages, sources);
        }
    }
}

/// Walks `expand` down from one id to the messages below it, in their order.
pub(crate) async fn walk_down(engine: &Engine, session: &SessionKey, id: ItemId) -> Vec<Message> {
    let mut ids = vec![id];
    let mut found: Vec<Message> = Vec::new();
    while let Some(id) = ids.pop() {
        let (messages, sources) = expand(engine, session, id).await;
        found.extend(messages);
        for sources in sources {
            if let Sources::Children(children) = sources {
                // The last pushed is walked first.
                ids.extend(
                    children
                        .iter()
                        .rev()
                        .map(|child| ItemId::Summary(child.id())),
                );
            }
        }
    }
    found
}

/// Walks down from several ids; a message that two of them lead to comes once.
pub(crate) async fn walk_all(
    engine: &Engine,
    session: &SessionKey,
    ids: &[ItemId],
) -> Vec<Message> {
    let mut found: Vec<Message> = Vec::new();
    for id in ids {
        for message in walk_down(engine, session, *id).await {
            if !found.iter().any(|known| known.id == message.id) {
                found.push(message);
            }
        }
    }
    found
}
