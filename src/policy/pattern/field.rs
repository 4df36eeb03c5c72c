//! Fields. Owns their names and values, and whether a row meets one.
//! May not look sessions up: the caller says which conversations a name means.

use serde_json::Value;

use crate::domain::{
    Bounds, Depth, Field, HitKind, ItemId, Last, Part, PatternError, Role, SearchRow, TimeRange,
    Timestamp, Visibility,
};

/// The names, in the order in which errors list them.
const NAMES: [&str; 11] = [
    "role", "kind", "tool", "path", "model", "session", "project", "is", "depth", "before", "after",
];

/// The names of the values of `kind:`.
const KINDS: [HitKind; 7] = [
    HitKind::Text,
    HitKind::Reasoning,
    HitKind::ToolUse,
    HitKind::ToolResult,
    HitKind::Other,
    HitKind::Meta,
    HitKind::Summary,
];

/// The names under which tools take a path.
const PATH_KEYS: [&str; 9] = [
    "file_path",
    "path",
    "notebook_path",
    "filename",
    "file",
    "target_file",
    "cwd",
    "workdir",
    "directory",
];

/// Splits `name:value` where the name is a field's and there is a value.
pub(super) fn split(token: &str) -> Option<(&str, &str)> {
    let (name, value) = token.split_once(':')?;
    (is_name(name) && !value.is_empty()).then_some((name, value))
}

/// Says whether a field has this name.
pub(super) fn is_name(name: &str) -> bool {
    NAMES.contains(&name) || name == "last"
}

/// Reads a field.
///
/// # Errors
/// [`PatternError`] names the field, the value and the right form.
pub(super) fn read(name: &str, value: &str) -> Result<Field, PatternError> {
    let refuse = |what: String, form: &str| PatternError {
        message: format!("{name}: {what}"),
        hint: Some(format!(
            "write {form}; to find the text put it in quotes: \"{name}:{value}\""
        )),
    };
    if value.trim().is_empty() {
        return Err(refuse("there is no value".to_owned(), "a value after it"));
    }
    let moment = || {
        let form = format!("{name}:2026-01-02");
        Timestamp::parse(value).map_err(|error| refuse(error.to_string(), &form))
    };
    Ok(match name {
        "role" => Field::Role(value.parse::<Role>().map_err(|error| {
            refuse(
                error.to_string(),
                "role:user, role:assistant, role:tool or role:system",
            )
        })?),
        "kind" => {
            let kind = KINDS.into_iter().find(|kind| kind.as_str() == value);
            let words = KINDS.map(HitKind::as_str).join(", ");
            Field::Kind(kind.ok_or_else(|| {
                refuse(
                    format!("`{value}` is no kind; the kinds are {words}"),
                    "kind:tool_result",
                )
            })?)
        }
        "is" if value == "error" => Field::Error,
        "is" => {
            let what = format!("`{value}` is nothing that a row can be; there is only error");
            return Err(refuse(what, "is:error"));
        }
        "depth" => Field::Depth(value.parse::<u32>().map(Depth::new).map_err(|_| {
            let what = format!("`{value}` is no depth; a depth is a whole number from 0");
            refuse(what, "depth:0 for leaves, depth:1 and so on")
        })?),
        "before" => Field::Before(moment()?),
        "after" => Field::After(moment()?),
        "last" => Field::Last(
            value
                .parse::<Last>()
                .map_err(|error| refuse(error.to_string(), "last:7d"))?,
        ),
        "tool" => Field::Tool(value.to_lowercase()),
        "path" => Field::Path(value.to_lowercase()),
        "model" => Field::Model(value.to_lowercase()),
        "session" => Field::Session(value.to_owned()),
        _ => Field::Project(value.to_lowercase()),
    })
}

