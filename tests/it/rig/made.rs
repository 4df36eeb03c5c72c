//! Turns as rig makes them, of every kind of block.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use rig_core::message::{
    Api, AssistantContent, AssistantMessage, Audio, CallId, Citation, Document, DocumentMediaType,
    DocumentSourceKind, Image, ImageDetail, ImageMediaType, LocalCallId, Message, Opaque, Origin,
    ProviderCallId, Reasoning, Source, SourceLocation, StopReason, Text, ToolCall, ToolFunction,
    ToolName, ToolResult, ToolResultContent, UserContent, Video, VideoMediaType,
};
use serde_json::{Value, json};

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}( [a-z]{1,8}){0,5}",
        Just("a < b & \"c\"\r\n👩‍👩‍👧 \\".to_owned()),
        Just("{\"rig\":\"turn\"}".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        words().prop_map(|words| json!({"path": words, "n": 7, "deep": [{"x": null}, 0.5]})),
        (any::<i64>(), words()).prop_map(|(n, words)| json!([n, words])),
        words().prop_map(Value::from),
    ]
}

/// Sources that come back as they are; bytes come back as base64.
fn source() -> impl Strategy<Value = DocumentSourceKind> {
    prop_oneof![
        Just(DocumentSourceKind::url("https://example.org/a.png")),
        Just(DocumentSourceKind::base64("iVBORw0KGgo=")),
        Just(DocumentSourceKind::file_id("file-1")),
    ]
}

fn image() -> impl Strategy<Value = Image> {
    let types = prop_oneof![
        Just(ImageMediaType::PNG),
        Just(ImageMediaType::SVG),
        Just(ImageMediaType::JPEG)
    ];
    let details = prop_oneof![Just(ImageDetail::Low), Just(ImageDetail::Auto)];
    (source(), option::of(types), option::of(details)).prop_map(|(data, media_type, detail)| {
        Image {
            data,
            media_type,
            detail,
            native: None,
        }
    })
}

/// Adds the item that a provider sent a block as.
fn with_item(block: AssistantContent, item: Option<Value>) -> AssistantContent {
    match item {
        Some(item) => block.with_native(json!({"type": "item", "signature": "c2ln", "of": item})),
        None => block,
    }
}

fn block() -> impl Strategy<Value = AssistantContent> {
    let cited = words().prop_map(|words| {
        let url = "https://example.org/docks".to_owned();
        let citation = Citation::new([Source::new(SourceLocation::Url { url })]);
        AssistantContent::Text(Text::new(words).with_citations([citation]))
    });
    let reasoning = (words(), any::<bool>()).prop_map(|(text, redacted)| {
        AssistantContent::Reasoning(Reasoning {
            text: if redacted { String::new() } else { text },
            redacted,
            native: None,
        })
    });
    let plain = prop_oneof![
        words().prop_map(AssistantContent::text),
        cited,
        reasoning,
        image().prop_map(AssistantContent::Image),
    ];
    let opaque = (value(), any::<bool>())
        .prop_map(|(item, replay)| AssistantContent::Opaque(Opaque { item, replay }));
    prop_oneof![
        4 => (plain, option::of(value())).prop_map(|(block, item)| with_item(block, item)),
        1 => opaque,
    ]
}

fn function() -> impl Strategy<Value = ToolFunction> {
    let name = || ToolName::new("read_file").unwrap();
    prop_oneof![
        value().prop_map(move |arguments| ToolFunction::new(name(), arguments)),
        words().prop_map(move |text| ToolFunction::parse(name(), &format!("{{\"q\": \"{text}"))),
        Just(ToolFunction::parse(name(), "")),
    ]
}

fn result_piece() -> impl Strategy<Value = ToolResultContent> {
    prop_oneof![
        words().prop_map(ToolResultContent::text),
        value().prop_map(ToolResultContent::json),
        image().prop_map(ToolResultContent::Image),
    ]
}

/// One step: what the model says with its calls, and their results in any order.
fn step(at: usize) -> impl Strategy<Value = Vec<Message>> {
    let call = (any::<bool>(), function(), option::of(value()));
    let answer = (vec(result_piece(), 1..4), any::<bool>(), any::<bool>());
    let calls = vec((call, answer), 0..4);
    let turn = (
        vec(block(), 1..4),
        option::of(words()),
        option::of(0..3_usize),
    );
    (turn, calls, any::<bool>()).prop_map(move |((said, model, stop), calls, is_reversed)| {
        let (mut content, mut results) = (said, Vec::new());
        for (n, ((is_local, function, item), (pieces, is_error, is_renamed))) in
            calls.into_iter().enumerate()
        {
            let id = if is_local {
                CallId::from(LocalCallId::new())
            } else {
                CallId::from(ProviderCallId::new(format!("call-{at}-{n}")).unwrap())
            };
            let call = ToolCall::new(id, function);
            let mut result = ToolResult {
                is_error,
                ..call.result(pieces)
            };
            if is_renamed {
                result.name = ToolName::new("open_file").unwrap();
            }
            results.push(UserContent::ToolResult(result));
            content.push(with_item(AssistantContent::ToolCall(call), item));
        }
        if is_reversed {
            results.reverse();
        }
        let origin = model.map(|model| Origin {
            response_id: Some("resp-1".to_owned()),
            ..Origin::new(Api::from_static("anthropic.messages"), "anthropic", model)
        });
        let stops = [
            StopReason::Stop,
            StopReason::ToolUse,
            StopReason::Error("x".to_owned()),
        ];
        let stop = stop.and_then(|n| stops.get(n).cloned());
        let message = AssistantMessage::new(content)
            .with_origin(origin)
            .with_stop(stop);
        let results = (!results.is_empty()).then_some(Message::User { content: results });
        [message.into()].into_iter().chain(results).collect()
    })
}

fn shown() -> impl Strategy<Value = UserContent> {
    let document =
        prop_oneof![source(), words().prop_map(DocumentSourceKind::string)].prop_map(|data| {
            UserContent::Document(Document {
                data,
                media_type: Some(DocumentMediaType::MARKDOWN),
                additional_params: Some(json!({"title": "Tides"})),
            })
        });
    let audio = source().prop_map(|data| {
        let media_type = None;
        UserContent::Audio(Audio { data, media_type })
    });
    let video = source().prop_map(|data| {
        UserContent::Video(Video {
            data,
            media_type: Some(VideoMediaType::MP4),
            additional_params: None,
        })
    });
    prop_oneof![
        words().prop_map(UserContent::text),
        image().prop_map(UserContent::Image),
        document,
        audio,
        video
    ]
}

/// A turn: what the user says and shows, then steps.
pub(super) fn turn() -> impl Strategy<Value = Vec<Message>> {
    let request = (words(), vec(shown(), 0..4)).prop_map(|(words, shown)| {
        let content = [UserContent::text(words)].into_iter().chain(shown);
        Message::User {
            content: content.collect(),
        }
    });
    let steps = (step(0), step(1), step(2), 0..4_usize);
    (request, steps).prop_map(|(request, (first, second, third, n_steps))| {
        let steps = [first, second, third].into_iter().take(n_steps).flatten();
        [request].into_iter().chain(steps).collect()
    })
}
