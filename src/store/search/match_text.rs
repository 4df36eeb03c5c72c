//! What is handed to MATCH. Owns its quoting: no text of a caller is ever read as syntax.
//! May not ask for more than the query does; it may ask for less, since the matcher decides.

use crate::domain::IndexQuery;

/// How deep a condition may nest before its inner parts are left to the matcher: the database's
/// parser gives up at about 100 levels.
const DEPTH: usize = 16;
/// Alternatives that are asked one by one, so that a common word cannot hide a rare one.
const ALTERNATIVES: usize = 32;

/// What each facet in the index begins with, so that no word is taken for one: the last character
/// for private use. Words that hold it are left to the matcher.
const FACET: char = '\u{10fffd}';

/// A condition that the index can narrow by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    /// Tokens in a row.
    Phrase(Vec<String>),
    /// Tokens in a row, the last one open at its end.
    Prefix(Vec<String>),
    /// All of them; two or more.
    And(Vec<Condition>),
    /// Any of them; two or more.
    Or(Vec<Condition>),
}

impl Condition {
    /// Reads a query; `None` if the index cannot narrow it.
    pub(super) fn new(query: &IndexQuery) -> Option<Self> {
        Self::at_depth(query, 0)
    }

    fn at_depth(query: &IndexQuery, depth: usize) -> Option<Self> {
        if depth > DEPTH {
            return None;
        }
        match query {
            IndexQuery::Everything => None,
            IndexQuery::Token(token) => Self::phrase(std::slice::from_ref(token)),
            IndexQuery::Phrase(tokens) => Self::phrase(tokens),
            IndexQuery::Prefix(tokens) => Self::prefix(tokens),
            IndexQuery::And(all) => {
                let mut kept = Vec::new();
                for condition in all.iter().filter_map(|one| Self::at_depth(one, depth + 1)) {
                    match condition {
                        Self::And(inner) => kept.extend(inner),
                        other => kept.push(other),
                    }
                }
                Self::one_or(kept, Self::And)
            }
            IndexQuery::Or(any) => {
                let mut kept = Vec::new();
                for one in any {
                    // One alternative that cannot be narrowed lets every row through.
                    match Self::at_depth(one, depth + 1)? {
                        Self::Or(inner) => kept.extend(inner),
                        other => kept.push(other),
                    }
                }
                Self::one_or(kept, Self::Or)
            }
        }
    }

    fn one_or(mut kept: Vec<Self>, join: fn(Vec<Self>) -> Self) -> Option<Self> {
        if kept.len() > 1 {
            return Some(join(kept));
        }
        kept.pop()
    }

    fn phrase(tokens: &[String]) -> Option<Self> {
        if tokens.iter().any(|token| token.contains(FACET)) {
            return None;
        }
        let tokens: Vec<String> = tokens
            .iter()
            .filter(|token| has_word(token))
            .cloned()
            .collect();
        (!tokens.is_empty()).then_some(Self::Phrase(tokens))
    }

    fn prefix(tokens: &[String]) -> Option<Self> {
        if tokens.iter().any(|token| token.contains(FACET)) {
            return None;
        }
        match tokens.split_last() {
            Some((last, _)) if has_word(last) => {
                let whole = tokens.iter().filter(|token| has_word(token));
                Some(Self::Prefix(whole.cloned().collect()))
            }
            Some((_, before)) => Self::phrase(before),
            None => None,
        }
    }

    /// Writes the condition for MATCH on rows, all of them or those with one facet.
    pub(super) fn text_with(&self, facet: Option<&str>) -> String {
        let tokens = self.text();
        match facet {
            None => tokens,
            Some(facet) => format!("{tokens} AND \"{FACET}{facet}\""),
        }
    }

    /// As [`Condition::text_with`]; without a facet, for all rows but summaries.
    pub(super) fn text_of_kind(&self, facet: Option<&str>) -> String {
        match facet {
            None => format!("{} NOT \"{FACET}summary\"", self.text()),
            facet => self.text_with(facet),
        }
    }

    /// Writes the condition for MATCH on pieces.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Phrase(tokens) => quoted(tokens),
            Self::Prefix(tokens) => format!("{} *", quoted(tokens)),
            Self::And(all) => joined(all, " AND "),
            Self::Or(any) => joined(any, " OR "),
        }
    }

    /// Splits the condition into alternatives, of which every match meets at least one.
    pub(super) fn alternatives(self) -> Vec<Self> {
        match self {
            Self::Or(any) if any.len() <= ALTERNATIVES => any,
            Self::Or(any) => {
                let size = any.len().div_ceil(ALTERNATIVES);
                any.chunks(size)
                    .filter_map(|chunk| Self::one_or(chunk.to_vec(), Self::Or))
                    .collect()
            }
            other => vec![other],
        }
    }
}

/// Writes the condition for MATCH on rows with one facet, whatever their words.
pub(super) fn facet(facet: &str) -> String {
    format!("facet : \"{FACET}{facet}\"")
}

/// Says whether the index's tokenizer finds anything in a token.
fn has_word(token: &str) -> bool {
    token
        .chars()
        .any(|char| char.is_ascii_alphanumeric() || !char.is_ascii())
}

fn joined(conditions: &[Condition], operator: &str) -> String {
    let texts: Vec<String> = conditions.iter().map(Condition::text).collect();
    format!("({})", texts.join(operator))
}

/// Puts tokens in quotes. A quote in a token becomes a blank, as the tokenizer would have it; so
/// does NUL, which would end the text.
fn quoted(tokens: &[String]) -> String {
    let text = tokens.join(" ").replace(['"', '\0'], " ");
    format!("\"{text}\"")
}
