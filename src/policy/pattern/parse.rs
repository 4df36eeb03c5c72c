//! Reading a pattern. Owns the grammar and its limits.
//! May not match, and may not pass text on to a database.
//!
//! Words side by side and `AND` bind equally, `OR` loosest; `NOT` takes away its one next operand.

use std::iter::Peekable;
use std::vec::IntoIter;

use crate::domain::{Expr, Operand, PatternError};

use super::field;
use super::lex::{Lexeme, lex};
use super::operand::{read_bare, read_fuzzy, read_quoted, says_nothing, whole_form, write_operand};
use super::query::Pattern;
use super::regular::compile;

/// The longest pattern in bytes: a pasted page; more is a log, not a question.
pub const MAX_BYTES: usize = 8_192;

/// The most operands: each one is looked for in each row.
pub const MAX_OPERANDS: usize = 256;

/// The deepest nesting of groups: reading is recursive.
pub const MAX_GROUPS: usize = 32;

/// Reads a pattern.
///
/// # Errors
/// [`PatternError`] where there is nothing to search for, an operator lacks an operand, a quotation
/// or group does not end, or a limit is passed; it shows the right form.
pub fn parse(text: &str) -> Result<Pattern, PatternError> {
    if text.len() > MAX_BYTES {
        return Err(error(
            format!(
                "the pattern has {} bytes; at most {MAX_BYTES} are read",
                text.len()
            ),
            "search for a few words of it",
        ));
    }
    let (tokens, whole_forms) = tokens(lex(text)?)?;
    let mut parser = Parser {
        tokens: tokens.into_iter().peekable(),
        n_open: 0,
        has_operator: false,
    };
    let expr = parser.alternatives()?;
    let Some(expr) = expr else {
        return Err(nothing_to_search(text));
    };
    let use_of_words = if parser.has_operator {
        Operators::Some
    } else {
        Operators::None
    };
    let pattern = Pattern::new(text, expr, use_of_words, whole_forms);
    match pattern.contradicting_times() {
        Some(error) => Err(error),
        None => Ok(pattern),
    }
}

/// Whether a pattern has any of AND, OR, NOT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operators {
    /// None: all words, and some of them if need be.
    None,
    /// Some: exactly what is written.
    Some,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    And,
    Or,
    Not,
    Operand(Expr),
}

fn error(message: impl Into<String>, hint: impl Into<String>) -> PatternError {
    PatternError {
        message: message.into(),
        hint: Some(hint.into()),
    }
}

fn nothing_to_search(text: &str) -> PatternError {
    if says_nothing(text) {
        return error(
            "there is nothing to search for in the pattern",
            "write words, a \"phrase\", prefix* or %substring%",
        );
    }
    let shown: String = text
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(40)
        .collect();
    error(
        format!("there is no word to search for in `{shown}`"),
        "to find such characters write them as a substring: %->%",
    )
}

