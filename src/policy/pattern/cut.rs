//! Cutting. Owns where words begin and end.
//! May not know where the text comes from: rows and patterns are cut alike.

use std::ops::Range;

use super::class::{Class, Script, class, is_solo};
use super::fold::{Sink, SourceMap, normalise, push_folded};

/// As many bytes a text has at least for each of its words, with the blank behind it, mostly.
const BYTES_A_WORD: usize = 6;

/// A text cut into words.
#[derive(Debug, Clone, Default)]
pub(super) struct Cut {
    /// The folded text.
    pub(super) folded: String,
    /// Its words in order, as bytes of the folded text.
    pub(super) words: Vec<Range<usize>>,
    /// The words in camelCase that have pieces, with them.
    pub(super) split: Vec<SplitWord>,
    map: SourceMap,
}

/// A word whose capitals part it.
#[derive(Debug, Clone)]
pub(super) struct SplitWord {
    /// Which word.
    pub(super) word_idx: usize,
    /// Its pieces, as bytes of the folded text.
    pub(super) pieces: Vec<Range<usize>>,
}

impl Cut {
    /// Cuts a text.
    pub(super) fn of(text: &str) -> Self {
        let mut cutter = Cutter {
            cut: Self {
                folded: String::with_capacity(text.len()),
                words: Vec::with_capacity(text.len() / BYTES_A_WORD),
                ..Self::default()
            },
            open: None,
            letters: Vec::new(),
        };
        normalise(text, &mut cutter);
        cutter.close(cutter.cut.folded.len());
        cutter.cut
    }

    /// Returns folded text by its bytes.
    pub(super) fn text(&self, range: &Range<usize>) -> &str {
        self.folded.get(range.clone()).unwrap_or_default()
    }

    /// Returns the words.
    pub(super) fn word_texts(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| self.text(word))
    }

    /// Returns the bytes of the text that folded bytes come from.
    pub(super) fn source(&self, folded: &Range<usize>) -> Range<usize> {
        self.map.source(folded)
    }
}

/// Says whether a folded word is one character of a script without spaces, or an emoji.
pub(super) fn is_solo_word(word: &str) -> bool {
    word.chars().next().is_some_and(is_solo)
}

/// The case of a letter, for parting camelCase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Upper,
    Lower,
    None,
}

struct Cutter {
    cut: Cut,
    /// The word being read: its first folded byte and the script of its last letter.
    open: Option<(usize, Script)>,
    /// The letters of the word being read, with their first folded bytes.
    letters: Vec<(Case, usize)>,
}

impl Sink for Cutter {
    fn take(&mut self, c: char, source: Range<usize>) {
        let at = self.cut.folded.len();
        let class = class(c);
        match class {
            Class::Separator | Class::Solo => self.close(at),
            Class::Mark => {}
            Class::Letter(script) => self.letter(c, script, at),
        }
        push_folded(&mut self.cut.folded, c);
        let end = self.cut.folded.len();
        self.cut.map.record(at, end - at, source);
        if class == Class::Solo {
            self.cut.words.push(at..end);
        }
    }

    /// Does as `take` would with each character, a word at a time: most text is ASCII.
    fn take_ascii(&mut self, run: &str, at: usize) {
        let bytes = run.as_bytes();
        let base = self.cut.folded.len();
        // A control character is a blank.
        for (idx, piece) in run.split(|c: char| c.is_ascii_control()).enumerate() {
            if idx > 0 {
                self.cut.folded.push(' ');
            }
            self.cut.folded.push_str(piece);
        }
        if let Some(folded) = self.cut.folded.get_mut(base..) {
            folded.make_ascii_lowercase();
        }
        self.cut.map.record(base, run.len(), at..at + run.len());
        if !bytes.first().is_some_and(u8::is_ascii_alphanumeric) {
            self.close(base);
        }
        // Where words begin and end is told by bits, not byte by byte: what a branch costs that
        // nobody can foresee would be most of the work.
        let (mut begun, mut before, mut capitals_before) = (None, 0, 0);
        for (n, chunk) in bytes.chunks(CHUNK).enumerate() {
            let (letters, capitals) = bits(chunk);
            let mut edges = letters ^ (letters << 1 | before);
            while edges != 0 {
                let at = n * CHUNK + edges.trailing_zeros() as usize;
                edges &= edges - 1;
                match begun.take() {
                    None => begun = Some(at),
                    Some(from) => {
                        let is_small = capitals | capitals_before == 0 && at - from <= CHUNK;
                        let case = if is_small {
                            Capitals::None
                        } else {
                            Capitals::Perhaps
                        };
                        self.word(bytes, from..at, base, case);
                    }
                }
            }
            before = letters >> (CHUNK - 1);
            capitals_before = capitals;
        }
        if let Some(from) = begun {
            self.word(bytes, from..bytes.len(), base, Capitals::Perhaps);
        }
    }
}

/// Whether a word may have capitals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Capitals {
    Perhaps,
    None,
}

/// Bytes that are looked at together.
const CHUNK: usize = 64;

