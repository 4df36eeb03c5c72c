//! Bodies that cannot be read, and those that nearly cannot.

use hippocamp::domain::{Part, Role};
use serde_json::{Value, json};

use super::Provider;
use super::read_back::read;
use super::reading::{call, check, opaque};

#[test]
fn what_is_wrong_is_named_with_its_place_its_value_and_the_right_form() {
    use Provider::{Anthropic, Gemini, OpenAiChat, OpenAiResponses};
    let long = format!(
        r#"{{"messages":[{{"role":"user","content":{}}}]}}"#,
        "7".repeat(99)
    );
    let cut = format!(
        "`messages[0].content` must be a text or a list of parts, not {}…",
        "7".repeat(60)
    );
    for (provider, body, wanted) in [
        (Anthropic, "", "the body is no JSON"),
        (Anthropic, "{} {}", "the body is no JSON"),
        (
            Anthropic,
            "5",
            "the body must be a request with `messages`, a message with `role`, or a list of messages, not 5",
        ),
        (
            Anthropic,
            r#"{"messages":[{"role":"user","content":"a"},{"role":"tool","content":"b"}]}"#,
            r#"`messages[1].role` must be user, assistant or system, not "tool""#,
        ),
        (
            Anthropic,
            r#"[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":5}]}]"#,
            "`[0].content[1].text` must be a text, not 5",
        ),
        (
            Anthropic,
            r#"{"role":"user","content":[{"type":"tool_result","content":"x"}]}"#,
            "`content[0].tool_use_id` is missing; a text belongs there",
        ),
        (
            Anthropic,
            r#"{"role":"user","content":"a","content":"b"}"#,
            "`content` is there twice",
        ),
        (
            OpenAiChat,
            r#"{"messages":[{"role":"tool","content":"x"}]}"#,
            "`messages[0].tool_call_id` is missing; a text belongs there",
        ),
        (
            OpenAiChat,
            r#"{"choices":[]}"#,
            "`choices` must be a list of one choice, the one that goes on, not []",
        ),
        (
            OpenAiChat,
            r#"[{"role":"user","content":"\ud800"}]"#,
            r#"`[0].content` must be a text whose escapes are whole characters, not "\ud800""#,
        ),
        (OpenAiChat, long.as_str(), cut.as_str()),
        (
            OpenAiResponses,
            r#"{"instructions":"x"}"#,
            "`input` is missing; a text or a list of items belongs there",
        ),
        (
            OpenAiResponses,
            r#"{"input":[{"type":"function_call","call_id":"a","name":"b","arguments":[]}]}"#,
            "`input[0].arguments` must be a text or an object, not []",
        ),
        (
            Gemini,
            r#"{"contents":[{"role":"assistant","parts":[]}]}"#,
            r#"`contents[0].role` must be user or model, not "assistant""#,
        ),
        (
            Gemini,
            r#"{"contents":[{"parts":[{"functionResponse":{"name":"a","response":"b"}}]}]}"#,
            r#"`contents[0].parts[0].functionResponse.response` must be an object, not "b""#,
        ),
        (
            Gemini,
            r#"{"contents":[{"parts":[{"inlineData":{"mimeType":"a/b"}}]}]}"#,
            "`contents[0].parts[0].inlineData.data` is missing; a text belongs there",
        ),
    ] {
        let error = read(provider, body).unwrap_err();
        assert_eq!(error.to_string(), wanted, "{body}");
    }
    let many =
        json!([{"role": "user", "content": vec![json!({"type": "text", "text": "a"}); 65_536]}]);
    let error = read(Anthropic, &many.to_string()).unwrap_err();
    assert_eq!(error.to_string(), "`[0]` is too long");
}

#[test]
fn nesting_of_any_depth_is_kept_or_refused_and_no_stack_runs_out() {
    let deep = format!("{}{}", "[".repeat(300_000), "]".repeat(300_000));
    let arguments = format!(r#"{{"a":{deep}}}"#);
    let bodies = [
        (
            Provider::Anthropic,
            format!(
                r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"n","input":{arguments}}}]}}]"#
            ),
        ),
        (
            Provider::OpenAiResponses,
            format!(
                r#"[{{"type":"function_call","call_id":"t","name":"n","arguments":{arguments}}}]"#
            ),
        ),
        (
            Provider::Gemini,
            format!(
                r#"[{{"role":"model","parts":[{{"functionCall":{{"id":"t","name":"n","args":{arguments}}}}}]}}]"#
            ),
        ),
    ];
    for (provider, body) in bodies {
        let wanted = vec![call("t", "n", &arguments)];
        check(provider, &body, &[(Role::Assistant, wanted)]);
    }
    let unknown = format!(r#"{{"type":"new","x":{deep}}}"#);
    let body = format!(r#"[{{"role":"user","content":[{unknown}]}}]"#);
    check(
        Provider::Anthropic,
        &body,
        &[(Role::User, vec![opaque(&unknown)])],
    );
    for provider in super::PROVIDERS {
        assert!(read(provider, &deep).is_err());
        assert!(read(provider, &"[".repeat(300_000)).is_err());
    }
}

#[test]
fn goldens_are_read_and_rendered_again() {
    for (provider, name) in [
        (Provider::OpenAiChat, "openai_chat.json"),
        (Provider::OpenAiResponses, "openai_responses.json"),
        (Provider::Anthropic, "anthropic.json"),
        (Provider::Gemini, "gemini.json"),
    ] {
        let path = format!("{}/tests/data/render/{name}", env!("CARGO_MANIFEST_DIR"));
        let body: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let messages = read(provider, &body.to_string()).unwrap();
        let n_results = messages.iter().filter(|one| one.role == Role::Tool).count();
        let n_calls = messages.iter().flat_map(|one| &one.parts);
        let n_calls = n_calls
            .filter(|part| matches!(part, Part::ToolUse { .. }))
            .count();
        assert_eq!(n_calls, n_results, "{provider:?}");
        assert!(n_calls >= 2, "{provider:?}");
    }
}
