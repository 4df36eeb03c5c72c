//! Every provider's words for a prompt that is too long come out as that, with the window they tell.

use hippocamp::domain::{NewMessage, Tokens};
use hippocamp::engine::FailureKind;

use super::ask;
use super::server::{Answer, Server};
use super::shape::{SHAPES, Shape};
use crate::bench::talk;
use crate::shared::shared;
use crate::support::{FakeClock, builder, key, window};

#[track_caller]
fn check_too_long(shape: Shape, status: u16, body: &str, limit: Option<u64>) {
    let server = Server::failing(status, body);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let error = runtime.block_on(ask(&shape.client(&server))).unwrap_err();
    let limit = limit.map(Tokens::new);
    assert_eq!(
        error.kind,
        FailureKind::TooLong { limit },
        "{shape:?} {body}"
    );
    assert_eq!(server.calls(), 1, "{shape:?} {body}: tried again");
}

#[test]
fn a_prompt_that_is_too_long_is_known_through_each_interface() {
    for (words, limit) in [
        (
            "prompt is too long: 210000 tokens > 200000 maximum",
            Some(200_000),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
            Some(8_192),
        ),
        (
            "The input token count (40000) exceeds the maximum number of tokens allowed (32768).",
            Some(32_768),
        ),
        (
            "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
            Some(4_096),
        ),
        (
            "prompt too long; exceeded max context length by 40 tokens",
            None,
        ),
        (
            "Please reduce the length of the messages or completion.",
            None,
        ),
        ("context_length_exceeded", None),
    ] {
        for shape in SHAPES {
            check_too_long(shape, 400, &shape.error(words), limit);
        }
    }
    check_too_long(
        Shape::Anthropic,
        413,
        &Shape::Anthropic.error("Request exceeds the maximum size"),
        None,
    );
    check_too_long(Shape::OpenAi, 413, "", None);
    // llama.cpp's own form.
    let body = r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":700,"n_ctx":512}}"#;
    check_too_long(Shape::OpenAi, 400, body, Some(512));
}

/// Each wording of the shared table, through the interfaces by turns.
#[test]
fn every_wording_of_the_shared_table_is_known_through_an_interface() {
    let Some(folder) = shared("every_wording_of_the_shared_table_is_known_through_an_interface")
    else {
        return;
    };
    let facts = std::fs::read_to_string(folder.join("provider-facts.md")).unwrap();
    let (_, from_b) = facts.split_once("**B.").unwrap();
    let (table, _) = from_b.split_once("Risky ones").unwrap();
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'));
    let cells = rows
        .filter_map(|row| row.split('|').nth(2))
        .filter(|cell| !cell.contains("` with `"));
    let wordings = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let mut n_checked = 0;
    for wording in wordings.filter(|wording| *wording != "max_tokens") {
        let words = wording
            .replace(r"\d+", "8192")
            .replace(".*", " of this request ")
            .replace("...", "90000 tokens, ")
            .replace("[_ ]", "_")
            .replace("(max )?", "max ");
        let shape = SHAPES[n_checked % SHAPES.len()];
        let server = Server::failing(400, &shape.error(&words));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let error = runtime.block_on(ask(&shape.client(&server))).unwrap_err();
        let is_known = matches!(error.kind, FailureKind::TooLong { .. });
        assert!(is_known, "{shape:?} {words}: {error}");
        n_checked += 1;
    }
    assert!(n_checked > 50, "only {n_checked} wordings");
}

/// X8: what a model is sent fits the window it tells, whatever the size of the source.
#[tokio::test]
async fn technique_x8_a_prompt_that_was_too_long_is_made_to_fit_the_window_that_is_told() {
    let shape = Shape::OpenAi;
    let server = Server::start(move |_, request| {
        // Bytes stand for tokens here, four to one.
        let n_tokens = request.body.len() / 4;
        if n_tokens > 2_000 {
            let words = format!(
                "the request exceeds the available context size ({n_tokens} tokens > 2000 tokens)"
            );
            Answer::fails(
                400,
                shape.error(&format!(
                    "prompt is too long: {words}: {n_tokens} tokens > 2000 maximum"
                )),
            )
        } else {
            Answer::ok(shape.good())
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let engine = builder(&folder.path().join("a.db"), FakeClock::new())
        .completer(std::sync::Arc::new(shape.client(&server)))
        .build()
        .unwrap();
    let long = NewMessage::user("The harbour is wide. ".repeat(5_000));
    let mut messages = vec![long.clone(), NewMessage::assistant("Yes."), long];
    messages.extend(talk(3, 60, 40));
    let report = engine
        .turn(&key("a"), messages, window(60_000))
        .await
        .unwrap();
    assert_eq!(report.compacted.leaf.len(), 1, "{:?}", report.compacted);
    let events = engine.events(&key("a")).await.unwrap();
    let outcomes: Vec<&str> = events
        .iter()
        .filter(|event| event.kind.as_str() == "call")
        .filter_map(|event| event.reason.as_deref())
        .collect();
    assert_eq!(outcomes, ["too_long", "answered"]);
    let n_bytes = server.requests().last().unwrap().body.len();
    assert!(n_bytes < 8_000, "{n_bytes}");
    // The window is known from now on.
    let compacted = engine.compact(&key("a")).await.unwrap();
    assert!(!compacted.leaf.is_empty(), "{compacted:?}");
    let n_refused = server
        .requests()
        .iter()
        .filter(|request| request.body.len() / 4 > 2_000)
        .count();
    assert_eq!(n_refused, 1);
    engine.shutdown().await.unwrap();
}
