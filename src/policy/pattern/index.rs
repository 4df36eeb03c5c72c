//! Index tokens. Owns what the index is fed and the version of all token rules.
//! May not narrow: `compile` asks of the index only what is promised here.
//!
//! A row is its words as stems in order, so that phrases are adjacent; then, where adjacency no
//! longer matters, the pieces of words in camelCase (adjacent among themselves), each word whose
//! stem differs as it is (for prefixes), the speaker and the words of the date.

use crate::domain::{Part, Timestamp};

use super::about::date_words;
use super::cut::Cut;
use super::part_text::part_text;
use super::stem::{Packed, Pushed, push_stem};

/// The version of the token rules. An index made by another one is made again.
pub const RULES_VERSION: i64 = 2;

/// Returns the tokens of a row, separated by blanks, for a table with the tokenizer `ascii`.
///
/// Each token is made of ASCII letters and digits and of characters beyond ASCII, in folded form.
#[must_use]
pub fn index_tokens(parts: &[Part], speaker: Option<&str>, at: Option<Timestamp>) -> String {
    let mut cuts: Vec<Cut> = parts
        .iter()
        .filter_map(part_text)
        .map(|(_, text)| Cut::of(&text))
        .collect();
    cuts.extend(speaker.map(Cut::of));
    let length: usize = cuts.iter().map(|cut| cut.folded.len()).sum();
    let mut tokens = String::with_capacity(length + length / 2);
    let mut unstemmed = Unstemmed::default();
    for word in cuts.iter().flat_map(Cut::word_texts) {
        unstemmed.push_stem(&mut tokens, word);
    }
    for cut in &cuts {
        for piece in cut.split.iter().flat_map(|split| &split.pieces) {
            unstemmed.push_stem(&mut tokens, cut.text(piece));
        }
    }
    unstemmed.push_to(&mut tokens);
    if let Some(date) = at.and_then(date_words) {
        for word in Cut::of(&date).word_texts() {
            part(&mut tokens);
            push_stem(&mut tokens, word, Packed::of(word));
        }
    }
    tokens
}

/// The words that are not their stems, for prefixes: each once, in alphabetical order, the long ones
/// last.
#[derive(Default)]
struct Unstemmed<'cut> {
    short: Vec<Packed>,
    long: Vec<&'cut str>,
}

impl<'cut> Unstemmed<'cut> {
    /// Appends a word's stem, and keeps the word if that is another.
    fn push_stem(&mut self, tokens: &mut String, word: &'cut str) {
        part(tokens);
        let packed = Packed::of(word);
        match (push_stem(tokens, word, packed), packed) {
            (Pushed::Word, _) => {}
            (Pushed::Stem, Some(packed)) => self.short.push(packed),
            (Pushed::Stem, None) => self.long.push(word),
        }
    }

    fn push_to(mut self, tokens: &mut String) {
        self.short.sort_unstable();
        self.short.dedup();
        self.long.sort_unstable();
        self.long.dedup();
        for word in self.short {
            part(tokens);
            word.push_to(tokens);
        }
        for word in self.long {
            part(tokens);
            tokens.push_str(word);
        }
    }
}

/// Puts a blank before the next token.
fn part(tokens: &mut String) {
    if !tokens.is_empty() {
        tokens.push(' ');
    }
}
