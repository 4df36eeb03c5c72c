//! What a host and its model rely on from turn to turn, as the first list of the peers' lessons
//! asks it. Each test names its row of that list: `P7` is the seventh.

use hippocamp::domain::{ItemId, NewMessage, Origin, Part, Reach, Tokens, ViewItemKind, Window};
use hippocamp::engine::{EngineError, ViewBudget};
use hippocamp::render::text;
use hippocamp::tools::{ToolScope, dispatch};
use serde_json::{Value, json};

use crate::bench::{Behaviour, Bench, Model, Reply, Setup, sentence, talk};
use crate::support::{key, window};

/// Asks the tool to expand and returns its whole answer, page by page.
async fn expanded(bench: &Bench, ids: &[&str]) -> (Vec<String>, Vec<i64>) {
    let scope = ToolScope::Session(bench.session.clone());
    let (mut summaries, mut messages, mut cursor) = (Vec::new(), Vec::new(), Value::Null);
    loop {
        let arguments = json!({"summary_ids": ids, "cursor": cursor, "include_tool_results": true});
        let answer = dispatch(&bench.engine, &scope, "short_expand", arguments)
            .await
            .unwrap();
        let rows = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
        for child in rows("summaries")
            .iter()
            .flat_map(|row| row["children"].as_array().cloned().unwrap_or_default())
        {
            summaries.push(child["id"].as_str().unwrap().to_owned());
        }
        messages.extend(
            rows("messages")
                .iter()
                .map(|row| row["id"].as_i64().unwrap()),
        );
        cursor = answer["cursor"].clone();
        if cursor.is_null() {
            summaries.dedup();
            messages.dedup();
            return (summaries, messages);
        }
    }
}

/// P7: from each summary that is shown, the tools lead to every message under it.
#[tokio::test]
async fn the_tools_lead_from_a_summary_that_is_shown_to_each_of_its_messages() {
    let bench = Setup::window(4_000).bench();
    for index in 0..80 {
        bench.turn(talk(index * 2, 2, 60)).await;
    }
    bench.engine.settle().await.unwrap();
    let view = bench.view(4_000).await;
    let shown = text::render(&view);
    let mut open: Vec<String> = shown
        .match_indices("<summary id=\"s")
        .map(|(at, _)| {
            let rest = &shown[at + "<summary id=\"".len()..];
            rest[..rest.find('"').unwrap()].to_owned()
        })
        .collect();
    assert!(!open.is_empty(), "{shown}");
    let first_raw = view
        .items
        .iter()
        .find(|item| item.kind == ViewItemKind::Message);
    let first_raw = first_raw.unwrap().span.unwrap().first();
    let mut found = Vec::new();
    let mut n_steps = 0;
    while let Some(id) = open.pop() {
        n_steps += 1;
        assert!(n_steps < 500, "going round in circles at {id}");
        let (below, messages) = expanded(&bench, &[&id]).await;
        open.extend(below);
        found.extend(messages);
    }
    found.sort_unstable();
    found.dedup();
    let covered = bench.stored().into_iter().filter(|row| row.seq < first_raw);
    let covered: Vec<i64> = covered.map(|row| row.id.get()).collect();
    assert_eq!(found, covered);
}

/// P8: a summary of what was edited away is not shown, and each message stands once.
#[tokio::test]
async fn an_edit_before_a_summary_takes_it_out_of_the_view() {
    let bench = Setup::window(8_000).bench();
    let list = |third: &str| {
        let mut list = talk(0, 80, 60);
        list[2] = NewMessage::user(third);
        list
    };
    bench
        .engine
        .sync(&bench.session, list("paint it vermilion"), window(8_000))
        .await
        .unwrap();
    bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(3_000))
        .await
        .unwrap();
    assert!(!bench.tree().await.is_empty());
    let report = bench
        .engine
        .sync(&bench.session, list("paint it ochre"), window(8_000))
        .await
        .unwrap();
    assert_eq!(report.fork_seq, Some(2));
    let view = bench.view(200_000).await;
    let shown = text::render(&view);
    assert!(!shown.contains("vermilion"), "{shown}");
    let mut next = 1;
    for span in view.items.iter().filter_map(|item| item.span) {
        assert_eq!(span.first().get(), next);
        next = span.last().get() + 1;
    }
    assert_eq!(next, 81);
    bench.check().await;
}

