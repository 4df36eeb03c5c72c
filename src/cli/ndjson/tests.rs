//! What a line may say and what refuses it.

use super::*;
use crate::domain::{Part, Role, Timestamp, Visibility};

#[track_caller]
fn message(line: &str) -> NewMessage {
    let mut input = read_input(line.as_bytes());
    assert_eq!(input.refused, Vec::new(), "{line}");
    assert_eq!(input.messages.len(), 1);
    input.messages.remove(0)
}

#[track_caller]
fn check_refused(line: &str, part: &str) {
    let input = read_input(line.as_bytes());
    assert_eq!(input.messages, Vec::new(), "{line}");
    let reason = &input.refused.first().expect("a refusal").reason;
    assert!(reason.contains(part), "{line}: {reason}");
}

#[test]
fn a_text_and_a_list_of_blocks_are_content() {
    assert_eq!(
        message(r#"{"role":"user","content":"hi"}"#),
        NewMessage::user("hi")
    );
    assert_eq!(
        message(r#"{"role":"user","content":""}"#),
        NewMessage::user("")
    );
    let got = message(
        r#"{"role":"assistant","content":[{"type":"text","text":"a"},
        {"type":"reasoning","text":"b","signature":"s"},{"type":"media","uri":"u","mime":"m"}]}"#
            .replace('\n', " ")
            .as_str(),
    );
    let text = |text: &str| text.to_owned();
    let want = vec![
        Part::Text { text: text("a") },
        Part::Reasoning {
            text: text("b"),
            signature: Some(text("s")),
        },
        Part::Media {
            uri: text("u"),
            mime: text("m"),
        },
    ];
    assert_eq!(got.parts, want);
}

