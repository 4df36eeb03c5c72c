//! Searchable text. Owns what of a text is looked at.
//! May not cut words.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr_iter, memmem};

use super::escapes::{ESC, sequence_length};

/// The shortest run of base64 characters that is data, not words.
const DATA_RUN: usize = 512;

/// What stands before the body of a `data:` URI.
const BODY_MARK: &[u8] = b";base64,";

/// How far before its body a `data:` URI may begin: a media type and its parameters.
const URI_HEAD: usize = 128;

/// What is left out of a text.
struct Hole {
    range: Range<usize>,
    /// What stands for it.
    stand_in: &'static str,
}

/// Returns the text without runs of 512 and more base64 characters and without the bodies of
/// `data:` URIs, for each of which a blank stands, and without the escape sequences of terminals,
/// for which nothing stands: a word may change its colour inside.
#[must_use]
pub fn searchable(text: &str) -> Cow<'_, str> {
    let mut data = data_runs(text.as_bytes());
    data.extend(uri_bodies(text.as_bytes()));
    let blank = |range| Hole {
        range,
        stand_in: " ",
    };
    let nothing = |range| Hole {
        range,
        stand_in: "",
    };
    let mut holes: Vec<Hole> = data.into_iter().map(blank).collect();
    holes.extend(sequences(text).map(nothing));
    if holes.is_empty() {
        return Cow::Borrowed(text);
    }
    holes.sort_unstable_by_key(|hole| hole.range.start);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for Hole { range, stand_in } in holes {
        if range.end <= from {
            continue;
        }
        kept.push_str(text.get(from..range.start).unwrap_or_default());
        kept.push_str(stand_in);
        from = range.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(kept)
}

fn sequences(text: &str) -> impl Iterator<Item = Range<usize>> {
    memchr_iter(ESC, text.as_bytes()).filter_map(|at| {
        let length = sequence_length(text.get(at..)?);
        (length > 0).then_some(at..at + length)
    })
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
