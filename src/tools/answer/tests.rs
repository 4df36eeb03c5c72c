//! Answers as JSON, field by field.

use serde_json::{Value, json};

use super::*;
use crate::domain::*;
use crate::tools::{asked_ids, schema};

fn sample_hit() -> Hit {
    Hit {
        id: ItemId::Message(MessageId::new(42)),
        seq: Seq::FIRST,
        span: Span::single(Seq::FIRST),
        kind: HitKind::Text,
        role: Some(Role::User),
        depth: None,
        conversation: ConversationId::new(1),
        session: SessionKey::new("main").unwrap(),
        at: Some(Timestamp::parse("2026-01-02T03:04:05.678Z").unwrap()),
        rank: Some(-1.5),
        snippet: Snippet {
            text: "the otter".to_owned(),
            highlights: vec![(4, 9)],
        },
        standing: Standing::Under(ItemId::Summary(SummaryId::new(12))),
    }
}

fn sample_reply() -> GrepReply {
    GrepReply {
        hits: vec![sample_hit()],
        total: 1,
        total_capped: false,
        limit: 200,
        limit_capped: true,
        matched: MatchKind::Some,
        read_as: "otter".to_owned(),
        hint: Some("quote it".to_owned()),
        complete: true,
        cursor: None,
    }
}

#[test]
fn a_search_answers_with_every_promised_field() {
    let answer = grep_answer(&sample_reply());
    let result = json!({
        "id": "42", "seq": 1, "last_seq": 1, "kind": "text", "role": "user", "depth": null,
        "conversation": "main", "time": "2026-01-02T03:04:05.678Z", "rank": -1.5,
        "snippet": "the otter", "standing": "under s12",
    });
    let want = json!({
        "results": [result], "total": 1, "total_capped": false, "limit": 200, "match": "some",
        "read_as": "otter", "complete": true, "cursor": null,
        "hint": "quote it; limit is at most 200; use cursor for more",
    });
    assert_eq!(answer, want);
}

#[test]
fn descriptions_promise_only_fields_that_are_there() {
    let answer = grep_answer(&sample_reply());
    let grep = schema().remove(0).description;
    for name in [
        "results", "total", "limit", "match", "read_as", "complete", "cursor", "hint",
    ] {
        assert!(answer.get(name).is_some() && grep.contains(name), "{name}");
    }
    let result = &answer["results"][0];
    for name in [
        "id",
        "seq",
        "kind",
        "role",
        "depth",
        "conversation",
        "time",
        "rank",
        "snippet",
        "standing",
    ] {
        assert!(result.get(name).is_some() && grep.contains(name), "{name}");
    }
    let expanded = expand_answer(&sample_expansion(), &[]);
    let expand = schema().remove(1).description;
    for name in ["messages", "summaries", "tokens", "cursor", "missing"] {
        assert!(
            expanded.get(name).is_some() && expand.contains(name),
            "{name}"
        );
    }
}

fn sample_expansion() -> ExpandReply {
    let mut new = NewMessage::text(Role::Assistant, "a\u{0}<b>\r\n ");
    new.parts.push(Part::ToolUse {
        call_id: "c1".to_owned(),
        name: "run".to_owned(),
        arguments: r#"{"z": 1, "a": 12345678901234567890123}"#.to_owned(),
    });
    new.parts.push(Part::ToolResult {
        call_id: "c1".to_owned(),
        content: String::new(),
        is_error: true,
    });
    let message = Message::from_new(new, MessageId::new(10), ConversationId::new(1), Seq::FIRST);
    ExpandReply {
        messages: vec![ExpandedMessage {
            message,
            session: SessionKey::new("main").unwrap(),
            omitted: vec![(2, 777)],
            cut: None,
        }],
        summaries: Vec::new(),
        tokens: Tokens::new(9),
        cursor: None,
        missing: vec![
            ItemId::Message(MessageId::new(99)),
            ItemId::Message(MessageId::new(i64::MAX)),
        ],
    }
}

#[test]
fn an_expansion_keeps_every_byte_and_says_what_it_left_out() {
    let answer = expand_answer(&sample_expansion(), &[]);
    let message = &answer["messages"][0];
    assert_eq!(message["id"], 10);
    assert_eq!(message["parts"][0]["text"], "a\u{0}<b>\r\n ");
    let arguments = &message["parts"][1]["arguments"];
    assert_eq!(arguments, r#"{"z": 1, "a": 12345678901234567890123}"#);
    let want = json!({
        "type": "tool_result", "call_id": "c1", "content": null, "is_error": true,
        "omitted_bytes": 777,
    });
    assert_eq!(message["parts"][2], want);
    assert_eq!(message["cut"], Value::Null);
}

#[test]
fn missing_ids_are_named_as_written() {
    let asked = asked_ids(["99", "9223372036854775808", "99999999999999999999"]).unwrap();
    let answer = expand_answer(&sample_expansion(), &asked);
    assert_eq!(
        answer["missing"],
        json!(["99", "9223372036854775808", "99999999999999999999"])
    );
    let answer = expand_answer(&sample_expansion(), &[]);
    assert_eq!(answer["missing"], json!(["99", "9223372036854775807"]));
}
