//! Narrowing. Owns the condition on the index that every match meets.
//! May not decide: rows that meet it are matched on their text.

use crate::domain::{Expr, HitKind, IndexQuery, Operand, Words};

use super::cut::is_solo;
use super::forms::{Breadth, other_words};
use super::literal::certain;
use super::query::{Pattern, Term};
use super::stem::stem;

/// The most tokens of one phrase that the index is asked for; the matcher sees to the rest.
const MAX_PHRASE: usize = 16;

/// The most conditions that the index is asked to meet together.
const MAX_CONDITIONS: usize = 32;

impl Pattern {
    /// Returns a condition that every matching row meets; others may meet it too.
    #[must_use]
    pub fn index_query(&self) -> IndexQuery {
        if self.part_kind() == Some(HitKind::Reasoning) {
            // Thoughts are not in the index.
            return IndexQuery::Everything;
        }
        of_expr(&self.expr, self.breadth())
    }
}

impl Term {
    /// Returns a condition on the index that every row with this term meets.
    #[must_use]
    pub fn index_query(&self) -> IndexQuery {
        of_operand(&self.operand, Breadth::Forms)
    }
}

fn of_expr(expr: &Expr, breadth: Breadth) -> IndexQuery {
    let of_each = |exprs: &[Expr]| exprs.iter().map(|expr| of_expr(expr, breadth)).collect();
    match expr {
        Expr::Term(operand) => of_operand(operand, breadth),
        Expr::And(exprs) => all_of(of_each(exprs)),
        Expr::Or(exprs) => any_of(of_each(exprs)),
        Expr::Without(left, _) => of_expr(left, breadth),
    }
}

fn of_operand(operand: &Operand, breadth: Breadth) -> IndexQuery {
    match operand {
        Operand::Word(words) => {
            let mut any = vec![either(words, phrase)];
            if let [only] = words.pieces.as_slice() {
                any.extend(other_words(only, breadth).into_iter().map(token));
            }
            any_of(any)
        }
        Operand::Phrase(words) => either(words, phrase),
        Operand::Prefix(words) => either(words, prefix),
        Operand::Fuzzy(text) => all_of(inner_words(text).chain(solo_words(text)).collect()),
        Operand::Regex(expression) => {
            let of_texts = |texts: Vec<String>| {
                let words = texts.iter().flat_map(|text| inner_words(text));
                all_of(words.collect())
            };
            any_of(certain(expression).into_iter().map(of_texts).collect())
        }
        Operand::Field(_) => IndexQuery::Everything,
    }
}

/// Asks for the words as they are or parted, each in a row somewhere.
fn either(words: &Words, ask: impl Fn(&[String]) -> IndexQuery) -> IndexQuery {
    let whole = ask(&words.pieces);
    match &words.split {
        Some(split) => any_of(vec![whole, ask(split)]),
        None => whole,
    }
}

fn token(word: &str) -> IndexQuery {
    IndexQuery::Token(stem(word).into_owned())
}

fn phrase(pieces: &[String]) -> IndexQuery {
    match pieces {
        [only] => token(only),
        _ => IndexQuery::Phrase(
            pieces
                .iter()
                .take(MAX_PHRASE)
                .map(|piece| stem(piece).into_owned())
                .collect(),
        ),
    }
}

/// Words that end open are in the index as they are, apart from the row of stems.
fn prefix(pieces: &[String]) -> IndexQuery {
    let Some((open, before)) = pieces.split_last() else {
        return IndexQuery::Everything;
    };
    let open = IndexQuery::Prefix(vec![open.clone()]);
    if before.is_empty() {
        open
    } else {
        all_of(vec![phrase(before), open])
    }
}

/// Asks for the ASCII words of a substring that are whole in every text that has it: those with
/// something that parts words on both sides.
fn inner_words(text: &str) -> impl Iterator<Item = IndexQuery> {
    let is_word = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric();
    let mut runs: Vec<&str> = text.split(|c| !is_word(c)).collect();
    // The first and the last may go on outside.
    runs.pop();
    runs.into_iter()
        .skip(1)
        .filter(|run| !run.is_empty() && run.is_ascii())
        .map(|run| token(&run.to_ascii_lowercase()))
}

/// Asks for the characters of a folded substring that are words alone, wherever they stand.
fn solo_words(text: &str) -> impl Iterator<Item = IndexQuery> {
    text.split(|c| !is_solo(c))
        .filter(|run| !run.is_empty())
        .map(|run| phrase(&run.chars().map(String::from).collect::<Vec<_>>()))
}

fn all_of(queries: Vec<IndexQuery>) -> IndexQuery {
    let mut all = Vec::new();
    for query in queries {
        match query {
            IndexQuery::Everything => {}
            IndexQuery::And(inner) => all.extend(inner),
            other => all.push(other),
        }
    }
    all.truncate(MAX_CONDITIONS);
    if all.len() > 1 {
        IndexQuery::And(all)
    } else {
        all.pop().unwrap_or(IndexQuery::Everything)
    }
}

fn any_of(queries: Vec<IndexQuery>) -> IndexQuery {
    if queries.is_empty() || queries.contains(&IndexQuery::Everything) {
        return IndexQuery::Everything;
    }
    let mut any = Vec::new();
    for query in queries {
        match query {
            IndexQuery::Or(inner) => any.extend(inner),
            other => any.push(other),
        }
    }
    if any.len() > 1 {
        IndexQuery::Or(any)
    } else {
        any.pop().unwrap_or(IndexQuery::Everything)
    }
}
