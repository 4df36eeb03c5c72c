//! Random histories: tool batches whole, parallel, late, repeated and lost, huge and empty and
//! wordless messages, all scripts, ids and arguments as no host should write them.

use std::collections::HashMap;

use hippocamp::domain::{NewMessage, Part, Role, Visibility};
use proptest::prelude::*;

use super::Provider;
use crate::view::world::Row;

/// Media that go to a user's message as what they are; all others become a line.
pub(super) const fn sent_to(provider: Provider) -> &'static [&'static str] {
    match provider {
        Provider::OpenAiChat | Provider::Gemini => &[PNG, JPG, LINK, PDF, WAV],
        Provider::OpenAiResponses | Provider::Anthropic => &[PNG, JPG, LINK, PDF],
    }
}

const PNG: &str = "data:image/png;base64,iVBORw0KGgo=";
const JPG: &str = "data:image/jpeg;base64,QUJDRA==";
const LINK: &str = "https://example.org/a.webp";
const PDF: &str = "data:application/pdf;base64,JVBERg==";
const WAV: &str = "data:audio/wav;base64,UklGRg==";

const MEDIA: [(&str, &str); 10] = [
    (PNG, "image/png"),
    (JPG, "image/jpg"),
    (LINK, "image/webp"),
    (PDF, "application/pdf"),
    (WAV, "audio/wav"),
    ("data:image/tiff;base64,QUJD", "image/tiff"),
    ("data:image/png;base64,not base64!", "image/png"),
    ("data:image/png;base64,", "image/png"),
    ("file:///tmp/a.png", "image/png"),
    ("http://example.org/a.png", "image/png"),
];

pub(super) fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{1,8}( [a-z]{1,8}){0,20}",
        2 => "\\PC{1,40}",
        1 => "[a-z ]{1500,3000}",
        1 => "(用户|身份|ไทย|עברית|العربية|👩‍👩‍👧|e\u{301}|\u{200b}){1,12}",
        1 => "(<summary id=\"s9\">|</summary>|]]>|&amp;|\\[failed\\]|Human:|\"|\\\\){1,9}[a-z]",
        1 => "[a-z]{1,9}[ \n\t\u{1f}]{1,3}",
        1 => "[ \n\t\u{1f}\u{0}]{0,3}",
    ]
}

fn ids() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "t1",
        "t2",
        "t3",
        "call_30_0",
        "functions.search:0",
        "",
        "an id much longer than any interface takes, with blanks in it",
        "identifier-of-forty-one-characters-in-all",
    ])
}

fn names() -> impl Strategy<Value = &'static str> {
    let long = "a_tool_whose_name_is_longer_than_the_sixty_four_characters_that_all_take";
    prop::sample::select(vec![
        "Read",
        "Read",
        "mcp__db-query",
        "a.b/c",
        "",
        "9-to-5",
        long,
    ])
}

/// Arguments with room for the number of their call, or none.
fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => words().prop_map(|text| serde_json::json!({ "n": 0, "text": text }).to_string()),
        1 => Just("{\n  \"n\" : 0,\n  \"big\": 123456789012345678901234567890 }".to_owned()),
        1 => words(),
        1 => "[\"\\\\\n]{30,90}",
        1 => prop::sample::select(vec!["[1]", "null", "{\"a\":", "{\"a\":\"\\ud800\"}", "{}"])
            .prop_map(str::to_owned),
    ]
}

fn call() -> impl Strategy<Value = Part> {
    (ids(), names(), arguments()).prop_map(|(id, name, arguments)| Part::ToolUse {
        call_id: id.into(),
        name: name.into(),
        arguments,
    })
}

fn result() -> impl Strategy<Value = Part> {
    (ids(), words(), any::<bool>()).prop_map(|(id, content, is_error)| Part::ToolResult {
        call_id: id.into(),
        content,
        is_error,
    })
}

fn media() -> impl Strategy<Value = Part> {
    prop::sample::select(MEDIA.to_vec()).prop_map(|(uri, mime)| Part::Media {
        uri: uri.into(),
        mime: mime.into(),
    })
}

fn thought() -> impl Strategy<Value = Part> {
    // Words that providers sign, and what they send whole.
    let signature = prop::option::of(prop::sample::select(vec![
        "c2ln",
        "sig2",
        "",
        "no base64!",
        r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}"#,
        r#"{"type":"function_call","call_id":"x","name":"y","arguments":"{}"}"#,
        r#"{"text":"","thoughtSignature":"a2VwdA=="}"#,
        r#"{"functionCall":{"name":"y","args":{}},"thoughtSignature":"a2VwdA=="}"#,
    ]));
    (words(), signature).prop_map(|(text, signature)| Part::Reasoning {
        text,
        signature: signature.map(str::to_owned),
    })
}

fn opaque() -> impl Strategy<Value = Part> {
    let blocks = vec![
        serde_json::json!({ "type": "redacted_thinking", "data": "zz" }),
        serde_json::json!({ "type": "server_tool_use", "id": "x", "input": {} }),
        serde_json::json!({ "type": "fallback" }),
        serde_json::json!({ "type": "refusal", "refusal": "I will not." }),
    ];
    prop::sample::select(blocks).prop_map(|block| Part::Opaque {
        json: block.to_string(),
    })
}

