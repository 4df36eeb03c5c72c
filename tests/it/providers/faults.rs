//! Faults: which are tried again, which are not, and what each is called.

use std::sync::mpsc::channel;
use std::time::Duration;

use hippocamp::engine::{CompleteError, Completer, FailureKind};
use hippocamp::policy::prompt::Prompt;
use hippocamp::providers::RetryPolicy;

use super::server::{Answer, Server};
use super::shape::{KEY, SHAPES, Shape, clients};
use super::{ask, within};

/// Fails `n_faults` times as `fault` says, then answers well. Returns what came of it, and the calls.
async fn after_faults(
    shape: Shape,
    n_faults: usize,
    mut fault: impl FnMut() -> Answer + Send + 'static,
) -> (Result<String, CompleteError>, usize) {
    let server = Server::start(move |n_before, _| {
        if n_before < n_faults {
            fault()
        } else {
            Answer::ok(shape.good())
        }
    });
    let answer = ask(&shape.client(&server)).await;
    (answer.map(|answer| answer.text), server.calls())
}

/// S22: what passes is tried again, three times in all.
#[tokio::test]
async fn technique_s22_what_passes_is_tried_again() {
    for shape in SHAPES {
        let said = |status: u16, more: &'static str, words: &'static str| {
            move || Answer::Says(status, more, shape.error(words))
        };
        let faults: [(FailureKind, Box<dyn Fn() -> Answer + Send>); 9] = [
            (
                FailureKind::RateLimited,
                Box::new(said(429, "", "Rate limit reached")),
            ),
            (
                FailureKind::RateLimited,
                Box::new(said(429, "Retry-After: 0\r\n", "Slow down")),
            ),
            (
                FailureKind::Overloaded,
                Box::new(said(500, "", "Internal error")),
            ),
            (
                FailureKind::Overloaded,
                Box::new(said(503, "", "Unavailable")),
            ),
            (
                FailureKind::Overloaded,
                Box::new(said(529, "", "Overloaded")),
            ),
            (FailureKind::Network, Box::new(|| Answer::HalfClosed)),
            (FailureKind::Network, Box::new(|| Answer::HangsUp)),
            (
                FailureKind::Malformed,
                Box::new(|| Answer::ok("{\"choices\": [oops")),
            ),
            (
                FailureKind::Malformed,
                Box::new(|| Answer::Calls("text/html", "<p>proxy</p>".into())),
            ),
        ];
        for (fault_idx, (kind, fault)) in faults.into_iter().enumerate() {
            let fault = std::sync::Arc::new(std::sync::Mutex::new(fault));
            let again = std::sync::Arc::clone(&fault);
            let (answer, n_calls) = after_faults(shape, 2, move || (again.lock().unwrap())()).await;
            assert!(answer.is_ok(), "{shape:?} {fault_idx}: {answer:?}");
            assert_eq!(n_calls, 3, "{shape:?} {fault_idx}");
            let (answer, n_calls) = after_faults(shape, 9, move || (fault.lock().unwrap())()).await;
            assert_eq!(answer.unwrap_err().kind, kind, "{shape:?} {fault_idx}");
            assert_eq!(n_calls, 3, "{shape:?} {fault_idx}");
        }
    }
}

