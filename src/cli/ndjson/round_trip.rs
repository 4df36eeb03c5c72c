//! What is exported and appended again is the same, whatever was stored and however it came.

use proptest::prelude::*;

use super::{Lines, read_input};
use crate::domain::{
    HistoryRow, NewMessage, Part, Replay, Role, Seq, SessionKey, Timestamp, Visibility,
};
use crate::engine::{Durability, Engine};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}",
        Just(String::new()),
        Just("<a> & \"b\" \\ \u{0}\u{1b}[2J\u{85}\u{2028}\u{202e} \r\n trailing ".to_owned()),
        Just("用户 👩‍👩‍👧 naïve".to_owned()),
        any::<String>(),
    ]
}

fn opaque() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#"{"type":"server_tool_use", "id":1,"x":{"y":[1.0]}}"#.to_owned()),
        Just(r#" {"type":"odd"}"#.to_owned()),
        Just("{\"type\":\"odd\",\n\"x\":1}".to_owned()),
        Just("{\"type\":\"odd\",\"x\":\"\u{9b}\"}".to_owned()),
        Just(r#"{"type":"text","text":"a","cache_control":{}}"#.to_owned()),
        Just(r#"{"type":"opaque","json":"{}"}"#.to_owned()),
        Just(r#"{"type":"opaque"}"#.to_owned()),
        Just(r#"{"type":"a","type":"b"}"#.to_owned()),
        Just(r#"{"id":1e400}"#.to_owned()),
        Just("[1, 2]".to_owned()),
        Just("\"text\"".to_owned()),
        Just("null".to_owned()),
        any::<String>(),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        text().prop_map(|text| Part::Text { text }),
        (text(), proptest::option::of(text()))
            .prop_map(|(text, signature)| Part::Reasoning { text, signature }),
        (
            text(),
            text(),
            prop_oneof![
                Just(r#"{"b":1, "a":12345678901234567890123}"#.to_owned()),
                text()
            ]
        )
            .prop_map(|(call_id, name, arguments)| Part::ToolUse {
                call_id,
                name,
                arguments
            }),
        (text(), text(), any::<bool>()).prop_map(|(call_id, content, is_error)| {
            Part::ToolResult {
                call_id,
                content,
                is_error,
            }
        }),
        (text(), text()).prop_map(|(uri, mime)| Part::Media { uri, mime }),
        opaque().prop_map(|json| Part::Opaque { json }),
    ]
}

fn time() -> impl Strategy<Value = Option<Timestamp>> {
    prop_oneof![
        3 => (0_i64..2_000_000_000_000).prop_map(|millis| Some(Timestamp::from_millis(millis))),
        1 => prop_oneof![
            Just(i64::MAX), Just(i64::MIN), Just(253_402_300_800_000), Just(-62_200_000_000_000)
        ].prop_map(|millis| Some(Timestamp::from_millis(millis))),
        1 => Just(None),
    ]
}

fn message() -> impl Strategy<Value = NewMessage> {
    let role = prop_oneof![
        3 => Just(Role::User), 3 => Just(Role::Assistant), 2 => Just(Role::Tool), 2 => Just(Role::System)
    ];
    let visibility = prop_oneof![
        6 => Just(Visibility::Talk), 1 => Just(Visibility::Meta), 1 => Just(Visibility::Prompt)
    ];
    let replay = prop_oneof![
        5 => Just(None),
        2 => Just(Some(Replay::Message)),
        3 => Just(Some(Replay::Continuation)),
        1 => Just(Some(Replay::Prompt)),
        1 => Just(Some(Replay::PromptContinuation)),
    ];
    let names = proptest::collection::vec(proptest::option::of(text()), 4);
    let parts = proptest::collection::vec(part(), 0..4);
    (role, visibility, replay, parts, time(), names).prop_map(
        |(role, visibility, replay, parts, at, mut names)| {
            let mut message = NewMessage::new(role, parts);
            message.visibility = visibility;
            message.replay = replay;
            message.at = at;
            message.key = names.pop().flatten();
            message.provider = names.pop().flatten();
            message.model = names.pop().flatten();
            message.name = names.pop().flatten();
            message
        },
    )
}

async fn history(engine: &Engine, session: &SessionKey) -> Vec<HistoryRow> {
    let mut history = engine.history(session, None).await.unwrap();
    let mut rows = Vec::new();
    loop {
        let page = history.next_page().await.unwrap();
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

/// What must be the same: all of a row but its id and whose it is.
fn said(row: &HistoryRow) -> HistoryRow {
    let mut said = row.clone();
    said.message.id = crate::domain::MessageId::new(0);
    said.message.conversation = crate::domain::ConversationId::new(0);
    said
}

fn check(appends: Vec<Vec<NewMessage>>) -> Vec<HistoryRow> {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let engine = Engine::builder(folder.path().join("s.db"))
            .durability(Durability::Normal)
            .build()
            .unwrap();
        let (one, other) = (
            SessionKey::new("one").unwrap(),
            SessionKey::new("other").unwrap(),
        );
        for messages in appends {
            engine.append(&one, messages).await.unwrap();
        }
        let stored = history(&engine, &one).await;
        let mut lines = Lines::default();
        let exported: String = stored.iter().map(|row| lines.line(row) + "\n").collect();
        assert_eq!(exported.lines().count(), stored.len(), "{exported}");
        let raw = |character: char| character.is_control() && character != '\n';
        assert!(!exported.contains(raw), "{exported:?}");
        let input = read_input(exported.as_bytes());
        assert_eq!(input.refused, Vec::new(), "{exported}");
        engine.append(&other, input.messages).await.unwrap();
        let again = history(&engine, &other).await;
        let (stored, again): (Vec<_>, Vec<_>) = (
            stored.iter().map(said).collect(),
            again.iter().map(said).collect(),
        );
        assert_eq!(stored, again, "{exported}");
        engine.shutdown().await.unwrap();
        stored
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(4_000) / 4, ..ProptestConfig::default() })]

    #[test]
    fn an_export_appended_to_an_empty_conversation_is_the_same(
        appends in proptest::collection::vec(proptest::collection::vec(message(), 1..5), 1..5)
    ) {
        let _ = check(appends);
    }
}

#[test]
fn prompts_of_several_versions_and_continuations_keep_their_places() {
    let at = |message: NewMessage| message.at(Timestamp::from_millis(5));
    let prompt = |text: &str| at(NewMessage::system(text));
    let version = |text: &str| at(NewMessage::system(text).replayed(Replay::Prompt));
    let rows = check(vec![
        vec![prompt("rules"), prompt("more rules")],
        vec![version("new rules"), version("newer rules")],
        vec![
            at(NewMessage::user("go")),
            at(NewMessage::assistant("one")),
            at(NewMessage::user("noise").meta()),
            at(NewMessage::assistant("two").replayed(Replay::Continuation)),
            at(NewMessage::system("by the way")),
            version("newest rules"),
        ],
        vec![NewMessage::user("when?").replayed(Replay::Message)],
    ]);
    let seqs = |of: fn(&HistoryRow) -> Option<Seq>| -> Vec<u64> {
        rows.iter().map(|row| of(row).map_or(0, Seq::get)).collect()
    };
    let versions = seqs(|row| row.prompt_first);
    assert_eq!(versions, [1, 1, 3, 4, 0, 0, 0, 0, 0, 10, 0]);
    let continued = seqs(|row| row.message.continues);
    assert_eq!(continued, [0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0]);
    assert_eq!(rows.last().unwrap().message.at, None);
}
