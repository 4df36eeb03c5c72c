//! Calls and results: what may be cut, and what a body shows of them.

use std::collections::BTreeMap;

use hippocamp::domain::{NewMessage, Part, Role, Seq, Tokens, ViewItemKind};
use hippocamp::render;
use proptest::prelude::*;
use serde_json::Value;

use crate::bench::{Bench, Setup, sentence, talk};

fn batch(ids: &[String]) -> NewMessage {
    let call = |id: &String| Part::ToolUse {
        call_id: id.clone(),
        name: "Read".to_owned(),
        arguments: "{}".to_owned(),
    };
    NewMessage::new(Role::Assistant, ids.iter().map(call).collect())
}

/// One step of an agent: a batch, its results in some order, and perhaps a word.
fn step(number: usize, n_calls: usize, is_reversed: bool, words: usize) -> Vec<NewMessage> {
    let ids: Vec<String> = (0..n_calls)
        .map(|call| format!("c{number}-{call}"))
        .collect();
    let mut rows = vec![batch(&ids)];
    let results = ids
        .iter()
        .map(|id| NewMessage::tool_result(id.clone(), sentence(number, words)));
    let mut results: Vec<NewMessage> = results.collect();
    if is_reversed {
        results.reverse();
    }
    rows.extend(results);
    rows
}

/// Collects where each call and its result stand.
fn pairs_of(bench: &Bench) -> BTreeMap<String, (Seq, Option<Seq>)> {
    let mut pairs = BTreeMap::new();
    for row in bench.stored() {
        for part in &row.parts {
            match part {
                Part::ToolUse { call_id, .. } => {
                    pairs.insert(call_id.clone(), (row.seq, None));
                }
                Part::ToolResult { call_id, .. } => {
                    let pair: &mut (Seq, Option<Seq>) = pairs.get_mut(call_id).unwrap();
                    pair.1 = Some(row.seq);
                }
                _ => {}
            }
        }
    }
    pairs
}