/// Reads the operands. Tokens without letters or digits are left out; an operator that stands
/// alone, in the pattern or in a group, is the word.
fn tokens(lexemes: Vec<Lexeme>) -> Result<(Vec<Token>, Vec<String>), PatternError> {
    let mut whole_forms = Vec::new();
    let mut tokens: Vec<(Token, Option<&'static str>)> = Vec::new();
    let mut n_operands = 0;
    let mut n_open = 0_usize;
    for lexeme in lexemes {
        let operands = match lexeme {
            Lexeme::Open => {
                n_open += 1;
                tokens.push((Token::Open, None));
                continue;
            }
            Lexeme::Close if n_open == 0 => continue,
            Lexeme::Close => {
                n_open -= 1;
                tokens.push((Token::Close, None));
                continue;
            }
            Lexeme::Bare(word) => {
                if let Some(operator) = operator(&word) {
                    tokens.push(operator);
                    continue;
                }
                whole_forms.extend(whole_form(&word));
                read_bare(&word)
            }
            Lexeme::Quoted(inner) => read_quoted(&inner).into_iter().collect(),
            Lexeme::Fuzzy(inner) => read_fuzzy(&inner).into_iter().collect(),
            Lexeme::Regex(inner) => {
                compile(&inner)?;
                vec![Operand::Regex(inner)]
            }
            Lexeme::Field(name, value) => vec![Operand::Field(field::read(&name, &value)?)],
        };
        n_operands += operands.len();
        if n_operands > MAX_OPERANDS {
            return Err(error(
                format!("the pattern has more than {MAX_OPERANDS} operands"),
                "search for fewer words at a time",
            ));
        }
        let mut terms: Vec<Expr> = operands.into_iter().map(Expr::Term).collect();
        if terms.len() > 1 {
            tokens.push((Token::Operand(Expr::And(terms)), None));
        } else if let Some(term) = terms.pop() {
            tokens.push((Token::Operand(term), None));
        }
    }
    whole_forms.dedup();
    Ok((lone_operators_as_words(tokens), whole_forms))
}

fn operator(word: &str) -> Option<(Token, Option<&'static str>)> {
    match word {
        "AND" => Some((Token::And, Some("AND"))),
        "OR" => Some((Token::Or, Some("OR"))),
        "NOT" => Some((Token::Not, Some("NOT"))),
        _ => None,
    }
}

fn lone_operators_as_words(tokens: Vec<(Token, Option<&'static str>)>) -> Vec<Token> {
    let begins_alone = |idx: usize| {
        idx.checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_none_or(|(token, _)| *token == Token::Open)
    };
    let ends_alone = |idx: usize| {
        tokens
            .get(idx + 1)
            .is_none_or(|(token, _)| *token == Token::Close)
    };
    let is_lone: Vec<bool> = (0..tokens.len())
        .map(|idx| begins_alone(idx) && ends_alone(idx))
        .collect();
    tokens
        .into_iter()
        .zip(is_lone)
        .map(|((token, word), is_lone)| match (word, is_lone) {
            (Some(word), true) => read_bare(word)
                .pop()
                .map_or(token, |operand| Token::Operand(Expr::Term(operand))),
            _ => token,
        })
        .collect()
}

/// The operator that waits for its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Nothing,
    And,
    Not,
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
    n_open: usize,
    has_operator: bool,
}

impl Parser {
    /// Reads operands with `OR` between; none for an empty group.
    fn alternatives(&mut self) -> Result<Option<Expr>, PatternError> {
        let mut branches = Vec::new();
        let mut wants_branch = false;
        loop {
            match self.conjunction()? {
                Some(branch) => branches.push(branch),
                None if wants_branch || self.tokens.peek() == Some(&Token::Or) => {
                    return Err(lacks_operand("OR"));
                }
                None => break,
            }
            wants_branch = self.tokens.next_if_eq(&Token::Or).is_some();
            if !wants_branch {
                break;
            }
            self.has_operator = true;
        }
        Ok(any_of(branches))
    }

    /// Reads operands side by side, with `AND` and `NOT` between.
    fn conjunction(&mut self) -> Result<Option<Expr>, PatternError> {
        let mut wanted = Vec::new();
        let mut unwanted = Vec::new();
        let mut waiting = Waiting::Nothing;
        loop {
            match self.tokens.peek() {
                None | Some(Token::Close | Token::Or) => break,
                Some(Token::And) => {
                    if wanted.is_empty() || waiting != Waiting::Nothing {
                        return Err(lacks_operand("AND"));
                    }
                    waiting = Waiting::And;
                }
                Some(Token::Not) => {
                    if wanted.is_empty() || waiting == Waiting::Not {
                        return Err(self.lacks_minuend());
                    }
                    waiting = Waiting::Not;
                }
                Some(Token::Open | Token::Operand(_)) => {
                    let Some(operand) = self.operand()? else {
                        continue;
                    };
                    if waiting == Waiting::Not {
                        unwanted.push(operand);
                    } else {
                        wanted.push(operand);
                    }
                    waiting = Waiting::Nothing;
                    continue;
                }
            }
            self.has_operator = true;
            self.tokens.next();
        }
        match waiting {
            Waiting::Nothing => {}
            Waiting::And => return Err(lacks_operand("AND")),
            Waiting::Not => return Err(lacks_operand("NOT")),
        }
        let wanted = all_of(wanted);
        Ok(match (wanted, any_of(unwanted)) {
            (Some(wanted), Some(unwanted)) => {
                Some(Expr::Without(Box::new(wanted), Box::new(unwanted)))
            }
            (wanted, _) => wanted,
        })
    }

    /// Explains a `NOT` with nothing before it, by the operand that follows it.
    fn lacks_minuend(&mut self) -> PatternError {
        self.tokens.next();
        let mut next = String::new();
        if let Some(Token::Operand(Expr::Term(operand))) = self.tokens.peek() {
            write_operand(&mut next, operand);
        }
        let next = if next.is_empty() {
            "y"
        } else {
            next.trim_matches('"')
        };
        error(
            "NOT takes its operand away from what stands before it, and nothing does here",
            format!("write x NOT {next}, or \"NOT {next}\" in quotes for the words"),
        )
    }

    /// Reads a term or a group; none for an empty group.
    fn operand(&mut self) -> Result<Option<Expr>, PatternError> {
        match self.tokens.next() {
            Some(Token::Operand(expr)) => Ok(Some(expr)),
            Some(Token::Open) => {
                self.n_open += 1;
                if self.n_open > MAX_GROUPS {
                    return Err(error(
                        format!("the pattern nests more than {MAX_GROUPS} groups"),
                        "leave out parentheses that change nothing",
                    ));
                }
                let inner = self.alternatives()?;
                if self.tokens.next_if_eq(&Token::Close).is_none() {
                    return Err(error(
                        "a group is opened by `(` and not closed",
                        "write (x OR y) AND z, or quote the parenthesis: \"(x\"",
                    ));
                }
                self.n_open -= 1;
                Ok(inner)
            }
            _ => Ok(None),
        }
    }
}

fn lacks_operand(operator: &str) -> PatternError {
    error(
        format!("{operator} stands between two operands and one is missing here"),
        format!("write x {operator} y, or \"{operator}\" in quotes for the word"),
    )
}

/// Makes a conjunction; nested ones become one.
fn all_of(exprs: Vec<Expr>) -> Option<Expr> {
    let mut all = Vec::with_capacity(exprs.len());
    for expr in exprs {
        match expr {
            Expr::And(inner) => all.extend(inner),
            other => all.push(other),
        }
    }
    if all.len() > 1 {
        Some(Expr::And(all))
    } else {
        all.pop()
    }
}

/// Makes a disjunction; nested ones become one.
fn any_of(exprs: Vec<Expr>) -> Option<Expr> {
    let mut any = Vec::with_capacity(exprs.len());
    for expr in exprs {
        match expr {
            Expr::Or(inner) => any.extend(inner),
            other => any.push(other),
        }
    }
    if any.len() > 1 {
        Some(Expr::Or(any))
    } else {
        any.pop()
    }
}
