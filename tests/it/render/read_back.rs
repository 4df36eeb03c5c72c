//! What is rendered is read back: bodies give the messages that the view shows, and messages the
//! bodies.
//!
//! A body is in normal form if it is one of ours without reasoning of an older turn; messages are if
//! interfaces can tell them apart, which [`talk`] makes: a prompt of one text; a user's message of
//! texts and media that the interface takes, one text alone for Chat Completions; an answer of
//! reasoning that its provider signed, texts (one for Chat Completions) and calls, with lawful names,
//! different ids, and an object as arguments (on one line where the interface has no text for them);
//! each result a message of its own, in the order of the calls.

use hippocamp::domain::{NewMessage, Part, Role, View, ViewItemKind};
use hippocamp::render;
use proptest::prelude::*;

use super::history::{histories, words};
use super::{PROVIDERS, Provider, check_rules};
use crate::view::world::{Row, covers, world};

pub(super) fn read(provider: Provider, body: &str) -> Result<Vec<NewMessage>, render::ReadError> {
    match provider {
        Provider::OpenAiChat => render::openai_chat::read(body),
        Provider::OpenAiResponses => render::openai_responses::read(body),
        Provider::Anthropic => render::anthropic::read(body),
        Provider::Gemini => render::gemini::read(body),
    }
}

/// A view of messages with nothing cut.
fn view_of(messages: Vec<NewMessage>) -> View {
    let mut messages = messages.into_iter().peekable();
    let prompt = messages.next_if(|first| first.role == Role::System);
    let prompt = prompt.map(|prompt| match prompt.parts.as_slice() {
        [Part::Text { text }] => text.clone(),
        other => panic!("a prompt of {other:?}"),
    });
    let rows: Vec<Row> = messages.map(Row::from).collect();
    world(prompt.as_deref(), &rows, &[]).view(1_000_000_000)
}

/// Reads a body, renders it again and compares.
#[track_caller]
fn check_body(provider: Provider, body: &str) {
    let messages = read(provider, body).unwrap_or_else(|error| panic!("{error}: {body}"));
    let again = provider.body(&view_of(messages));
    assert_eq!(again.as_deref(), Some(body), "{provider:?}");
}

/// Reads the bodies of a view and, where it shows no reasoning, renders them again.
#[track_caller]
pub(super) fn check_read(view: &View) {
    let mut parts = view.items.iter().flat_map(|item| &item.parts);
    let has_thoughts = parts.any(|part| match part {
        Part::Reasoning { .. } => true,
        Part::Opaque { json } => json.contains("redacted_thinking"),
        _ => false,
    });
    for provider in PROVIDERS {
        let Some(body) = provider.body(view) else {
            continue;
        };
        if has_thoughts {
            assert!(!read(provider, &body).unwrap().is_empty());
        } else {
            check_body(provider, &body);
        }
    }
}

/// What a view shows as messages.
fn shown(view: &View) -> Vec<(Role, Vec<Part>)> {
    let raw = |kind| matches!(kind, ViewItemKind::System | ViewItemKind::Message);
    let items = view.items.iter();
    items
        .map(|item| {
            assert!(raw(item.kind), "{:?}", item.kind);
            (item.role, item.parts.clone())
        })
        .collect()
}

fn text() -> impl Strategy<Value = Part> {
    said().prop_map(|text| Part::Text { text })
}

/// Words that say something to their end.
fn said() -> impl Strategy<Value = String> {
    words().prop_map(|words| format!("{words}."))
}

fn media(provider: Provider) -> impl Strategy<Value = Part> {
    let mut known = vec![
        ("data:image/png;base64,iVBORw0KGgo=", "image/png"),
        ("data:image/jpeg;base64,QUJDRA==", "image/jpeg"),
        ("data:application/pdf;base64,JVBERg==", "application/pdf"),
        ("data:application/pdf;base64,JVBERi0x", "application/pdf"),
    ];
    known.extend(match provider {
        Provider::OpenAiChat => vec![
            ("https://example.org/a.webp", "image/*"),
            ("data:audio/wav;base64,UklGRg==", "audio/wav"),
            ("data:audio/mpeg;base64,SUQz", "audio/mpeg"),
        ],
        Provider::OpenAiResponses | Provider::Anthropic => vec![
            ("https://example.org/a.webp", "image/*"),
            ("https://example.org/a", "application/pdf"),
        ],
        Provider::Gemini => vec![
            ("https://example.org/a.webp", "image/webp"),
            ("data:audio/ogg;base64,T2dn", "audio/ogg"),
            ("data:video/mp4;base64,AAAA", "video/mp4"),
        ],
    });
    prop::sample::select(known).prop_map(|(uri, mime)| Part::Media {
        uri: uri.into(),
        mime: mime.into(),
    })
}

