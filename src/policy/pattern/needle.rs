//! Needles. Owns how adjacent words are found in one pass.
//! May not know where the words come from.

use std::ops::Range;

use memchr::memmem::Finder;

use super::cut::Cut;
use super::stem::{beginning, stem};

/// How a word of a text is compared with a word of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    /// By stem.
    Stems,
    /// As it is.
    Whole,
    /// As it is; the last one is a beginning.
    LastOpen,
}

/// Adjacent words to be found. A mismatch falls back by the words' own repeats, so a text is read
/// once whatever the pattern.
#[derive(Debug)]
pub(super) struct Needle {
    pieces: Vec<Piece>,
    /// After a mismatch behind `n` words: how many of them are again a beginning.
    fallback: Vec<usize>,
    /// Letters without which a text has no match.
    literal: Finder<'static>,
}

#[derive(Debug)]
struct Piece {
    word: String,
    test: Test,
}

#[derive(Debug, PartialEq, Eq)]
enum Test {
    Whole,
    Open,
    Stem { stem: String, beginning: String },
}

impl Needle {
    /// Makes a needle of folded words.
    pub(super) fn new(words: &[String], compare: Compare) -> Self {
        let pieces: Vec<Piece> = words
            .iter()
            .enumerate()
            .map(|(idx, word)| Piece {
                word: word.clone(),
                test: match compare {
                    Compare::Stems => {
                        let stem = stem(word);
                        Test::Stem {
                            beginning: beginning(&stem).to_owned(),
                            stem: stem.into_owned(),
                        }
                    }
                    Compare::LastOpen if idx + 1 == words.len() => Test::Open,
                    Compare::Whole | Compare::LastOpen => Test::Whole,
                },
            })
            .collect();
        let literal = pieces
            .iter()
            .map(Piece::literal)
            .max_by_key(|literal| literal.len())
            .unwrap_or_default();
        Self {
            fallback: fallback(&pieces),
            literal: Finder::new(literal).into_owned(),
            pieces,
        }
    }

    /// Returns letters without which a text has no match.
    pub(super) fn literal(&self) -> &str {
        std::str::from_utf8(self.literal.needle()).unwrap_or_default()
    }

    /// Returns the number of words.
    pub(super) const fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Calls back with the folded bytes of each place, in the words in order and then in the
    /// pieces of each parted word.
    pub(super) fn scan(&self, cut: &Cut, mut on_hit: impl FnMut(Range<usize>)) {
        if self.literal.find(cut.folded.as_bytes()).is_none() {
            return;
        }
        self.scan_words(cut, &cut.words, &mut on_hit);
        for split in &cut.split {
            self.scan_words(cut, &split.pieces, &mut on_hit);
        }
    }

    fn scan_words(&self, cut: &Cut, words: &[Range<usize>], on_hit: &mut impl FnMut(Range<usize>)) {
        let mut n_met = 0;
        for (word_idx, word) in words.iter().enumerate() {
            self.step(&mut n_met, cut.text(word));
            if n_met == self.pieces.len() {
                n_met = 0;
                let first = words.get((word_idx + 1).saturating_sub(self.pieces.len()));
                on_hit(first.map_or(word.start, |first| first.start)..word.end);
            }
        }
    }

    /// Takes the next word of a text.
    fn step(&self, n_met: &mut usize, word: &str) {
        loop {
            if self
                .pieces
                .get(*n_met)
                .is_some_and(|piece| piece.fits(word))
            {
                *n_met += 1;
                return;
            }
            if *n_met == 0 {
                return;
            }
            *n_met = self.fallback.get(*n_met - 1).copied().unwrap_or(0);
        }
    }
}

impl Piece {
    fn fits(&self, word: &str) -> bool {
        match &self.test {
            Test::Whole => word == self.word,
            Test::Open => word.starts_with(&self.word),
            Test::Stem {
                stem: own,
                beginning,
            } => word.starts_with(beginning.as_str()) && (word == self.word || stem(word) == *own),
        }
    }

    fn literal(&self) -> &str {
        match &self.test {
            Test::Whole | Test::Open => &self.word,
            Test::Stem { beginning, .. } => beginning,
        }
    }

    /// Says whether the same words fit both. An open piece is the last one and has no successor.
    fn is_like(&self, other: &Self) -> bool {
        match (&self.test, &other.test) {
            (Test::Stem { stem, .. }, Test::Stem { stem: other, .. }) => stem == other,
            (Test::Whole, Test::Whole) => self.word == other.word,
            _ => false,
        }
    }
}

/// Returns, for each number of words met, the longest shorter beginning that they also end with.
fn fallback(pieces: &[Piece]) -> Vec<usize> {
    let mut fallback: Vec<usize> = vec![0; pieces.len()];
    let mut length = 0;
    for idx in 1..pieces.len() {
        let is_like = |length: usize| match (pieces.get(idx), pieces.get(length)) {
            (Some(piece), Some(other)) => piece.is_like(other),
            _ => false,
        };
        while length > 0 && !is_like(length) {
            length = fallback.get(length - 1).copied().unwrap_or(0);
        }
        if is_like(length) {
            length += 1;
        }
        if let Some(entry) = fallback.get_mut(idx) {
            *entry = length;
        }
    }
    fallback
}
