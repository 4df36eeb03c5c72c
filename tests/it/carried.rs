//! What code guarantees of a summary whatever the model says, from the messages to the stored row.

use hippocamp::domain::{NewMessage, Origin, SummaryBody};
use hippocamp::policy::carry::UNVERIFIED;

use crate::bench::{Bench, Model, Reply, Setup, talk};

fn words(index: usize) -> String {
    let line = |n: usize| {
        format!(
            "In step {n} pilot {index} took barge {} to the quay. ",
            n * 7
        )
    };
    (0..52).map(line).collect()
}

/// A stretch with a write and a deletion, before a tail of talk.
fn messages() -> Vec<NewMessage> {
    let write = serde_json::json!({"file_path": "docs/quay.md", "content": "# The quay"});
    let mut messages = vec![
        NewMessage::user(words(0)),
        NewMessage::tool_use("c1", "Write", write.to_string()),
        NewMessage::tool_result("c1", "ok"),
        NewMessage::tool_use("c2", "bash", "{\"command\":\"rm docs/old.md\"}"),
        NewMessage::tool_result("c2", "ok"),
    ];
    messages.extend((1..8).map(|index| NewMessage::user(words(index))));
    messages.extend(talk(12, 32, 40));
    messages
}

async fn compacted(answers: [&'static str; 2]) -> (Bench, Vec<String>) {
    let mut left = answers.into_iter();
    let model = Model::new(move |_, _| Reply::Says(left.next().unwrap_or("Spent.").to_owned()));
    let bench = Setup::window(128_000).model(&model).bench();
    bench.append(messages()).await;
    bench.engine.compact(&bench.session).await.unwrap();
    bench.check().await;
    let asked = model.prompts().into_iter();
    (bench, asked.map(|prompt| prompt.system).collect())
}

#[tokio::test]
async fn files_a_model_forgets_are_in_its_summary_all_the_same() {
    let (bench, asked) = compacted(["State: the pilots are done."; 2]).await;
    assert_eq!(asked.len(), 1);
    assert_eq!(bench.origins().await, [Origin::Model]);
    let body = SummaryBody::parse(&bench.summaries().await[0].body);
    let want = [
        ("docs/quay.md", "written: # The quay"),
        ("docs/old.md", "deleted"),
    ];
    let got: Vec<(&str, &str)> = body
        .files
        .iter()
        .map(|(path, state)| (&**path, &**state))
        .collect();
    assert_eq!(got, want);
    assert_eq!(body.state, ["the pilots are done."]);
}

#[tokio::test]
async fn technique_s20_what_stands_nowhere_is_asked_again_and_the_better_answer_is_kept() {
    let (bench, asked) =
        compacted(["Facts: berth 4711 is free.", "State: the pilots are done."]).await;
    assert_eq!(asked.len(), 2);
    assert!(
        !asked[0].contains("4711") && asked[1].contains("- 4711"),
        "{}",
        asked[1]
    );
    let body = bench.summaries().await[0].body.clone();
    assert!(
        !body.contains("4711") && !body.contains(UNVERIFIED),
        "{body}"
    );
}

#[tokio::test]
async fn technique_s4_what_stands_nowhere_twice_is_flagged_never_silent() {
    let (bench, asked) = compacted([
        "Facts: berth 4711 and 4712 are free.",
        "Facts: berth 4711 is free.",
    ])
    .await;
    assert_eq!(asked.len(), 2);
    assert_eq!(bench.origins().await, [Origin::Model]);
    let body = SummaryBody::parse(&bench.summaries().await[0].body);
    assert_eq!(body.facts, [format!("berth 4711 is free. {UNVERIFIED}")]);
}
