//! The loop that rig runs.

use hippocamp::domain::{SessionKey, Tokens, Window};
use hippocamp::engine::Engine;

use super::rig::{Server, agent};
use super::script::{self, FACT, QUESTION, prompt};
use super::{check_requests, engine};
use crate::support::{assert_clean, install_cryptography};

async fn roles(engine: &Engine, session: &SessionKey) -> String {
    let budget = hippocamp::engine::ViewBudget::Of(Tokens::new(1_000_000));
    let view = engine.view(session, budget).await.unwrap();
    hippocamp::render::text::render(&view)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_of_rigs_finds_after_60_turns_what_was_said_in_turn_3() {
    install_cryptography();
    let server = script::start();
    let (_folder, engine) = engine();
    let session = SessionKey::new("harbour").unwrap();
    let window = Window::new(Tokens::new(4_000), Tokens::new(1_200), Tokens::new(800)).unwrap();
    let named = Server {
        base_url: format!("{}/v1", server.base()),
        key: "none".to_owned(),
        model: "script".to_owned(),
    };
    let agent = agent(&engine, &session, window, &named);
    for turn in 1..60 {
        let answer = agent.prompt(prompt(turn)).await.unwrap();
        assert!(
            answer
                .memory_append()
                .is_some_and(|append| format!("{append:?}").contains("Ack"))
        );
        assert!(!answer.output().contains("found nothing"), "{turn}");
    }
    let n_before = server.calls();
    let answer = agent.prompt(QUESTION).await.unwrap().output();
    assert!(answer.contains(FACT), "{answer}");

    let bodies = script::bodies(&server);
    check_requests(&bodies);
    assert!(bodies.len() > 65 && n_before > 60, "{}", bodies.len());
    let told = roles(&engine, &session).await;
    assert!(
        told.contains(QUESTION) && told.contains("short_expand"),
        "{told}"
    );
    assert!(!engine.tree(&session).await.unwrap().is_empty());
    assert_clean(&engine.doctor().await.unwrap());
    drop(agent);
    engine.shutdown().await.unwrap();
}
