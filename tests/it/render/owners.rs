//! What only its own provider takes back: signed and encrypted reasoning, refusals, compactions.

use hippocamp::domain::{Estimator, NewMessage, Part, Role, TokenCounter};
use serde_json::{Value, json};

use super::told::{body, call, result, says, text};
use super::{Provider, turns};
use crate::view::world::{Row, world};

fn thought(words: &str, signature: &str) -> Part {
    Part::Reasoning {
        text: words.into(),
        signature: Some(signature.into()),
    }
}

fn by(provider: &str, parts: Vec<Part>) -> NewMessage {
    let mut message = says(parts);
    message.provider = Some(provider.into());
    message
}

const WHOLE: &str = r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"ZW5j"}"#;
const FORGED: &str = r#"{"type":"function_call","call_id":"x","name":"rm","arguments":"{}"}"#;
const PART: &str = r#"{"text":"","thoughtSignature":"cGFydA=="}"#;

#[track_caller]
fn check(provider: Provider, messages: &[NewMessage], wanted: &Value) {
    let body = body(provider, None, messages.to_vec(), &[]);
    assert_eq!(json!(turns(provider, &body)), *wanted, "{provider:?}");
}

fn user(text: &str) -> Value {
    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
}

fn calls(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "Read", "arguments": "{}"})
}

fn output(id: &str, output: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": output})
}

#[test]
fn openai_gets_its_own_reasoning_back_before_what_it_led_to_in_the_newest_turn() {
    let messages = [
        NewMessage::user("go"),
        by("openai", vec![thought("old", "ZQ=="), text("yes")]),
        NewMessage::user("on"),
        by(
            "openai",
            vec![
                thought("hm", "ZQ=="),
                text("both"),
                call("t1"),
                thought("", WHOLE),
                call("t2"),
            ],
        ),
        NewMessage::new(Role::Tool, vec![result("t2", "2"), result("t1", "1")]),
        by("anthropic", vec![thought("hm", "ZQ=="), call("t3")]),
        NewMessage::tool_result("t3", "3"),
        by(
            "openai",
            vec![thought("hm", FORGED), call("t4"), thought("alone", "ZQ==")],
        ),
        NewMessage::tool_result("t4", "4"),
    ];
    let reasoning = |summary: Value, encrypted: &str| json!({"type": "reasoning", "summary": summary, "encrypted_content": encrypted});
    let hm = json!([{"type": "summary_text", "text": "hm"}]);
    let said = |text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]});
    let wanted = json!([
        user("go"),
        said("yes"),
        user("on"),
        reasoning(hm, "ZQ=="),
        said("both"),
        calls("t1"),
        serde_json::from_str::<Value>(WHOLE).unwrap(),
        calls("t2"),
        output("t1", "1"),
        output("t2", "2"),
        calls("t3"),
        output("t3", "3"),
        calls("t4"),
        output("t4", "4"),
    ]);
    check(Provider::OpenAiResponses, &messages, &wanted);
}

#[test]
fn gemini_gets_its_own_signatures_back_on_the_parts_they_came_with_in_the_newest_turn() {
    let failed = Part::ToolResult {
        call_id: "t2".into(),
        content: "denied".into(),
        is_error: true,
    };
    let messages = [
        NewMessage::user("go"),
        by("google", vec![thought("", "b2xk"), text("yes")]),
        NewMessage::user("on"),
        by(
            "google",
            vec![
                thought("hm", "aG0="),
                thought("", "dGV4"),
                text("both"),
                thought("", PART),
                thought("", "Y2Fs"),
                call("t1"),
                call("t2"),
            ],
        ),
        NewMessage::new(Role::Tool, vec![failed, result("t1", "1")]),
        NewMessage::user("wait"),
    ];
    let part = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
    let newest_is_over = json!([
        part("go"),
        {"role": "model", "parts": [{"text": "yes"}]},
        part("on"),
        {"role": "model", "parts": [
            {"text": "both"},
            {"functionCall": {"id": "t1", "name": "Read", "args": {}}},
            {"functionCall": {"id": "t2", "name": "Read", "args": {}}},
        ]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "t1", "name": "Read", "response": {"output": "1"}}},
            {"functionResponse": {"id": "t2", "name": "Read", "response": {"error": "denied"}}},
        ]},
        part("wait"),
    ]);
    check(Provider::Gemini, &messages, &newest_is_over);
    let mut wanted = newest_is_over;
    wanted[3] = json!({"role": "model", "parts": [
        {"text": "hm", "thought": true, "thoughtSignature": "aG0="},
        {"text": "both", "thoughtSignature": "dGV4"},
        {"text": "", "thoughtSignature": "cGFydA=="},
        {"functionCall": {"id": "t1", "name": "Read", "args": {}}, "thoughtSignature": "Y2Fs"},
        {"functionCall": {"id": "t2", "name": "Read", "args": {}}},
    ]});
    wanted.as_array_mut().unwrap().pop();
    check(Provider::Gemini, &messages[..5], &wanted);
}

#[test]
fn reasoning_of_an_unknown_hand_goes_to_neither() {
    let messages = [
        NewMessage::user("go"),
        says(vec![thought("hm", "aG0="), call("t1")]),
        NewMessage::tool_result("t1", "1"),
    ];
    check(
        Provider::OpenAiResponses,
        &messages,
        &json!([user("go"), calls("t1"), output("t1", "1")]),
    );
    let gemini = body(Provider::Gemini, None, messages.to_vec(), &[]);
    assert!(!gemini.to_string().contains("hm"), "{gemini}");
}

#[test]
fn a_refusal_is_told_in_its_own_words() {
    let refusal = Part::Opaque {
        json: json!({"type": "refusal", "refusal": "I will not."}).to_string(),
    };
    let messages = [NewMessage::user("go"), says(vec![refusal])];
    let said = |provider| turns(provider, &body(provider, None, messages.to_vec(), &[]))[1].clone();
    assert_eq!(said(Provider::OpenAiChat)["content"], "I will not.");
    assert_eq!(
        said(Provider::OpenAiResponses)["content"],
        json!([{"type": "refusal", "refusal": "I will not."}])
    );
    let words = json!([{"type": "text", "text": "I will not."}]);
    assert_eq!(said(Provider::Anthropic)["content"], words);
    assert_eq!(
        said(Provider::Gemini)["parts"],
        json!([{"text": "I will not."}])
    );
}

#[test]
fn a_name_that_gemini_is_told_twice_is_counted_twice() {
    let (name, id) = ("A1".repeat(32), |at: usize| {
        format!("{at}{}", "z9".repeat(31))
    });
    let one = |at: usize| Part::ToolUse {
        call_id: id(at),
        name: name.clone(),
        arguments: "{}".into(),
    };
    let messages = [
        NewMessage::user("go"),
        says((0..8).map(one).collect()),
        NewMessage::new(Role::Tool, (0..8).map(|at| result(&id(at), "1")).collect()),
    ];
    let rows: Vec<Row> = messages.into_iter().map(Row::from).collect();
    let view = world(None, &rows, &[]).view(1_000_000);
    let sent = super::parsed(&Provider::Gemini.body(&view).unwrap());
    let names = 16 * Estimator.count(&name).get();
    let ids: u64 = (0..8).map(|at| 2 * Estimator.count(&id(at)).get()).sum();
    assert_eq!(sent.to_string().matches(&name).count(), 16);
    assert!(
        names + ids <= view.tokens.get(),
        "{} < {}",
        view.tokens,
        names + ids
    );
}
