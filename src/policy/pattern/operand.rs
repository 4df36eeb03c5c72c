//! Operands. Owns what one bare word, quotation or substring of a pattern asks for.
//! May not know operators.

use std::fmt::Write as _;

use crate::domain::{Operand, Words};

use super::cut::{Cut, is_solo_word};
use super::field;
use super::stop_words::is_stop_word;

/// Reads a bare word. It has no operand if it has no letters, and several where letters meet
/// characters of scripts without spaces, since such texts put no blank between.
pub(super) fn read_bare(written: &str) -> Vec<Operand> {
    let text = written.trim_end_matches('*');
    let cut = Cut::of(text);
    let is_prefix = text.len() < written.len()
        && cut
            .words
            .last()
            .is_some_and(|word| word.end == cut.folded.len());
    let mut runs = runs(&cut);
    if !is_prefix && (text.ends_with("'s") || text.ends_with("’s")) {
        drop_possessive(&mut runs);
    }
    let n_runs = runs.len();
    runs.into_iter()
        .enumerate()
        .map(|(run_idx, words)| {
            if is_prefix && run_idx + 1 == n_runs {
                Operand::Prefix(words)
            } else {
                Operand::Word(words)
            }
        })
        .collect()
}

/// The English possessive says nothing: `agent's` is found as `agent`. Stop words keep it.
fn drop_possessive(runs: &mut [Words]) {
    if let Some(last) = runs.last_mut()
        && last.pieces.len() > 1
        && !is_stop_word(&last.pieces)
    {
        last.pieces.pop();
        if let Some(split) = &mut last.split {
            split.pop();
        }
    }
}

/// Reads what stands in quotes.
pub(super) fn read_quoted(inner: &str) -> Option<Operand> {
    let cut = Cut::of(inner);
    words_of(&cut, 0..cut.words.len()).map(Operand::Phrase)
}

/// Reads what stands between percent signs.
pub(super) fn read_fuzzy(inner: &str) -> Option<Operand> {
    let folded = Cut::of(inner).folded;
    (!is_blank(&folded)).then_some(Operand::Fuzzy(folded))
}

/// Says whether a pattern shows nothing but blanks and percent signs.
pub(super) fn says_nothing(pattern: &str) -> bool {
    is_blank(&Cut::of(pattern).folded)
}

fn is_blank(folded: &str) -> bool {
    folded
        .chars()
        .all(|c| c == '%' || c == '\u{200b}' || c.is_whitespace())
}

/// Returns the whole written form where it says more than its words: `c++`, `gb/s`, `foo_bar`.
pub(super) fn whole_form(written: &str) -> Option<String> {
    let cut = Cut::of(written);
    let whole = cut
        .folded
        .trim_start_matches(['"', '\'', '`', '(', '[', '{', '<'])
        .trim_end_matches([
            '"', '\'', '`', ')', ']', '}', '>', ',', '.', ';', ':', '!', '?', '*', '…',
        ]);
    let is_word = cut.words.len() == 1 && cut.word_texts().eq([whole]);
    (!is_word && !cut.words.is_empty()).then(|| whole.to_owned())
}

/// Groups the words of a bare word: a run ends where a word with letters meets a character that
/// is a word alone. Digits stay with either (`3月`).
fn runs(cut: &Cut) -> Vec<Words> {
    let mut runs = Vec::new();
    let mut from = 0;
    for idx in 1..cut.words.len() {
        if parts(cut, idx) {
            runs.extend(words_of(cut, from..idx));
            from = idx;
        }
    }
    runs.extend(words_of(cut, from..cut.words.len()));
    runs
}

/// Says whether the word at an index is apart from the word before it.
fn parts(cut: &Cut, idx: usize) -> bool {
    let [before, after] = cut.words.get(idx - 1..=idx).unwrap_or_default() else {
        return false;
    };
    let (before, after) = (cut.text(before), cut.text(after));
    let is_lettered = |word: &str| !is_solo_word(word) && word.chars().any(char::is_alphabetic);
    (is_solo_word(before) && is_lettered(after)) || (is_lettered(before) && is_solo_word(after))
}

fn words_of(cut: &Cut, range: std::ops::Range<usize>) -> Option<Words> {
    let mut pieces = Vec::new();
    let mut split = Vec::new();
    for (word_idx, word) in cut.words.iter().enumerate() {
        if !range.contains(&word_idx) {
            continue;
        }
        pieces.push(cut.text(word).to_owned());
        match cut.split.iter().find(|word| word.word_idx == word_idx) {
            Some(word) => split.extend(word.pieces.iter().map(|piece| cut.text(piece).to_owned())),
            None => split.push(cut.text(word).to_owned()),
        }
    }
    let split = (split.len() > pieces.len()).then_some(split);
    (!pieces.is_empty()).then_some(Words { pieces, split })
}

/// Writes an operand as it was understood: `foo+bar` for adjacent words.
pub(super) fn write_operand(out: &mut String, operand: &Operand) {
    // Writing to a string cannot fail.
    let _ = match operand {
        Operand::Word(words) => write!(out, "{}", words.pieces.join("+")),
        Operand::Phrase(words) => write!(out, "\"{}\"", words.pieces.join(" ")),
        Operand::Prefix(words) => write!(out, "{}*", words.pieces.join("+")),
        Operand::Fuzzy(text) => write!(out, "%{text}%"),
        Operand::Regex(expression) => write!(out, "/{expression}/"),
        Operand::Field(field) => write!(out, "{}", field::write(field)),
    };
}
