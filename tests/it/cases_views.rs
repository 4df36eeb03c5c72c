//! What stays, where it stands and how to get back to it, at the level of the whole engine.

use std::collections::BTreeMap;

use hippocamp::domain::{ItemId, NewMessage, Part, Role, TimeRange, View, ViewItemKind};
use hippocamp::engine::ViewBudget;

use crate::bench::{Model, Setup, raw_seqs, talk};
use crate::shared::shared;
use crate::support::{key, window};

#[tokio::test]
async fn b059_after_a_restart_a_key_has_its_rows_and_a_new_one_starts_empty() {
    let mut bench = Setup::window(8_000).bench();
    bench.append(talk(0, 5, 20)).await;
    let branch = bench.branch();
    bench.restart();
    bench.append(talk(5, 3, 20)).await;
    assert_eq!(bench.branch(), branch);
    assert_eq!(bench.stored().len(), 8);
    let other = key("another");
    let report = bench
        .engine
        .turn(&other, talk(90, 1, 20), window(8_000))
        .await
        .unwrap();
    assert_eq!(report.view.items.len(), 1, "{:?}", report.view.items);
    let sessions = bench.engine.sessions().await.unwrap();
    let counts: BTreeMap<&str, u64> = sessions
        .iter()
        .map(|row| (row.session.as_str(), row.messages))
        .collect();
    assert_eq!(counts, BTreeMap::from([("bench", 8), ("another", 1)]));
}

#[tokio::test]
async fn b056_reasoning_comes_back_byte_for_byte_and_a_search_passes_it_over() {
    let thought = Part::Reasoning {
        text: "pelican <&> \u{0} thoughts".to_owned(),
        signature: Some("c2lnbmVk+/=".to_owned()),
    };
    let call = Part::ToolUse {
        call_id: "c1".to_owned(),
        name: "Look".to_owned(),
        arguments: "{\"b\":1,\"a\":10000000000000000001}".to_owned(),
    };
    let mut bench = Setup::window(8_000).bench();
    let answer = NewMessage::new(Role::Assistant, vec![thought.clone(), call.clone()]);
    bench.append(vec![NewMessage::user("look"), answer]).await;
    bench
        .append(vec![NewMessage::tool_result("c1", "a quay")])
        .await;
    bench.restart();
    assert_eq!(bench.stored()[1].parts, [thought.clone(), call.clone()]);
    let rows = bench.walk(ItemId::Message(bench.stored()[1].id)).await;
    assert_eq!(rows[0].parts, [thought.clone(), call.clone()]);
    let view = bench.view(8_000).await;
    assert_eq!(
        view.items[1].parts,
        [thought.clone(), call],
        "the newest turn keeps it"
    );
    assert_eq!(bench.grep("pelican").await.total, 0);
    bench
        .append(vec![
            NewMessage::user("thanks"),
            NewMessage::assistant("gladly"),
        ])
        .await;
    let view = bench.view(8_000).await;
    assert!(
        !format!("{:?}", view.items).contains("pelican"),
        "an older turn does not"
    );
}

#[tokio::test]
async fn b055_shared_edits_of_the_history_delete_nothing() {
    let Some(folder) = shared("b055_shared_edits_of_the_history_delete_nothing") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("cases/B055_edited_history.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let bench = Setup::window(8_000).bench();
    let mut ids = Vec::new();
    for name in ["first_ingest", "second_ingest", "third_ingest"] {
        let list: Vec<NewMessage> = file[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let role = row[0].as_str().unwrap().parse().unwrap();
                NewMessage::text(role, row[1].as_str().unwrap())
            })
            .collect();
        let sync = bench
            .engine
            .sync(&bench.session, list.clone(), window(8_000))
            .await
            .unwrap();
        ids.extend(sync.appended.rows.iter().map(|row| row.id));
        let shown: Vec<&Vec<Part>> = sync.view.items.iter().map(|item| &item.parts).collect();
        let wanted: Vec<&Vec<Part>> = list.iter().map(|message| &message.parts).collect();
        assert_eq!(shown, wanted, "{name}: the view follows the newest list");
    }
    assert_eq!(
        bench.reader().messages_by_id(&ids).unwrap().len(),
        ids.len()
    );
    assert_eq!(ids.len(), 4 + 2 + 1);
}

