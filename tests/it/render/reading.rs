//! Bodies as providers and hosts write them, read case by case.

use super::Provider;
use super::read_back::read;
use hippocamp::domain::{NewMessage, Part, Role};

pub(super) fn text(text: &str) -> Part {
    Part::Text { text: text.into() }
}

pub(super) fn opaque(json: &str) -> Part {
    Part::Opaque { json: json.into() }
}

fn thought(text: &str, signature: Option<&str>) -> Part {
    Part::Reasoning {
        text: text.into(),
        signature: signature.map(str::to_owned),
    }
}

pub(super) fn call(id: &str, name: &str, arguments: &str) -> Part {
    Part::ToolUse {
        call_id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    }
}

pub(super) fn result(id: &str, content: &str, is_error: bool) -> Part {
    Part::ToolResult {
        call_id: id.into(),
        content: content.into(),
        is_error,
    }
}

fn media(uri: &str, mime: &str) -> Part {
    Part::Media {
        uri: uri.into(),
        mime: mime.into(),
    }
}

#[track_caller]
pub(super) fn check(
    provider: Provider,
    body: &str,
    wanted: &[(Role, Vec<Part>)],
) -> Vec<NewMessage> {
    let messages = read(provider, body).unwrap_or_else(|error| panic!("{error}: {body}"));
    let found: Vec<_> = messages
        .iter()
        .map(|message| (message.role, message.parts.clone()))
        .collect();
    assert_eq!(found, wanted, "{body}");
    messages
}

