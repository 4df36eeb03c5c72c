//! The ladder rung by rung, and what stands where in a view.

use std::collections::HashSet;

use hippocamp::domain::{
    Estimator, ItemId, NewMessage, Part, Role, SummaryId, Tokens, View, ViewItemKind, estimate,
};
use hippocamp::policy::assemble::{Bodies, finish_view};

use super::check::check_view;
use super::talk::*;
use super::world::{Cover, Row, words, world};

#[test]
fn rung_5_gives_summaries_half_and_drops_the_oldest_raw_groups() {
    let covers: Vec<Cover> = (0..10)
        .map(|_| Cover::leaf(2, &"word ".repeat(100)))
        .collect();
    let mut messages = fillers(20, "elm");
    for turn in 0..20 {
        messages.push(NewMessage::user(format!(
            "turn {turn} {}",
            "word ".repeat(50)
        )));
        messages.push(NewMessage::assistant("ok"));
    }
    let world = world(None, &rows(messages), &covers);
    let view = check_view(&world, 1_200);
    let summaries: u64 = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Summary)
        .map(|item| item.tokens.get())
        .sum();
    assert!((300..=700).contains(&summaries), "{summaries}");
    let gaps: Vec<String> = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Gap)
        .map(|item| match &item.parts[0] {
            Part::Text { text } => text.clone(),
            part => panic!("{part:?}"),
        })
        .collect();
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    assert!(gaps[0].contains("summaries, seq 1-") && gaps[1].contains("messages, seq 21-"));
    let dropped = view
        .left_out
        .iter()
        .filter(|entry| entry.kind == ViewItemKind::Summary);
    assert!(dropped.count() > 5);
}

/// Rung 6 goes from cheap to dear: what a budget takes away, a smaller one takes too.
#[test]
fn rung_6_takes_its_steps_in_order() {
    let long = |word: &str| format!("{word} {}", "filler ".repeat(200));
    let think = |text: &str| Part::Reasoning {
        text: text.into(),
        signature: Some("sig".into()),
    };
    let step = |number: usize| {
        let mut call = NewMessage::new(
            Role::Assistant,
            vec![
                think(&long("THOUGHT")),
                Part::Text { text: long("SAID") },
                Part::ToolUse {
                    call_id: format!("t{number}"),
                    name: "Write".into(),
                    arguments: serde_json::json!({ "text": long("ARGUED") }).to_string(),
                },
            ],
        );
        call.name = None;
        vec![
            call,
            NewMessage::tool_result(format!("t{number}"), long("RESULT")),
        ]
    };
    let mut messages = vec![NewMessage::user(long("REQUEST"))];
    for number in 0..5 {
        messages.extend(step(number));
    }
    let last = messages.len() - 2;
    messages[last].parts.push(Part::Media {
        uri: "data:image/png;base64,AAAA".into(),
        mime: "image/png".into(),
    });
    let covers = [];
    let world = world(None, &rows(messages), &covers);
    let whole = world.view(1_000_000).tokens.get();
    let features = |view: &View| {
        let text = words(view);
        let media = parts(view)
            .iter()
            .any(|part| matches!(part, Part::Media { .. }));
        [
            text.matches("RESULT").count() == 5,
            text.matches("SAID").count() == 5 && text.matches("ARGUED").count() == 5,
            view.left_out.is_empty(),
            // Without the picture there may be room for whole bodies again.
            media && !text.contains("[… cut"),
            media,
            text.contains(&long("REQUEST")),
        ]
    };
    let mut seen = HashSet::new();
    for budget in (1..=40).map(|fortieth| whole * fortieth / 40) {
        let view = check_view(&world, budget);
        let features = features(&view);
        // What comes late in the ladder is still whole while an earlier step has not been taken.
        assert!(features.is_sorted(), "{budget}: {features:?}");
        assert!(view.fits || !features[5], "{budget}");
        seen.insert(features);
    }
    assert_eq!(seen.len(), 7, "each step is taken at some budget: {seen:?}");
}

