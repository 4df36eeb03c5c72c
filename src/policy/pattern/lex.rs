//! The marks of a pattern. Owns where words, quotations, substrings and groups begin and end.
//! May not judge their order: `parse` does.

use super::field;
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
    /// What stood between slashes.
    Regex(String),
    /// A field's name and its value.
    Field(String, String),
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
    if let Some(inner) = whole_regex(rest) {
        return Ok(vec![Lexeme::Regex(inner.to_owned())]);
    }
    let mut lexemes = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (lexeme, length) = match first {
            '(' => (Lexeme::Open, 1),
            ')' => (Lexeme::Close, 1),
            '"' => quoted(rest)?,
            '%' => fuzzy(rest).unwrap_or_else(|| bare(rest)),
            '/' => regex(rest).unwrap_or_else(|| bare(rest)),
            _ => field(rest)?.unwrap_or_else(|| bare(rest)),
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

/// Returns what stands between slashes that enclose the whole pattern, blanks and all.
fn whole_regex(pattern: &str) -> Option<&str> {
    let inner = pattern.strip_prefix('/')?.strip_suffix('/')?;
    let is_expression = !inner.starts_with(' ') && !inner.ends_with(' ') && is_expression(inner);
    (inner.contains(' ') && is_expression).then_some(inner)
}

/// Reads `/…/` within one token; a slash inside makes it a path. Closing parentheses behind it
/// belong to groups.
fn regex(rest: &str) -> Option<(Lexeme, usize)> {
    let token = rest.split(' ').next()?.trim_end_matches(')');
    let inner = token.strip_prefix('/')?.strip_suffix('/')?;
    is_expression(inner).then(|| (Lexeme::Regex(inner.to_owned()), token.len()))
}

/// Says whether there is something between the slashes and no slash in it but escaped ones.
fn is_expression(inner: &str) -> bool {
    let mut is_escaped = false;
    let has_slash = inner.chars().any(|c| {
        let ends = c == '/' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    !inner.is_empty() && !has_slash && !is_escaped
}

/// Reads `name:value` where the name is a field's; the value may stand in quotes.
fn field(rest: &str) -> Result<Option<(Lexeme, usize)>, PatternError> {
    let Some((name, value)) = field::split(rest) else {
        return Ok(None);
    };
    let head = name.len() + 1;
    if value.starts_with('"') {
        let (lexeme, length) = quoted(value)?;
        return Ok(match lexeme {
            Lexeme::Quoted(inner) => Some((Lexeme::Field(name.to_owned(), inner), head + length)),
            _ => None,
        });
    }
    let (lexeme, length) = bare(value);
    Ok(match lexeme {
        Lexeme::Bare(value) if !value.is_empty() => {
            Some((Lexeme::Field(name.to_owned(), value), head + length))
        }
        _ => None,
    })
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
