//! What becomes a leaf, what its prompt holds, and what it does to rows that arrive meanwhile.

use std::sync::Arc;

use hippocamp::domain::{ItemId, NewMessage, Part, Role, Seq, Tokens, ViewItemKind};
use hippocamp::engine::CompactReason;
use tokio::sync::Notify;

use crate::bench::{Model, Reply, Setup, good, raw_seqs, sentence, talk};
use crate::shared::shared;

#[tokio::test]
async fn b068_over_budget_by_its_tail_alone_compaction_says_so_and_calls_nobody() {
    let model = Model::good();
    let bench = Setup::window(2_000).model(&model).bench();
    bench
        .append(vec![NewMessage::user(sentence(0, 9_000))])
        .await;
    for _ in 0..10 {
        let report = bench.engine.compact(&bench.session).await.unwrap();
        assert_eq!((report.leaf.len(), report.condensed.len()), (0, 0));
        assert_eq!(report.tokens_before, report.tokens_after);
        assert_eq!(
            (report.fits, report.reason),
            (false, CompactReason::BelowThreshold)
        );
        let budget = Tokens::new(2_000);
        let under = bench
            .engine
            .compact_until_under(&bench.session, budget)
            .await
            .unwrap();
        assert_eq!(
            (under.fits, under.reason),
            (false, CompactReason::NothingToGain)
        );
    }
    assert_eq!(model.calls(), 0);
    assert!(bench.engine.events(&bench.session).await.unwrap().len() <= 1);
}

#[tokio::test]
async fn b070_one_giant_message_is_a_leaf_of_its_own_with_a_bounded_prompt() {
    let crates: Vec<String> = (0..70_000)
        .map(|n| format!("crate {n} is on the quay; "))
        .collect();
    let giant = crates.concat();
    let model = Model::good();
    let bench = Setup::window(128_000).model(&model).patient().bench();
    let mut messages = vec![NewMessage::user(&giant)];
    messages.extend(talk(1, 33, 40));
    bench.append(messages).await;
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert_eq!(report.leaf.len(), 1, "{report:?}");
    let tree = bench.tree().await;
    assert_eq!(tree[0].span.to_string(), "1-1");
    let prompt = &model.prompts()[0];
    let tokens = hippocamp::domain::estimate(&prompt.text);
    assert!(tokens < Tokens::new(45_000), "{tokens}");
    assert!(prompt.text.contains("crate 0 ") && prompt.text.contains("crate 69999 "));
    assert!(prompt.text.contains("cut"), "a cut shows");
    let rows = bench.walk(ItemId::Summary(tree[0].id)).await;
    assert_eq!(rows[0].parts, [Part::Text { text: giant }]);
    bench.check().await;
}

#[tokio::test]
async fn b071_every_message_under_a_leaf_stands_in_its_prompt_whole_or_marked() {
    let model = Model::with_window(Some(Tokens::new(3_000)), |call, _| Reply::Says(good(call)));
    let bench = Setup::window(128_000).model(&model).bench();
    let mut messages: Vec<NewMessage> = (0..40)
        .map(|index| NewMessage::user(sentence(index, 400)))
        .collect();
    messages.extend(talk(40, 32, 20));
    bench.append(messages).await;
    bench.engine.compact(&bench.session).await.unwrap();
    let tree = bench.tree().await;
    let prompts = model.prompts();
    assert_eq!(prompts.len(), tree.len());
    for (node, prompt) in tree.iter().zip(&prompts) {
        let tokens = hippocamp::domain::estimate(&prompt.text);
        assert!(tokens <= Tokens::new(2_400), "{tokens}");
        let named = places_in(&prompt.text);
        for seq in node.span.first().get()..=node.span.last().get() {
            let is_named = named
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&seq));
            assert!(
                is_named,
                "message {seq} is covered and not in the prompt: {}",
                prompt.text
            );
        }
    }
    bench.check().await;
}

/// Returns the places that the lines of a prompt name: `message 7 …`, `messages 7-9 …`.
fn places_in(prompt: &str) -> Vec<(u64, u64)> {
    let mut places = Vec::new();
    for (at, _) in prompt.match_indices("message") {
        let rest = prompt[at..]
            .trim_start_matches("message")
            .trim_start_matches("s ");
        let word: String = rest
            .trim_start()
            .chars()
            .take_while(|letter| letter.is_ascii_digit() || "-–".contains(*letter))
            .collect();
        let (first, last) = word.split_once(['-', '–']).unwrap_or((&word, &word));
        if let (Ok(first), Ok(last)) = (first.parse(), last.parse()) {
            places.push((first, last));
        }
    }
    places
}