/// A thought as a provider signs it, before words or, where it says so, before a call.
fn thoughts(provider: Provider) -> BoxedStrategy<Vec<Part>> {
    let signed = |text: String, signature: &str| Part::Reasoning {
        text,
        signature: Some(signature.to_owned()),
    };
    let plain = (prop_oneof![said(), Just(String::new())], "[A-Za-z0-9+/]{8}")
        .prop_map(move |(text, signature)| signed(text, &signature));
    let whole = said().prop_map(move |text| {
        if provider == Provider::Gemini {
            let part = serde_json::json!({ "text": "", "thoughtSignature": "AAAA" });
            return signed(String::new(), &part.to_string());
        }
        let piece = |text: &str| serde_json::json!({ "type": "summary_text", "text": text });
        let item = serde_json::json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "e",
                                       "summary": [piece(&text), piece("b")] });
        let words = format!("{text}\n\nb");
        signed(words, &item.to_string())
    });
    let redacted = "[A-Za-z0-9]{8}".prop_map(|data| Part::Opaque {
        json: serde_json::json!({ "type": "redacted_thinking", "data": data }).to_string(),
    });
    match provider {
        Provider::OpenAiChat => Just(Vec::new()).boxed(),
        Provider::Anthropic => {
            prop::collection::vec(prop_oneof![3 => plain, 1 => redacted], 0..3).boxed()
        }
        Provider::OpenAiResponses => {
            prop::collection::vec(prop_oneof![3 => plain, 1 => whole], 0..3).boxed()
        }
        Provider::Gemini => {
            prop::collection::vec(prop_oneof![3 => plain, 1 => whole], 0..2).boxed()
        }
    }
}

