//! The marks of a pattern. Owns where words, quotations, substrings and groups begin and end.
//! May not judge their order: `parse` does.

use crate::domain::PatternError;

/// A piece of a pattern as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lexeme {
    /// `(` at the start of a token.
    Open,
    /// `)` that no token took.
    Close,
    /// A bare word; operators too.
    Bare(String),
    /// What stood in quotes.
    Quoted(String),
    /// What stood between percent signs.
    Fuzzy(String),
}

/// Cuts a pattern at its marks. Controls and U+200B are blanks.
///
/// # Errors
/// A quotation that does not end.
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, PatternError> {
    let spaced: String = text.chars().map(spaced).collect();
    let mut rest = spaced.trim();
    if let Some(inner) = whole_fuzzy(rest) {
        return Ok(vec![Lexeme::Fuzzy(inner.to_owned())]);
    }
    let mut lexemes = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (lexeme, length) = match first {
            '(' => (Lexeme::Open, 1),
            ')' => (Lexeme::Close, 1),
            '"' => quoted(rest)?,
            '%' => fuzzy(rest).unwrap_or_else(|| bare(rest)),
            _ => bare(rest),
        };
        lexemes.push(lexeme);
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(lexemes)
}

fn spaced(c: char) -> char {
    if c.is_whitespace() || c.is_control() || c == '\u{200b}' {
        ' '
    } else {
        c
    }
}

/// Returns what stands between percent signs that enclose the whole pattern, blanks and all. A
/// substring of one token ends with that token, so `%a% OR %b%` are two.
fn whole_fuzzy(pattern: &str) -> Option<&str> {
    let has_blank = pattern.contains(' ');
    let inner = pattern.strip_prefix('%')?.strip_suffix('%')?;
    (has_blank && fuzzy(pattern).is_none()).then_some(inner)
}

fn quoted(rest: &str) -> Result<(Lexeme, usize), PatternError> {
    let inner = rest.get(1..).unwrap_or_default();
    match inner.find('"') {
        Some(length) => {
            let inner = inner.get(..length).unwrap_or_default();
            Ok((Lexeme::Quoted(inner.to_owned()), length + 2))
        }
        None => Err(PatternError {
            message: "a quotation mark at the start of a word opens a phrase that does not end"
                .to_owned(),
            hint: Some("write \"some words\" with a mark on both sides".to_owned()),
        }),
    }
}

/// Reads `%…%` within one token. Closing parentheses behind it belong to groups.
fn fuzzy(rest: &str) -> Option<(Lexeme, usize)> {
    let token = rest.split(' ').next()?.trim_end_matches(')');
    let inner = token.strip_prefix('%')?.strip_suffix('%')?;
    Some((Lexeme::Fuzzy(inner.to_owned()), token.len()))
}

/// Reads a bare word. Parentheses that open inside it are text; a `)` without one ends it.
fn bare(rest: &str) -> (Lexeme, usize) {
    let mut n_open = 0_usize;
    let ends = |c: char| {
        match c {
            '(' => n_open += 1,
            ')' if n_open > 0 => n_open -= 1,
            ' ' | ')' => return true,
            _ => {}
        }
        false
    };
    let length = rest.find(ends).unwrap_or(rest.len());
    let word = rest.get(..length).unwrap_or_default();
    (Lexeme::Bare(word.to_owned()), length)
}