/// P6.
#[tokio::test]
async fn b073_rows_that_arrive_while_the_model_writes_are_not_under_its_leaf() {
    let gate = Arc::new(Notify::new());
    let model = {
        let gate = Arc::clone(&gate);
        Model::new(move |call, _| Reply::Waits(Arc::clone(&gate), good(call)))
    };
    let bench = Setup::window(128_000).model(&model).patient().bench();
    bench.append(talk(0, 60, 60)).await;
    let compact = async { bench.engine.compact(&bench.session).await.unwrap() };
    let meanwhile = async {
        while model.calls() == 0 {
            tokio::task::yield_now().await;
        }
        bench.append(talk(60, 5, 60)).await;
        let told = bench.grep("\"entry 64\"").await;
        assert_eq!(told.total, 1, "they are found while the model writes");
        gate.notify_one();
    };
    let (report, ()) = tokio::join!(compact, meanwhile);
    assert_eq!((report.leaf.len(), report.reason), (1, CompactReason::Done));
    let chosen = model.prompts()[0].text.clone();
    let tree = bench.tree().await;
    assert_eq!(tree[0].span.to_string(), "1-28");
    for index in 0..65 {
        let is_chosen = chosen.contains(&format!("entry {index}:"));
        assert_eq!(is_chosen, index < 28, "entry {index}");
    }
    assert_eq!(
        raw_seqs(&bench.view(128_000).await),
        (29..=65).collect::<Vec<u64>>()
    );
    bench.check().await;
}

#[tokio::test]
async fn b074_rows_of_any_size_are_covered_once_and_in_order_over_many_rounds() {
    let bench = Setup::window(6_000).bench();
    for round in 0..20_usize {
        let batch = talk(round * 11, 1 + round * 5 % 11, 10 + round * 137 % 500);
        bench.append(batch).await;
        bench.engine.compact(&bench.session).await.unwrap();
        bench.check().await;
    }
    assert!(bench.tree().await.len() > 3);
}

/// P12.
#[tokio::test]
async fn b077_b078_a_prompt_says_who_spoke_and_leaves_recalled_memory_out() {
    let recalled = "<relevant-memories>the mayor owns the quay</relevant-memories>";
    let mut messages = Vec::new();
    for index in 0..12 {
        messages.push(NewMessage::user(format!(
            "{recalled}\nplease moor ship {index}"
        )));
        messages.push(NewMessage::tool_use(
            format!("c{index}"),
            "Moor",
            "{\"pier\":2}",
        ));
        messages.push(NewMessage::tool_result(
            format!("c{index}"),
            format!("moored {index}"),
        ));
        messages.push(NewMessage::assistant(format!("ship {index} is moored")));
    }
    messages.extend(talk(48, 32, 20));
    let model = Model::good();
    let bench = Setup::window(128_000).model(&model).bench();
    bench.append(messages).await;
    bench.engine.compact(&bench.session).await.unwrap();
    let prompt = &model.prompts()[0].text;
    let mut from = 0;
    for said in [
        "message 1 user at 2026-01-01T00:00:00.000Z",
        "please moor ship 0",
        "message 2 assistant",
        "call of Moor",
        "message 3 tool",
        "result of Moor",
        "moored 0",
        "message 4 assistant",
        "ship 0 is moored",
        "message 5 user",
    ] {
        let at = prompt[from..].find(said);
        assert!(
            at.is_some(),
            "`{said}` is missing or out of order in {prompt}"
        );
        from += at.unwrap();
    }
    assert!(
        !prompt.contains("the mayor owns"),
        "recalled memory is summarised as talk"
    );
    assert!(format!("{:?}", bench.stored()[0].parts).contains("the mayor owns"));
}

#[tokio::test]
async fn b086_newest_state_comes_last_in_prompt_and_view() {
    let model = Model::good();
    let bench = Setup::window(128_000).model(&model).bench();
    let mut messages = vec![NewMessage::user("start painting the boat")];
    messages.extend(talk(1, 10, 60));
    messages.push(NewMessage::assistant(
        "the painting of the boat is finished",
    ));
    messages.extend(talk(12, 34, 20));
    let at = |index: usize| {
        bench
            .clock_start()
            .plus_millis(60_000 * i64::try_from(index).unwrap())
    };
    let messages = messages
        .into_iter()
        .enumerate()
        .map(|(index, message)| message.at(at(index)))
        .collect();
    bench.append(messages).await;
    bench.engine.compact(&bench.session).await.unwrap();
    let prompt = &model.prompts()[0];
    let started = prompt.text.find("start painting").unwrap();
    let finished = prompt.text.find("is finished").unwrap();
    assert!(started < finished);
    assert!(prompt.text[finished - 120..finished].contains("2026-01-01T00:11:00"));
    assert!(
        prompt
            .system
            .contains("what was started and then finished is done")
    );
    let view = bench.view(128_000).await;
    let kinds: Vec<ViewItemKind> = view.items.iter().map(|item| item.kind).collect();
    assert_eq!(kinds[0], ViewItemKind::Summary);
    assert!(kinds[1..].iter().all(|kind| *kind == ViewItemKind::Message));
    let shown = format!("{:?}", view.items[0].parts).replace('\\', "");
    assert!(shown.contains("from=\"2026-01-01T00:00Z\""), "{shown}");
    assert!(raw_seqs(&view).is_sorted());
}