/// Writes a field as it was understood.
pub(super) fn write(field: &Field) -> String {
    let text = |name: &str, value: &str| {
        if value.contains(char::is_whitespace) {
            format!("{name}:\"{value}\"")
        } else {
            format!("{name}:{value}")
        }
    };
    match field {
        Field::Role(role) => format!("role:{role}"),
        Field::Kind(kind) => format!("kind:{}", kind.as_str()),
        Field::Tool(name) => text("tool", name),
        Field::Path(path) => text("path", path),
        Field::Model(model) => text("model", model),
        Field::Session(key) => text("session", key),
        Field::Project(project) => text("project", project),
        Field::Error => "is:error".to_owned(),
        Field::Depth(depth) => format!("depth:{}", depth.get()),
        Field::Before(at) => format!("before:{at}"),
        Field::After(at) => format!("after:{at}"),
        Field::Last(last) => format!("last:{last}"),
        Field::Within(conversations) => format!("within {} conversations", conversations.len()),
    }
}

/// Says whether a row meets a field. One that still has to be looked up is met by none.
pub(super) fn is_met(field: &Field, row: &SearchRow) -> bool {
    match field {
        Field::Role(role) => row.role == Some(*role),
        Field::Kind(kind) => is_kind(*kind, row),
        Field::Tool(name) => {
            row.parts.iter().any(|part| is_call_of(part, name)) || answers(row, name)
        }
        Field::Path(path) => row.parts.iter().any(|part| has_path(part, path)),
        Field::Model(model) => row
            .model
            .as_ref()
            .is_some_and(|own| own.to_lowercase().contains(model)),
        Field::Error => row
            .parts
            .iter()
            .any(|part| matches!(part, Part::ToolResult { is_error: true, .. })),
        Field::Depth(depth) => row.depth == Some(*depth),
        Field::Before(before) => in_time(row, None, Some(*before)),
        Field::After(since) => in_time(row, Some(*since), None),
        Field::Within(conversations) => conversations
            .get(&row.conversation)
            .is_some_and(|bounds| is_within(row, *bounds)),
        Field::Last(_) | Field::Session(_) | Field::Project(_) => false,
    }
}

fn is_within(row: &SearchRow, bounds: Bounds) -> bool {
    match row.id {
        ItemId::Message(_) => row.span.last() <= bounds.message,
        ItemId::Summary(id) => row.span.last() <= bounds.message && id <= bounds.summary,
    }
}

fn in_time(row: &SearchRow, since: Option<Timestamp>, before: Option<Timestamp>) -> bool {
    TimeRange { since, before }.overlaps(row.from, row.to)
}

fn is_kind(kind: HitKind, row: &SearchRow) -> bool {
    let is_message = row.depth.is_none();
    let has = |is: fn(&Part) -> bool| is_message && row.parts.iter().any(is);
    match kind {
        HitKind::Summary => !is_message,
        HitKind::Meta => is_message && row.visibility == Visibility::Meta,
        HitKind::Text => has(|part| matches!(part, Part::Text { .. })),
        HitKind::Reasoning => has(|part| matches!(part, Part::Reasoning { .. })),
        HitKind::ToolUse => has(|part| matches!(part, Part::ToolUse { .. })),
        HitKind::ToolResult => has(|part| matches!(part, Part::ToolResult { .. })),
        HitKind::Other => has(|part| matches!(part, Part::Media { .. } | Part::Opaque { .. })),
    }
}

fn is_call_of(part: &Part, tool: &str) -> bool {
    matches!(part, Part::ToolUse { name, .. } if name.to_lowercase() == tool)
}

/// Says whether a result of the row answers a call of a tool.
fn answers(row: &SearchRow, tool: &str) -> bool {
    row.answers.iter().any(|name| name.to_lowercase() == tool)
}

fn has_path(part: &Part, path: &str) -> bool {
    let Part::ToolUse { arguments, .. } = part else {
        return false;
    };
    match serde_json::from_str::<Value>(arguments) {
        Ok(Value::Object(fields)) => fields.iter().any(|(key, value)| {
            PATH_KEYS.contains(&key.as_str())
                && value
                    .as_str()
                    .is_some_and(|value| value.to_lowercase().contains(path))
        }),
        // Patches and commands name their paths in their text.
        _ => arguments.to_lowercase().contains(path),
    }
}