#[test]
fn arguments_keep_every_byte() {
    let line = |arguments: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","call_id":"c","name":"n","arguments":{arguments}}}]}}"#
        )
    };
    let arguments = |text: &str| match message(&line(text)).parts.remove(0) {
        Part::ToolUse { arguments, .. } => arguments,
        other => panic!("{other:?}"),
    };
    assert_eq!(arguments(r#""{ \"b\":1}""#), r#"{ "b":1}"#);
    let object = r#"{"z": 1,  "a":12345678901234567890123}"#;
    assert_eq!(arguments(object), object);
    check_refused(&line("[1]"), "`arguments` must be a text or an object");
}

#[test]
fn other_types_are_kept_as_they_came() {
    let block = r#"{"type":"server_tool_use", "id":1,"x":{"y":[1.0]}}"#;
    let got = message(&format!(r#"{{"role":"assistant","content":[{block}]}}"#));
    assert_eq!(
        got.parts,
        vec![Part::Opaque {
            json: block.to_owned()
        }]
    );
}

#[test]
fn roles_of_other_programs_are_read() {
    for (role, want) in [
        ("user", Role::User),
        ("assistant", Role::Assistant),
        ("tool", Role::Tool),
        ("system", Role::System),
        ("developer", Role::System),
        ("function", Role::Tool),
        ("toolResult", Role::Tool),
    ] {
        let got = message(&format!(r#"{{"role":"{role}","content":"x"}}"#));
        assert_eq!(got.role, want);
    }
    check_refused(r#"{"role":"robot","content":"x"}"#, "`robot` is no role");
    check_refused(r#"{"role":"User","content":"x"}"#, "`User` is no role");
}

#[test]
fn optional_fields_are_taken() {
    let got = message(
        r#"{"role":"user","content":"x","time":"2026-01-02T03:04:05+01:00","name":"Ada","model":"m","provider":"p","key":"k","meta":true}"#,
    );
    assert_eq!(
        got.at,
        Some(Timestamp::parse("2026-01-02T02:04:05Z").unwrap())
    );
    assert_eq!(got.name.as_deref(), Some("Ada"));
    assert_eq!(got.model.as_deref(), Some("m"));
    assert_eq!(got.provider.as_deref(), Some("p"));
    assert_eq!(got.key.as_deref(), Some("k"));
    assert_eq!(got.visibility, Visibility::Meta);
    let got = message(r#"{"role":"user","content":"x","time":null,"meta":null,"key":null}"#);
    assert_eq!(got, NewMessage::user("x"));
    let got = message(r#"{"role":"user","content":"x","meta":false}"#);
    assert_eq!(got.visibility, Visibility::Talk);
}

#[test]
fn what_would_be_lost_refuses_the_line_by_name() {
    check_refused(
        r#"{"role":"assistant","content":"x","tool_calls":[]}"#,
        "unknown key `tool_calls`",
    );
    check_refused(
        r#"{"role":"assistant","content":null}"#,
        "`content` is null",
    );
    check_refused(r#"{"role":"assistant"}"#, "`content` is missing");
    check_refused(r#"{"content":"x"}"#, "`role` is missing");
    check_refused(r#"{"role":"user","content":5}"#, "`content` must be");
    check_refused(
        r#"{"role":"user","content":{"type":"text","text":"x"}}"#,
        "`content` must be",
    );
    check_refused(r#"{"role":"user","content":["x"]}"#, "block 1");
    check_refused(
        r#"{"role":"user","content":[{"type":"text"}]}"#,
        "`text` is missing",
    );
    check_refused(
        r#"{"role":"user","content":[{"type":"text","text":"x","cache_control":{}}]}"#,
        "unknown key `cache_control`",
    );
    check_refused(
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{}}]}"#,
        "`call_id` is missing",
    );
    check_refused(
        r#"{"role":"tool","content":[{"type":"tool_result","call_id":"c","content":[]}]}"#,
        "`content` must be a text",
    );
    check_refused(
        r#"{"role":"user","content":"x","time":"soon"}"#,
        "`time`: `soon` is no time",
    );
    check_refused(
        r#"{"role":"user","content":"x","time":5}"#,
        "`time` must be a text",
    );
    check_refused(
        r#"{"role":"user","content":"x","meta":"yes"}"#,
        "`meta` must be true or false",
    );
    check_refused(
        r#"{"role":"user","content":"x","content":"y"}"#,
        "`content` is there twice",
    );
}

#[test]
fn lines_that_are_no_objects_are_refused() {
    check_refused("nonsense", "no JSON");
    check_refused("[1]", "no JSON object");
    check_refused(r#"{"role":"user""#, "no JSON object");
    check_refused(r#"{"role":"user","content":"\ud800"}"#, "`content`");
    let input = read_input(b"{\"role\":\"user\",\"content\":\"\xff\"}");
    assert!(input.refused[0].reason.contains("UTF-8"));
}

#[test]
fn good_lines_are_kept_beside_bad_ones() {
    let text = "\u{feff}{\"role\":\"user\",\"content\":\"a\"}\r\n\r\n  \nbad\n{\"role\":\"user\",\"content\":\"b\"}";
    let input = read_input(text.as_bytes());
    assert_eq!(
        input.messages,
        vec![NewMessage::user("a"), NewMessage::user("b")]
    );
    assert_eq!(input.refused.len(), 1);
    assert_eq!(input.refused[0].line, 4);
    assert_eq!(read_input(b""), Input::default());
    assert_eq!(read_input(b" \n\n"), Input::default());
}

#[test]
fn a_message_of_too_many_parts_refuses_its_line_alone() {
    let line = |n_parts: usize| {
        let parts = vec![r#"{"type":"text","text":"x"}"#; n_parts].join(",");
        format!(r#"{{"role":"user","content":[{parts}]}}"#)
    };
    let most = NewMessage::MAX_PARTS;
    let text = [line(1), line(most + 1), line(most)].join("\n");
    let input = read_input(text.as_bytes());
    let kept: Vec<usize> = input.messages.iter().map(|kept| kept.parts.len()).collect();
    assert_eq!(kept, [1, most]);
    assert_eq!(input.refused.len(), 1);
    assert_eq!(input.refused[0].line, 2);
    assert!(input.refused[0].reason.contains("at most 65535 parts"));
}

#[test]
fn many_keys_in_one_line_take_no_longer_than_their_bytes() {
    let keys: Vec<String> = (0..200_000).map(|at| format!(r#""k{at}":{at}"#)).collect();
    let keys = keys.join(",");
    let begun = std::time::Instant::now();
    let block = format!(r#"{{"type":"other",{keys}}}"#);
    let got = message(&format!(r#"{{"role":"user","content":[{block}]}}"#));
    assert_eq!(got.parts, vec![Part::Opaque { json: block }]);
    check_refused(
        &format!(r#"{{"role":"user",{keys},"k7":1,"content":"x"}}"#),
        "`k7` is there twice",
    );
    // Each key compared with each other one: minutes.
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}
