//! Stems. Owns which words have one and what a stem says of its words.
//! May not know any other language than English: a pattern does not say which it is in.

use std::borrow::Cow;
use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};

/// Stems that a thread remembers: the same words come again and again, and the stemmer is slower
/// than all else that is done to a word together. A query needs few, an import 2 MiB of them.
const FEW_SLOTS: usize = 1_024;
const MOST_SLOTS: usize = 65_536;
/// How much room there is after there was too little.
const GROWTH: usize = 8;

/// Letters that a stem may have beyond those of its word, to be remembered: `happi`, `die`.
const TAIL: usize = 4;

thread_local! {
    static KNOWN: RefCell<Memory> = const { RefCell::new(Memory::NONE) };
}

/// A word of at most 16 small letters, as a number: greater where it comes later in the alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Packed(u128);

impl Packed {
    /// Packs a word; none if it is longer, empty or has anything but small letters.
    pub(super) fn of(word: &str) -> Option<Self> {
        let length = u32::try_from(word.len())
            .ok()
            .filter(|length| *length <= 16)?;
        let mut packed: u128 = 0;
        for byte in word.bytes() {
            if !byte.is_ascii_lowercase() {
                return None;
            }
            packed = packed << 8 | u128::from(byte);
        }
        // Letters are never 0, so that words of different lengths differ.
        packed.checked_shl(8 * (16 - length)).map(Self)
    }

    /// Appends the word.
    pub(super) fn push_to(self, text: &mut String) {
        let bytes = self.0.to_be_bytes();
        let word = bytes.split(|byte| *byte == 0).next();
        text.push_str(
            word.and_then(|word| str::from_utf8(word).ok())
                .unwrap_or_default(),
        );
    }

    /// Returns where the word is remembered among so many places, a power of two.
    fn slot(self, n_slots: usize) -> usize {
        let both = self.0 ^ (self.0 << 64).rotate_right(7);
        let mut mixed = u64::try_from(both >> 64).unwrap_or_default();
        for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
            mixed = (mixed ^ mixed >> 33).wrapping_mul(factor);
        }
        usize::try_from(mixed >> 33).map_or(0, |mixed| mixed % n_slots.max(1))
    }
}

/// A word with its stem.
#[derive(Clone, Copy, Default)]
struct Known {
    word: Packed,
    /// How many bytes of the word begin its stem.
    n_kept: u8,
    /// What the stem has after them, mostly nothing; 0 behind its end.
    tail: [u8; TAIL],
}

/// How an index takes a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pushed {
    /// Its stem is the word itself.
    Word,
    /// Its stem is another.
    Stem,
}

/// Appends the stem of a folded word, which is packed as `packed`.
pub(super) fn push_stem(tokens: &mut String, word: &str, packed: Option<Packed>) -> Pushed {
    let known = packed.and_then(known);
    let Some(known) = known else {
        let stem = stem(word);
        tokens.push_str(&stem);
        return if stem == word {
            Pushed::Word
        } else {
            Pushed::Stem
        };
    };
    let kept = word.get(..usize::from(known.n_kept)).unwrap_or(word);
    tokens.push_str(kept);
    tokens.extend(known.tail());
    if kept.len() == word.len() && known.tail().next().is_none() {
        Pushed::Word
    } else {
        Pushed::Stem
    }
}

/// Returns the stem of a folded word; the word itself unless it is all ASCII letters.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let Some(known) = Packed::of(word).and_then(known) else {
        return compute(word);
    };
    let kept = word.get(..usize::from(known.n_kept)).unwrap_or(word);
    if known.tail().next().is_none() {
        Cow::Borrowed(kept)
    } else {
        Cow::Owned(kept.chars().chain(known.tail()).collect())
    }
}

fn compute(word: &str) -> Cow<'_, str> {
    Stemmer::create(Algorithm::English).stem(word)
}

/// Returns what is remembered of a word, from now on if not before; none if its stem has too many
/// letters of its own.
fn known(word: Packed) -> Option<Known> {
    KNOWN.with_borrow_mut(|memory| memory.recall(word))
}

/// The words a thread has met.
struct Memory {
    slots: Vec<Known>,
    /// How many words were put into slots since there were so many.
    n_put: usize,
}

impl Memory {
    const NONE: Self = Self {
        slots: Vec::new(),
        n_put: 0,
    };

    fn recall(&mut self, word: Packed) -> Option<Known> {
        let at = word.slot(self.slots.len());
        if let Some(slot) = self.slots.get(at)
            && slot.word == word
        {
            return Some(*slot);
        }
        let known = Known::of(word)?;
        if self.n_put == self.slots.len() {
            self.grow();
        }
        self.put(known);
        Some(known)
    }

    fn put(&mut self, known: Known) {
        let at = known.word.slot(self.slots.len());
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = known;
        }
        self.n_put += 1;
    }

    fn grow(&mut self) {
        let n_slots = (self.slots.len() * GROWTH).clamp(FEW_SLOTS, MOST_SLOTS);
        self.n_put = 0;
        if n_slots == self.slots.len() {
            return;
        }
        let before = std::mem::replace(&mut self.slots, vec![Known::default(); n_slots]);
        for known in before {
            if known.word != Packed::default() {
                self.put(known);
            }
        }
    }
}

impl Known {
    fn of(packed: Packed) -> Option<Self> {
        let mut word = String::with_capacity(16);
        packed.push_to(&mut word);
        let stem = compute(&word);
        let pairs = word.bytes().zip(stem.bytes());
        let n_kept = pairs.take_while(|(one, other)| one == other).count();
        let own = stem.as_bytes().get(n_kept..)?;
        let mut tail = [0; TAIL];
        tail.get_mut(..own.len())?.copy_from_slice(own);
        Some(Self {
            word: packed,
            n_kept: u8::try_from(n_kept).ok()?,
            tail,
        })
    }

    fn tail(&self) -> impl Iterator<Item = char> {
        let letters = self.tail.into_iter().map(char::from);
        letters.take_while(|letter| *letter != '\0')
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
                let packed = Packed::of(word);
                let mut pushed = String::from("before ");
                let way = push_stem(&mut pushed, word, packed);
                prop_assert_eq!(pushed.strip_prefix("before "), Some(&*compute(word)));
                prop_assert_eq!(way == Pushed::Word, compute(word) == *word, "{}", word);
                if let Some(packed) = packed {
                    let mut unpacked = String::new();
                    packed.push_to(&mut unpacked);
                    prop_assert_eq!(&unpacked, word);
                }
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
        let slot = |word: &String| Packed::of(word).map(|word| word.slot(8_192));
        let mut slots: Vec<_> = words.iter().map(slot).collect();
        slots.sort_unstable();
        slots.dedup();
        // Spread well, and fewer slots than words: some words share one.
        assert!((6_144..=8_192).contains(&slots.len()), "{}", slots.len());
        assert!(words.len() > 2 * slots.len());
        for word in words.iter().rev().chain(&words) {
            assert_eq!(stem(word), compute(word));
        }
    }
}
