//! Sentences as they stand in a text. Owns what of a message is the user's own talk.
//! May not change a word: every sentence is a slice.

use unicode_segmentation::UnicodeSegmentation;

use crate::policy::limits::DEMANDED_BYTES;

/// Bytes of the longest sentence that is read; a longer run is data, not talk.
const SENTENCE_BYTES: usize = 1_200;

/// Returns the sentences of a text in order, without code blocks and quoted lines; of a long text
/// those of its head and its tail.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut is_fenced = false;
    let mut lines_from = 0;
    let talk = text.split_inclusive('\n').filter_map(move |line| {
        let from = lines_from;
        lines_from += line.len();
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_fenced = !is_fenced;
            return None;
        }
        (!is_fenced && !bare.starts_with('>')).then_some((from, line))
    });
    talk.flat_map(|(from, line)| pieces(line, from, text.len()))
        .flat_map(|piece| piece.sentences())
        .map(str::trim)
        .filter(|sentence| {
            sentence.len() <= SENTENCE_BYTES && sentence.chars().any(char::is_alphabetic)
        })
}

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
