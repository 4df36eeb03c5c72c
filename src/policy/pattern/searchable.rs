//! Searchable text. Owns what of a text is looked at.
//! May not cut words.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

/// The shortest run of base64 characters that is data, not words.
const DATA_RUN: usize = 512;

/// What stands before the body of a `data:` URI.
const BODY_MARK: &[u8] = b";base64,";

/// How far before its body a `data:` URI may begin: a media type and its parameters.
const URI_HEAD: usize = 128;

/// Returns the text without runs of 512 and more base64 characters and without the bodies of
/// `data:` URIs; a blank stands for each.
#[must_use]
pub fn searchable(text: &str) -> Cow<'_, str> {
    let mut holes = data_runs(text.as_bytes());
    holes.extend(uri_bodies(text.as_bytes()));
    if holes.is_empty() {
        return Cow::Borrowed(text);
    }
    holes.sort_unstable_by_key(|hole| hole.start);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for hole in holes {
        if hole.end <= from {
            continue;
        }
        kept.push_str(text.get(from..hole.start).unwrap_or_default());
        kept.push(' ');
        from = hole.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(kept)
}

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Finds the long runs. A run of that length lies over a multiple of it, so only those places are
/// looked at.
fn data_runs(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut at = DATA_RUN - 1;
    while let (Some(head), Some(tail)) = (bytes.get(..at), bytes.get(at..)) {
        if tail.is_empty() {
            break;
        }
        let after = tail.iter().take_while(|byte| is_base64(**byte)).count();
        if after == 0 {
            at += DATA_RUN;
            continue;
        }
        let before = head
            .iter()
            .rev()
            .take_while(|byte| is_base64(**byte))
            .count();
        if before + after >= DATA_RUN {
            runs.push(at - before..at + after);
        }
        // The next place lies in this run or behind it; what is behind begins at its end.
        at = (at + DATA_RUN).max(at + after);
    }
    runs
}

fn uri_bodies(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut bodies = Vec::new();
    for mark in memmem::find_iter(bytes, BODY_MARK) {
        let head = bytes
            .get(mark.saturating_sub(URI_HEAD)..mark)
            .unwrap_or_default();
        let is_uri = memmem::rfind(head, b"data:")
            .and_then(|at| head.get(at..))
            .is_some_and(|head| !head.iter().any(u8::is_ascii_whitespace));
        let from = mark + BODY_MARK.len();
        let body = bytes.get(from..).unwrap_or_default();
        let length = body.iter().take_while(|byte| is_base64(**byte)).count();
        if is_uri && length > 0 {
            bodies.push(from..from + length);
        }
    }
    bodies
}
