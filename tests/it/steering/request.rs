//! What an agent asks for at the end of its turn.

use hippocamp::domain::NewMessage;
use hippocamp::engine::{FailedCall, RequestOutcome};
use hippocamp::tools::{OptionalTool, ToolScope, dispatch, dispatch_with};
use serde_json::{Value, json};

use super::ask;
use crate::bench::{Behaviour, Model, Setup, talk};

#[tokio::test]
async fn technique_t13_a_request_is_met_when_the_turn_has_ended_with_its_newest_focus() {
    let model = Model::behaving(Behaviour::Good);
    let mut setup = Setup::window(8_000).model(&model);
    setup.limits.leaf_from_percent = 100;
    let mut bench = setup.bench();
    bench.append(talk(0, 50, 110)).await;
    bench
        .append(vec![
            NewMessage::user("Is the ferry stage done?"),
            NewMessage::tool_use("c1", "short_compact", "{}"),
        ])
        .await;
    assert_eq!(
        ask(&bench, Some("the ferry")).await,
        RequestOutcome::Scheduled
    );
    assert_eq!(
        ask(&bench, Some("the night ferry")).await,
        RequestOutcome::Updated
    );
    bench.restart();
    let within = bench
        .turn(vec![NewMessage::tool_result("c1", "scheduled")])
        .await;
    assert!(within.compacted.leaf.is_empty(), "the turn goes on");
    let ended = bench
        .turn(vec![NewMessage::assistant("The ferry stage is done.")])
        .await;
    assert!(!ended.compacted.leaf.is_empty(), "{:?}", ended.compacted);
    let asked = &model.prompts()[0].system;
    assert!(asked.contains("the night ferry"));
    assert!(
        !asked.contains("operator"),
        "an agent has no operator's rank"
    );
    let events = bench.engine.events(&bench.session).await.unwrap();
    assert!(
        events
            .iter()
            .any(|event| event.reason.as_deref() == Some("agent"))
    );
    let n_done = bench.tree().await.len();
    bench
        .turn(vec![
            NewMessage::user("Good."),
            NewMessage::assistant("Yes."),
        ])
        .await;
    assert_eq!(bench.tree().await.len(), n_done, "it is met once");
    bench.check().await;
}

#[tokio::test]
async fn technique_t13_a_request_goes_with_an_aborted_turn_and_with_an_overflow() {
    let mut setup = Setup::window(8_000);
    setup.limits.leaf_from_percent = 100;
    let bench = setup.bench();
    bench.append(talk(0, 50, 110)).await;
    let call = || {
        vec![
            NewMessage::user("Go on."),
            NewMessage::tool_use("c1", "short_compact", "{}"),
        ]
    };
    bench.append(call()).await;
    assert_eq!(ask(&bench, None).await, RequestOutcome::Scheduled);
    let aborted = bench
        .turn(vec![NewMessage::user("Stop, something else.")])
        .await;
    assert!(aborted.compacted.leaf.is_empty());
    let after = bench.turn(vec![NewMessage::assistant("What?")]).await;
    assert!(after.compacted.leaf.is_empty(), "a dropped request was met");
    bench.append(call()).await;
    assert_eq!(ask(&bench, None).await, RequestOutcome::Scheduled);
    let failed = FailedCall::new("prompt is too long", Some(400));
    let _ = bench
        .engine
        .on_provider_error(&bench.session, &failed)
        .await
        .unwrap();
    assert_eq!(
        bench.engine.status().await.unwrap().sessions[0].request,
        None
    );
    // A branch does not begin with its parent's request.
    bench.append(talk(200, 30, 110)).await;
    assert_eq!(ask(&bench, None).await, RequestOutcome::Scheduled);
    let at = hippocamp::domain::Seq::new(50).unwrap();
    bench.engine.fork(&bench.session, at, None).await.unwrap();
    assert_eq!(
        bench.engine.status().await.unwrap().sessions[0].request,
        None
    );
}

#[tokio::test]
async fn technique_t14_a_request_below_the_floor_is_refused_with_its_reason() {
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 4, 110)).await;
    let scope = ToolScope::Session(bench.session.clone());
    let tools = [OptionalTool::ShortCompact];
    let call =
        |arguments: Value| dispatch_with(&bench.engine, &scope, &tools, "short_compact", arguments);
    let answer = call(json!({"focus": "the ferry"})).await.unwrap();
    assert_eq!(answer["status"], "refused");
    assert!(
        answer["reason"].as_str().unwrap().contains("3000"),
        "{answer}"
    );
    bench.append(talk(4, 40, 110)).await;
    assert_eq!(
        call(json!({})).await.unwrap(),
        json!({"status": "scheduled", "reason": null})
    );
    assert_eq!(
        call(json!({"focus": "x"})).await.unwrap()["status"],
        "updated"
    );
    let endless = call(json!({"focus": "x".repeat(2_001)})).await.unwrap_err();
    assert!(endless.to_string().contains("2001 characters"), "{endless}");
    let wrong = call(json!({"why": "x"})).await.unwrap_err();
    assert!(
        wrong
            .to_string()
            .contains("short_compact has no argument `why`"),
        "{wrong}"
    );
    let plain = dispatch(&bench.engine, &scope, "short_compact", json!({}))
        .await
        .unwrap_err();
    assert!(
        plain.to_string().contains("no tool `short_compact`"),
        "{plain}"
    );
    let unbound = dispatch_with(
        &bench.engine,
        &ToolScope::All,
        &tools,
        "short_compact",
        json!({}),
    )
    .await;
    assert!(unbound.unwrap_err().to_string().contains("is about one"));
    let schema = OptionalTool::ShortCompact.schema();
    for example in schema
        .description
        .lines()
        .filter(|line| line.starts_with('{'))
    {
        call(serde_json::from_str(example).unwrap()).await.unwrap();
    }
    for field in ["status", "reason"] {
        assert!(schema.description.contains(field) && answer.get(field).is_some());
    }
}
