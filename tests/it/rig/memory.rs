//! The memory of an agent: histories that fit, and nothing lost behind them.

use hippocamp::domain::{GrepRequest, Reach, SessionKey, Tokens, Window};
use hippocamp::rig::Memory;
use rig_core::id::ConversationId;
use rig_core::memory::{ConversationMemory, MemoryError};
use rig_core::message::Message;

use super::{key, with_host};
use crate::support::assert_clean;

#[test]
fn a_long_talk_is_loaded_as_a_view_and_found_whole() {
    with_host(async |host| {
        let window = Window::of(Tokens::new(2_000)).unwrap();
        let memory = Memory::new(&host.engine, window);
        let id = ConversationId::new("main");
        assert_eq!(memory.load(&id).await.unwrap(), Vec::<Message>::new());
        memory.append(&id, Vec::new()).await.unwrap();
        for day in 1..=60 {
            let log = "The harbour log was read and the tide table was checked. ".repeat(4);
            let said = vec![
                Message::user(format!("Day {day}: anything new?")),
                Message::assistant(format!("Day {day}: {log}")),
            ];
            memory.append(&id, said).await.unwrap();
        }
        let loaded = memory.load(&id).await.unwrap();
        let text = serde_json::to_string(&loaded).unwrap();
        assert!(
            loaded.len() < 60 && text.len() < 12_000,
            "{}: {}",
            loaded.len(),
            text.len()
        );
        assert!(text.contains("<summary ") && text.contains("Day 60"));
        let request = GrepRequest::new("\"Day 3\"", Reach::Session(key("main")));
        assert!(host.engine.grep(&request).await.unwrap().total >= 2);
        assert_clean(&host.engine.doctor().await.unwrap());
    });
}

#[test]
fn what_cannot_be_done_is_said() {
    with_host(async |host| {
        let memory = Memory::new(&host.engine, Window::of(Tokens::new(2_000)).unwrap());
        let id = ConversationId::new("main");
        memory
            .append(&id, vec![Message::user("Hello.")])
            .await
            .unwrap();
        let error = memory.clear(&id).await.unwrap_err();
        assert!(matches!(error, MemoryError::Policy(_)) && error.to_string().contains("`main`"));
        assert_eq!(memory.load(&id).await.unwrap(), [Message::user("Hello.")]);
        let long =
            ConversationId::new("k".repeat(SessionKey::new("k").unwrap().as_str().len() * 1_025));
        assert!(memory.load(&long).await.is_err());
        assert!(memory.load(&ConversationId::new("")).await.is_err());
    });
}
