//! Secrets that a program knows: the keys it calls with. Owns how a text is cleared of them.
//! May not show one, nor guess at another.

use std::fmt;

use super::{Secret, redacted_by};
use crate::domain::{Redacted, Redactor};

const KIND: &str = "api_key";

/// A shorter one could be a part of anything.
const LEAST_BYTES: usize = 8;

/// Servers that take any key are given words for one, like `not-needed`; a longer text of small letters
/// is a phrase that somebody chose to keep to himself.
const LEAST_WORD_BYTES: usize = 20;

/// A redactor of given texts. It has no text of its own: it shows how many there are.
///
/// ```
/// use hippocamp::domain::Redactor;
/// use hippocamp::policy::redact::Literals;
///
/// let own = Literals::of(["q7-Vbn3xKtM"]);
/// assert_eq!(own.redact("sent q7-Vbn3xKtM twice").text, "sent [redacted:api_key] twice");
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Literals {
    texts: Vec<String>,
}

impl Literals {
    /// Makes a redactor of these texts; one that could be any word is left out.
    #[must_use]
    pub fn of<S: Into<String>>(texts: impl IntoIterator<Item = S>) -> Self {
        let mut texts: Vec<String> = texts
            .into_iter()
            .map(Into::into)
            .filter(|text| is_telling(text))
            .collect();
        texts.sort_unstable();
        texts.dedup();
        Self { texts }
    }
}

fn is_telling(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_punctuation();
    let least = if text.bytes().all(is_word) {
        LEAST_WORD_BYTES
    } else {
        LEAST_BYTES
    };
    text.len() >= least
}

impl Redactor for Literals {
    fn redact<'text>(&self, text: &'text str) -> Redacted<'text> {
        redacted_by(text, |text, found| {
            for own in &self.texts {
                let places = text.match_indices(own.as_str());
                found.extend(places.map(|(at, own)| Secret::new(at..at + own.len(), KIND)));
            }
        })
    }
}

impl fmt::Debug for Literals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Literals")
            .field("n_texts", &self.texts.len())
            .finish_non_exhaustive()
    }
}
