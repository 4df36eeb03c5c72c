//! Patches: the headings of the forms agents write.

use super::Op;

const ADDED: &str = "added";
const EDITED: &str = "edited by a patch";

/// Reads the headings of a patch of either form; nothing for other texts.
pub(super) fn ops(patch: &str) -> Vec<Op> {
    let marked = marked(patch);
    if marked.is_empty() && patch.contains("\n+++ ") {
        unified(patch)
    } else {
        marked
    }
}

/// Reads `*** Update File: path` and its like.
fn marked(text: &str) -> Vec<Op> {
    let mut ops: Vec<Op> = Vec::new();
    let mut updated: Option<String> = None;
    for line in text.lines().map(str::trim) {
        let Some(heading) = line.strip_prefix("*** ") else {
            continue;
        };
        let Some((kind, path)) = heading.split_once(": ") else {
            continue;
        };
        let path = path.trim().to_owned();
        match kind {
            "Add File" => ops.push(set(path, ADDED)),
            "Delete File" => ops.push(Op::Delete { path }),
            "Update File" => {
                ops.push(set(path.clone(), EDITED));
                updated = Some(path);
            }
            "Move to" | "Rename to" => {
                if let Some(from) = updated.take() {
                    ops.push(Op::Move { from, to: path });
                }
            }
            _ => {}
        }
    }
    ops
}

/// Reads `--- a/path` over `+++ b/path`.
fn unified(text: &str) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut before: Option<&str> = None;
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("--- ") {
            before = Some(bare(path, "a/"));
        } else if let Some(path) = line.strip_prefix("+++ ")
            && let Some(before) = before.take()
        {
            let after = bare(path, "b/");
            ops.push(match (before, after) {
                ("/dev/null", added) => set(added.to_owned(), ADDED),
                (gone, "/dev/null") => Op::Delete {
                    path: gone.to_owned(),
                },
                (_, changed) => set(changed.to_owned(), EDITED),
            });
        }
    }
    ops
}

fn bare<'p>(path: &'p str, side: &str) -> &'p str {
    let path = path.split('\t').next().unwrap_or(path).trim();
    path.strip_prefix(side).unwrap_or(path)
}

fn set(path: String, state: &str) -> Op {
    Op::Set {
        path,
        state: state.to_owned(),
    }
}
