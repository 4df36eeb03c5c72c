//! Where else a message was read: files that repeat it are named beside it.
//! An agent is not told: it has no use for the files of another.

use serde_json::{Value, json};

use crate::cli::paint::{PathForm, count, push, safe_line};
use crate::domain::RecordCopy;

/// Columns of a path beside the words around it, on a line of a common terminal.
const PATH_COLUMNS: usize = 50;

/// Adds a list of copies to each object of a list.
pub(super) fn add_copies(
    objects: Option<&mut Value>,
    copies: &[Vec<RecordCopy>],
    form: fn(&RecordCopy) -> Value,
) {
    let objects = objects.and_then(Value::as_array_mut);
    for (object, copies) in objects.into_iter().flatten().zip(copies) {
        if let Some(fields) = object.as_object_mut() {
            let copies = copies.iter().map(form).collect();
            fields.insert("copies".to_owned(), Value::Array(copies));
        }
    }
}

/// Names the place of a copy.
pub(super) fn place_json(copy: &RecordCopy) -> Value {
    json!({"file": copy.path, "line": copy.line})
}

/// Returns a line for each file that repeats a message, at most so many, and one that counts the
/// others. A database has rows in place of lines.
pub(super) fn copy_lines(copies: &[RecordCopy], most: usize, paths: PathForm<'_>) -> Vec<String> {
    let mut files: Vec<(&RecordCopy, &RecordCopy)> = Vec::new();
    for copy in copies {
        match files.iter_mut().find(|(first, _)| first.path == copy.path) {
            Some((_, last)) => *last = copy,
            None => files.push((copy, copy)),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for (first, last) in files.iter().take(most) {
        let (what, from, to) = match first.line {
            0 => ("row", first.offset, last.offset),
            _ => ("line", first.line, last.line),
        };
        let mut line = format!(
            "also in {} {what}",
            paths.show(&safe_line(&first.path), PATH_COLUMNS)
        );
        if from == to {
            push!(line, " {from}");
        } else {
            push!(line, "s {from}-{to}");
        }
        lines.push(line);
    }
    let more = files.len().saturating_sub(most);
    if more > 0 {
        lines.push(format!("and {} more", count(more as u64)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(path: &str, line: u64, offset: u64) -> RecordCopy {
        RecordCopy {
            path: path.to_owned(),
            format: "pi".to_owned(),
            line,
            offset,
            length: 9,
            sha256: None,
        }
    }

    #[test]
    fn each_file_is_named_once_and_what_is_left_out_is_counted() {
        let copies = [
            copy("/a.jsonl", 4, 100),
            copy("/a.jsonl", 6, 200),
            copy("/b\u{1b}.db", 0, 7),
            copy("/c.jsonl", 1, 0),
            copy("/d.jsonl", 1, 0),
        ];
        let shown = |most| copy_lines(&copies, most, PathForm::Whole);
        assert_eq!(
            shown(2),
            [
                "also in /a.jsonl lines 4-6",
                "also in /b\\u{1b}.db row 7",
                "and 2 more"
            ]
        );
        assert_eq!(shown(4)[3], "also in /d.jsonl line 1");
        assert_eq!(shown(4).len(), 4);
        assert!(copy_lines(&[], 3, PathForm::Whole).is_empty());
    }
}
