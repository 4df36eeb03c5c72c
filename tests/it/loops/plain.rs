//! The loop with no framework.

use hippocamp::domain::{SessionKey, Tokens, Window};

use super::openai::Agent;
use super::script::{self, FACT, QUESTION, prompt};
use super::{check_requests, engine};
use crate::support::{assert_clean, install_cryptography};

#[tokio::test(flavor = "multi_thread")]
async fn after_300_turns_in_a_window_of_4000_the_fact_of_turn_3_is_found() {
    install_cryptography();
    let server = script::start();
    let (_folder, engine) = engine();
    let session = SessionKey::new("harbour").unwrap();
    let agent = Agent {
        engine: engine.clone(),
        session: session.clone(),
        window: Window::new(Tokens::new(4_000), Tokens::new(1_200), Tokens::new(300)).unwrap(),
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
        base_url: format!("{}/v1", server.base()),
        key: None,
        model: "script".to_owned(),
    };
    for turn in 1..300 {
        let answer = agent.ask(&prompt(turn)).await.unwrap();
        assert!(!answer.contains("found nothing"), "{turn}: {answer}");
    }
    let n_before = server.calls();
    let answer = agent.ask(QUESTION).await.unwrap();
    assert!(answer.contains(FACT), "{answer}");

    let bodies = script::bodies(&server);
    check_requests(&bodies);
    // What is found is not what was in view all along.
    assert!(!bodies[n_before]["messages"].to_string().contains(FACT));
    assert!(bodies.len() > 330, "{}", bodies.len());
    for body in &bodies {
        let size = body["messages"].to_string().len();
        assert!(size < 16_000, "{size} bytes in a window of 4,000 tokens");
    }
    assert!(engine.tree(&session).await.unwrap().len() > 20);
    assert_clean(&engine.doctor().await.unwrap());
    engine.shutdown().await.unwrap();
}
