//! Clauses: a sentence as runs of small words. Owns what stands between quotes or backticks, which
//! is named, not said.
//! May not know a language.

use crate::policy::language::{folded, is_unspaced};

/// Stands for a quotation or a piece of code.
pub(super) const QUOTED: &str = "\u{1}";

/// Words of a clause that are looked at.
const CLAUSE_WORDS: usize = 160;

const QUOTES: [(char, char); 9] = [
    ('`', '`'),
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('‹', '›'),
];

/// Parts a sentence into clauses of small words without marks; a character of a script without
/// blanks is a word.
pub(super) fn clauses(sentence: &str) -> Vec<Vec<String>> {
    let plain = without_quotes(sentence);
    let letters: Vec<char> = folded(&plain).chars().collect();
    let mut clauses = Vec::new();
    let mut clause = Vec::new();
    let mut word = String::new();
    for (letter_idx, &letter) in letters.iter().enumerate() {
        let next = letters.get(letter_idx + 1).copied();
        if is_unspaced(letter) || letter == '\u{1}' {
            flush(&mut word, &mut clause);
            clause.push(letter.to_string());
        } else if letter.is_alphanumeric() || letter == '_' || is_inside_number(letter, &word, next)
        {
            word.push(letter);
        } else {
            flush(&mut word, &mut clause);
            if ends_clause(
                letter,
                letter_idx.checked_sub(1).and_then(|at| letters.get(at)),
                next,
            ) {
                clauses.push(std::mem::take(&mut clause));
            }
        }
    }
    flush(&mut word, &mut clause);
    clauses.push(clause);
    for clause in &mut clauses {
        clause.truncate(CLAUSE_WORDS);
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

fn flush(word: &mut String, clause: &mut Vec<String>) {
    if !word.is_empty() {
        clause.push(std::mem::take(word));
    }
}

fn is_inside_number(letter: char, word: &str, next: Option<char>) -> bool {
    matches!(letter, '.' | ',')
        && word.ends_with(|last: char| last.is_ascii_digit())
        && next.is_some_and(|next| next.is_ascii_digit())
}

fn ends_clause(letter: char, before: Option<&char>, next: Option<char>) -> bool {
    match letter {
        '，' | '；' | '：' | '。' | '！' | '、' | '؛' | '،' | '(' | ')' | '（' | '）' | '—'
        | '–' | '…' | '[' | ']' | '\n' => true,
        ',' | ';' | ':' | '!' => next.is_none_or(char::is_whitespace),
        '-' => {
            before.is_some_and(|before| before.is_whitespace())
                && next.is_some_and(char::is_whitespace)
        }
        _ => false,
    }
}

/// Puts a sign in the place of each quotation and piece of code.
fn without_quotes(sentence: &str) -> String {
    let mut plain = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        let closing = QUOTES.iter().find(|(open, _)| *open == letter);
        let quotation = closing.and_then(|(_, close)| after.split_once(*close));
        if let Some((_, behind)) = quotation {
            plain.push_str(QUOTED);
            rest = behind;
        } else {
            plain.push(letter);
            rest = after;
        }
    }
    plain
}