/// P13: an answer of as many tokens as were asked for, at four characters each, is good.
#[tokio::test]
async fn an_answer_as_long_as_it_was_asked_to_be_is_taken_at_the_first_call() {
    let steps =
        (0..).map(|n| format!("Step {n}: the crane on pier {n} was checked and signed off. "));
    let mut answer = "State: ".to_owned();
    for step in steps {
        if answer.len() + step.len() > 1_200 * 4 {
            break;
        }
        answer.push_str(&step);
    }
    assert!(answer.len() > 4_700);
    let model = Model::new(move |_, _| Reply::Says(answer.clone()));
    let bench = Setup::window(128_000).model(&model).bench();
    // What a summary states must have been said: the rows speak of the same piers.
    let rows = (0..120).map(|n| {
        let text = format!("crane {n} at pier {n}: {}", sentence(n, 50));
        match n % 2 {
            0 => NewMessage::user(text),
            _ => NewMessage::assistant(text),
        }
    });
    bench.append(rows.collect()).await;
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert_eq!((report.leaf.len(), model.calls()), (1, 1));
    assert_eq!(bench.origins().await, [Origin::Model]);
}

/// P14: what is cut is cut between characters.
#[tokio::test]
async fn a_summary_without_a_model_cuts_no_character_in_any_script() {
    let model = Model::behaving(Behaviour::Fails);
    let bench = Setup::window(6_000).model(&model).bench();
    let filler = "用户说港口的报告已经归档了👩‍👩‍👧é".repeat(60);
    let mut rows: Vec<NewMessage> = (0..40).map(|_| NewMessage::user(&filler)).collect();
    rows[0] = NewMessage::user("开头的请求：检查灯塔。");
    rows.push(NewMessage::user("go on"));
    bench.append(rows).await;
    let report = bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(3_000))
        .await
        .unwrap();
    assert!(!report.leaf.is_empty(), "{report:?}");
    let summaries = bench.summaries().await;
    assert!(summaries[0].body.contains("灯塔"), "{}", summaries[0].body);
    for summary in &summaries {
        // Half a family would begin or end with a joiner.
        let mut lines = summary.body.lines();
        assert!(
            lines.all(|line| !line.ends_with('\u{200d}') && !line.starts_with('\u{200d}')),
            "{}",
            summary.body
        );
    }
    bench.check().await;
}

/// P21: compaction stops at the first step that is enough.
#[tokio::test]
async fn recovery_stops_at_the_step_that_brings_it_under_the_budget() {
    let model = Model::good();
    let bench = Setup::window(128_000).model(&model).bench();
    bench.append(talk(0, 400, 100)).await;
    let before = bench.view(1_000_000).await.tokens.get();
    let report = bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(before - 500))
        .await
        .unwrap();
    assert!(report.fits, "{report:?}");
    assert_eq!(
        (report.leaf.len(), report.condensed.len(), model.calls()),
        (1, 0, 1)
    );
    // Enough already: nothing is called for.
    let again = bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(before))
        .await
        .unwrap();
    assert!(again.fits && again.leaf.is_empty() && model.calls() == 1);
}

/// P22: what else is in the request counts.
#[tokio::test]
async fn a_request_that_is_full_of_other_things_leaves_the_view_less() {
    let bench = Setup::window(10_000).bench();
    bench.append(talk(0, 60, 100)).await;
    let alone = bench.view(10_000).await.tokens.get();
    assert!((5_000..10_000).contains(&alone), "{alone}");
    let tokens = Tokens::new;
    let crowded = Window::new(tokens(10_000), tokens(5_000), tokens(1_000)).unwrap();
    let report = bench
        .engine
        .turn(&bench.session, talk(60, 1, 20), crowded)
        .await
        .unwrap();
    assert!(report.view.fits);
    assert!(report.view.tokens.get() <= 4_000, "{}", report.view.tokens);
    let configured = bench
        .engine
        .view(&bench.session, ViewBudget::Configured)
        .await
        .unwrap();
    assert!(configured.tokens.get() <= 4_000, "{}", configured.tokens);
}