/// No summary holds a part of a batch or of a pair.
async fn check_cuts(bench: &Bench) {
    let mut batches: BTreeMap<Seq, Vec<Seq>> = BTreeMap::new();
    for (call, result) in pairs_of(bench).into_values() {
        batches.entry(call).or_default().extend(result);
    }
    for node in bench.tree().await {
        for (call, results) in &batches {
            let holds = |seq: &Seq| node.span.contains(*seq);
            let all = results.iter().all(|seq| holds(seq) == holds(call));
            assert!(all, "{node:?} parts the batch at {call} from {results:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn technique_z3_z5_a_cut_falls_only_where_no_batch_is_open(
        steps in prop::collection::vec((1..5_usize, any::<bool>(), 1..60_usize, any::<bool>()), 4..30),
        budget in prop::sample::select(vec![300_u64, 900, 2_500]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let bench = Setup::window(3_000).bench();
            for (number, (n_calls, is_reversed, words, asks)) in steps.into_iter().enumerate() {
                let mut turn = step(number, n_calls, is_reversed, words);
                if asks {
                    turn.insert(0, NewMessage::user(sentence(number, 6)));
                }
                bench.turn(turn).await;
                check_cuts(&bench).await;
            }
            let under = Tokens::new(budget);
            bench.engine.compact_until_under(&bench.session, under).await.unwrap();
            check_cuts(&bench).await;
            bench.check().await;
        });
    }
}

#[tokio::test]
async fn technique_z12_an_open_call_holds_the_cut_until_it_is_answered() {
    let bench = Setup::window(3_000).bench();
    bench.append(talk(0, 20, 60)).await;
    bench.append(vec![batch(&["open".to_owned()])]).await;
    let open = bench.stored().last().unwrap().seq;
    for _ in 0..3 {
        let under = Tokens::new(200);
        bench
            .engine
            .compact_until_under(&bench.session, under)
            .await
            .unwrap();
        let covers = bench
            .tree()
            .await
            .iter()
            .any(|node| node.span.contains(open));
        assert!(!covers, "a call that waits for its result was summarised");
    }
    bench
        .append(vec![NewMessage::tool_result("open", sentence(1, 30))])
        .await;
    bench.append(talk(50, 20, 60)).await;
    bench
        .engine
        .compact_until_under(&bench.session, Tokens::new(200))
        .await
        .unwrap();
    let tree = bench.tree().await;
    assert!(tree.iter().any(|node| node.span.contains(open)), "{tree:?}");
    check_cuts(&bench).await;
}

fn bodies(view: &hippocamp::domain::View) -> (Value, Value) {
    let parse = |body: Option<render::Body>| serde_json::from_str(body.unwrap().as_str()).unwrap();
    (
        parse(render::openai_chat::render(view)),
        parse(render::anthropic::render(view)),
    )
}

/// The first result joins its call; the design keeps what comes again as labelled words in place,
/// and every row stays in the log.
#[tokio::test]
async fn technique_z2_of_two_results_of_a_call_the_first_joins_it() {
    let bench = Setup::window(8_000).bench();
    bench
        .append(vec![
            NewMessage::user("go"),
            batch(&["c1".to_owned()]),
            NewMessage::tool_result("c1", "the first answer"),
            NewMessage::tool_result("c1", "the second answer"),
        ])
        .await;
    assert_eq!(bench.stored().len(), 4);
    let (openai, _) = bodies(&bench.view(8_000).await);
    let messages = openai["messages"].as_array().unwrap();
    let results: Vec<&Value> = messages
        .iter()
        .filter(|row| row["role"] == "tool")
        .collect();
    assert_eq!(results.len(), 1, "{openai}");
    assert_eq!(results[0]["content"], "the first answer");
    assert!(openai.to_string().contains("the second answer"), "{openai}");
}

/// A result without its call becomes labelled words, a call without a result gets one placeholder.
#[tokio::test]
async fn technique_z11_orphans_are_mended_in_the_body_and_not_in_the_record() {
    let bench = Setup::window(8_000).bench();
    bench
        .append(vec![
            NewMessage::user("go"),
            NewMessage::tool_result("lost", "an answer to nobody"),
            batch(&["unanswered".to_owned()]),
            NewMessage::user("and now?"),
        ])
        .await;
    let (openai, anthropic) = bodies(&bench.view(8_000).await);
    for body in [openai, anthropic] {
        let text = body.to_string();
        assert!(text.contains("its call is not shown"), "{text}");
        assert_eq!(text.matches("no result was recorded").count(), 1, "{text}");
    }
    let parts: Vec<Part> = bench
        .stored()
        .into_iter()
        .flat_map(|row| row.parts)
        .collect();
    assert!(matches!(&parts[1], Part::ToolResult { call_id, .. } if call_id == "lost"));
}

/// Summaries are said by the user and merge with what follows, so that no two speakers of a kind
/// follow each other and a user begins.
#[tokio::test]
async fn technique_v7_summaries_take_the_users_role_and_merge_with_what_follows() {
    let bench = Setup::window(3_000).bench();
    bench.append(vec![NewMessage::system("Be brief.")]).await;
    for round in 0..6 {
        bench.turn(talk(round * 10, 8, 40)).await;
    }
    let view = bench.view(3_000).await;
    let summaries = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Summary);
    assert!(summaries.count() >= 1);
    let (openai, anthropic) = bodies(&view);
    for body in [openai, anthropic] {
        let roles: Vec<&str> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["role"].as_str().unwrap())
            .filter(|role| *role != "system")
            .collect();
        assert_eq!(roles[0], "user");
        assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
    }
}

/// A turn longer than the tail is split, and what was asked stays: quoted word for word.
#[tokio::test]
async fn technique_s11_a_turn_that_is_split_keeps_its_request_word_for_word() {
    let bench = Setup::window(3_000).bench();
    let asked = "Rename every <widget> to gadget, and leave vendor/ alone.";
    bench.turn(vec![NewMessage::user(asked)]).await;
    for number in 0..40 {
        bench.turn(step(number, 1 + number % 3, false, 40)).await;
    }
    let first = bench.stored()[0].seq;
    let tree = bench.tree().await;
    assert!(
        tree.iter().any(|node| node.span.contains(first)),
        "{tree:?}"
    );
    let view = bench.view(3_000).await;
    assert!(view.fits);
    let request: Vec<&Part> = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Request)
        .flat_map(|item| &item.parts)
        .collect();
    let [Part::Text { text }] = request[..] else {
        panic!("{request:?}");
    };
    assert!(
        hippocamp::policy::assemble::unescape(text).contains(asked),
        "{text}"
    );
}
