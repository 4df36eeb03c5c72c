//! Patterns that the index decides. Owns when its answer needs no look at a text.
//! Errs on the side of a look.

use crate::domain::{Expr, Operand, Words};

use super::about::is_stem_of_dates;
use super::forms::other_words;
use super::query::Pattern;
use super::stem::stem;

/// The most letters of a word that the index keeps whole for certain.
const LETTERS: usize = 64;

/// The most terms of a pattern of which the index is asked for all.
const TERMS: usize = 16;

impl Pattern {
    /// Says whether the rows that the index proposes are exactly those that match: where it asks for
    /// plain words, all or any of them.
    #[must_use]
    pub fn is_told_by_index(&self) -> bool {
        self.terms().len() <= TERMS && is_told(&self.expr, self)
    }
}

fn is_told(expr: &Expr, pattern: &Pattern) -> bool {
    match expr {
        Expr::Term(Operand::Word(words)) => is_plain(words, pattern),
        Expr::Term(_) | Expr::Without(..) => false,
        Expr::And(exprs) | Expr::Or(exprs) => exprs.iter().all(|expr| is_told(expr, pattern)),
    }
}

/// Says whether a word of a pattern is one word that the index keeps by its stem.
fn is_plain(words: &Words, pattern: &Pattern) -> bool {
    let ([only], None) = (words.pieces.as_slice(), &words.split) else {
        return false;
    };
    let others = other_words(only, pattern.breadth());
    is_certain(only) && others.into_iter().all(is_certain)
}

/// Says whether rows with a word's stem in the index are those with the word. A word whose stem has
/// another stem again may be there as it is written, and one of dates may be there for a date.
fn is_certain(word: &str) -> bool {
    let stemmed = stem(word);
    let is_of_letters = word.bytes().all(|byte| byte.is_ascii_lowercase());
    is_of_letters
        && word.len() <= LETTERS
        && stem(&stemmed) == stemmed
        && !is_stem_of_dates(&stemmed)
}
