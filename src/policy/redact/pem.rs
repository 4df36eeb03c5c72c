//! Private keys in PEM. Owns how far one reaches, whole or cut at either end.
//! May not read past the lines of a key: a key without its end takes no prose with it.

use std::sync::LazyLock;

use regex::Regex;

use super::Secret;

const KIND: &str = "private_key";

/// The line above a private key, and the one below it.
static EDGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"-----(?<edge>BEGIN|END) (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----").ok()
});

/// Base64 letters in a row that are a line of a key: a word of prose is shorter.
const LEAST_LINE: usize = 16;

/// Lines that may stand between the beginning and the key.
const HEADERS: [&str; 5] = [
    "Proc-Type:",
    "DEK-Info:",
    "Comment:",
    "Version:",
    "Charset:",
];

/// A header is no longer than this.
const HEADER_BYTES: usize = 200;

/// Finds private keys. A beginning takes the lines of a key that follow it, an end without one the
/// lines before it.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    let Some(edge) = EDGE.as_ref() else {
        return;
    };
    let bytes = text.as_bytes();
    let mut taken = 0;
    for groups in edge.captures_iter(text) {
        let Some(line) = groups.get(0) else {
            continue;
        };
        let is_begin = groups
            .name("edge")
            .is_some_and(|word| word.as_str() == "BEGIN");
        let at = if is_begin {
            line.start()..end_of_body(bytes, line.end())
        } else {
            start_of_body(bytes, taken, line.start())..line.end()
        };
        taken = at.end;
        found.push(Secret::new(at, KIND));
    }
}

/// Returns where the key ends whose lines begin at `start`.
fn end_of_body(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    let mut at = start;
    loop {
        let line = skip_breaks(bytes, at);
        if let Some(behind) = header(bytes, line) {
            (end, at) = (behind, behind);
            continue;
        }
        let behind = skip_base64(bytes, line);
        let is_long = behind - line >= LEAST_LINE;
        let is_before_end = rest(bytes, skip_breaks(bytes, behind)).starts_with(b"-----END");
        let is_padded = behind > line && bytes.get(behind - 1) == Some(&b'=');
        if behind > line && (is_long || is_before_end || is_padded) {
            end = behind;
        }
        if behind == line || !is_long {
            return end;
        }
        at = behind;
    }
}

/// Returns where the key begins whose lines end at `end`; `floor` is where one may begin at the
/// earliest.
fn start_of_body(bytes: &[u8], floor: usize, end: usize) -> usize {
    let mut start = end;
    let mut at = end;
    let mut n_lines = 0;
    loop {
        let behind = skip_breaks_back(bytes, floor, at);
        let line = skip_base64_back(bytes, floor, behind);
        let is_long = behind - line >= LEAST_LINE;
        if is_long {
            start = line;
        }
        // The last line of a key is as short as it happens to be.
        if line == behind || (!is_long && n_lines > 0) {
            return start;
        }
        n_lines += 1;
        at = line;
    }
}

fn rest(bytes: &[u8], from: usize) -> &[u8] {
    bytes.get(from..).unwrap_or_default()
}

/// Returns the end of a header that begins at `from`.
fn header(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = rest(bytes, from);
    HEADERS
        .iter()
        .find(|header| rest.starts_with(header.as_bytes()))?;
    let in_line = |byte: &&u8| !matches!(byte, b'\n' | b'\r' | b'\\') && byte.is_ascii();
    Some(from + rest.iter().take(HEADER_BYTES).take_while(in_line).count())
}

/// Skips what stands between two lines of a key: breaks, written or as JSON and code write them.
fn skip_breaks(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'\\'), Some(b'n' | b'r' | b't' | b'\\')) => at += 2,
            (Some(byte), _) if is_between(*byte) => at += 1,
            _ => return at,
        }
    }
}

fn skip_breaks_back(bytes: &[u8], floor: usize, mut at: usize) -> usize {
    loop {
        let last = at.checked_sub(1).filter(|last| *last >= floor);
        let Some(byte) = last.and_then(|last| bytes.get(last)) else {
            return at;
        };
        let before = at.checked_sub(2).filter(|before| *before >= floor);
        let before = before.and_then(|before| bytes.get(before));
        match (before, byte) {
            (Some(b'\\'), b'n' | b'r' | b't' | b'\\') => at -= 2,
            _ if is_between(*byte) => at -= 1,
            _ => return at,
        }
    }
}

fn skip_base64(bytes: &[u8], at: usize) -> usize {
    at + rest(bytes, at)
        .iter()
        .take_while(|byte| is_base64(**byte))
        .count()
}

fn skip_base64_back(bytes: &[u8], floor: usize, end: usize) -> usize {
    let before = bytes.get(floor..end).unwrap_or_default();
    let n_letters = before
        .iter()
        .rev()
        .take_while(|byte| is_base64(**byte))
        .count();
    let start = end - n_letters;
    let is_escape = start > floor && bytes.get(start - 1) == Some(&b'\\');
    // The first letter belongs to the break before it.
    if is_escape && n_letters > 0 {
        start + 1
    } else {
        start
    }
}

fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b',' | b'>' | b'|')
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
