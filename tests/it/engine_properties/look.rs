//! Ways of looking at an engine from outside.

use std::collections::BTreeMap;

use hippocamp::domain::{
    ExpandRequest, ItemId, Message, MessageId, Part, Reach, Seq, SessionKey, Sources, Span,
    Summary, Tokens, ToolResults, View, ViewItemKind,
};
use hippocamp::engine::Engine;

/// Walks `expand` down from every item of a view that left nothing out.
pub(super) async fn walk(engine: &Engine, session: &SessionKey, view: &View) -> Vec<Message> {
    let tree = engine.tree(session).await.unwrap();
    let mut rows: BTreeMap<Seq, Message> = BTreeMap::new();
    let mut ids: Vec<ItemId> = view.items.iter().filter_map(|item| item.id).collect();
    while let Some(id) = ids.pop() {
        let request = ExpandRequest::new(vec![id], Reach::Session(session.clone()))
            .tool_results(ToolResults::Include)
            .max_tokens(Tokens::new(10_000_000));
        let reply = engine.expand(&request).await.unwrap();
        assert!(
            reply.missing.is_empty(),
            "{id} is shown and cannot be expanded"
        );
        for row in reply.messages {
            rows.insert(row.message.seq, row.message);
        }
        for summary in reply.summaries {
            if let Sources::Children(children) = summary.sources {
                // A parent keeps the children it was made from: one that has been written anew since
                // stands in the tree in its newest version.
                let is_listed = |child: &Summary| {
                    tree.iter().any(|node| {
                        (node.depth, node.span) == (child.node.depth, child.node.span)
                            && node.id >= child.id()
                    })
                };
                assert!(
                    children.iter().all(is_listed),
                    "{id}: {children:?}\n{tree:?}"
                );
                ids.extend(children.iter().map(|child| ItemId::Summary(child.id())));
            }
        }
    }
    // Raw rows with nothing to show (meta, older prompts, blanks, open calls) are items of the
    // frontier and not of the view. A row under a summary must have been reached through it.
    let covered: Vec<Span> = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Summary)
        .filter_map(|item| item.span)
        .collect();
    for row in own_rows(engine, session).await {
        if !covered.iter().any(|span| span.contains(row.seq)) {
            rows.entry(row.seq).or_insert(row);
        }
    }
    rows.into_values().collect()
}

/// Every row within a session's reach, by asking for every id there can be.
pub(super) async fn own_rows(engine: &Engine, session: &SessionKey) -> Vec<Message> {
    let last = engine.stats().await.unwrap().rows + 1_000;
    let ids = (1..i64::try_from(last).unwrap()).map(|id| ItemId::Message(MessageId::new(id)));
    let request = ExpandRequest::new(ids.collect(), Reach::Session(session.clone()))
        .tool_results(ToolResults::Include)
        .max_tokens(Tokens::new(10_000_000));
    let rows = engine.expand(&request).await.unwrap().messages;
    rows.into_iter().map(|row| row.message).collect()
}

/// I4 and I5 on one view.
#[track_caller]
pub(super) fn check_view(view: &View) {
    let sum: Tokens = view.items.iter().map(|item| item.tokens).sum();
    assert_eq!(sum, view.tokens, "a view's tokens are its items'");
    assert!(
        view.tokens <= view.budget || !view.fits,
        "I5: {} > {}",
        view.tokens,
        view.budget
    );
    assert_eq!(view.fits, view.excess.is_none());
    let mut open: Vec<&str> = Vec::new();
    for item in &view.items {
        for part in &item.parts {
            match part {
                Part::ToolUse { call_id, .. } => open.push(call_id),
                Part::ToolResult { call_id, .. } => open.retain(|id| id != call_id),
                _ => {}
            }
        }
        if item.kind == ViewItemKind::Summary {
            let text = format!("{:?}", item.parts);
            assert_eq!(
                text.matches("<summary ").count(),
                1,
                "a wrapper is forged in {item:?}"
            );
            assert_eq!(
                text.matches("</summary>").count(),
                1,
                "a wrapper is broken in {item:?}"
            );
        }
    }
}
