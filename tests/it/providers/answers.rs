//! What is asked of each provider, and what becomes of its answers.

use hippocamp::domain::Tokens;
use hippocamp::engine::{Completer, StopReason};
use hippocamp::policy::prompt::Prompt;
use hippocamp::providers::Models;
use serde_json::Value;

use super::server::{Answer, Server};
use super::shape::{KEY, SHAPES, Shape};
use super::{ask, within};

#[tokio::test]
async fn each_provider_is_asked_in_its_own_form_and_its_answer_is_understood() {
    for shape in SHAPES {
        let server = Server::saying(shape.good());
        let answer = ask(&shape.client(&server)).await.unwrap();
        assert_eq!(answer.text, "State: the pier is closed.", "{shape:?}");
        assert_eq!(answer.stop, StopReason::End, "{shape:?}");
        let usage = answer.usage.unwrap();
        let counted = (usage.input.get(), usage.output.get(), usage.cached.get());
        assert_eq!(counted, (100, 9, 40), "{shape:?}");
        let model = answer.model.unwrap();
        assert!(model.starts_with(shape.model()), "{model}");
        let requests = server.requests();
        assert_eq!(requests.len(), 1, "{shape:?}");
        let request = &requests[0];
        assert_eq!(request.path, shape.path());
        assert!(
            request.head.contains(&shape.key_line()),
            "{shape:?}: {}",
            request.head
        );
        assert!(!request.path.contains(KEY) && !request.body.contains(KEY));
        assert!(
            request.body.contains("Summarise.") && request.body.contains("The pier is closed.")
        );
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert!(body.get("tools").is_none(), "a summariser calls no tools");
    }
}

#[track_caller]
fn check_stops(shape: Shape, word: &str, stop: StopReason) {
    let server = Server::saying(shape.answer("State: the pier is", word));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let answer = runtime.block_on(ask(&shape.client(&server))).unwrap();
    assert_eq!(answer.stop, stop, "{shape:?} {word}");
}

#[test]
fn why_a_model_stopped_is_told_in_the_words_of_no_provider() {
    check_stops(Shape::OpenAi, "length", StopReason::MaxTokens);
    check_stops(Shape::OpenAi, "content_filter", StopReason::Refusal);
    check_stops(Shape::OpenAi, "tool_calls", StopReason::Other);
    check_stops(Shape::Anthropic, "max_tokens", StopReason::MaxTokens);
    check_stops(Shape::Anthropic, "refusal", StopReason::Refusal);
    check_stops(Shape::Anthropic, "stop_sequence", StopReason::End);
    check_stops(Shape::Gemini, "MAX_TOKENS", StopReason::MaxTokens);
    check_stops(Shape::Gemini, "SAFETY", StopReason::Refusal);
    check_stops(Shape::Ollama, "length", StopReason::MaxTokens);
}

#[tokio::test]
async fn a_model_that_takes_no_temperature_is_asked_without_one() {
    let shape = Shape::OpenAi;
    let server = Server::start(move |_, request| {
        if request.body.contains("temperature") {
            let words = "Unsupported value: 'temperature' does not support 0.2 with this model.";
            Answer::fails(400, shape.error(words))
        } else {
            Answer::ok(shape.good())
        }
    });
    assert!(ask(&shape.client(&server)).await.is_ok());
    assert_eq!(server.calls(), 2);
}

#[tokio::test]
async fn a_name_goes_to_its_server_as_it_is() {
    let server = Server::saying(Shape::OpenAi.good());
    let base = server.base();
    let environment = |name: &str| (name == "HIPPOCAMP_BASE_URL").then(|| base.clone());
    let models = Models::named(["openai_compat/org::model-high"], &environment).unwrap();
    ask(&models).await.unwrap();
    let request = &server.requests()[0];
    let body: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(body["model"], "org::model-high");
    assert!(!request.head.contains("user-agent: reqwest"));
}

/// Ollama cuts a prompt to its window and says nothing; what it counted tells.
#[tokio::test]
async fn a_prompt_that_ollama_cut_in_silence_is_too_long() {
    let server = Server::saying(Shape::Ollama.good());
    let prompt = Prompt::new("Summarise.", "The pier is closed. ".repeat(400));
    let models = Shape::Ollama.client(&server);
    let options = within(std::time::Duration::from_mins(1));
    let error = models.complete(&prompt, &options).await.unwrap_err();
    let limit = Some(Tokens::new(100));
    assert_eq!(
        error.kind,
        hippocamp::engine::FailureKind::TooLong { limit }
    );
}