/// K7: what does not pass is not tried again.
#[tokio::test]
async fn technique_k7_a_refused_key_ends_a_call_at_once() {
    for shape in SHAPES {
        for (status, words, kind) in [
            (401, "Incorrect API key provided", FailureKind::Auth),
            (403, "Forbidden", FailureKind::Auth),
            (
                400,
                "API key not valid [API_KEY_INVALID]",
                FailureKind::Auth,
            ),
            (
                429,
                "You exceeded your current quota, check your plan and billing details",
                FailureKind::Quota,
            ),
            (402, "Payment required", FailureKind::Quota),
            (404, "No such model", FailureKind::Rejected),
            (422, "Not so", FailureKind::Rejected),
            (302, "Elsewhere", FailureKind::Rejected),
        ] {
            let (answer, n_calls) =
                after_faults(shape, 9, move || Answer::fails(status, shape.error(words))).await;
            let error = answer.unwrap_err();
            assert_eq!(error.kind, kind, "{shape:?} {status}: {error}");
            assert_eq!(n_calls, 1, "{shape:?} {status}");
            if kind == FailureKind::Auth {
                assert!(error.message.contains(shape.key_variable()), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn an_answer_without_a_choice_is_malformed_and_an_error_with_status_200_is_one() {
    for body in [
        "{\"choices\":[]}",
        "{}",
        "{\"choices\":[{\"message\":{}}]}",
        "[]",
        "7",
        "null",
    ] {
        let (answer, _) = after_faults(Shape::OpenAi, 9, move || Answer::ok(body)).await;
        assert_eq!(answer.unwrap_err().kind, FailureKind::Malformed, "{body}");
    }
    for shape in [Shape::Anthropic, Shape::Gemini, Shape::Ollama] {
        let (answer, _) = after_faults(shape, 9, move || Answer::ok("{}")).await;
        assert_eq!(
            answer.unwrap_err().kind,
            FailureKind::Malformed,
            "{shape:?}"
        );
    }
    let body = r#"{"error":{"code":429,"message":"Rate limit exceeded upstream"}}"#;
    let (answer, _) = after_faults(Shape::OpenAi, 9, move || Answer::ok(body)).await;
    assert_eq!(answer.unwrap_err().kind, FailureKind::RateLimited);
}

/// S22: a wait that the time does not allow is not begun, and no call is made after it.
#[tokio::test]
async fn technique_s22_a_deadline_stops_before_the_next_call() {
    for more in [
        "Retry-After: 7200\r\n",
        "Retry-After: 9300000000000000000\r\n",
        "retry-after-ms: 7200000\r\n",
        "Date: Fri, 02 Jan 2026 03:04:05 GMT\r\nRetry-After: Fri, 02 Jan 2026 05:04:05 GMT\r\n",
    ] {
        let shape = Shape::OpenAi;
        let server =
            Server::start(move |_, _| Answer::Says(429, more, shape.error("Rate limit reached")));
        let error = ask(&shape.client(&server)).await.unwrap_err();
        assert_eq!(error.kind, FailureKind::RateLimited);
        assert_eq!(server.calls(), 1, "{more}");
    }
    let shape = Shape::Gemini;
    let body = r#"{"error":{"code":429,"message":"Too many requests","details":[{"retryDelay":"7200s"}]}}"#;
    let server = Server::failing(429, body);
    let error = ask(&shape.client(&server)).await.unwrap_err();
    assert_eq!((error.kind, server.calls()), (FailureKind::RateLimited, 1));
}

#[tokio::test]
async fn a_model_that_says_nothing_is_given_up_when_its_time_is_up() {
    let server = Server::start(|_, _| Answer::silent());
    let models = Shape::OpenAi.client(&server);
    let prompt = Prompt::new("", "x");
    let options = within(Duration::from_millis(150));
    let error = models.complete(&prompt, &options).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::TimedOut);
    assert_eq!(server.calls(), 1);
}

#[tokio::test]
async fn nobody_at_the_address_is_a_network_failure_that_names_it() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", closed.local_addr().unwrap());
    drop(closed);
    let environment = |name: &str| (name == "HIPPOCAMP_BASE_URL").then(|| base.clone());
    let moment = Duration::from_millis(1);
    let models = hippocamp::providers::Models::named(["openai_compat/m"], &environment)
        .unwrap()
        .retry(RetryPolicy::new(2, moment, moment));
    let error = ask(&models).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Network);
    assert!(error.message.contains(&base), "{error}");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_hung_up_on() {
    let (gone, is_gone) = channel();
    let (came, has_come) = channel();
    let server = Server::start(move |_, _| {
        came.send(()).unwrap();
        Answer::Silent(gone.clone())
    });
    let models = Shape::Anthropic.client(&server);
    let call = tokio::spawn(async move { ask(&models).await.is_ok() });
    let patience = Duration::from_secs(30);
    tokio::task::spawn_blocking(move || has_come.recv_timeout(patience))
        .await
        .unwrap()
        .unwrap();
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    tokio::task::spawn_blocking(move || is_gone.recv_timeout(patience))
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn no_more_calls_run_at_once_than_are_allowed() {
    let shape = Shape::OpenAi;
    let (go, wait) = channel();
    let (came, has_come) = channel();
    let mut wait = Some(wait);
    let server = Server::start(move |_, _| {
        came.send(()).unwrap();
        match wait.take() {
            Some(wait) => Answer::Waits(wait, shape.good()),
            None => Answer::ok(shape.good()),
        }
    });
    let models = std::sync::Arc::new(shape.client(&server).at_once(1));
    let other = std::sync::Arc::clone(&models);
    let first = tokio::spawn(async move { ask(&models).await });
    let patience = Duration::from_secs(30);
    let has_come = tokio::task::spawn_blocking(move || {
        has_come.recv_timeout(patience).unwrap();
        has_come
    });
    let has_come = has_come.await.unwrap();
    // The second one waits for the permit: its time is up before the server hears of it.
    let short = within(Duration::from_millis(100));
    let error = other
        .complete(&Prompt::new("", "x"), &short)
        .await
        .unwrap_err();
    assert_eq!(error.kind, FailureKind::TimedOut);
    assert!(
        has_come.try_recv().is_err(),
        "the server was called meanwhile"
    );
    go.send(()).unwrap();
    assert!(first.await.unwrap().is_ok());
    assert!(ask(&other).await.is_ok(), "the permit is free again");
}

/// S21: the next model is asked when the first fails, in order, and is named.
#[tokio::test]
async fn technique_s21_the_next_model_is_asked_when_the_first_fails() {
    let first = Server::failing(500, "{}");
    let second = Server::failing(
        400,
        &Shape::Gemini.error("prompt is too long: 9 tokens > 8"),
    );
    let third = Server::saying(Shape::Anthropic.good());
    let models = clients(&[
        (Shape::OpenAi, &first),
        (Shape::Gemini, &second),
        (Shape::Anthropic, &third),
    ]);
    assert_eq!(models.name(), "openai_compat/small");
    let answer = ask(&models).await.unwrap();
    assert_eq!(answer.model.as_deref(), Some("anthropic/small-2026-01-02"));
    assert_eq!((first.calls(), second.calls(), third.calls()), (3, 1, 1));
}

#[tokio::test]
async fn a_model_that_hangs_leaves_time_for_the_next() {
    let first = Server::start(|_, _| Answer::silent());
    let second = Server::saying(Shape::Ollama.good());
    let models = clients(&[(Shape::OpenAi, &first), (Shape::Ollama, &second)]);
    let options = within(Duration::from_millis(1_500));
    let answer = models.complete(&Prompt::new("", "x"), &options).await;
    assert!(answer.is_ok(), "{answer:?}");
}

#[tokio::test]
async fn models_behind_one_refused_key_are_asked_once() {
    let server = Server::failing(401, "{}");
    let base = server.base();
    let environment = |name: &str| match name {
        "HIPPOCAMP_BASE_URL" => Some(base.clone()),
        "HIPPOCAMP_API_KEY" => Some(KEY.to_owned()),
        _ => None,
    };
    let names = ["openai_compat/a", "openai_compat/b"];
    let models = hippocamp::providers::Models::named(names, &environment).unwrap();
    let error = ask(&models).await.unwrap_err();
    assert_eq!((error.kind, server.calls()), (FailureKind::Auth, 1));
}
