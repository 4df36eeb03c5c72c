//! What an engine counted for one view is of use to the next; no view shows that.

use hippocamp::domain::{NewMessage, Part, Tokens};
use hippocamp::engine::{Engine, ViewBudget};

use crate::support::{FakeClock, builder, key};

/// Says a message with thoughts and a blank part.
fn thoughtful(text: &str) -> NewMessage {
    let mut message = NewMessage::assistant(text);
    message.parts.insert(
        0,
        Part::Reasoning {
            text: "first of all, what is meant by that?".to_owned(),
            signature: Some("s".to_owned()),
        },
    );
    message.parts.push(Part::Text {
        text: " ".to_owned(),
    });
    message
}

#[tokio::test]
async fn a_view_is_that_of_an_engine_that_never_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let build = || -> Engine { builder(&path, FakeClock::new()).build().unwrap() };
    let engine = build();
    let session = key("main");
    let long = "word after word ".repeat(3_000);
    let turns = [
        vec![NewMessage::user("one"), thoughtful("the first answer")],
        vec![
            NewMessage::user("two"),
            thoughtful("the second answer"),
            NewMessage::tool_use("c1", "Read", r#"{"path":"x"}"#),
            NewMessage::tool_result("c1", long.clone()),
        ],
        vec![NewMessage::user("three"), thoughtful("the third answer")],
    ];
    for turn in turns {
        engine.append(&session, turn).await.unwrap();
        for budget in [100_000, 9_000, 2_000] {
            let budget = ViewBudget::Of(Tokens::new(budget));
            let view = engine.view(&session, budget).await.unwrap();
            let again = engine.view(&session, budget).await.unwrap();
            let other = build();
            let fresh = other.view(&session, budget).await.unwrap();
            other.shutdown().await.unwrap();
            assert_eq!(view.items, fresh.items);
            assert_eq!(view, again);
            assert_eq!(view.tokens, fresh.tokens);
        }
    }
    engine.shutdown().await.unwrap();
}
