//! One record read. Owns which records are talk, which are the host's notes, and which say nothing.
//! May not know what is stored: identity is judged elsewhere.

use serde_json::value::RawValue;

use super::user;
use crate::domain::{NewMessage, Provenance, Role, Visibility};
use crate::import::entry::{
    Body, Entry, Follows, Renamed, Side, Spent, Title, clean_id, meta_row, time,
};
use crate::import::json::{self, Object};

/// Fields that carry no words of their own.
const ENVELOPE: &[&str] = &[
    "agentId",
    "cwd",
    "entrypoint",
    "gitBranch",
    "hookEvent",
    "id",
    "key",
    "leafUuid",
    "level",
    "logicalParentUuid",
    "messageId",
    "operation",
    "parentToolUseID",
    "parentUuid",
    "promptId",
    "requestId",
    "role",
    "sessionId",
    "session_id",
    "slug",
    "sourceToolAssistantUUID",
    "sourceToolUseID",
    "subtype",
    "timestamp",
    "toolUseID",
    "toolUseResult",
    "tool_use_id",
    "trigger",
    "type",
    "userType",
    "uuid",
    "version",
];

/// Reads a record.
///
/// # Errors
/// A lower-case fragment that says why it is none.
pub(crate) fn read(text: &str) -> Result<Entry, String> {
    let text = json::repair(text);
    let record = Object::parse(&text).ok_or("not a JSON object")?;
    let Some(kind) = record.text("type") else {
        return Err("a JSON object without a record's `type`".to_owned());
    };
    let at = record.get("timestamp").and_then(|raw| time(raw.get()));
    let body = match kind.as_str() {
        "user" => user::read_user(&record),
        "assistant" => read_assistant(&record),
        "attachment" => user::read_attachment(&record),
        // Settings, counters and copies of what other records hold; a queued prompt comes again
        // with the record that delivers it.
        "file-history-snapshot"
        | "file-history-delta"
        | "last-prompt"
        | "mode"
        | "permission-mode"
        | "progress" => Body::Silent,
        "queue-operation" if record.text("operation").is_some() => Body::Silent,
        "summary" | "ai-title" | "custom-title" => note(&record, Role::Assistant),
        _ => note(&record, Role::System),
    };
    let body = match body {
        Body::Row(mut message) => {
            message.at = at;
            Body::Row(message)
        }
        Body::Silent => Body::Silent,
    };
    Ok(Entry {
        id: clean_id(record.text("uuid")),
        parent: clean_id(record.text("parentUuid"))
            .or_else(|| clean_id(record.text("logicalParentUuid"))),
        is_known_by_words: false,
        renamed: renamed(&record),
        mirrors: None,
        follows: Follows::Newest,
        session: record
            .text("sessionId")
            .or_else(|| record.text("session_id")),
        side: if record.is_set("isSidechain") {
            Side::Agent(clean_id(record.text("agentId")))
        } else {
            Side::Main
        },
        is_copy: record.get("forkedFrom").is_some(),
        is_branch: false,
        cwd: record.text("cwd").filter(|cwd| !cwd.is_empty()),
        title: title(&kind, &record),
        spent: Spent::default(),
        body,
    })
}

/// A time without milliseconds is too many records' to tell a copy by.
fn renamed(record: &Object<'_>) -> Renamed {
    let time = record.text("timestamp").unwrap_or_default();
    let fraction = time.split_once('.').map_or("", |(_, fraction)| fraction);
    let n_digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    match n_digits {
        0..3 => Renamed::Never,
        _ => Renamed::WhenReplayed,
    }
}

fn read_assistant(record: &Object<'_>) -> Body {
    let Some(raw) = record.get("message") else {
        return Body::Silent;
    };
    let message = Object::parse(raw.get());
    let parts = user::message_parts(raw.get(), message.as_ref());
    if parts.is_empty() {
        return Body::Silent;
    }
    let mut new = NewMessage::new(Role::Assistant, parts);
    new.provider = Some("anthropic".to_owned());
    let Some(message) = message else {
        return Body::Row(Box::new(new));
    };
    new.model = message.text("model").filter(|model| !model.is_empty());
    // The host speaks in the model's name when a call failed or nothing was to be said.
    let is_synthetic = new.model.as_deref() == Some("<synthetic>");
    if is_synthetic
        || record.is_set("isApiErrorMessage")
        || record.is_set("isMeta")
        || !message.has("content")
    {
        new.visibility = Visibility::Meta;
    }
    let output_tokens = message
        .object("usage")
        .and_then(|usage| usage.get("output_tokens"))
        .and_then(|count| count.get().parse().ok());
    let joins = clean_id(message.text("id")).map(|id| match record.text("requestId") {
        Some(request) => format!("{id} {request}"),
        None => id,
    });
    new.provenance = Some(Provenance::of_message(joins, output_tokens));
    Body::Row(Box::new(new))
}

/// Makes a meta row of a record's words, if it has any.
pub(super) fn note(record: &Object<'_>, role: Role) -> Body {
    let mut words = Vec::new();
    for (name, value) in record.fields() {
        if !ENVELOPE.contains(&name) {
            words.append(&mut json::strings(value.get(), ENVELOPE));
        }
    }
    meta_row(&words, role)
}

fn title(kind: &str, record: &Object<'_>) -> Option<Title> {
    let words = |name| record.text(name).filter(|text| !text.trim().is_empty());
    match kind {
        "custom-title" => words("customTitle")
            .or_else(|| words("title"))
            .map(Title::OfSession),
        "ai-title" => words("aiTitle")
            .or_else(|| words("title"))
            .map(Title::OfSession),
        "summary" => Some(Title::OfRecord {
            leaf: clean_id(record.text("leafUuid"))?,
            text: words("summary")?,
        }),
        _ => None,
    }
}

/// Returns a raw value's text, or `null`.
pub(super) fn raw_or_null(raw: Option<&RawValue>) -> &str {
    raw.map_or("null", RawValue::get)
}