#[tokio::test]
async fn b093_after_compaction_of_a_tool_loop_raw_rows_are_the_tail_and_less_than_a_leaf() {
    let mut messages = vec![NewMessage::user("unload every crate")];
    for index in 0..500 {
        messages.push(NewMessage::tool_use(
            format!("c{index}"),
            "Lift",
            "{\"crane\":1}",
        ));
        messages.push(NewMessage::tool_result(
            format!("c{index}"),
            sentence(index, 40),
        ));
    }
    let bench = Setup::window(20_000).bench();
    bench.append(messages).await;
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert!(report.leaf.len() > 10 && report.fits, "{report:?}");
    let view = bench.view(1_000_000).await;
    assert!(raw_seqs(&view).len() < 32 + 8 + 2, "{:?}", raw_seqs(&view));
    let spans: Vec<_> = view.items.iter().filter_map(|item| item.span).collect();
    let summaries = view
        .items
        .iter()
        .take_while(|item| item.kind == ViewItemKind::Summary);
    assert!(summaries.count() > 0);
    assert!(
        spans
            .windows(2)
            .all(|pair| pair[0].first() <= pair[1].first() || covers_one(&pair[1]))
    );
    bench.check().await;
}

/// The quoted request stands behind the summaries that cover it.
fn covers_one(span: &hippocamp::domain::Span) -> bool {
    *span == hippocamp::domain::Span::single(Seq::FIRST)
}

#[tokio::test]
async fn b100_arguments_and_results_count_for_tokens_and_for_the_leaf_rule() {
    let big = "barge ".repeat(17_000);
    let model = Model::good();
    let bench = Setup::window(128_000).model(&model).bench();
    let arguments = format!("{{\"text\":\"{big}\"}}");
    let mut messages = vec![NewMessage::user("file this")];
    messages.push(NewMessage::tool_use("c1", "Write", &arguments));
    messages.push(NewMessage::tool_result("c1", &big));
    messages.extend(talk(3, 32, 20));
    bench.append(messages).await;
    let rows = bench.stored();
    for row in &rows[1..3] {
        assert!(
            row.tokens > Tokens::new(17_000),
            "{} of {}",
            row.tokens,
            row.seq
        );
    }
    assert!(
        rows[2].view_tokens < Tokens::new(6_100),
        "a view shows head and tail of it"
    );
    // Three messages are no eight, but their tokens are a chunk.
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert_eq!(report.leaf.len(), 1);
    assert_eq!(bench.tree().await[0].span.to_string(), "1-3");
}

#[tokio::test]
async fn b054_blank_rows_are_stored_and_make_no_call_until_there_are_words() {
    let model = Model::good();
    let bench = Setup::window(128_000).model(&model).bench();
    let mut blanks = vec![NewMessage::user("hello")];
    blanks.extend((0..20).map(|_| NewMessage::assistant("")));
    blanks.extend((0..20).map(|n| NewMessage::tool_result(format!("c{n}"), "(no output)")));
    blanks.extend([
        NewMessage::assistant(" \n\t"),
        NewMessage::user("still there?"),
    ]);
    check_blank_rows(blanks, &model, &bench).await;
    if let Some(folder) =
        shared("b054_blank_rows_are_stored_and_make_no_call_until_there_are_words")
    {
        let path = folder.join("cases/B054_empty_messages.picoclaw.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let bench = Setup::window(128_000).model(&model).bench();
        check_blank_rows(text.lines().map(line).collect(), &model, &bench).await;
    }
}

async fn check_blank_rows(
    messages: Vec<NewMessage>,
    model: &Arc<Model>,
    bench: &crate::bench::Bench,
) {
    let n_messages = messages.len();
    bench.append(messages).await;
    assert_eq!(bench.stored().len(), n_messages);
    for _ in 0..3 {
        let report = bench.engine.compact(&bench.session).await.unwrap();
        assert_eq!(report.leaf.len(), 0, "{report:?}");
    }
    assert_eq!(model.calls(), 0, "nothing to gain, no call");
}

fn line(line: &str) -> NewMessage {
    let row: serde_json::Value = serde_json::from_str(line).unwrap();
    let text = row["content"].as_str().unwrap();
    match row["tool_call_id"].as_str() {
        Some(id) => NewMessage::tool_result(id, text),
        None => NewMessage::text(row["role"].as_str().unwrap().parse::<Role>().unwrap(), text),
    }
}
