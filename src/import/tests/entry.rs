//! What each record becomes.

use super::words;
use crate::domain::{NewMessage, Part, Role, Timestamp, Visibility};
use crate::import::claude_code::{place, read};
use crate::import::entry::{Body, Side, Title};

fn row(record: &str) -> NewMessage {
    match read(record).unwrap().body {
        Body::Row(message) => *message,
        Body::Silent => panic!("no row: {record}"),
    }
}

fn user_with(content: &str) -> String {
    format!(r#"{{"type":"user","uuid":"u","message":{{"role":"user","content":{content}}}}}"#)
}

#[track_caller]
fn check_parts(content: &str, expected: &str) {
    let seen = match read(&user_with(content)).unwrap().body {
        Body::Silent => "silent".to_owned(),
        Body::Row(message) => message
            .parts
            .iter()
            .map(|part| match part {
                Part::Text { text } => format!("text({text})"),
                Part::Reasoning { text, signature } => format!("reasoning({text},{signature:?})"),
                Part::ToolUse {
                    call_id,
                    name,
                    arguments,
                } => {
                    format!("use({call_id},{name},{arguments})")
                }
                Part::ToolResult {
                    call_id,
                    content,
                    is_error,
                } => {
                    format!("result({call_id},{content},{is_error})")
                }
                Part::Media { uri, mime } => format!("media({uri},{mime})"),
                Part::Opaque { json } => format!("opaque({json})"),
            })
            .collect::<Vec<_>>()
            .join(" "),
    };
    assert_eq!(seen, expected, "{content}");
}

#[test]
fn content_of_any_shape_is_read() {
    check_parts(r#""words""#, "text(words)");
    check_parts(r#"[{"type":"text","text":"a"},"b"]"#, "text(a) text(b)");
    check_parts(r#"{"type":"text","text":"a"}"#, "text(a)");
    check_parts("42", "text(42)");
    check_parts("1e400", "text(1e400)");
    check_parts("null", "silent");
    check_parts("[]", "silent");
    check_parts(r#""""#, "silent");
    check_parts(r#"[{"type":"text","text":null}]"#, "silent");
    check_parts(
        r#"[{"type":"mystery","x":1}]"#,
        r#"opaque({"type":"mystery","x":1})"#,
    );
    check_parts(r#"{"text":"object"}"#, r#"opaque({"text":"object"})"#);
    check_parts("[[1]]", "opaque([1])");
    check_parts(
        r#"[{"type":"thinking","thinking":"hm","signature":"s"}]"#,
        r#"reasoning(hm,Some("s"))"#,
    );
    check_parts(
        r#"[{"type":"redacted_thinking","data":"zz"}]"#,
        r#"opaque({"type":"redacted_thinking","data":"zz"})"#,
    );
}

#[test]
fn results_of_any_shape_are_read() {
    let result =
        |content: &str| format!(r#"[{{"type":"tool_result","tool_use_id":"c"{content}}}]"#);
    check_parts(&result(r#","content":"out""#), "result(c,out,false)");
    check_parts(
        &result(r#","content":"boom","is_error":true"#),
        "result(c,boom,true)",
    );
    check_parts(&result(""), "result(c,,false)");
    check_parts(&result(r#","content":null"#), "result(c,,false)");
    check_parts(
        &result(
            r#","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}}]"#,
        ),
        "result(c,a\nb,false) media(data:image/png;base64,iVBO,image/png)",
    );
    check_parts(
        &result(r#","content":{"structured":{"k":"v"}}"#),
        r#"result(c,{"structured":{"k":"v"}},false)"#,
    );
    check_parts(
        r#"[{"type":"tool_result","tool_use_id":null,"content":null}]"#,
        "result(,,false)",
    );
    let message = row(&user_with(&result(r#","content":"out""#)));
    assert_eq!(
        (message.role, message.visibility),
        (Role::Tool, Visibility::Talk)
    );
}

#[test]
fn pictures_and_documents_are_media() {
    check_parts(
        r#"[{"type":"image","source":{"type":"url","url":"https://example.org/x.png"}}]"#,
        "media(https://example.org/x.png,application/octet-stream)",
    );
    check_parts(
        r#"[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"page"}}]"#,
        "text(page)",
    );
    check_parts(
        r#"[{"type":"image","source":{"type":"file","file_id":"f"}}]"#,
        r#"opaque({"type":"image","source":{"type":"file","file_id":"f"}})"#,
    );
}

#[test]
fn arguments_stay_as_they_were_written() {
    for input in [
        r#"{"z":1,"a":2}"#,
        r#"{ "n" : 123456789012345678901234567890, "f":1e400 }"#,
        r#"{"a":1,"a":2}"#,
        r#"{"quote":"\u00e9 \/"}"#,
        &format!("{}1{}", r#"{"a":"#.repeat(400), "}".repeat(400)),
        &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
    ] {
        let record = format!(
            r#"{{"type":"assistant","uuid":"u","message":{{"content":[{{"type":"tool_use","id":"c","name":"Run","input":{input}}}]}}}}"#
        );
        let message = row(&record);
        let Part::ToolUse { arguments, .. } = &message.parts[0] else {
            panic!("no call: {message:?}");
        };
        assert_eq!(arguments, input);
    }
}

#[test]
fn a_lone_half_of_a_surrogate_pair_is_replaced_everywhere() {
    let message = row(&user_with(r#""peach \ud83d grape \ud83d\ude00""#));
    assert_eq!(words(&message), "peach \u{FFFD} grape \u{1F600}");
    let message = row(
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Run","input":{"x":"a\udc00b"}}]}}"#,
    );
    assert_eq!(words(&message), r#"Run {"x":"a\ufffdb"}"#);
}

#[track_caller]
fn check_visibility(record: &str, role: Role, visibility: Visibility) {
    let message = row(record);
    assert_eq!(
        (message.role, message.visibility),
        (role, visibility),
        "{record}"
    );
}

#[test]
fn what_the_host_says_in_the_users_name_is_meta() {
    for text in [
        "<command-name>/review</command-name>",
        "<command-message>review is running</command-message>\\n<command-name>/review</command-name>",
        "<local-command-stdout>total 12</local-command-stdout>",
        "<bash-input>ls</bash-input>",
        "<system-reminder>be brief</system-reminder>",
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond",
        "[Request interrupted by user]",
    ] {
        check_visibility(
            &user_with(&format!("\"{text}\"")),
            Role::User,
            Visibility::Meta,
        );
        let blocks = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        check_visibility(&user_with(&blocks), Role::User, Visibility::Meta);
    }
    for flag in ["isMeta", "isVisibleInTranscriptOnly"] {
        let record = format!(r#"{{"type":"user","{flag}":true,"message":{{"content":"x"}}}}"#);
        check_visibility(&record, Role::User, Visibility::Meta);
    }
}

#[test]
fn what_a_person_says_is_talk() {
    for text in [
        "what does <command-name> mean?",
        "<command-name>/x</command-name> and then my own words",
        "<b>bold</b>",
        "<command-namesake>x</command-namesake>",
        "Caveat: I am not sure",
    ] {
        check_visibility(
            &user_with(&format!("\"{text}\"")),
            Role::User,
            Visibility::Talk,
        );
    }
    let mixed = r#"[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"please"}]"#;
    check_visibility(&user_with(mixed), Role::User, Visibility::Talk);
}

#[test]
fn a_hosts_summary_is_no_request() {
    check_visibility(
        r#"{"type":"user","isCompactSummary":true,"message":{"content":"earlier we did x"}}"#,
        Role::Assistant,
        Visibility::Meta,
    );
    check_visibility(
        r#"{"type":"system","subtype":"compact_boundary","uuid":"c","content":"Conversation compacted"}"#,
        Role::System,
        Visibility::Meta,
    );
    check_visibility(
        r#"{"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":"API Error"}}"#,
        Role::Assistant,
        Visibility::Meta,
    );
}

#[test]
fn words_of_other_records_are_kept_as_meta_rows() {
    for (record, expected) in [
        (
            r#"{"type":"system","content":"Running hook","level":"info","uuid":"u"}"#,
            "Running hook",
        ),
        (
            r#"{"type":"attachment","attachment":{"type":"nested_memory","content":{"path":"/a","content":"rules"}}}"#,
            "/a\nrules",
        ),
        (
            r#"{"type":"brand-new","sessionId":"s","payload":{"said":"hello"}}"#,
            "hello",
        ),
        (
            r#"{"type":"queue-operation","sessionId":"s","content":"<task-notification>x</task-notification>"}"#,
            "<task-notification>x</task-notification>",
        ),
    ] {
        let message = row(record);
        assert_eq!(
            (words(&message).as_str(), message.visibility),
            (expected, Visibility::Meta)
        );
    }
}

#[test]
fn records_without_words_have_no_row() {
    for record in [
        r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{"timestamp":"t"}}"#,
        r#"{"type":"mode","sessionId":"s","mode":"plan"}"#,
        r#"{"type":"progress","uuid":"p","data":{"type":"hook_progress"}}"#,
        r#"{"type":"queue-operation","operation":"enqueue","content":"also fix it"}"#,
        r#"{"type":"system","subtype":"turn_duration","durationMs":5,"uuid":"u"}"#,
        r#"{"type":"user"}"#,
        r#"{"type":"assistant","message":{}}"#,
        r#"{"type":"assistant","message":{"id":"m","content":null}}"#,
    ] {
        assert_eq!(read(record).unwrap().body, Body::Silent, "{record}");
    }
}

#[test]
fn a_prompt_typed_while_the_model_worked_is_the_users() {
    check_visibility(
        r#"{"type":"attachment","uuid":"q","attachment":{"type":"queued_command","prompt":"also fix it"}}"#,
        Role::User,
        Visibility::Talk,
    );
    check_visibility(
        r#"{"type":"attachment","uuid":"q","attachment":{"type":"queued_command","prompt":"done","commandMode":"task-notification"}}"#,
        Role::User,
        Visibility::Meta,
    );
}

#[test]
fn what_is_no_record_is_refused_with_a_reason() {
    for record in ["{}", r#"{"type":7}"#, r#"{"uuid":"u"}"#] {
        assert!(read(record).unwrap_err().contains("`type`"), "{record}");
    }
}

#[track_caller]
fn check_time(raw: &str, millis: Option<i64>) {
    let record = format!(r#"{{"type":"user","timestamp":{raw},"message":{{"content":"x"}}}}"#);
    assert_eq!(row(&record).at.map(Timestamp::millis), millis, "{raw}");
}

#[test]
fn a_time_that_cannot_be_read_stays_unknown() {
    check_time(r#""2026-01-05T10:00:05.000Z""#, Some(1_767_607_205_000));
    check_time(r#""2026-01-05T19:00:05+09:00""#, Some(1_767_607_205_000));
    check_time("1767607205", Some(1_767_607_205_000));
    check_time("1767607205000", Some(1_767_607_205_000));
    check_time("1767607205000000", Some(1_767_607_205_000));
    check_time("1767607205.5", Some(1_767_607_205_500));
    check_time("1767607205.0125", Some(1_767_607_205_012));
    check_time("1767607205.1239999", Some(1_767_607_205_123));
    check_time("1767607205123.9", Some(1_767_607_205_123));
    check_time("1767607205.5e1", None);
    for raw in [r#""not-a-time""#, "null", "0", "-5", "1e400", "{}", r#""""#] {
        check_time(raw, None);
    }
}

#[test]
fn an_answer_carries_what_joins_its_records() {
    let message = row(&super::answer(1, "m1", &super::text_block("hi"), 42));
    let provenance = message.provenance.unwrap();
    assert_eq!(provenance.joins.as_deref(), Some("m1 r-m1"));
    assert_eq!(provenance.output_tokens, Some(42));
    assert_eq!(message.model.as_deref(), Some("model-x"));
    assert_eq!(message.provider.as_deref(), Some("anthropic"));
}

#[test]
fn titles_name_a_session_or_a_record() {
    let title = |record: &str| read(record).unwrap().title;
    assert_eq!(
        title(r#"{"type":"custom-title","sessionId":"s","customTitle":"Mine"}"#),
        Some(Title::OfSession("Mine".to_owned()))
    );
    assert_eq!(
        title(r#"{"type":"summary","summary":"Short","leafUuid":"x"}"#),
        Some(Title::OfRecord {
            leaf: "x".to_owned(),
            text: "Short".to_owned()
        })
    );
}

#[test]
fn a_path_names_sub_agents() {
    let place = |path: &str| {
        let place = place(std::path::Path::new(path));
        (
            place.session.unwrap_or_default(),
            place.agent.unwrap_or_default(),
        )
    };
    let of = |session: &str, agent: &str| (session.to_owned(), agent.to_owned());
    assert_eq!(place("/p/s1.jsonl"), of("", ""));
    assert_eq!(place("/p/agent-x.jsonl"), of("", "x"));
    assert_eq!(place("/p/s1/subagents/agent-x.jsonl"), of("s1", "x"));
    assert_eq!(
        place("/p/s1/subagents/workflows/r/agent-x.jsonl"),
        of("s1", "x")
    );
    assert_eq!(
        place("/p/s1/subagents/workflows/r/journal.jsonl"),
        of("s1", "workflows/r/journal")
    );
}

#[test]
fn a_side_chain_may_have_a_name() {
    let side = |fields: &str| {
        read(&format!(
            r#"{{"type":"user",{fields},"message":{{"content":"x"}}}}"#
        ))
        .unwrap()
        .side
    };
    assert_eq!(side(r#""isSidechain":false,"agentId":"a""#), Side::Main);
    assert_eq!(side(r#""isSidechain":true"#), Side::Agent(None));
    assert_eq!(
        side(r#""isSidechain":true,"agentId":"a""#),
        Side::Agent(Some("a".to_owned()))
    );
}

#[test]
fn telling_noise_from_talk_takes_linear_time() {
    let begin = std::time::Instant::now();
    for line in [
        "<command-name>",
        "<local-command-stdout>",
        "Caveat: The messages ",
        "</command-name>",
    ] {
        let text = line.repeat(1_000_000 / line.len());
        let message = row(&user_with(&serde_json::to_string(&text).unwrap()));
        assert_eq!(words(&message).len(), text.len());
    }
    assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
}
