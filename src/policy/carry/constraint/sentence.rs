//! Sentences as they stand in a text. Owns what of a message is the user's own talk.
//! May not change a word: every sentence is a slice.

use unicode_segmentation::UnicodeSegmentation;

/// Bytes of the longest sentence that is read; a longer run is data, not talk.
const SENTENCE_BYTES: usize = 1_200;

/// Returns the sentences of a text in order, without code blocks and quoted lines.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        if is_fenced || bare.starts_with('>') {
            continue;
        }
        let bare = without_bullet(bare);
        for sentence in bare.split_sentence_bounds() {
            let sentence = sentence.trim();
            let is_talk =
                sentence.len() <= SENTENCE_BYTES && sentence.chars().any(char::is_alphabetic);
            if is_talk {
                found.push(sentence);
            }
        }
    }
    found
}

/// Takes the mark of a list or a heading away.
fn without_bullet(line: &str) -> &str {
    let bare = line.trim_start_matches(['#', '*', '-', '•', '+', ' ', '\t']);
    let digits = bare.trim_start_matches(|character: char| character.is_ascii_digit());
    match digits.strip_prefix(". ").or(digits.strip_prefix(") ")) {
        Some(rest) if digits.len() < bare.len() => rest.trim_start(),
        _ => bare,
    }
}
