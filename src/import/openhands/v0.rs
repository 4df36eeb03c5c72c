//! Events of V0: actions and what was observed after them. Owns what each of them means.
//! May not know where an event lies.

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Provenance, Role};
use crate::import::chat_content::{ANY_IMAGE, read_content, result_of, text_part};
use crate::import::entry::{Body, Entry, meta_row, time};
use crate::import::json::{self, Object};

/// Fields of a host's note that hold no words.
const ENVELOPE: &[&str] = &["date", "name", "recall_type", "runtime_hosts", "trigger"];

/// What is known of the call that an event makes or answers.
struct Call {
    id: String,
    name: String,
    arguments: String,
    /// What the model said before its calls, with the first of them.
    words: Option<String>,
    response: Option<String>,
    model: Option<String>,
    output_tokens: Option<u64>,
}

/// Reads an event.
pub(super) fn read(event: &Object<'_>, session: &str) -> Vec<Entry> {
    let body = match (event.text("action"), event.text("observation")) {
        (Some(action), _) => read_action(event, &action),
        (None, Some(observation)) => read_observation(event, &observation),
        (None, None) => Body::Silent,
    };
    let mut entry = Entry::silent();
    entry.body = body;
    if let Body::Row(message) = &mut entry.body {
        message.at = event.get("timestamp").and_then(|raw| time(raw.get()));
    }
    let id = event.get("id").map(RawValue::get);
    entry.id = id.map(|id| format!("{session}:{}", id.trim_matches('"')));
    vec![entry]
}

fn read_action(event: &Object<'_>, action: &str) -> Body {
    let arguments = event.object("args").unwrap_or_default();
    let content = || read_content(arguments.get("content").or_else(|| event.get("message")));
    let is_user = event.text("source").as_deref() == Some("user");
    match action {
        "system" => row(Role::System, content()),
        "message" => {
            let mut parts = content();
            parts.append(&mut images(&arguments));
            let role = if is_user { Role::User } else { Role::Assistant };
            row(role, parts)
        }
        // It repeats the words for which knowledge is looked up; what was found is observed.
        "recall" | "change_agent_state" | "null" => Body::Silent,
        "condensation" => {
            let summary = arguments
                .text("summary")
                .filter(|text| !text.trim().is_empty());
            meta_row(&Vec::from_iter(summary), Role::Assistant)
        }
        _ => called(event, &arguments, action),
    }
}

fn row(role: Role, parts: Vec<Part>) -> Body {
    if parts.is_empty() {
        return Body::Silent;
    }
    Body::Row(Box::new(NewMessage::new(role, parts)))
}

fn images(arguments: &Object<'_>) -> Vec<Part> {
    let urls = arguments.get("image_urls").map_or("null", RawValue::get);
    let urls = json::elements(urls).unwrap_or_default();
    let urls = urls.iter().filter_map(|raw| json::text(raw.get()));
    let images = urls.map(|uri| Part::Media {
        uri,
        mime: ANY_IMAGE.to_owned(),
    });
    images.collect()
}

/// An action of any other kind is a call, also where the model wrote it as text.
fn called(event: &Object<'_>, arguments: &Object<'_>, action: &str) -> Body {
    let call = call(event).unwrap_or_else(|| Call {
        id: event.get("id").map_or("", RawValue::get).to_owned(),
        name: action.to_owned(),
        arguments: without_thought(arguments),
        words: arguments.text("thought"),
        response: None,
        model: None,
        output_tokens: None,
    });
    let mut parts = Vec::from_iter(text_part(call.words));
    parts.push(Part::ToolUse {
        call_id: call.id,
        name: call.name,
        arguments: call.arguments,
    });
    let mut new = NewMessage::new(
        match event.text("source").as_deref() {
            Some("user") => Role::User,
            _ => Role::Assistant,
        },
        parts,
    );
    new.model = call.model;
    new.provenance = Some(Provenance::of_message(call.response, call.output_tokens));
    Body::Row(Box::new(new))
}

/// Reads what the host keeps of the model's answer beside an event.
fn call(event: &Object<'_>) -> Option<Call> {
    let told = event.object("tool_call_metadata")?;
    let id = told.text("tool_call_id")?;
    let response = told.object("model_response").unwrap_or_default();
    let choices = response.get("choices").map_or("null", RawValue::get);
    let choices = json::elements(choices).unwrap_or_default();
    let choice = choices.first().and_then(|raw| Object::parse(raw.get()));
    let message = choice.and_then(|choice| choice.object("message"));
    let message = message.unwrap_or_default();
    let calls = message.get("tool_calls").map_or("null", RawValue::get);
    let calls = json::elements(calls).unwrap_or_default();
    let calls: Vec<Object<'_>> = calls
        .iter()
        .filter_map(|raw| Object::parse(raw.get()))
        .collect();
    let is_own = |call: &Object<'_>| call.text("id").as_deref() == Some(id.as_str());
    let is_first = calls.first().is_none_or(is_own);
    let function = calls.iter().find(|call| is_own(call));
    let function = function.and_then(|call| call.object("function"));
    let arguments = function.and_then(|function| function.text("arguments"));
    let usage = response.object("usage").unwrap_or_default();
    let output_tokens = usage.get("completion_tokens");
    Some(Call {
        name: told.text("function_name").unwrap_or_default(),
        arguments: arguments.unwrap_or_else(|| {
            let arguments = event.get("args");
            arguments.map_or("{}", RawValue::get).to_owned()
        }),
        words: message.text("content").filter(|_| is_first),
        response: response.text("id"),
        model: response.text("model").filter(|model| !model.is_empty()),
        output_tokens: output_tokens.and_then(|count| count.get().parse().ok()),
        id,
    })
}

/// Writes arguments without the words that stand before the call.
fn without_thought(arguments: &Object<'_>) -> String {
    let fields = arguments.fields().filter(|(name, _)| *name != "thought");
    let fields = fields.map(|(name, raw)| {
        let name = serde_json::Value::from(name);
        format!("{name}:{}", raw.get())
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn read_observation(event: &Object<'_>, observation: &str) -> Body {
    let mut parts = read_content(event.get("content"));
    let told = event.object("tool_call_metadata");
    let told = told.and_then(|told| told.text("tool_call_id"));
    let cause = event.get("cause").map(|raw| raw.get().to_owned());
    match observation {
        "recall" | "agent_state_changed" | "null" => {
            let extras = event.get("extras").map_or("null", RawValue::get);
            let mut words = json::strings(extras, ENVELOPE);
            if observation != "recall" {
                words.clear();
            }
            meta_row(&words, Role::System)
        }
        _ => {
            let Some(call_id) = told.or(cause) else {
                let words: Vec<String> = parts.iter().map(|part| part.body().to_owned()).collect();
                return meta_row(&words, Role::System);
            };
            let has_failed = event.get("success").is_some_and(|raw| raw.get() == "false");
            let is_error = has_failed || observation == "error";
            let extras = event.object("extras").unwrap_or_default();
            parts.append(&mut images(&extras));
            row(Role::Tool, result_of(call_id, is_error, parts))
        }
    }
}