#[test]
fn bodies_of_the_newest_batch_are_cut_evenly_and_not_below_the_least() {
    let mut messages = vec![NewMessage::user("Go."), calls(&["t1", "t2", "t3"])];
    for (id, times) in [("t1", 2_000), ("t2", 900), ("t3", 20)] {
        messages.push(NewMessage::tool_result(id, "filler ".repeat(times)));
    }
    let world = world(None, &rows(messages), &[]);
    let view = check_view(&world, 1_000);
    let sizes: Vec<u64> = parts(&view)
        .into_iter()
        .filter_map(|part| match part {
            Part::ToolResult { content, .. } => Some(estimate(content).get()),
            _ => None,
        })
        .collect();
    assert!(
        view.fits && view.tokens > Tokens::new(900),
        "{}",
        view.tokens
    );
    assert!(
        sizes[0].abs_diff(sizes[1]) < 30 && sizes[0] > 300 && sizes[2] < 30,
        "{sizes:?}"
    );
}

#[test]
fn a_covered_request_is_quoted_after_the_summaries() {
    let mut messages = vec![NewMessage::user("Count <all> files & dirs.")];
    for step in 0..10 {
        messages.extend(pair(&format!("t{step}"), "many"));
    }
    let world = world(None, &rows(messages), &[Cover::leaf(5, "counting")]);
    let view = check_view(&world, 9_000);
    let kinds: Vec<ViewItemKind> = view.items.iter().map(|item| item.kind).collect();
    assert_eq!(
        kinds[..3],
        [
            ViewItemKind::Summary,
            ViewItemKind::Request,
            ViewItemKind::Message
        ]
    );
    assert!(
        words(&view)
            .contains("<request id=\"10\">\nCount &lt;all&gt; files &amp; dirs.\n</request>")
    );
}

#[test]
fn a_result_whose_call_a_quoted_request_leaves_out_is_told_as_words() {
    let mut asks = NewMessage::user("Count the files.");
    asks.parts.extend(calls(&["t1"]).parts);
    let late = NewMessage::tool_result("t1", "there are 40");
    let messages = vec![asks, NewMessage::assistant("I wait for it."), late];
    let world = world(None, &rows(messages), &[Cover::leaf(1, "asked")]);
    let view = check_view(&world, 9_000);
    let results = view.items.iter().flat_map(|item| &item.parts);
    let n_results = results.filter(|part| matches!(part, Part::ToolResult { .. }));
    assert_eq!(n_results.count(), 0, "{view:?}");
    assert!(words(&view).contains("[result, its call is not shown]\nthere are 40"));
}

#[test]
fn a_head_and_its_continuations_are_one_item() {
    let mut list = rows(vec![
        NewMessage::user("Go."),
        NewMessage::assistant("First block."),
        NewMessage::user("noise").meta(),
    ]);
    list.push(Row {
        message: calls(&["t1"]),
        continues: true,
    });
    list.extend(rows(vec![NewMessage::tool_result("t1", "done")]));
    let view = check_view(&world(None, &list, &[]), 9_000);
    assert_eq!(view.items.len(), 3);
    assert_eq!(view.items[1].span.unwrap().to_string(), "2-4");
    assert_eq!(view.items[1].parts.len(), 2);
}

#[test]
fn rows_of_a_broken_summary_stand_raw_between_summaries() {
    let covers = [
        Cover::leaf(4, "begin"),
        Cover {
            is_broken: true,
            ..Cover::leaf(4, "damaged")
        },
        Cover::leaf(4, "middle"),
    ];
    let world = world(None, &rows(fillers(20, "elm")), &covers);
    let plan = world
        .plan(9_000)
        .with_warnings(vec!["summary s1001 is broken".into()]);
    let view = finish_view(plan, &world.bodies, &Estimator);
    assert_eq!(view.warnings, ["summary s1001 is broken"]);
    assert_eq!(
        view.items[0].id,
        Some(ItemId::Summary(SummaryId::new(1_000)))
    );
    assert_eq!(view.items[1].kind, ViewItemKind::Message);
    assert_eq!(view.items[5].kind, ViewItemKind::Summary);
    for budget in BUDGETS {
        check_view(&world, budget);
    }
}

#[test]
fn a_body_that_cannot_be_read_is_a_gap_and_a_warning() {
    let world = world(
        Some("p"),
        &rows(fillers(6, "elm")),
        &[Cover::leaf(2, "begin")],
    );
    let view = finish_view(world.plan(9_000), &Bodies::default(), &Estimator);
    assert!(view.warnings.len() >= 3, "{:?}", view.warnings);
    assert!(
        view.warnings
            .iter()
            .any(|warning| warning == "summary s1000 could not be read")
    );
    assert!(view.items.iter().all(|item| item.kind == ViewItemKind::Gap));
}
