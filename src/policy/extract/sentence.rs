//! Sentences. Owns how a text is parted, cleaned and shortened.
//! May not judge one: cues and ranks do.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

/// Bytes of a text's head, and of its tail, that are looked at. What a message of megabytes means
/// stands at its ends.
const END_BYTES: usize = 32 * 1024;

/// Bytes of one sentence at most; the rest is cut with an ellipsis.
const SENTENCE_BYTES: usize = 320;

/// Letters of a word of the base64 alphabet from which on it is taken for encoded bytes: longer
/// than any hash.
const ENCODED_LETTERS: usize = 129;

/// Parts a text into sentences without encoded bytes, each on one line and not too long.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for end in ends(text) {
        for line in end.lines() {
            let line = without_encoded(line);
            let line = line.trim().trim_start_matches(['#', '>', '*', '-', ' ']);
            for sentence in line.split_sentence_bounds() {
                let sentence = sentence.trim();
                if sentence.chars().any(char::is_alphanumeric) {
                    found.push(clip(sentence, SENTENCE_BYTES));
                }
            }
        }
    }
    found
}

/// Returns a text's head and tail; all of it where they meet.
fn ends(text: &str) -> Vec<&str> {
    if text.len() <= 2 * END_BYTES {
        return vec![text];
    }
    let head = text.get(..text.floor_char_boundary(END_BYTES));
    let tail = text.get(text.ceil_char_boundary(text.len() - END_BYTES)..);
    head.into_iter().chain(tail).collect()
}

/// Takes words out that are encoded bytes.
fn without_encoded(line: &str) -> Cow<'_, str> {
    if !line.split_whitespace().any(is_encoded) {
        return Cow::Borrowed(line);
    }
    let words: Vec<&str> = line
        .split_whitespace()
        .filter(|word| !is_encoded(word))
        .collect();
    Cow::Owned(words.join(" "))
}

fn is_encoded(word: &str) -> bool {
    word.contains(";base64,")
        || word
            .as_bytes()
            .split(|byte| {
                !byte.is_ascii_alphanumeric() && !matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-')
            })
            .any(|run| run.len() >= ENCODED_LETTERS)
}

/// Shortens a text to so many bytes, between characters as people see them, with an ellipsis.
pub(super) fn clip(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let room = bytes.saturating_sub('…'.len_utf8());
    let end = text
        .grapheme_indices(true)
        .map(|(start, grapheme)| start + grapheme.len())
        .take_while(|end| *end <= room)
        .last()
        .unwrap_or(0);
    match text.get(..end) {
        Some(kept) if end > 0 => format!("{}…", kept.trim_end()),
        _ => String::new(),
    }
}

/// Returns a text's form for comparison: small letters and digits only.
pub(super) fn key(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Says whether a sentence names something exact: a number, a path, an identifier.
pub(super) fn is_exact(sentence: &str) -> bool {
    sentence.split_whitespace().any(|word| {
        let inner = word.trim_matches(|character: char| !character.is_alphanumeric());
        inner.contains(|character: char| character.is_ascii_digit())
            || inner.contains(['_', '/', '\\', '='])
            || inner.contains("::")
            || word.contains('`')
            || is_camel(inner)
            || has_extension(inner)
    })
}

/// Says whether a line is rather code than words: it ends like code, or every seventh character is
/// a sign of it.
pub(super) fn is_code(line: &str) -> bool {
    let is_sign = |c: &char| "{}()[]<>;=&|#$\\".contains(*c);
    let n_signs = line.chars().filter(is_sign).count();
    line.ends_with([';', '{', '}', ',']) || 7 * n_signs > line.chars().count()
}

/// Says whether a capital follows a small letter: `getUser`.
fn is_camel(word: &str) -> bool {
    word.as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [left, right] if left.is_ascii_lowercase() && right.is_ascii_uppercase()))
}

/// Says whether a word looks like a file's name: `main.rs`.
fn has_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