#[tokio::test]
async fn b090_children_enter_a_merge_in_order_and_lead_back_to_each_message_once() {
    let model = Model::good();
    let bench = Setup::window(4_000).model(&model).bench();
    for index in 0..150 {
        bench.turn(talk(index * 2, 2, 60)).await;
        bench.clock.advance(60_000);
    }
    bench.engine.settle().await.unwrap();
    let mut n_merges = 0;
    for prompt in model.prompts() {
        let spans: Vec<&str> = prompt
            .text
            .match_indices("summary s")
            .map(|(at, _)| at)
            .map(|at| {
                let rest = &prompt.text[at..];
                let from = rest.find("of messages ").unwrap() + "of messages ".len();
                rest[from..].split([' ', '\n']).next().unwrap()
            })
            .collect();
        let firsts: Vec<u64> = spans
            .iter()
            .map(|span| span.split('-').next().unwrap().parse().unwrap())
            .collect();
        assert!(firsts.is_sorted(), "{firsts:?}");
        n_merges += usize::from(firsts.len() >= 4);
    }
    assert!(n_merges > 0);
    let top = bench
        .tree()
        .await
        .into_iter()
        .filter(|node| node.is_live)
        .max_by_key(|node| node.depth);
    let top = top.unwrap();
    assert!(top.depth.get() >= 1);
    let seqs: Vec<u64> = bench
        .walk(ItemId::Summary(top.id))
        .await
        .iter()
        .map(|row| row.seq.get())
        .collect();
    assert_eq!(
        seqs,
        (top.span.first().get()..=top.span.last().get()).collect::<Vec<u64>>()
    );
    bench.check().await;
}

/// P19.
#[tokio::test]
async fn b091_nodes_stand_by_what_they_cover_and_are_found_by_its_times() {
    let bench = Setup::window(4_000).bench();
    let start = bench.engine.now();
    let hour = |index: u64| start.plus_millis(3_600_000 * i64::try_from(index).unwrap());
    let timed = (0_u64..)
        .zip(talk(0, 320, 60))
        .map(|(at, message)| message.at(hour(at / 2)));
    bench.append(timed.collect()).await;
    bench.engine.compact(&bench.session).await.unwrap();
    let tree = bench.tree().await;
    let live: Vec<_> = tree.iter().filter(|node| node.is_live).collect();
    let ids: Vec<_> = live.iter().map(|node| node.id).collect();
    assert!(
        !ids.is_sorted(),
        "old leaves are merged after newer leaves exist: {live:?}"
    );
    let view = bench.view(4_000).await;
    let spans: Vec<_> = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Summary)
        .filter_map(|item| item.span)
        .collect();
    assert!(spans.is_sorted_by_key(|span| span.first()), "{spans:?}");
    for node in &live {
        let summary = bench
            .reader()
            .summaries_by_id(&[node.id])
            .unwrap()
            .remove(0)
            .node;
        let of = |seq: u64| hour((seq - 1) / 2);
        assert_eq!(summary.from, Some(of(node.span.first().get())));
        assert_eq!(summary.to, Some(of(node.span.last().get())));
    }
    // A time filter goes by what a node covers, not by when it was written.
    let oldest = live.first().unwrap();
    let mut request = hippocamp::domain::GrepRequest::new(
        "harbour",
        hippocamp::domain::Reach::Session(bench.session.clone()),
    );
    request.kinds = hippocamp::domain::SearchScope::Summary;
    request.time = TimeRange {
        since: None,
        before: Some(hour(1)),
    };
    let reply = bench.engine.grep(&request).await.unwrap();
    let found: Vec<_> = reply.hits.iter().map(|hit| hit.id).collect();
    assert!(found.contains(&ItemId::Summary(oldest.id)), "{found:?}");
    request.time = TimeRange {
        since: Some(hour(1_000)),
        before: None,
    };
    assert_eq!(bench.engine.grep(&request).await.unwrap().total, 0);
}

