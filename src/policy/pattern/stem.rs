//! Stems. Owns which words have one and what a stem says of its words.
//! May not know any other language than English: a pattern does not say which it is in.

use std::borrow::Cow;
use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};

/// Stems that a thread remembers: the same words come again and again, and the stemmer is slower
/// than all else that is done to a word together.
const SLOTS: usize = 8_192;

thread_local! {
    static KNOWN: RefCell<Vec<Known>> = RefCell::new(vec![Known::default(); SLOTS]);
}

/// A word with its stem.
#[derive(Clone, Default)]
struct Known {
    /// The word's bytes; letters are never 0, so that no two words share one. 0 for none.
    word: u128,
    /// How many bytes of the word begin its stem.
    n_kept: usize,
    /// What the stem has after them, mostly nothing.
    tail: String,
}

/// Returns the stem of a folded word; the word itself unless it is all ASCII letters.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let Some(packed) = pack(word).filter(|packed| *packed != 0) else {
        return compute(word);
    };
    KNOWN.with_borrow_mut(|known| {
        let Some(slot) = known.get_mut(slot(packed)) else {
            return compute(word);
        };
        if slot.word != packed {
            *slot = Known::of(packed, word);
        }
        slot.stem(word)
    })
}

fn compute(word: &str) -> Cow<'_, str> {
    Stemmer::create(Algorithm::English).stem(word)
}

impl Known {
    fn of(packed: u128, word: &str) -> Self {
        let stem = compute(word);
        let pairs = word.bytes().zip(stem.bytes());
        let n_kept = pairs.take_while(|(one, other)| one == other).count();
        Self {
            word: packed,
            n_kept,
            tail: stem.get(n_kept..).unwrap_or_default().to_owned(),
        }
    }

    fn stem<'word>(&self, word: &'word str) -> Cow<'word, str> {
        let kept = word.get(..self.n_kept).unwrap_or(word);
        if self.tail.is_empty() {
            Cow::Borrowed(kept)
        } else {
            Cow::Owned([kept, &self.tail].concat())
        }
    }
}

/// Returns a word's bytes as a number; none if it is longer than most.
fn pack(word: &str) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes
        .get_mut(..word.len())?
        .copy_from_slice(word.as_bytes());
    Some(u128::from_le_bytes(bytes))
}

/// Returns where a word is remembered.
fn slot(packed: u128) -> usize {
    let mixed = packed.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> 96;
    usize::try_from(mixed).map_or(0, |mixed| mixed % SLOTS)
}

/// Returns letters that every word of this stem begins with.
///
/// The stemmer changes at most the last two letters of what it keeps (`happy` to `happi`,
/// `hoping` to `hope`), but for a few short words (`dying` to `die`, `skies` to `sky`).
pub(super) fn beginning(stem: &str) -> &str {
    let kept = if stem.len() > 4 { stem.len() - 2 } else { 1 };
    stem.get(..kept).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_remembered_stem_is_that_of_the_stemmer(
            words in proptest::collection::vec("[a-z]{0,18}|[a-c]{1,2}(ing|ed|ies|y|s)", 1..200),
        ) {
            // The second time each word is remembered, unless another has taken its slot.
            for word in words.iter().chain(&words) {
                prop_assert_eq!(stem(word), compute(word), "{}", word);
            }
        }
    }

    #[test]
    fn words_of_one_slot_do_not_share_a_stem() {
        let word = |n: usize| {
            let letter = |n: usize| char::from(b"abcdefghijklmnopqrstuvwxyz"[n % 26]);
            let stem: String = [n, n / 26, n / 676].map(letter).into_iter().collect();
            format!("{stem}ingly")
        };
        let words: Vec<String> = (0..17_576).map(word).collect();
        let mut slots: Vec<usize> = words.iter().filter_map(|w| pack(w)).map(slot).collect();
        slots.sort_unstable();
        slots.dedup();
        // Spread well, and fewer slots than words: some words share one.
        assert!(
            (SLOTS / 2..words.len()).contains(&slots.len()),
            "{}",
            slots.len()
        );
        for word in words.iter().rev().chain(&words) {
            assert_eq!(stem(word), compute(word));
        }
    }
}
