//! A provider that compacts on its side.

use hippocamp::domain::{NewMessage, Part, ViewItemKind};
use hippocamp::engine::{CompactReason, Compactor, ErrorOutcome, FailedCall, RequestOutcome};
use hippocamp::render::{anthropic, openai_chat, openai_responses};
use serde_json::Value;

use super::{ask, shown, tokens};
use crate::bench::{Behaviour, Model, Setup, talk};

const BLOCK: &str = r#"{"type": "compaction",  "content": "The pier was <closed> in May."}"#;

fn compacted(provider: &str) -> NewMessage {
    let parts = vec![
        Part::Text {
            text: "before the block".to_owned(),
        },
        Part::Opaque {
            json: BLOCK.to_owned(),
        },
        Part::Text {
            text: "So the pier is closed.".to_owned(),
        },
    ];
    let mut message = NewMessage::new(hippocamp::domain::Role::Assistant, parts);
    message.provider = Some(provider.to_owned());
    message
}

#[tokio::test]
async fn technique_k11_a_provider_compacts_and_its_blocks_go_back_untouched() {
    let model = Model::behaving(Behaviour::Good);
    let bench = Setup::window(8_000).model(&model).bench();
    bench.append(vec![NewMessage::system("Be brief.")]).await;
    bench.append(talk(0, 10, 60)).await;
    bench
        .engine
        .set_compactor(&bench.session, &Compactor::Provider("anthropic".to_owned()))
        .await
        .unwrap();
    bench
        .append(vec![
            NewMessage::user("Is it closed?"),
            compacted("anthropic"),
        ])
        .await;
    let report = bench.turn(vec![NewMessage::user("Since when?")]).await;
    assert_eq!(report.compacted.reason, CompactReason::Managed);
    let body: Value =
        serde_json::from_str(anthropic::render(&report.view).unwrap().as_str()).unwrap();
    let text = anthropic::render(&report.view).unwrap();
    assert!(text.as_str().contains(BLOCK), "{}", text.as_str());
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3, "{body}");
    assert_eq!(messages[1]["content"][0]["type"], "compaction");
    assert_eq!(messages[1]["content"][1]["text"], "So the pier is closed.");
    assert_eq!(body["system"][0]["text"], "Be brief.");
    let chat = openai_chat::render(&report.view).unwrap();
    assert!(!chat.as_str().contains("compaction") && chat.as_str().contains("before the block"));
    // The record is whole, and nothing is summarised by us, asked or not.
    bench.append(talk(100, 60, 110)).await;
    for report in [
        bench.engine.compact(&bench.session).await.unwrap(),
        bench.engine.finish_stage(&bench.session).await.unwrap(),
        bench
            .engine
            .compact_until_under(&bench.session, tokens(100))
            .await
            .unwrap(),
    ] {
        assert_eq!(report.reason, CompactReason::Managed);
    }
    assert_eq!(ask(&bench, None).await, RequestOutcome::Managed);
    bench.engine.settle().await.unwrap();
    assert!(bench.tree().await.is_empty() && model.calls() == 0);
    let view = shown(&bench).await;
    assert!(view.fits && view.tokens <= view.budget);
    let failed = FailedCall::new("prompt is too long", Some(400)).view(view.version);
    let outcome = bench
        .engine
        .on_provider_error(&bench.session, &failed)
        .await
        .unwrap();
    assert!(matches!(outcome, ErrorOutcome::Retry { .. }));
    // Ours again: the block is of no use then, and what was said is summarised.
    bench
        .engine
        .set_compactor(&bench.session, &Compactor::Engine)
        .await
        .unwrap();
    bench.engine.compact(&bench.session).await.unwrap();
    assert!(!bench.tree().await.is_empty());
    let body = anthropic::render(&shown(&bench).await).unwrap();
    assert!(!body.as_str().contains("compaction"));
    bench.check().await;
}

#[tokio::test]
async fn a_block_of_another_provider_is_left_out_and_results_before_the_last_block_are_not_missed()
{
    let bench = Setup::window(8_000).bench();
    bench
        .engine
        .append(
            &bench.session,
            vec![
                NewMessage::user("Look."),
                NewMessage::tool_use("c1", "Read", "{}"),
                NewMessage::tool_result("c1", "tides"),
                compacted("anthropic"),
                NewMessage::user("More."),
                NewMessage::tool_use("c2", "Read", "{}"),
                NewMessage::tool_result("c2", "berths"),
                compacted("openai"),
                NewMessage::user("And?"),
            ],
        )
        .await
        .unwrap();
    bench
        .engine
        .set_compactor(&bench.session, &Compactor::Provider("anthropic".to_owned()))
        .await
        .unwrap();
    let view = shown(&bench).await;
    assert!(
        view.items
            .iter()
            .all(|item| item.kind != ViewItemKind::Summary)
    );
    let body = anthropic::render(&view).unwrap();
    assert_eq!(
        body.as_str().matches(r#""compaction""#).count(),
        1,
        "{}",
        body.as_str()
    );
    assert!(body.as_str().contains("berths") && !body.as_str().contains("tides"));
    assert!(!body.as_str().contains("its call is not shown"));
    let before = body.as_str().find(BLOCK).unwrap();
    assert!(before < body.as_str().find("So the pier is closed.").unwrap());
    // To the other provider only the other block goes back.
    bench
        .engine
        .set_compactor(&bench.session, &Compactor::Provider("openai".to_owned()))
        .await
        .unwrap();
    let body = openai_responses::render(&shown(&bench).await).unwrap();
    assert_eq!(body.as_str().matches(BLOCK).count(), 1, "{body}");
    assert!(!body.as_str().contains("berths") && body.as_str().contains("And?"));
    let input: Value = serde_json::from_str(body.as_str()).unwrap();
    assert_eq!(input["input"][1]["type"], "compaction");
    assert_eq!(
        input["input"][2]["content"][0]["text"],
        "So the pier is closed."
    );
}