/// P30: one huge message in the middle drops nothing that would have room.
#[tokio::test]
async fn a_huge_message_does_not_push_out_the_summaries_before_it() {
    let bench = Setup::window(8_000).bench();
    for index in 0..40 {
        bench.turn(talk(index * 2, 2, 60)).await;
    }
    bench.engine.settle().await.unwrap();
    assert!(!bench.tree().await.is_empty());
    bench
        .append(vec![
            NewMessage::user("read the whole log"),
            NewMessage::tool_use("c1", "Read", "{}"),
            NewMessage::tool_result("c1", sentence(1, 30_000)),
            NewMessage::user("and now?"),
        ])
        .await;
    let view = bench.view(8_000).await;
    assert!(view.fits);
    let kinds: Vec<ViewItemKind> = view.items.iter().map(|item| item.kind).collect();
    assert!(kinds.contains(&ViewItemKind::Summary), "{kinds:?}");
    let last = view.items.last().unwrap();
    assert!(format!("{:?}", last.parts).contains("and now?"));
}

/// P31: between two commits a view only grows at its end.
#[tokio::test]
async fn a_views_beginning_stays_byte_for_byte_until_something_is_compacted() {
    let bench = Setup::window(128_000).bench();
    let mut before = String::new();
    let (mut tree, mut n_kept) = (Vec::new(), 0);
    for index in 0..60 {
        bench.turn(talk(index * 2, 2, 30)).await;
        let now = bench.tree().await;
        let shown = text::render(&bench.view(128_000).await);
        let is_kept = now.len() == tree.len();
        n_kept += usize::from(is_kept);
        assert!(!is_kept || shown.starts_with(&before), "turn {index}");
        (before, tree) = (shown, now);
    }
    assert!(!tree.is_empty() && n_kept > 40, "{n_kept} of 60");
}

/// P32, P33: a key that nobody has used is told by name, in each store its own.
#[tokio::test]
async fn an_unknown_key_is_an_error_and_another_store_knows_nothing_of_ours() {
    let bench = Setup::window(8_000).bench();
    let other = Setup::window(8_000).bench();
    bench.append(talk(0, 2, 20)).await;
    for engine in [&bench.engine, &other.engine] {
        let heartbeat = key("heartbeat");
        let error = engine
            .view(&heartbeat, ViewBudget::Configured)
            .await
            .unwrap_err();
        assert!(error.to_string().contains("heartbeat"), "{error}");
        let error: EngineError = engine.compact(&heartbeat).await.unwrap_err();
        assert!(error.to_string().contains("heartbeat"), "{error}");
    }
    assert_eq!(bench.engine.sessions().await.unwrap().len(), 1);
    assert!(other.engine.sessions().await.unwrap().is_empty());
    let request = hippocamp::domain::GrepRequest::new("harbour", Reach::All);
    assert_eq!(other.engine.grep(&request).await.unwrap().total, 0);
}

/// P4: a turn that is given up in the middle takes nothing back that was stored.
#[tokio::test]
async fn an_aborted_turn_leaves_all_that_was_said() {
    let model = Model::behaving(Behaviour::Hangs);
    let bench = Setup::window(4_000).model(&model).patient().bench();
    bench.append(talk(0, 60, 60)).await;
    let said = bench.stored();
    let turn = bench
        .engine
        .turn(&bench.session, talk(60, 1, 20), window(4_000));
    let given_up = tokio::time::timeout(std::time::Duration::from_millis(300), turn).await;
    assert!(given_up.is_err(), "the model hangs");
    let stored = bench.stored();
    assert_eq!(stored[..60], said[..]);
    assert_eq!(stored.len(), 61);
    let shown = bench.view(200_000).await;
    let raw = shown.items.iter().flat_map(|item| &item.parts);
    let n_texts = raw.filter(|part| matches!(part, Part::Text { .. })).count();
    assert_eq!(n_texts, 61);
    let ids = stored.iter().map(|row| ItemId::Message(row.id)).collect();
    let request =
        hippocamp::domain::ExpandRequest::new(ids, Reach::All).max_tokens(Tokens::new(1_000_000));
    let reply = bench.engine.expand(&request).await.unwrap();
    assert_eq!(reply.messages.len(), 61);
}
