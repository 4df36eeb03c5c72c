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
use super::stem::stem;

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
    let mut tokens = String::new();
    let mut unstemmed = Vec::new();
    for word in cuts.iter().flat_map(Cut::word_texts) {
        push_stem(&mut tokens, word, &mut unstemmed);
    }
    for cut in &cuts {
        for piece in cut.split.iter().flat_map(|split| &split.pieces) {
            push_stem(&mut tokens, cut.text(piece), &mut unstemmed);
        }
    }
    unstemmed.sort_unstable();
    unstemmed.dedup();
    for word in unstemmed {
        push(&mut tokens, word);
    }
    if let Some(date) = at.and_then(date_words) {
        for word in Cut::of(&date).word_texts() {
            push(&mut tokens, &stem(word));
        }
    }
    tokens
}

fn push_stem<'cut>(tokens: &mut String, word: &'cut str, unstemmed: &mut Vec<&'cut str>) {
    let stem = stem(word);
    if stem != word {
        unstemmed.push(word);
    }
    push(tokens, &stem);
}

fn push(tokens: &mut String, token: &str) {
    if !tokens.is_empty() {
        tokens.push(' ');
    }
    tokens.push_str(token);
}
