//! Sentences as they stand in a text. Owns where one ends.
//! May not change a word: every sentence is a slice.

use unicode_segmentation::UnicodeSegmentation;

use super::talk::{self, Voice};
use crate::policy::limits::DEMANDED_BYTES;

/// Bytes of the longest sentence that is read; a longer run is data, not talk.
const SENTENCE_BYTES: usize = 1_200;

/// Returns the sentences of a text in order, and whose they are; of a long text those of its head
/// and its tail.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = (&str, Voice)> {
    let said = talk::lines(text).into_iter().flat_map(|line| {
        let read = pieces(line.text, line.from, text.len()).into_iter();
        read.map(move |piece| (piece, line.voice))
    });
    said.flat_map(|(piece, voice)| piece.sentences().map(move |sentence| (sentence, voice)))
        .flat_map(|(run, voice)| apart(run).map(move |sentence| (sentence.trim(), voice)))
        .filter(|(sentence, _)| {
            sentence.len() <= SENTENCE_BYTES && sentence.chars().any(char::is_alphabetic)
        })
}

/// Parts what Unicode takes for one sentence since the next begins with a small letter. Short
/// words and words with dots inside end in a dot that ends no sentence.
fn apart(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.match_indices(['.', '!']).map(|(at, _)| at + 1);
        let end = ends.into_iter().find(|&end| {
            let (before, behind) = rest.split_at(end);
            let mut letters = behind.chars();
            let is_next = letters.next().is_some_and(char::is_whitespace)
                && behind
                    .trim_start()
                    .chars()
                    .next()
                    .is_some_and(char::is_lowercase);
            is_next && ends_sentence(before)
        });
        let (sentence, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        Some(sentence)
    })
}

/// Says whether the mark at the end of a text ends its sentence too.
fn ends_sentence(before: &str) -> bool {
    let Some(bare) = before.strip_suffix('.') else {
        return true;
    };
    let word = bare.split_whitespace().next_back().unwrap_or_default();
    let word = word.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let is_short = word.chars().count() < 3 && word.chars().all(char::is_alphabetic);
    !is_short && !word.contains('.') && !SHORTENED.contains(&word.to_lowercase().as_str())
}

/// Words that are written with a dot, in the languages that have lists, of three letters and more.
const SHORTENED: [&str; 24] = [
    "etc", "approx", "incl", "excl", "resp", "usw", "bzw", "ggf", "evtl", "inkl", "vgl", "bspw",
    "zzgl", "max", "min", "est", "ecc", "aprox", "ejem", "sig", "fig", "num", "tel", "prof",
];

/// What is read of a line, and which of its ends is cut.
struct Piece<'t> {
    text: &'t str,
    cut: Cut,
}

#[derive(PartialEq, Eq)]
enum Cut {
    Nowhere,
    Begin,
    End,
}

impl<'t> Piece<'t> {
    /// Parts the piece into sentences; the one that is cut is none.
    fn sentences(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        let bare = match self.cut {
            Cut::Begin => self.text.trim(),
            Cut::Nowhere | Cut::End => without_bullet(self.text.trim()),
        };
        let n_skipped = usize::from(self.cut == Cut::Begin);
        let is_cut = self.cut == Cut::End;
        let mut whole = bare.split_sentence_bounds().skip(n_skipped).peekable();
        std::iter::from_fn(move || {
            let sentence = whole.next()?;
            (!is_cut || whole.peek().is_some()).then_some(sentence)
        })
    }
}

/// Returns what of a line, which begins at `from` in a text of `n_bytes`, is in the head and in the
/// tail of the text.
fn pieces(line: &str, from: usize, n_bytes: usize) -> Vec<Piece<'_>> {
    let whole = |text| Piece {
        text,
        cut: Cut::Nowhere,
    };
    let to = from + line.len();
    let tail = n_bytes.saturating_sub(DEMANDED_BYTES);
    if tail <= DEMANDED_BYTES || to <= DEMANDED_BYTES || from >= tail {
        return vec![whole(line)];
    }
    let mut found = Vec::new();
    if from < DEMANDED_BYTES {
        let end = line.floor_char_boundary(DEMANDED_BYTES - from);
        found.push(Piece {
            text: line.get(..end).unwrap_or_default(),
            cut: Cut::End,
        });
    }
    if to > tail {
        let begin = line.ceil_char_boundary(tail - from);
        found.push(Piece {
            text: line.get(begin..).unwrap_or_default(),
            cut: Cut::Begin,
        });
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