/// A call to be and what it gives back; its id comes later.
fn calls(provider: Provider) -> impl Strategy<Value = (Vec<Part>, Part, (String, bool))> {
    let names = prop::sample::select(vec!["Read", "mcp__db-query", "_x", "Write9"]);
    let object = said().prop_map(|text| serde_json::json!({ "n": 1, "text": text }).to_string());
    let big = Just(r#"{"big":123456789012345678901234567890,"e":1E40}"#.to_owned());
    let has_text = matches!(provider, Provider::OpenAiChat | Provider::OpenAiResponses);
    let spaced = Just(if has_text {
        "{ \"a\" :\n\t[ ] }".to_owned()
    } else {
        "{}".to_owned()
    });
    let arguments = prop_oneof![3 => object, 1 => big, 1 => spaced];
    let call = (names, arguments).prop_map(|(name, arguments)| Part::ToolUse {
        call_id: String::new(),
        name: name.into(),
        arguments,
    });
    let before = match provider {
        Provider::Anthropic => Just(Vec::new()).boxed(),
        _ => thoughts(provider),
    };
    (before, call, (said(), any::<bool>()))
}

/// What a user says and shows.
fn asked(provider: Provider) -> BoxedStrategy<Vec<Part>> {
    let several = prop::collection::vec(prop_oneof![2 => text(), 1 => media(provider)], 1..4);
    if provider != Provider::OpenAiChat {
        return several.boxed();
    }
    // Texts alone are one string there.
    let one = text().prop_map(|text| vec![text]);
    let shown = (several, media(provider)).prop_map(|(mut parts, picture)| {
        parts.push(picture);
        parts
    });
    prop_oneof![2 => one, 1 => shown].boxed()
}

/// What the model says before its calls.
fn spoken(provider: Provider, least: usize) -> BoxedStrategy<Vec<Part>> {
    let refusal = said().prop_map(|text| Part::Opaque {
        json: serde_json::json!({ "type": "refusal", "refusal": text }).to_string(),
    });
    match provider {
        Provider::OpenAiChat => prop::collection::vec(text(), least..=1).boxed(),
        Provider::OpenAiResponses => {
            prop::collection::vec(prop_oneof![5 => text(), 1 => refusal], least..=2).boxed()
        }
        Provider::Anthropic | Provider::Gemini => prop::collection::vec(text(), least..=2).boxed(),
    }
}

/// A message of the model's, with its thoughts before its words.
fn answered(provider: Provider, parts: [Vec<Part>; 3]) -> NewMessage {
    let [mut thoughts, words, calls] = parts;
    if words.is_empty() && provider != Provider::Anthropic {
        // There they lead to words; without any the calls have their own.
        thoughts.clear();
    }
    let mut message = NewMessage::new(Role::Assistant, [thoughts, words, calls].concat());
    message.provider = Some(
        match provider {
            Provider::OpenAiChat | Provider::OpenAiResponses => "openai",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "google",
        }
        .to_owned(),
    );
    message
}

fn turn(provider: Provider) -> impl Strategy<Value = Vec<NewMessage>> {
    let step = (
        thoughts(provider),
        spoken(provider, 0),
        prop::collection::vec(calls(provider), 1..4),
    );
    let end = (thoughts(provider), spoken(provider, 1));
    (
        asked(provider),
        prop::collection::vec(step, 0..3),
        prop::option::weighted(0.7, end),
    )
        .prop_map(move |(asked, steps, end)| {
            let mut messages = vec![NewMessage::new(Role::User, asked)];
            for (thoughts, words, calls) in steps {
                let mut called = Vec::new();
                let mut results = Vec::new();
                for (before, call, (content, is_error)) in calls {
                    called.extend(before);
                    called.push(call);
                    results.push(NewMessage::new(
                        Role::Tool,
                        vec![Part::ToolResult {
                            call_id: String::new(),
                            content,
                            is_error,
                        }],
                    ));
                }
                messages.push(answered(provider, [thoughts, words, called]));
                messages.extend(results);
            }
            if let Some((thoughts, words)) = end {
                messages.push(answered(provider, [thoughts, words, Vec::new()]));
            }
            messages
        })
}

/// Messages in normal form. Every turn but the last ends with an answer, or it would go on.
fn talk(provider: Provider) -> impl Strategy<Value = Vec<NewMessage>> {
    let turns = prop::collection::vec(turn(provider), 1..5);
    (prop::option::of(said()), turns).prop_map(move |(prompt, turns)| {
        let mut messages: Vec<NewMessage> = prompt.map(NewMessage::system).into_iter().collect();
        let n_turns = turns.len();
        for (turn_idx, turn) in turns.into_iter().enumerate() {
            messages.extend(turn);
            let is_open = messages
                .last()
                .is_some_and(|last| last.role != Role::Assistant);
            if is_open && turn_idx + 1 < n_turns {
                let words = vec![Part::Text { text: "So.".into() }];
                messages.push(answered(provider, [Vec::new(), words, Vec::new()]));
            }
        }
        number(&mut messages);
        messages
    })
}

/// Gives each call an id of its own, and its result the same.
fn number(messages: &mut [NewMessage]) {
    let (mut n_calls, mut n_results) = (0, 0);
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::ToolUse { call_id, .. } => {
                *call_id = format!("call_{n_calls}");
                n_calls += 1;
            }
            Part::ToolResult { call_id, .. } => {
                *call_id = format!("call_{n_results}");
                n_results += 1;
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_a_view_shows_raw_is_read_back_from_its_body(
        (provider, messages) in prop::sample::select(PROVIDERS.to_vec())
            .prop_flat_map(|provider| (Just(provider), talk(provider))),
    ) {
        let view = view_of(messages);
        check_rules(&view);
        let body = provider.body(&view).unwrap();
        let found = read(provider, &body).unwrap();
        let owners: Vec<_> = found.iter().map(|message| message.provider.as_deref()).collect();
        let found: Vec<_> = found.iter().map(|one| (one.role, one.parts.clone())).collect();
        prop_assert_eq!(&found, &shown(&view), "{:?}: {}", provider, body);
        let owner = match provider {
            Provider::OpenAiChat => None,
            Provider::OpenAiResponses => Some("openai"),
            Provider::Anthropic => Some("anthropic"),
            Provider::Gemini => Some("google"),
        };
        let says = |role| if role == Role::Assistant { owner } else { None };
        let wanted: Vec<_> = found.iter().map(|(role, _)| says(*role)).collect();
        prop_assert_eq!(owners, wanted);
        check_body(provider, &body);
    }

    #[test]
    fn a_body_of_any_view_is_rendered_again_from_what_is_read_of_it(
        prompt in prop::option::of(words()),
        rows in histories(12),
        covers in covers(words()),
        eighth in 0_u64..9,
    ) {
        // What a turn was is not to be seen in a body, and reasoning leaves the view with its turn.
        let mut rows = rows;
        for row in &mut rows {
            row.message.parts.retain(|part| match part {
                Part::Reasoning { .. } => false,
                Part::Opaque { json } => !json.contains("redacted_thinking"),
                _ => true,
            });
        }
        let world = world(prompt.as_deref(), &rows, &covers);
        let whole = world.view(1_000_000_000).tokens.get();
        let view = world.view((whole * eighth / 8).max(1));
        check_read(&view);
    }

    #[test]
    fn a_damaged_body_is_read_or_refused(
        (provider, messages) in prop::sample::select(PROVIDERS.to_vec())
            .prop_flat_map(|provider| (Just(provider), talk(provider))),
        at in any::<prop::sample::Index>(),
        by in prop::sample::select(vec!["", "\"", "{", "}", "[", "]", "null", "0", ",", "\\", "\u{0}", "é"]),
        length in 0_usize..12,
    ) {
        let body = provider.body(&view_of(messages)).unwrap();
        let mut bounds: Vec<usize> = body.char_indices().map(|(at, _)| at).collect();
        bounds.push(body.len());
        let first = at.index(bounds.len());
        let last = (first + length).min(bounds.len() - 1);
        let damaged = format!("{}{by}{}", &body[..bounds[first]], &body[bounds[last]..]);
        for reader in PROVIDERS {
            if let Err(error) = read(reader, &damaged) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
