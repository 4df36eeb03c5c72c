//! Parts of messages. Owns what a part of any kind becomes.
//! May not know where it was read.

use serde_json::value::RawValue;

use crate::domain::{NewMessage, Part, Role, Timestamp};
use crate::import::entry::Body;
use crate::import::entry::{meta_row, time};
use crate::import::json::{self, Kind, Object};

/// Fields of a part that carry no words.
const ENVELOPE: &[&str] = &[
    "callID",
    "hash",
    "id",
    "messageID",
    "metadata",
    "mime",
    "sessionID",
    "snapshot",
    "time",
    "type",
];

/// The tool in whose name the host reports a call that the model made up: it says that it is done.
const INVALID: &str = "invalid";

/// Reads a part: its rows, in the name of its message's speaker.
pub(super) fn read(raw: &str, role: Role) -> Vec<NewMessage> {
    let Some(part) = Object::parse(raw) else {
        return Vec::new();
    };
    let row = |part| vec![NewMessage::new(role, vec![part])];
    let text = |name| part.text(name).filter(|text| !text.is_empty());
    match part.text("type").as_deref() {
        Some("text") => match text("text") {
            // What the host adds in a person's name, and what a person withdrew.
            Some(text) if part.is_set("synthetic") || part.is_set("ignored") => {
                vec![NewMessage::text(role, text).meta()]
            }
            Some(text) => row(Part::Text { text }),
            None => Vec::new(),
        },
        Some("reasoning") => match text("text") {
            Some(text) => row(Part::Reasoning {
                text,
                signature: None,
            }),
            None => Vec::new(),
        },
        Some("tool") => read_tool(raw, &part, role),
        Some("file") => match (part.text("url"), part.text("mime")) {
            (Some(uri), Some(mime)) => row(Part::Media { uri, mime }),
            _ => row(opaque(raw)),
        },
        // Marks of the host's, and what it counted.
        Some("step-start" | "step-finish" | "snapshot" | "patch" | "compaction" | "agent") => {
            Vec::new()
        }
        _ => note(raw),
    }
}

/// Makes a note of the words in a value of any kind.
pub(super) fn note(raw: &str) -> Vec<NewMessage> {
    match meta_row(&json::strings(raw, ENVELOPE), Role::System) {
        Body::Row(message) => vec![*message],
        Body::Silent => Vec::new(),
    }
}

fn opaque(raw: &str) -> Part {
    let json = raw.to_owned();
    Part::Opaque { json }
}

/// Reads a call and what it gave back, if it has. Calls and results are told apart, as everywhere.
pub(super) fn read_tool(raw: &str, part: &Object<'_>, role: Role) -> Vec<NewMessage> {
    let call_id = part.text("callID").or_else(|| part.text("id"));
    let name = part.text("tool").or_else(|| part.text("name"));
    let (Some(call_id), Some(name)) = (call_id, name) else {
        return vec![NewMessage::new(role, vec![opaque(raw)])];
    };
    let state = part.object("state");
    let field = |name| {
        state
            .as_ref()
            .and_then(|state| state.get(name))
            .map(RawValue::get)
    };
    let status = field("status").and_then(json::text).unwrap_or_default();
    let mut call = NewMessage::tool_use(
        call_id.clone(),
        name.clone(),
        field("input").unwrap_or("{}"),
    );
    let clock = field("time").and_then(Object::parse);
    let moment = |name| clock.as_ref()?.get(name).and_then(|raw| time(raw.get()));
    call.at = moment("start").or_else(|| moment("created"));
    let is_over = matches!(status.as_str(), "completed" | "error");
    if !is_over {
        return vec![call];
    }
    let exit = field("metadata").and_then(Object::parse);
    let exit = exit.and_then(|metadata| metadata.get("exit").map(RawValue::get));
    let has_failed = exit.is_some_and(|code| code != "0");
    let result = Part::ToolResult {
        call_id,
        content: output(field("output"), field("content"), field("error")),
        is_error: status == "error" || has_failed || name == INVALID,
    };
    let mut answer = NewMessage::new(Role::Tool, vec![result]);
    answer.at = moment("end").or_else(|| moment("completed"));
    vec![call, answer]
}

/// Returns the words of a result: the first of these that has any.
fn output(output: Option<&str>, content: Option<&str>, error: Option<&str>) -> String {
    let words = |raw: &str| match json::kind(raw) {
        Kind::Text => json::text(raw).unwrap_or_default(),
        _ => json::strings(raw, ENVELOPE).join("\n"),
    };
    let mut found = [error, output, content].into_iter().flatten().map(words);
    found.find(|text| !text.is_empty()).unwrap_or_default()
}

/// Returns when a value with a field `time` began.
pub(super) fn began(object: &Object<'_>) -> Option<Timestamp> {
    time(object.object("time")?.get("created")?.get())
}