#[test]
fn anthropic_blocks_of_every_kind_are_read() {
    let body = r#"{"model":"claude-x","max_tokens":9,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[
        {"role":"user","content":[{"type":"text","text":"Look."},
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},
            {"type":"image","source":{"type":"url","url":"https://example.org/a"}},
            {"type":"document","source":{"type":"url","url":"https://example.org/b"},"title":"B"},
            {"type":"document","source":{"type":"file","file_id":"f1"}}]},
        {"role":"assistant","content":[
            {"type":"thinking","thinking":"hm","signature":"c2ln"},
            {"type":"redacted_thinking","data":"zz"},
            {"type":"text","text":"Both.","citations":[{"cited_text":"x"}]},
            {"type":"server_tool_use", "id":"s1","name":"web_search","input":{"q": 1}},
            {"type":"tool_use","id":"t1","name":"Read","input":{"n": 12345678901234567890}},
            {"type":"tool_use","id":"t2","name":"Shot","input":{}}]},
        {"role":"user","content":[
            {"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
            {"type":"tool_result","tool_use_id":"t2","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"BBBB"}},{"type":"tool_reference","tool_name":"x"}]},
            {"type":"text","text":"And?"}]}]}"#;
    let messages = check(
        Provider::Anthropic,
        body,
        &[
            (Role::System, vec![text("Be brief.")]),
            (
                Role::User,
                vec![
                    text("Look."),
                    media("data:image/png;base64,AAAA", "image/png"),
                    media("https://example.org/a", "image/*"),
                    media("https://example.org/b", "application/pdf"),
                    opaque(r#"{"title":"B"}"#),
                    opaque(r#"{"type":"document","source":{"type":"file","file_id":"f1"}}"#),
                ],
            ),
            (
                Role::Assistant,
                vec![
                    thought("hm", Some("c2ln")),
                    opaque(r#"{"type":"redacted_thinking","data":"zz"}"#),
                    text("Both."),
                    opaque(
                        r#"{"type":"server_tool_use", "id":"s1","name":"web_search","input":{"q": 1}}"#,
                    ),
                    call("t1", "Read", r#"{"n": 12345678901234567890}"#),
                    call("t2", "Shot", "{}"),
                ],
            ),
            (Role::Tool, vec![result("t1", "a\nb", true)]),
            (
                Role::Tool,
                vec![
                    result("t2", "", false),
                    media("data:image/png;base64,BBBB", "image/png"),
                    opaque(r#"{"type":"tool_reference","tool_name":"x"}"#),
                ],
            ),
            (Role::User, vec![text("And?")]),
        ],
    );
    assert_eq!(messages[2].provider.as_deref(), Some("anthropic"));
    // A request names the model that is asked, not the one that spoke.
    assert_eq!(messages[2].model, None);
}

#[test]
fn an_answer_of_each_provider_is_one_message_of_its_model() {
    let said = |parts| [(Role::Assistant, parts)];
    let cases = [
        (
            Provider::Anthropic,
            r#"{"id":"m","type":"message","role":"assistant","model":"x-1","content":[{"type":"text","text":"Yes."}],"stop_reason":"refusal","stop_details":{"type":"refusal"},"usage":{"input_tokens":1}}"#,
            said(vec![text("Yes.")]),
        ),
        (
            Provider::OpenAiChat,
            r#"{"id":"c","object":"chat.completion","model":"x-1","usage":{},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"No.","annotations":[]}}]}"#,
            said(vec![opaque(r#"{"type":"refusal","refusal":"No."}"#)]),
        ),
        (
            Provider::OpenAiResponses,
            r#"{"id":"r","object":"response","instructions":"Be brief.","model":"x-1","usage":{},"output":[{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"},{"type":"web_search_call","id":"w"},{"type":"message","id":"m","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Yes.","annotations":[{"type":"url_citation"}]},{"type":"refusal","refusal":"No."}]}]}"#,
            said(vec![
                thought(
                    "",
                    Some(r#"{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"}"#),
                ),
                opaque(r#"{"type":"web_search_call","id":"w"}"#),
                text("Yes."),
                opaque(r#"{"type":"refusal","refusal":"No."}"#),
            ]),
        ),
        (
            Provider::Gemini,
            r#"{"modelVersion":"x-1","usageMetadata":{},"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Yes."},{"executableCode":{"code":"1"}},{"text":"","thoughtSignature":"AAAA"}]}}]}"#,
            said(vec![
                thought("hm", None),
                text("Yes."),
                opaque(r#"{"executableCode":{"code":"1"}}"#),
                thought("", Some(r#"{"text":"","thoughtSignature":"AAAA"}"#)),
            ]),
        ),
    ];
    for (provider, body, wanted) in cases {
        let messages = check(provider, body, &wanted);
        assert_eq!(messages[0].model.as_deref(), Some("x-1"), "{provider:?}");
    }
    for (provider, body) in [
        (
            Provider::Gemini,
            r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#,
        ),
        (
            Provider::Gemini,
            r#"{"candidates":[{"finishReason":"SAFETY"}]}"#,
        ),
        (Provider::Anthropic, r#"{"role":"assistant","content":[]}"#),
        (Provider::OpenAiResponses, r#"{"output":[]}"#),
    ] {
        check(provider, body, &[]);
    }
}

#[test]
fn chat_messages_of_every_kind_are_read() {
    let body = r#"[
        {"role":"developer","content":"Be brief."},
        {"role":"user","name":"Ada","content":[{"type":"text","text":"Look."},
            {"type":"image_url","image_url":{"url":"https://example.org/a","detail":"low"}},
            {"type":"input_audio","input_audio":{"data":"AAAA","format":"mp3"}},
            {"type":"file","file":{"filename":"plan.pdf","file_data":"data:application/pdf;base64,AAAA"}},
            {"type":"file","file":{"file_id":"f1"}}]},
        {"role":"assistant","reasoning":"hm","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}],"content":"Both.","tool_calls":[
            {"id":"t1","type":"function","function":{"name":"Read","arguments":"{\"a\" :1"}},
            {"id":"t2","type":"function","index":1,"function":{"name":"Read","arguments":{"a": 1}}}]},
        {"role":"tool","tool_call_id":"t2","content":"[failed]\nno"},
        {"role":"tool","tool_call_id":"t1","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
        {"role":"assistant","content":null,"audio":{"id":"au"},"tool_calls":[{"id":"t3","type":"function","function":{"name":"Read","arguments":""},"extra_content":{"google":{"thought_signature":"c2ln"}}}]},
        {"role":"assistant","content":"","function_call":{"name":"old","arguments":"{}"}},
        {"role":"function","name":"old","content":"1"}]"#;
    let details = r#"[{"type":"reasoning.encrypted","data":"x"}]"#;
    let messages = check(
        Provider::OpenAiChat,
        body,
        &[
            (Role::System, vec![text("Be brief.")]),
            (
                Role::User,
                vec![
                    text("Look."),
                    media("https://example.org/a", "image/*"),
                    media("data:audio/mpeg;base64,AAAA", "audio/mpeg"),
                    opaque(r#"{"filename":"plan.pdf"}"#),
                    media("data:application/pdf;base64,AAAA", "application/pdf"),
                    opaque(r#"{"type":"file","file":{"file_id":"f1"}}"#),
                ],
            ),
            (
                Role::Assistant,
                vec![
                    thought("hm", Some(details)),
                    text("Both."),
                    call("t1", "Read", r#"{"a" :1"#),
                    call("t2", "Read", r#"{"a": 1}"#),
                ],
            ),
            (Role::Tool, vec![result("t2", "no", true)]),
            (Role::Tool, vec![result("t1", "a\nb", false)]),
            (
                Role::Assistant,
                vec![
                    thought("", Some("c2ln")),
                    call("t3", "Read", ""),
                    opaque(r#"{"audio":{"id":"au"}}"#),
                ],
            ),
            (Role::Assistant, vec![call("old", "old", "{}")]),
            (Role::Tool, vec![result("old", "1", false)]),
        ],
    );
    assert_eq!(messages[1].name.as_deref(), Some("Ada"));
    let owners: Vec<_> = messages.iter().map(|one| one.provider.as_deref()).collect();
    assert_eq!(
        (owners[2], owners[5], owners[6]),
        (Some("openrouter"), Some("google"), None)
    );
}

#[test]
fn response_items_of_every_kind_are_read() {
    let body = r#"{"model":"gpt-x","instructions":"Be brief.","input":[
        {"role":"user","content":"Look."},
        {"type":"message","role":"developer","content":[{"type":"input_text","text":"Hurry."}]},
        {"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"auto"},{"type":"input_image","file_id":"f1"},{"type":"input_file","file_url":"https://example.org/a"}]},
        {"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"e","content":[]},
        {"type":"function_call","id":"fc","call_id":"t1","name":"Read","arguments":"{}","status":"completed"},
        {"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"content":[{"type":"reasoning_text","text":"c"}]},
        {"type":"custom_tool_call","call_id":"t2","name":"patch","input":"*** Begin"},
        {"type":"function_call_output","call_id":"t1","output":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"https://example.org/b"}]},
        {"type":"custom_tool_call_output","call_id":"t2","output":"[failed]\nno"},
        {"type":"local_shell_call_output","id":"t3","output":"y"},
        {"type":"compaction","encrypted_content":"z"}]}"#;
    let rs = r#"{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"content":[{"type":"reasoning_text","text":"c"}]}"#;
    check(
        Provider::OpenAiResponses,
        body,
        &[
            (Role::System, vec![text("Be brief.")]),
            (Role::User, vec![text("Look.")]),
            (Role::System, vec![text("Hurry.")]),
            (
                Role::User,
                vec![
                    media("data:image/png;base64,AAAA", "image/png"),
                    opaque(r#"{"type":"input_image","file_id":"f1"}"#),
                    media("https://example.org/a", "application/pdf"),
                ],
            ),
            (
                Role::Assistant,
                vec![
                    thought("hm", Some("e")),
                    call("t1", "Read", "{}"),
                    thought("a\n\nb\n\nc", Some(rs)),
                    call("t2", "patch", "*** Begin"),
                ],
            ),
            (
                Role::Tool,
                vec![
                    result("t1", "x", false),
                    media("https://example.org/b", "image/*"),
                ],
            ),
            (Role::Tool, vec![result("t2", "no", true)]),
            (
                Role::Tool,
                vec![opaque(
                    r#"{"type":"local_shell_call_output","id":"t3","output":"y"}"#,
                )],
            ),
            (
                Role::Assistant,
                vec![opaque(r#"{"type":"compaction","encrypted_content":"z"}"#)],
            ),
        ],
    );
    check(
        Provider::OpenAiResponses,
        r#"{"input":"Hello."}"#,
        &[(Role::User, vec![text("Hello.")])],
    );
}

#[test]
fn gemini_parts_of_every_kind_are_read_in_both_spellings() {
    let body = r#"{"system_instruction":{"parts":[{"text":"Be brief."}]},"generationConfig":{},"contents":[
        {"parts":[{"text":"Look."},{"inline_data":{"mime_type":"image/png","data":"AAAA"}},{"fileData":{"fileUri":"https://example.org/a","mimeType":"video/mp4"},"videoMetadata":{"fps":1}}]},
        {"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"YQ=="},{"text":"Both.","thought_signature":"Yg=="},
            {"functionCall":{"name":"Read","args":{"n": 1}},"thoughtSignature":"Yw=="},{"functionCall":{"id":"t2","name":"Shot"}}]},
        {"role":"function","parts":[{"functionResponse":{"name":"Read","response":{"result": [1]}}},
            {"functionResponse":{"id":"t2","name":"Shot","response":{"error":"no"},"parts":[{"inlineData":{"mimeType":"image/png","data":"BBBB"}}]}}]},
        {"role":"user","parts":[{"functionResponse":{"id":"t3","name":"Read","response":{"output":"x"}}}]}]}"#;
    check(
        Provider::Gemini,
        body,
        &[
            (Role::System, vec![text("Be brief.")]),
            (
                Role::User,
                vec![
                    text("Look."),
                    media("data:image/png;base64,AAAA", "image/png"),
                    media("https://example.org/a", "video/mp4"),
                    opaque(r#"{"videoMetadata":{"fps":1}}"#),
                ],
            ),
            (
                Role::Assistant,
                vec![
                    thought("hm", Some("YQ==")),
                    thought("", Some("Yg==")),
                    text("Both."),
                    thought("", Some("Yw==")),
                    call("Read", "Read", r#"{"n": 1}"#),
                    call("t2", "Shot", "{}"),
                ],
            ),
            (
                Role::Tool,
                vec![result("Read", r#"{"result": [1]}"#, false)],
            ),
            (
                Role::Tool,
                vec![
                    result("t2", "no", true),
                    media("data:image/png;base64,BBBB", "image/png"),
                ],
            ),
            (Role::Tool, vec![result("t3", "x", false)]),
        ],
    );
}
