//! Stems. Owns which words have one and what a stem says of its words.
//! May not know any other language than English: a pattern does not say which it is in.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// Returns the stem of a folded word; the word itself unless it is all ASCII letters.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::English).stem(word)
    } else {
        Cow::Borrowed(word)
    }
}

/// Returns letters that every word of this stem begins with.
///
/// The stemmer changes at most the last two letters of what it keeps (`happy` to `happi`,
/// `hoping` to `hope`), but for a few short words (`dying` to `die`, `skies` to `sky`).
pub(super) fn beginning(stem: &str) -> &str {
    let kept = if stem.len() > 4 { stem.len() - 2 } else { 1 };
    stem.get(..kept).unwrap_or(stem)
}
