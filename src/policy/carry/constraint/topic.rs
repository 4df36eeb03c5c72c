//! Whether two sentences speak of the same thing. Owns the words that carry no topic.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

/// Shared words, in percent of the shorter sentence's, from which two speak of the same thing.
const SHARED_PERCENT: usize = 50;

/// Says whether two different sentences share enough of what they speak of.
pub(super) fn is_same(left: &str, right: &str) -> bool {
    if left.trim() == right.trim() {
        return false;
    }
    let (left, right) = (words(left), words(right));
    let n_shared = left.intersection(&right).count();
    let n_least = left.len().min(right.len());
    n_shared > 0 && n_shared * 100 >= n_least * SHARED_PERCENT
}

fn words(text: &str) -> HashSet<String> {
    text.unicode_words()
        .filter(|word| {
            word.len() > 3 || !word.is_ascii() || word.bytes().any(|b| b.is_ascii_digit())
        })
        .map(str::to_lowercase)
        .collect()
}
