//! Advice on patterns. Owns which readings a person or a model may not have meant.
//! May not change one.

use super::field;
use super::lex::{Lexeme, lex};
use super::parse::Operators;

/// Returns advice where a pattern was read otherwise than it may have been meant.
pub(super) fn advice(text: &str, operators: Operators) -> Option<String> {
    let is_shouted = !text.contains(char::is_lowercase);
    if operators == Operators::Some && is_shouted {
        return Some(
            "AND, OR and NOT in capitals are operators; put the whole in \"quotes\" to find the \
             words as they stand"
                .to_owned(),
        );
    }
    let opens_substring = text
        .split_whitespace()
        .any(|token| token.len() > 1 && token.starts_with('%') && !token.ends_with('%'));
    let closes_substring = text
        .split_whitespace()
        .any(|token| token.len() > 1 && token.ends_with('%') && !token.starts_with('%'));
    let is_whole = text.trim().starts_with('%') && text.trim().ends_with('%');
    if opens_substring && closes_substring && !is_whole {
        return Some(
            "a %substring with blanks% must be the whole pattern; here its signs were read as text"
                .to_owned(),
        );
    }
    let lexemes = lex(text).unwrap_or_default();
    lexemes
        .iter()
        .find_map(missed_field)
        .or_else(|| missed_regex(&lexemes))
}

/// Explains why a word with a field's name before its colon is text.
fn missed_field(lexeme: &Lexeme) -> Option<String> {
    let Lexeme::Bare(word) = lexeme else {
        return None;
    };
    let (name, value) = word.split_once(':')?;
    let small = name.to_lowercase();
    if !field::is_name(&small) {
        return None;
    }
    Some(if value.is_empty() {
        format!(
            "`{word}` was read as text; the value of a field follows without a blank: {small}:…"
        )
    } else {
        format!("`{word}` was read as text; names of fields have small letters: {small}:{value}")
    })
}

/// Explains why slashes around words with blanks are text.
fn missed_regex(lexemes: &[Lexeme]) -> Option<String> {
    let has_one_slash = |word: &str| word.len() > 1 && word.matches('/').count() == 1;
    let words = lexemes.iter().map(|lexeme| match lexeme {
        Lexeme::Bare(word) if has_one_slash(word) => word.as_str(),
        _ => "",
    });
    let mut words = words.skip_while(|word| !word.starts_with('/'));
    words.any(|word| word.ends_with('/')).then(|| {
        "a /regular expression with blanks/ must be the whole pattern, or have \\s for each; here \
         its slashes were read as text"
            .to_owned()
    })
}
