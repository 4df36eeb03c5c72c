//! Cutting. Owns where words begin and end.
//! May not know where the text comes from: rows and patterns are cut alike.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::fold::{Sink, SourceMap, normalise, push_folded};

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

/// What a character does to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Parts them.
    Separator,
    /// Belongs to the word it stands in.
    Mark,
    /// Is a word alone.
    Solo,
    /// Makes words with its like.
    Letter(Script),
}

/// Scripts that part where they meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Ascii,
    Hangul,
    Other,
}

impl Script {
    /// Says whether a word ends between letters of these scripts: particles follow foreign words
    /// in Hangul without a blank.
    const fn parts(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Ascii, Self::Hangul) | (Self::Hangul, Self::Ascii)
        )
    }
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            Class::Letter(Script::Ascii)
        } else {
            Class::Separator
        };
    }
    if is_solo(c) {
        Class::Solo
    } else if matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}')
    {
        Class::Letter(Script::Hangul)
    } else if is_combining_mark(c) {
        Class::Mark
    } else if c.is_alphanumeric() {
        Class::Letter(Script::Other)
    } else {
        Class::Separator
    }
}

/// Says whether a character is a word alone.
pub(super) const fn is_solo(c: char) -> bool {
    is_unspaced(c) || is_emoji(c)
}

/// Letters and marks of scripts that put no blanks between words; their punctuation left out.
const fn is_unspaced(c: char) -> bool {
    is_southeast_asian(c) || is_east_asian(c)
}

/// Thai, Lao, Myanmar, Khmer, the Tai scripts, Javanese, Balinese.
const fn is_southeast_asian(c: char) -> bool {
    matches!(
        c,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}'
            | '\u{edc}'..='\u{edf}' | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}'
            | '\u{109a}'..='\u{109d}' | '\u{1780}'..='\u{17d3}' | '\u{17d7}'
            | '\u{17dc}'..='\u{17dd}' | '\u{a9e0}'..='\u{a9ef}' | '\u{aa60}'..='\u{aa7f}'
            | '\u{1950}'..='\u{1a9f}' | '\u{a980}'..='\u{a9c0}' | '\u{1b00}'..='\u{1b4c}'
    )
}

/// Ideographs, kana, bopomofo, Yi.
const fn is_east_asian(c: char) -> bool {
    matches!(
        c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{302f}'
            | '\u{3031}'..='\u{3035}' | '\u{3038}'..='\u{303c}' | '\u{3041}'..='\u{309f}'
            | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{a48c}' | '\u{f900}'..='\u{faff}'
            | '\u{1b000}'..='\u{1b16f}' | '\u{20000}'..='\u{3fffd}'
    )
}

const fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1faff}'
    )
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
        let is_letter = u8::is_ascii_alphanumeric;
        let mut pieces = run.split(|c: char| c.is_ascii_control());
        self.cut.folded.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            self.cut.folded.push(' ');
            self.cut.folded.push_str(piece);
        }
        if let Some(folded) = self.cut.folded.get_mut(base..) {
            folded.make_ascii_lowercase();
        }
        self.cut.map.record(base, run.len(), at..at + run.len());
        let mut from = 0;
        while let Some(rest) = bytes.get(from..).filter(|rest| !rest.is_empty()) {
            let length = rest.iter().take_while(|byte| is_letter(byte)).count();
            let word = rest.get(..length).unwrap_or_default();
            let is_whole = self.open.is_none() && length < rest.len();
            let has_capital = word.iter().skip(1).any(u8::is_ascii_uppercase);
            if is_whole && !has_capital {
                if length > 0 {
                    self.cut.words.push(base + from..base + from + length);
                }
            } else {
                for (idx, byte) in word.iter().enumerate() {
                    self.letter(char::from(*byte), Script::Ascii, base + from + idx);
                }
                if length < rest.len() {
                    self.close(base + from + length);
                }
            }
            from += length + 1;
        }
    }
}

impl Cutter {
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