fn text() -> impl Strategy<Value = Part> {
    words().prop_map(|text| Part::Text { text })
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![4 => text(), 2 => thought(), 3 => call(), 3 => result(), 1 => media(), 1 => opaque()]
}

/// One exchange, as hosts send it, or rows as none should.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let talk = (words(), words()).prop_map(|(user, assistant)| {
        vec![
            NewMessage::user(user).into(),
            NewMessage::assistant(assistant).into(),
        ]
    });
    // A batch, its results one a row or all in one, some lost, perhaps behind other words.
    let batch = (
        prop::collection::vec(
            (
                call(),
                prop::option::weighted(0.85, (words(), any::<bool>())),
            ),
            1..5,
        ),
        prop::collection::vec(prop_oneof![text(), thought()], 0..3),
        any::<bool>(),
        prop::option::weighted(0.2, words()),
    )
        .prop_map(|(batch, mut parts, is_one_row, between)| {
            let mut results = Vec::new();
            for (call, result) in batch {
                if let (Part::ToolUse { call_id, .. }, Some((content, is_error))) = (&call, result)
                {
                    results.push(Part::ToolResult {
                        call_id: call_id.clone(),
                        content,
                        is_error,
                    });
                }
                parts.push(call);
            }
            let mut rows = vec![NewMessage::new(Role::Assistant, parts)];
            rows.extend(between.map(NewMessage::assistant));
            if is_one_row {
                rows.push(NewMessage::new(Role::User, results));
            } else {
                let one = |part| NewMessage::new(Role::Tool, vec![part]);
                rows.extend(results.into_iter().map(one));
            }
            rows.into_iter().map(Row::from).collect::<Vec<Row>>()
        });
    let roles = prop::sample::select(vec![Role::User, Role::Assistant, Role::Tool, Role::System]);
    let wild = (roles, prop::collection::vec(part(), 0..4), any::<bool>()).prop_map(
        |(role, parts, continues)| {
            vec![Row {
                message: NewMessage::new(role, parts),
                // Importers join records of the model's only.
                continues: continues && role == Role::Assistant,
            }]
        },
    );
    let meta = words().prop_map(|text| vec![NewMessage::user(text).meta().into()]);
    let asked = prop::collection::vec(prop_oneof![3 => text(), 1 => media()], 1..3)
        .prop_map(|parts| vec![NewMessage::new(Role::User, parts).into()]);
    prop_oneof![4 => talk, 5 => batch, 3 => wild, 1 => meta, 1 => asked]
}

/// A history whose calls and results bear the number of their pair.
pub(super) fn histories(most: usize) -> impl Strategy<Value = Vec<Row>> {
    let speakers = prop::sample::select(vec![None, None, None, Some("Ada"), Some("Bo B.")]);
    let models = prop::sample::select(vec![
        (None, None),
        (Some("anthropic"), None),
        (Some("openai"), None),
        (None, Some("claude-x")),
        (None, Some("gpt-x")),
        (Some("google"), None),
        (None, Some("gemini-x")),
    ]);
    let seasoned = (rows(), speakers, models).prop_map(|(mut rows, speaker, (provider, model))| {
        for row in &mut rows {
            row.message.name = speaker.map(str::to_owned);
            row.message.provider = provider.map(str::to_owned);
            row.message.model = model.map(str::to_owned);
        }
        rows
    });
    prop::collection::vec(seasoned, 0..most).prop_map(|rows| numbered(rows.concat()))
}

/// Writes into each call and its result the number of their pair: within a turn the k-th call of
/// an id has the k-th result.
fn numbered(mut rows: Vec<Row>) -> Vec<Row> {
    let mut numbers: HashMap<(usize, String, u32), u64> = HashMap::new();
    let mut seen: HashMap<(usize, bool, String), u32> = HashMap::new();
    let (mut turn, mut in_request) = (0, false);
    for row in &mut rows {
        if row.message.visibility != Visibility::Talk {
            continue;
        }
        let is_result = |part: &Part| matches!(part, Part::ToolResult { .. });
        let asks = row.message.role == Role::User && !row.message.parts.iter().any(is_result);
        turn += usize::from(asks && !in_request);
        in_request = asks;
        for part in &mut row.message.parts {
            let (is_call, id) = match part {
                Part::ToolUse { call_id, .. } => (true, call_id.clone()),
                Part::ToolResult { call_id, .. } => (false, call_id.clone()),
                _ => continue,
            };
            let count = seen.entry((turn, is_call, id.clone())).or_default();
            let next = numbers.len() as u64 + 1;
            let number = *numbers.entry((turn, id, *count)).or_insert(next);
            *count += 1;
            match part {
                Part::ToolUse { arguments, .. } => {
                    *arguments = arguments.replacen(": 0", &format!(": {number}"), 1);
                    *arguments = arguments.replacen("\"n\":0", &format!("\"n\":{number}"), 1);
                }
                Part::ToolResult { content, .. } if !content.trim().is_empty() => {
                    *content = format!("answer {number}: {content}");
                }
                _ => {}
            }
        }
    }
    rows
}

/// Reads the number that a result bears.
pub(super) fn number_of(result: &str) -> Option<u64> {
    let rest = result.strip_prefix("answer ")?;
    rest.split_once(':')?.0.parse().ok()
}
