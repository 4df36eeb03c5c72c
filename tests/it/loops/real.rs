//! Five turns with a real model, small and local: what it says is its own affair; that it is asked as it
//! can be, and that all of it is stored, is asserted.

use hippocamp::domain::{GrepRequest, Reach, SessionKey, Tokens, Window};

use super::engine;
use super::openai::Agent;
use crate::real_model::{CONTEXT, serve};
use crate::support::{assert_clean, install_cryptography};

#[tokio::test(flavor = "multi_thread")]
async fn five_turns_with_a_real_model_are_answered_and_stored() {
    let Some(server) = serve("five_turns_with_a_real_model_are_answered_and_stored") else {
        return;
    };
    install_cryptography();
    let (_folder, engine) = engine();
    let session = SessionKey::new("real").unwrap();
    let window = Window::new(Tokens::new(CONTEXT), Tokens::new(2_000), Tokens::new(500)).unwrap();
    let agent = Agent {
        engine: engine.clone(),
        session: session.clone(),
        window,
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
        base_url: server.base.clone(),
        key: None,
        model: "smollm2".to_owned(),
    };
    let mut answers = Vec::new();
    for turn in 1..=5 {
        let said = format!("Turn {turn}: name one colour of the sea. Answer in one word.");
        answers.push(agent.ask(&said).await);
    }
    // A model that calls tools for ever is stopped; a server that refuses is a fault of ours.
    for answer in &answers {
        if let Err(error) = answer {
            assert!(error.to_string().contains("no answer in"), "{error}");
        }
    }
    for turn in 1..=5 {
        let request = GrepRequest::new(format!("\"Turn {turn}\""), Reach::Session(session.clone()));
        assert!(engine.grep(&request).await.unwrap().total >= 1, "{turn}");
    }
    let counted = engine.stats().await.unwrap();
    assert!(counted.messages >= 10, "{counted:?}");
    assert_clean(&engine.doctor().await.unwrap());
    engine.shutdown().await.unwrap();
}