/// Returns which of at most 64 bytes are letters or digits, and which are capitals.
fn bits(chunk: &[u8]) -> (u64, u64) {
    let (mut letters, mut capitals) = (0, 0);
    for (idx, byte) in chunk.iter().enumerate() {
        letters |= u64::from(byte.is_ascii_alphanumeric()) << idx;
        capitals |= u64::from(byte.is_ascii_uppercase()) << idx;
    }
    (letters, capitals)
}

impl Cutter {
    /// Takes a run of letters and digits within ASCII that begins at `base` of the folded text; one
    /// that reaches its end may go on behind it.
    fn word(&mut self, bytes: &[u8], range: Range<usize>, base: usize, case: Capitals) {
        let is_closed = range.end < bytes.len();
        let word = bytes.get(range.clone()).unwrap_or_default();
        let has_capital =
            case == Capitals::Perhaps && word.iter().skip(1).any(u8::is_ascii_uppercase);
        if self.open.is_none() && is_closed && !has_capital {
            self.cut.words.push(base + range.start..base + range.end);
            return;
        }
        for (idx, byte) in word.iter().enumerate() {
            self.letter(char::from(*byte), Script::Ascii, base + range.start + idx);
        }
        if is_closed {
            self.close(base + range.end);
        }
    }

    fn letter(&mut self, c: char, script: Script, at: usize) {
        if self.open.is_some_and(|(_, last)| last.parts(script)) {
            self.close(at);
        }
        let from = self.open.map_or(at, |(from, _)| from);
        self.open = Some((from, script));
        let case = if c.is_uppercase() {
            Case::Upper
        } else if c.is_lowercase() {
            Case::Lower
        } else {
            Case::None
        };
        self.letters.push((case, at));
    }

    /// Ends the word being read before a folded byte.
    fn close(&mut self, end: usize) {
        let Some((from, _)) = self.open.take() else {
            return;
        };
        let breaks = camel_breaks(&self.letters);
        if !breaks.is_empty() {
            let mut pieces = Vec::with_capacity(breaks.len() + 1);
            let mut start = from;
            for at in breaks {
                pieces.push(start..at);
                start = at;
            }
            pieces.push(start..end);
            self.cut.split.push(SplitWord {
                word_idx: self.cut.words.len(),
                pieces,
            });
        }
        self.cut.words.push(from..end);
        self.letters.clear();
    }
}

/// Returns where capitals begin a piece: after a small letter (`getUser`), before the last capital
/// of a run that a small letter follows (`HTTPServer`, but not the plural `URLs`), and after a
/// digit where a small letter follows (`sha256Sum`).
fn camel_breaks(letters: &[(Case, usize)]) -> Vec<usize> {
    if !letters.iter().skip(1).any(|(case, _)| *case == Case::Upper) {
        return Vec::new();
    }
    let mut breaks = Vec::new();
    for (idx, pair) in letters.windows(2).enumerate() {
        let [(before, _), (case, at)] = *pair else {
            continue;
        };
        if case != Case::Upper {
            continue;
        }
        let is_followed_by_small = letters
            .get(idx + 2)
            .is_some_and(|next| next.0 == Case::Lower)
            && !is_plural_end(letters.get(idx + 2..).unwrap_or_default());
        if before == Case::Lower || is_followed_by_small {
            breaks.push(at);
        }
    }
    breaks
}

/// Says whether what follows a capital is one small letter and then nothing or another capital.
fn is_plural_end(rest: &[(Case, usize)]) -> bool {
    rest.get(1).is_none_or(|(case, _)| *case == Case::Upper)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Cuts a text one character at a time.
    fn by_characters(text: &str) -> Cut {
        struct OneByOne(Cutter);
        impl Sink for OneByOne {
            fn take(&mut self, c: char, source: Range<usize>) {
                self.0.take(c, source);
            }

            fn take_ascii(&mut self, run: &str, at: usize) {
                for (idx, c) in run.char_indices() {
                    self.0
                        .take(super::super::fold::spaced(c), at + idx..at + idx + 1);
                }
            }
        }
        let mut cutter = OneByOne(Cutter {
            cut: Cut::default(),
            open: None,
            letters: Vec::new(),
        });
        normalise(text, &mut cutter);
        cutter.0.close(cutter.0.cut.folded.len());
        cutter.0.cut
    }

    proptest! {
        /// What is looked at in chunks is cut as it would be one by one.
        #[test]
        fn ascii_is_cut_as_one_character_at_a_time(
            text in "([a-zA-Z0-9]{0,9}|[a-z ]{40,70}|[a-z]{1,5}[A-Z][a-z]{1,5}|[a-z]{60,70}|[ -/\n\t]|é|用|한){0,40}",
        ) {
            let (cut, slow) = (Cut::of(&text), by_characters(&text));
            prop_assert_eq!(&cut.folded, &slow.folded);
            prop_assert_eq!(&cut.words, &slow.words);
            let pieces = |cut: &Cut| {
                let split = cut.split.iter();
                split.map(|word| (word.word_idx, word.pieces.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(pieces(&cut), pieces(&slow));
            for word in &cut.words {
                prop_assert_eq!(cut.source(word), slow.source(word));
            }
        }
    }
}
