//! Edits of a JSON text. Owns how a member or an item is put into a text in the text's own manner, and
//! how exactly that is taken out again: what was there before is there afterwards, byte for byte.

use std::ops::Range;

use serde_json::Value;

use super::scan::Node;

/// How a text is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    line_end: &'static str,
    /// One step of indentation; none where the text stands on one line.
    step: Option<String>,
}

impl Layout {
    /// Reads the layout of a text.
    pub(super) fn of(text: &str, root: &Node) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let inside = text.get(root.span.clone()).unwrap_or_default();
        let step = match root.members().first() {
            None => Some("  ".to_owned()),
            Some(first) => {
                let before = text
                    .get(root.span.start + 1..first.start)
                    .unwrap_or_default();
                match before.rsplit_once('\n') {
                    Some((_, "")) => Some("  ".to_owned()),
                    Some((_, step)) => Some(step.to_owned()),
                    None if inside.contains('\n') => Some("  ".to_owned()),
                    None => None,
                }
            }
        };
        Self { line_end, step }
    }

    /// Writes a value whose lines stand below `indentation`.
    fn write(&self, value: &Value, indentation: &str) -> String {
        let Some(step) = &self.step else {
            return spaced(value);
        };
        let (open, close, lines) = match value {
            Value::Object(members) if !members.is_empty() => {
                let lines = members.iter().map(|(name, value)| {
                    let below = format!("{indentation}{step}");
                    format!(
                        "{}: {}",
                        Value::from(name.as_str()),
                        self.write(value, &below)
                    )
                });
                ('{', '}', lines.collect::<Vec<_>>())
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                let below = format!("{indentation}{step}");
                let lines = items.iter().map(|item| self.write(item, &below));
                ('[', ']', lines.collect())
            }
            _ => return spaced(value),
        };
        let start = format!("{}{indentation}{step}", self.line_end);
        let lines = lines.join(&format!(",{start}"));
        format!("{open}{start}{lines}{}{indentation}{close}", self.line_end)
    }
}

/// Writes a value on one line.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), spaced(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        _ => value.to_string(),
    }
}

/// Puts a value behind the children of a list or an object, under a name in an object.
pub(super) fn add(
    text: &str,
    layout: &Layout,
    list: &Node,
    name: Option<&str>,
    value: &Value,
) -> String {
    let name = name.map_or_else(String::new, |name| format!("{}: ", Value::from(name)));
    let children = list.children();
    let Some(newest) = children.last() else {
        return fill(text, layout, list, &name, value);
    };
    // What stands between children stands before the last one.
    let before = children
        .len()
        .checked_sub(2)
        .and_then(|idx| children.get(idx));
    let gap_start = before.map_or(list.span.start + 1, |before| before.end);
    let gap = text.get(gap_start..newest.start).unwrap_or_default();
    let gap = gap.rsplit_once(',').map_or(gap, |(_, behind)| behind);
    let written = match gap.rsplit_once('\n') {
        Some((_, indentation)) => layout.write(value, indentation),
        None => spaced(value),
    };
    spliced(
        text,
        newest.end..newest.end,
        &format!(",{gap}{name}{written}"),
    )
}

/// Puts the first child into an empty list or object; what blanks it held stay behind that.
fn fill(text: &str, layout: &Layout, list: &Node, name: &str, value: &Value) -> String {
    let at = list.span.start + 1;
    let Some(step) = &layout.step else {
        return spliced(text, at..at, &format!("{name}{}", spaced(value)));
    };
    let outer = indentation_at(text, list.span.start);
    let inner = format!("{outer}{step}");
    let line_end = layout.line_end;
    let written = layout.write(value, &inner);
    let filling = format!("{line_end}{inner}{name}{written}{line_end}{outer}");
    spliced(text, at..at, &filling)
}

/// Takes out the child that [`add`] put into a list or an object.
pub(super) fn take(text: &str, list: &Node, child_idx: usize) -> String {
    let children = list.children();
    let Some(child) = children.get(child_idx) else {
        return text.to_owned();
    };
    let before = child_idx.checked_sub(1).and_then(|idx| children.get(idx));
    let after = children.get(child_idx + 1);
    let range = match (before, after) {
        (Some(before), _) => before.end..child.end,
        (None, Some(after)) => child.start..after.start,
        (None, None) => {
            // The blanks that were there before stand behind the ones that came with the child.
            let lead = text
                .get(list.span.start + 1..child.start)
                .unwrap_or_default();
            let rest = text.get(child.end..list.span.end - 1).unwrap_or_default();
            let outer = indentation_at(text, list.span.start);
            let came = [format!("\r\n{outer}"), format!("\n{outer}")];
            let came = came.iter().find(|came| rest.starts_with(came.as_str()));
            let n_behind = came.filter(|_| !lead.is_empty()).map_or(0, String::len);
            list.span.start + 1..child.end + n_behind
        }
    };
    spliced(text, range, "")
}

/// Puts a text in the place of another.
pub(super) fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let behind = text.get(range.end..).unwrap_or_default();
    format!("{before}{new}{behind}")
}

/// Returns the blanks that begin the line of a place.
fn indentation_at(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    let length = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..length).unwrap_or_default()
}
