//! What rig says is stored and comes back as it was.

use hippocamp::domain::{NewMessage, Part, Role, Tokens, View};
use hippocamp::engine::ViewBudget;
use hippocamp::render;
use hippocamp::rig::{history, new_messages};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rig_core::message::{
    AssistantContent, DocumentSourceKind, Image, ImageMediaType, Message, Reasoning,
    ToolResultContent, UserContent,
};
use serde_json::json;

use super::made::turn;
use super::{Host, key, with_host};
use crate::support::assert_clean;

/// Everything that a conversation holds.
async fn whole(host: &Host, session: &str) -> View {
    let budget = ViewBudget::Of(Tokens::new(1_000_000));
    host.engine.view(&key(session), budget).await.unwrap()
}

async fn told_again(host: &Host, session: &str, messages: &[Message]) -> Vec<Message> {
    let new = new_messages(messages);
    host.engine.append(&key(session), new).await.unwrap();
    history(&whole(host, session).await)
}

/// Messages of one speaker in a row as one, where nothing says that they are two.
fn joined(messages: &[Message]) -> Vec<Message> {
    let mut all: Vec<Message> = Vec::new();
    for message in messages {
        match (all.last_mut(), message) {
            (Some(Message::Assistant(before)), Message::Assistant(next))
                if next.origin.is_none() && next.stop.is_none() =>
            {
                before.content.extend(next.content.clone());
            }
            _ => all.push(message.clone()),
        }
    }
    all
}

#[test]
fn a_turn_of_rigs_comes_back_as_it_was() {
    with_host(async |host| {
        let mut runner = TestRunner::new(Config::with_cases(192));
        let n_case = std::cell::Cell::new(0);
        let handle = tokio::runtime::Handle::current();
        let ran = tokio::task::block_in_place(|| {
            runner.run(&turn(), |messages| {
                n_case.set(n_case.get() + 1);
                let session = format!("case {}", n_case.get());
                let again = handle.block_on(told_again(host, &session, &messages));
                prop_assert_eq!(again, joined(&messages));
                Ok(())
            })
        });
        ran.unwrap_or_else(|error| panic!("{error}"));
        assert_clean(&host.engine.doctor().await.unwrap());
    });
}

#[test]
fn bytes_come_back_as_base64() {
    with_host(async |host| {
        let picture = |data| {
            UserContent::Image(Image {
                data,
                media_type: Some(ImageMediaType::PNG),
                ..Image::default()
            })
        };
        let said = |data| {
            vec![Message::User {
                content: vec![picture(data)],
            }]
        };
        let bytes = said(DocumentSourceKind::Raw(vec![0, 159, 146, 150]));
        let again = told_again(host, "bytes", &bytes).await;
        assert_eq!(again, said(DocumentSourceKind::base64("AJ+Slg==")));
    });
}

#[test]
fn in_older_turns_what_was_said_stays_and_items_of_providers_go() {
    with_host(async |host| {
        let thought = AssistantContent::Reasoning(Reasoning::new("Tides first."));
        let thought = thought.with_native(json!({"type": "thinking", "signature": "c2ln"}));
        let answer = AssistantContent::text("At nine.").with_native(json!({"id": "msg-1"}));
        let first = [Message::user("When?"), vec![thought, answer].into()];
        let again = told_again(host, "main", &first).await;
        assert_eq!(again, first);
        let both = told_again(host, "main", &[Message::user("Where?")]).await;
        let want = [
            Message::user("When?"),
            Message::assistant("At nine."),
            Message::user("Where?"),
        ];
        assert_eq!(both, want);
    });
}

#[test]
fn what_is_kept_for_rig_is_in_no_other_body() {
    with_host(async |host| {
        let answer = AssistantContent::text("At nine.").with_native(json!({"id": "msg-1"}));
        let opaque = json!({"type": "opaque", "item": {"secret": "item"}, "replay": true});
        let opaque: AssistantContent = serde_json::from_value(opaque).unwrap();
        let said = [Message::user("When?"), vec![answer, opaque].into()];
        told_again(host, "main", &said).await;
        let view = whole(host, "main").await;
        for body in [
            render::openai_chat::render(&view),
            render::openai_responses::render(&view),
            render::anthropic::render(&view),
            render::gemini::render(&view),
        ] {
            let body = body.unwrap().to_string();
            assert!(body.contains("At nine."), "{body}");
            assert!(
                !body.contains("msg-1") && !body.contains("secret"),
                "{body}"
            );
        }
        assert!(!render::text::render(&view).contains("secret"));
    });
}

#[test]
fn what_others_stored_is_told_in_the_order_that_rig_takes() {
    with_host(async |host| {
        let session = key("main");
        let late = Part::Text {
            text: "Late words.".to_owned(),
        };
        let new = vec![
            NewMessage::system("Be brief."),
            NewMessage::assistant("Welcome."),
            NewMessage::user("Read both."),
            NewMessage::tool_use("a", "read", "{\"path\":\"x\"}"),
            NewMessage::tool_use("b", "read", "[1]"),
            NewMessage::tool_result("b", "second"),
            NewMessage::tool_result("a", "first"),
            NewMessage::tool_result("c", "nobody asked"),
            NewMessage::new(Role::Assistant, vec![late]),
        ];
        host.engine.append(&session, new).await.unwrap();
        let messages = history(&whole(host, "main").await);
        let words: Vec<String> = messages.iter().map(spelled).collect();
        let want = [
            "system: Be brief.",
            "user: [earlier messages left out]",
            "model: Welcome.",
            "user: Read both.",
            "model: call a, call b",
            "user: b = second, a = first",
            "user: [result, its call is not shown]\nnobody asked",
            "model: Late words.",
        ];
        assert_eq!(words, want);
    });
}

fn spelled(message: &Message) -> String {
    match message {
        Message::System { content } => format!("system: {content}"),
        Message::User { content } => {
            let said = content.iter().map(|block| match block {
                UserContent::Text(text) => text.text.clone(),
                UserContent::ToolResult(result) => {
                    let pieces = result.content.iter().filter_map(ToolResultContent::as_text);
                    format!("{} = {}", result.call, pieces.collect::<String>())
                }
                other => format!("{other:?}"),
            });
            format!("user: {}", said.collect::<Vec<_>>().join(", "))
        }
        Message::Assistant(message) => {
            let said = message.content.iter().map(|block| match block {
                AssistantContent::Text(text) => text.text.clone(),
                AssistantContent::ToolCall(call) => format!("call {}", call.id),
                other => format!("{other:?}"),
            });
            format!("model: {}", said.collect::<Vec<_>>().join(", "))
        }
    }
}