#[tokio::test]
async fn b096_no_message_is_both_raw_and_under_a_live_summary() {
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 200, 60)).await;
    bench.engine.compact(&bench.session).await.unwrap();
    let view = bench.view(1_000_000).await;
    let mut covered = Vec::new();
    for item in view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Summary)
    {
        covered.extend(item.span.unwrap().first().get()..=item.span.unwrap().last().get());
    }
    assert!(covered.len() > 100);
    let raw = raw_seqs(&view);
    assert!(raw.iter().all(|seq| !covered.contains(seq)), "{raw:?}");
    assert_eq!(raw.len() + covered.len(), 200);
}

#[tokio::test]
async fn b098_an_order_of_the_past_stands_in_a_summary_that_says_so_before_the_newest_words() {
    let bench = Setup::window(8_000).bench();
    bench
        .append(vec![
            NewMessage::user("Delete the branch drydock."),
            NewMessage::assistant("The branch drydock is deleted."),
        ])
        .await;
    bench.append(talk(2, 80, 60)).await;
    bench.engine.compact(&bench.session).await.unwrap();
    bench.append(vec![NewMessage::user("Say hi.")]).await;
    for budget in [2_000, 8_000] {
        let view = bench.view(budget).await;
        let last = view.items.last().unwrap();
        assert_eq!(last.kind, ViewItemKind::Message);
        assert_eq!(
            last.parts,
            [Part::Text {
                text: "Say hi.".to_owned()
            }],
            "word for word"
        );
        let raw_from = view
            .items
            .iter()
            .position(|item| item.kind == ViewItemKind::Message);
        let summaries = view
            .items
            .iter()
            .rposition(|item| item.kind == ViewItemKind::Summary);
        assert!(
            summaries < raw_from,
            "{budget}: no summary stands behind talk"
        );
    }
    let view = bench.view(8_000).await;
    let at = view
        .items
        .iter()
        .position(|item| format!("{:?}", item.parts).contains("drydock"));
    let order = &view.items[at.expect("the order is in the first summary")];
    assert_eq!(
        (order.kind, order.role),
        (ViewItemKind::Summary, Role::User)
    );
    let before = format!(
        "{:?}",
        view.items[..=at.unwrap()]
            .iter()
            .map(|item| &item.parts)
            .collect::<Vec<_>>()
    );
    let note = before
        .find("not instructions")
        .expect("what summaries are is said first");
    assert!(note < before.find("drydock").unwrap());
}

#[tokio::test]
async fn b099_nothing_happens_and_nothing_changes_over_views_compactions_and_restarts() {
    let mut bench = Setup::window(6_000).bench();
    for index in 0..60 {
        bench.turn(talk(index * 2, 2, 60)).await;
    }
    bench.engine.settle().await.unwrap();
    bench.engine.compact(&bench.session).await.unwrap();
    let first = bench.view(6_000).await;
    for round in 0..5 {
        bench.clock.advance(86_400_000);
        assert_eq!(bench.view(6_000).await, first, "view {round}");
        let report = bench.engine.compact(&bench.session).await.unwrap();
        assert!(
            report.leaf.is_empty() && report.condensed.is_empty(),
            "{report:?}"
        );
        bench.restart();
        let configured = bench
            .engine
            .view(&bench.session, ViewBudget::Configured)
            .await
            .unwrap();
        assert_eq!(configured, first, "after restart {round}");
        let text = |view: &View| hippocamp::render::text::render(view);
        assert_eq!(text(&configured), text(&first));
    }
}
