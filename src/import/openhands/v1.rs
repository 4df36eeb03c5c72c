//! Events of V1. Owns what each kind of them means.
//! May not know where an event lies.

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Provenance, Role};
use crate::import::chat_content::{read_content, result_of, text_part};
use crate::import::entry::{Body, Entry, clean_id, meta_row, time};
use crate::import::json::{self, Object};

/// Fields that carry no words of their own.
const ENVELOPE: &[&str] = &[
    "action_id",
    "cache_prompt",
    "forgotten_event_ids",
    "full_output_save_dir",
    "id",
    "kind",
    "llm_response_id",
    "security_risk",
    "source",
    "timestamp",
    "tool_call_id",
    "tool_name",
    "type",
];

/// Reads an event: its row, and a note of what the host added to a message.
pub(super) fn read(event: &Object<'_>) -> Vec<Entry> {
    let kind = event.text("kind").unwrap_or_default();
    let mut bodies = vec![match kind.as_str() {
        "SystemPromptEvent" => row(Role::System, read_content(event.get("system_prompt"))),
        "MessageEvent" => message(event),
        "ActionEvent" => action(event),
        "ObservationEvent" => observation(event),
        "UserRejectObservation" => failure(event, "rejection_reason"),
        "AgentErrorEvent" => failure(event, "error"),
        "Condensation" | "CondensationSummaryEvent" => {
            let summary = event.text("summary").filter(|text| !text.trim().is_empty());
            meta_row(&Vec::from_iter(summary), Role::Assistant)
        }
        // Counters, settings, and copies of what other events hold.
        "ConversationStateUpdateEvent"
        | "LLMCompletionLogEvent"
        | "StreamingDeltaEvent"
        | "TokenEvent" => Body::Silent,
        _ => note(event),
    }];
    if kind == "MessageEvent" {
        let added = event.get("extended_content").map_or("null", RawValue::get);
        let added = meta_row(&json::strings(added, ENVELOPE), Role::System);
        bodies.extend(Some(added).filter(|body| *body != Body::Silent));
    }
    let at = event.get("timestamp").and_then(|raw| time(raw.get()));
    let entries = bodies.into_iter().map(|body| {
        let mut entry = Entry::silent();
        entry.id = clean_id(event.text("id"));
        entry.body = body;
        if let Body::Row(message) = &mut entry.body {
            message.at = at;
        }
        entry
    });
    entries.collect()
}

fn row(role: Role, parts: Vec<Part>) -> Body {
    if parts.is_empty() {
        return Body::Silent;
    }
    Body::Row(Box::new(NewMessage::new(role, parts)))
}

fn message(event: &Object<'_>) -> Body {
    let Some(message) = event.object("llm_message") else {
        return note(event);
    };
    let role = message.text("role").and_then(|role| role.parse().ok());
    let role = role.unwrap_or(match event.text("source").as_deref() {
        Some("agent") => Role::Assistant,
        _ => Role::User,
    });
    let mut parts = thoughts(&message);
    parts.append(&mut read_content(message.get("content")));
    row(role, parts)
}

/// Returns what the model thought, signed where the provider signs it.
fn thoughts(event: &Object<'_>) -> Vec<Part> {
    let blocks = event.get("thinking_blocks").map_or("null", RawValue::get);
    let blocks = json::elements(blocks).unwrap_or_default();
    let signed = blocks.iter().filter_map(|raw| {
        let block = Object::parse(raw.get())?;
        Some(Part::Reasoning {
            text: block.text("thinking")?,
            signature: block.text("signature"),
        })
    });
    let signed: Vec<Part> = signed.collect();
    if !signed.is_empty() {
        return signed;
    }
    let text = event.text("reasoning_content");
    let text = text.filter(|text| !text.is_empty());
    let signature = None;
    Vec::from_iter(text.map(|text| Part::Reasoning { text, signature }))
}

fn action(event: &Object<'_>) -> Body {
    let mut parts = thoughts(event);
    parts.append(&mut read_content(event.get("thought")));
    let call = event.object("tool_call").unwrap_or_default();
    let call_id = event.text("tool_call_id").or_else(|| call.text("id"));
    let arguments = call.get("arguments").or_else(|| event.get("action"));
    let arguments = arguments.map_or("{}", RawValue::get);
    parts.push(Part::ToolUse {
        call_id: call_id.unwrap_or_default(),
        name: call
            .text("name")
            .or_else(|| event.text("tool_name"))
            .unwrap_or_default(),
        arguments: json::text(arguments).unwrap_or_else(|| arguments.to_owned()),
    });
    let mut new = NewMessage::new(Role::Assistant, parts);
    // Calls made at once are events of their own, of one answer.
    new.provenance = Some(Provenance::of_message(
        clean_id(event.text("llm_response_id")),
        None,
    ));
    Body::Row(Box::new(new))
}

fn observation(event: &Object<'_>) -> Body {
    let seen = event.object("observation").unwrap_or_default();
    let mut parts = read_content(seen.get("content").or_else(|| seen.get("output")));
    if parts.is_empty() {
        let raw = event.get("observation").map_or("null", RawValue::get);
        parts.extend(text_part(Some(json::strings(raw, ENVELOPE).join("\n"))));
    }
    let call_id = event.text("tool_call_id").unwrap_or_default();
    row(
        Role::Tool,
        result_of(call_id, seen.is_set("is_error"), parts),
    )
}

/// What a call gave in place of a result.
fn failure(event: &Object<'_>, field: &str) -> Body {
    let Some(call_id) = event.text("tool_call_id") else {
        return note(event);
    };
    row(
        Role::Tool,
        result_of(call_id, true, read_content(event.get(field))),
    )
}

fn note(event: &Object<'_>) -> Body {
    let words = event
        .fields()
        .filter(|(name, _)| !ENVELOPE.contains(name))
        .flat_map(|(_, raw)| json::strings(raw.get(), ENVELOPE));
    meta_row(&words.collect::<Vec<_>>(), Role::System)
}
