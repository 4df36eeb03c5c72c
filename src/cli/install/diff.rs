//! What changes in a text, line by line. Only changed lines are shown: settings hold secrets.

use std::fmt::Write;

/// Lines that are compared one by one at most, as the product of both sides.
const MOST: usize = 4_000_000;

/// Returns the changed lines of a file, in the form of `diff -U0`; nothing where none changed.
pub(super) fn diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut text = format!("--- {name}\n+++ {name}\n");
    for hunk in hunks(&old, &new) {
        let (old_lines, new_lines) = (
            old.get(hunk.old.clone()).unwrap_or_default(),
            new.get(hunk.new.clone()).unwrap_or_default(),
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "@@ -{} +{} @@", place(&hunk.old), place(&hunk.new));
        for (sign, lines) in [('-', old_lines), ('+', new_lines)] {
            for line in lines {
                let _ = writeln!(text, "{sign}{line}");
            }
        }
    }
    text
}

/// Lines of the old text and those that take their place.
struct Hunk {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

fn place(lines: &std::ops::Range<usize>) -> String {
    // A hunk without lines names the line before it.
    let first = if lines.is_empty() {
        lines.start
    } else {
        lines.start + 1
    };
    format!("{first},{}", lines.len())
}

fn hunks(old: &[&str], new: &[&str]) -> Vec<Hunk> {
    let n_before = old
        .iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count();
    let left = old.len().min(new.len()) - n_before;
    let backwards = old.iter().rev().zip(new.iter().rev());
    let n_behind = backwards
        .take(left)
        .take_while(|(old, new)| old == new)
        .count();
    let (old_end, new_end) = (old.len() - n_behind, new.len() - n_behind);
    let old_middle = old.get(n_before..old_end).unwrap_or_default();
    let new_middle = new.get(n_before..new_end).unwrap_or_default();
    let mut found: Vec<Hunk> = Vec::new();
    let (mut old_at, mut new_at) = (n_before, n_before);
    for (old_idx, new_idx) in common(old_middle, new_middle) {
        let (old_idx, new_idx) = (n_before + old_idx, n_before + new_idx);
        push(&mut found, old_at..old_idx, new_at..new_idx);
        (old_at, new_at) = (old_idx + 1, new_idx + 1);
    }
    push(&mut found, old_at..old_end, new_at..new_end);
    found
}

fn push(found: &mut Vec<Hunk>, old: std::ops::Range<usize>, new: std::ops::Range<usize>) {
    if !old.is_empty() || !new.is_empty() {
        found.push(Hunk { old, new });
    }
}

/// Returns the longest common run of lines, as pairs of their places.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    if old.len().saturating_mul(new.len()) > MOST {
        return Vec::new();
    }
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let at = |lengths: &[u32], old_idx: usize, new_idx: usize| {
        lengths.get(old_idx * width + new_idx).copied().unwrap_or(0)
    };
    for (old_idx, old_line) in old.iter().enumerate().rev() {
        for (new_idx, new_line) in new.iter().enumerate().rev() {
            let length = if old_line == new_line {
                at(&lengths, old_idx + 1, new_idx + 1) + 1
            } else {
                at(&lengths, old_idx + 1, new_idx).max(at(&lengths, old_idx, new_idx + 1))
            };
            if let Some(slot) = lengths.get_mut(old_idx * width + new_idx) {
                *slot = length;
            }
        }
    }
    let (mut old_idx, mut new_idx, mut pairs) = (0, 0, Vec::new());
    while let (Some(old_line), Some(new_line)) = (old.get(old_idx), new.get(new_idx)) {
        if old_line == new_line {
            pairs.push((old_idx, new_idx));
            (old_idx, new_idx) = (old_idx + 1, new_idx + 1);
        } else if at(&lengths, old_idx + 1, new_idx) >= at(&lengths, old_idx, new_idx + 1) {
            old_idx += 1;
        } else {
            new_idx += 1;
        }
    }
    pairs
}
