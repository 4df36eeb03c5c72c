//! What `status` says, section by section.

use std::sync::Arc;

use hippocamp::domain::NewMessage;
use hippocamp::engine::{CompactReason, Engine, RequestOutcome};
use hippocamp::policy::limits::Limits;
use serde_json::{Value, json};

use crate::bench::{Behaviour, Model, talk};
use crate::program::Program;
use crate::steering::paused;
use crate::support::{key, window};

fn of<'a>(status: &'a Value, session: &str) -> &'a Value {
    let sessions = status["sessions"].as_array().unwrap();
    let found = sessions.iter().find(|found| found["key"] == session);
    found.unwrap_or_else(|| panic!("{session}: {status}"))
}

fn is_between(value: &Value, least: u64, most: u64) -> bool {
    value
        .as_u64()
        .is_some_and(|count| (least..=most).contains(&count))
}

#[tokio::test(flavor = "multi_thread")]
async fn technique_o2_status_tells_pressure_budget_pauses_breakers_and_requests() {
    let program = Program::new();
    program.append("calm", &crate::program::line("user", "hello"));
    let mut limits = Limits::default();
    // Longer than the slowest machine takes for this test.
    limits.breaker_open_millis = 3_600_000;
    let open = || Engine::builder(program.db()).limits(limits.clone());

    let engine = open().window(window(8_000)).build().unwrap();
    let (tired, asking) = (key("tired"), key("asking"));
    engine
        .append(&tired, vec![NewMessage::user("Hello.")])
        .await
        .unwrap();
    engine
        .set_model(&tired, "a/b", window(8_000))
        .await
        .unwrap();
    let until = paused(&engine, &tired).await;

    engine.append(&asking, talk(0, 40, 110)).await.unwrap();
    engine
        .append(&asking, vec![NewMessage::user("Go on.")])
        .await
        .unwrap();
    let asked = engine.request_compaction(&asking, None).await.unwrap();
    assert_eq!(asked, RequestOutcome::Scheduled);
    engine.shutdown().await.unwrap();

    let model = Model::behaving(Behaviour::Fails);
    let failing = open()
        .completer(Arc::clone(&model) as Arc<_>)
        .window(window(100_000))
        .build()
        .unwrap();
    let session = key("failing");
    failing.append(&session, talk(0, 60, 60)).await.unwrap();
    for turn in 0..2 {
        let more = talk(1_000 + turn * 2, 2, 60);
        let report = failing.turn(&session, more, window(100_000)).await.unwrap();
        assert_eq!(report.compacted.reason, CompactReason::ModelFailed);
    }
    let held = failing.status().await.unwrap();
    failing.shutdown().await.unwrap();

    let status = program.json(&["status"]);
    let tired = of(&status, "tired");
    assert_eq!(tired["model"], "a/b");
    assert_eq!(tired["paused"]["reason"], "ineffective");
    assert_eq!(tired["paused"]["until"], until.to_string());
    assert!(tired["paused"]["since"].is_string(), "{tired}");
    assert_eq!(tired["requested"], false);
    assert!(is_between(&tired["pressure"], 1_000, 8_000), "{tired}");

    let asking = of(&status, "asking");
    assert_eq!(
        (&asking["requested"], &asking["paused"]),
        (&json!(true), &Value::Null)
    );
    assert!(is_between(&asking["pressure"], 3_000, 8_000), "{asking}");

    let failing = of(&status, "failing");
    assert_eq!(failing["budget"], 100_000);
    assert!(is_between(&failing["leaf_candidates"], 8, 64), "{failing}");
    let breaker = &held.breakers[0];
    assert_eq!(
        status["breakers"],
        json!([{"name": breaker.name, "state": "open", "until": breaker.until.unwrap().to_string()}])
    );
    let calm = of(&status, "calm");
    assert_eq!(
        (&calm["budget"], &calm["leaf_candidates"]),
        (&json!(128_000), &json!(0))
    );
    let text = program.run(&["status"]).stdout;
    assert!(
        text.contains("tired: not compacted unasked until"),
        "{text}"
    );
    assert!(
        text.contains(&format!(
            "model {}: keeps failing, not asked until",
            breaker.name
        )),
        "{text}"
    );
}
