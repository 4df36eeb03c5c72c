//! The record and the tree over it, through many compactions.

use std::collections::BTreeMap;

use hippocamp::domain::{
    Depth, EventKind, ItemId, Message, NewMessage, Sources, SummaryId, Tokens, TreeNode,
    ViewItemKind,
};
use hippocamp::engine::ViewBudget;

use crate::bench::{Bench, Model, Setup, sentence, talk};
use crate::walk;

/// A bench whose tree is at least two levels deep, after `rounds` compactions.
async fn grown(rounds: usize, model: Option<&std::sync::Arc<Model>>) -> Bench {
    let setup = Setup::window(3_000);
    let bench = match model {
        Some(model) => setup.model(model).bench(),
        None => setup.bench(),
    };
    for round in 0..rounds {
        bench.turn(tool_talk(round)).await;
        bench.engine.settle().await.unwrap();
        let under = Tokens::new([2_000, 500][round % 2]);
        let report = bench
            .engine
            .compact_until_under(&bench.session, under)
            .await;
        assert!(report.unwrap().tokens_after > Tokens::ZERO);
    }
    bench
}

/// A turn of talk with a batch of two calls in it.
fn tool_talk(round: usize) -> Vec<NewMessage> {
    let ids = [format!("a{round}"), format!("b{round}")];
    let mut calls = NewMessage::tool_use(ids[0].clone(), "Read", format!("{{\"n\":{round}}}"));
    calls
        .parts
        .extend(NewMessage::tool_use(ids[1].clone(), "Grep", "{}").parts);
    let mut turn = talk(round * 10, 6, 25);
    turn.push(calls);
    turn.push(NewMessage::tool_result(ids[0].clone(), sentence(round, 30)));
    turn.push(NewMessage::tool_result(
        ids[1].clone(),
        sentence(round + 1, 30),
    ));
    turn.push(NewMessage::assistant(sentence(round + 2, 12)));
    turn
}

#[tokio::test]
async fn technique_v1_no_operation_on_the_view_touches_the_record() {
    let bench = Setup::window(3_000).bench();
    let mut said: Vec<Message> = Vec::new();
    for round in 0..6 {
        bench.append(tool_talk(round)).await;
        let before = bench.stored();
        assert_eq!(before[..said.len()], said, "an append changed older rows");
        bench.turn(Vec::new()).await;
        bench.engine.compact(&bench.session).await.unwrap();
        bench.engine.finish_stage(&bench.session).await.unwrap();
        let under = Tokens::new(700);
        bench
            .engine
            .compact_until_under(&bench.session, under)
            .await
            .unwrap();
        for budget in [1, 300, 3_000, 100_000] {
            bench.view(budget).await;
        }
        bench.engine.settle().await.unwrap();
        said = bench.stored();
        assert_eq!(said, before, "compaction changed rows of messages");
    }
    bench.check().await;
}

/// Plays the events of a conversation: which summaries stand after each.
fn replay(bench: &Bench, events: &[hippocamp::domain::Event]) -> Vec<SummaryId> {
    let mut standing: BTreeMap<u64, (u64, SummaryId)> = BTreeMap::new();
    for event in events {
        if !matches!(event.kind, EventKind::Leaf | EventKind::Condense) {
            continue;
        }
        let (span, id) = (event.span.unwrap(), event.summary.unwrap());
        // A new summary takes the place of all that it covers.
        standing.retain(|first, _| *first < span.first().get() || *first > span.last().get());
        standing.insert(span.first().get(), (span.last().get(), id));
    }
    assert!(!standing.is_empty(), "{:?}", bench.session);
    standing.into_values().map(|(_, id)| id).collect()
}

#[tokio::test]
async fn technique_v2_the_events_played_again_give_the_frontier() {
    let bench = grown(6, None).await;
    let events = bench.engine.events(&bench.session).await.unwrap();
    let frontier: Vec<SummaryId> = walk::frontier_ids(&bench.reader(), bench.branch())
        .into_iter()
        .filter_map(|id| match id {
            ItemId::Summary(id) => Some(id),
            ItemId::Message(_) => None,
        })
        .collect();
    assert_eq!(replay(&bench, &events), frontier);
    assert!(events.iter().any(|event| event.kind == EventKind::Condense));
}

#[tokio::test]
async fn technique_s8_each_node_stands_one_above_its_deepest_child_and_spans_them_all() {
    let bench = grown(14, None).await;
    let tree = bench.tree().await;
    let deepest = tree.iter().map(|node| node.depth).max().unwrap();
    assert!(deepest > Depth::new(1), "{tree:?}");
    for node in tree.iter().filter(|node| node.depth > Depth::LEAF) {
        let children = children_of(&bench, node).await;
        assert!(children.len() >= 2, "{node:?}");
        let below = children.iter().map(|child| child.0).max().unwrap();
        assert_eq!(node.depth.get(), below.get() + 1, "{node:?}");
        assert_eq!(children[0].1.0, node.span.first());
        assert_eq!(children[children.len() - 1].1.1, node.span.last());
        for pair in children.windows(2) {
            assert_eq!(pair[0].1.1.next(), pair[1].1.0, "children are neighbours");
        }
    }
}

type Child = (
    Depth,
    (hippocamp::domain::Seq, hippocamp::domain::Seq),
    SummaryId,
);

async fn children_of(bench: &Bench, node: &TreeNode) -> Vec<Child> {
    let request = hippocamp::domain::ExpandRequest::new(
        vec![ItemId::Summary(node.id)],
        hippocamp::domain::Reach::Session(bench.session.clone()),
    );
    let reply = bench.engine.expand(&request).await.unwrap();
    match &reply.summaries[0].sources {
        Sources::Children(children) => children
            .iter()
            .map(|child| {
                let span = child.node.span;
                (child.node.depth, (span.first(), span.last()), child.id())
            })
            .collect(),
        Sources::Messages(span) => panic!("{node:?} stands on messages {span}"),
    }
}

#[tokio::test]
async fn technique_z9_sources_exist_and_are_older_than_what_stands_on_them() {
    let bench = grown(8, Some(&Model::good())).await;
    let stored: Vec<_> = bench.stored().iter().map(|row| row.id).collect();
    for node in bench.tree().await {
        if node.depth > Depth::LEAF {
            // Ids are given in the order of commits, so a line of descent cannot close a circle.
            for (_, _, child) in children_of(&bench, &node).await {
                assert!(child < node.id, "{child:?} under {node:?}");
            }
        }
        let reached = bench.walk(ItemId::Summary(node.id)).await;
        assert!(!reached.is_empty());
        assert!(reached.iter().all(|row| stored.contains(&row.id)));
    }
}

#[tokio::test]
async fn technique_z7_z8_every_message_is_shown_or_under_one_summary_after_two_to_ten_rounds() {
    for rounds in 2..=10 {
        let bench = grown(rounds, None).await;
        // Ends the walk down the frontier at the stored messages, each once and in order.
        bench.check().await;
        let view = bench
            .engine
            .view(&bench.session, ViewBudget::Of(Tokens::new(1_000_000)))
            .await
            .unwrap();
        let mut next = 1;
        for item in &view.items {
            let span = item.span.unwrap();
            if item.kind == ViewItemKind::Request {
                continue;
            }
            assert_eq!(span.first().get(), next, "round {rounds}: {:?}", item.kind);
            next = span.last().get() + 1;
        }
        assert_eq!(next, bench.stored().last().unwrap().seq.get() + 1);
    }
}
