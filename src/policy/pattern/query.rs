//! A pattern as understood. Owns which terms must be met and which only count.
//! May not match: `matcher` does.

use crate::domain::{Expr, Operand};

use super::advice::advice;
use super::forms::Breadth;
use super::operand::write_operand;
use super::parse::Operators;
use super::stop_words::is_stop_word;

/// Words of a pattern, stop words too, from which rows with some of them fill the list.
const FILLING_WORDS: usize = 3;

/// How English speaks of oneself; all are stop words.
const FIRST_PERSON: [&str; 6] = ["i", "me", "my", "we", "our", "us"];

/// A pattern that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    pub(super) expr: Expr,
    /// Terms that are not required and count for coverage.
    wanted: Vec<Operand>,
    /// Stop words beside other words.
    optional: Vec<Operand>,
    pub(super) whole_forms: Vec<String>,
    read_as: String,
    hint: Option<String>,
    relaxation: Relaxation,
    breadth: Breadth,
}

/// When rows with some of the words may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relaxation {
    /// Never: the pattern has an operator, or one term only.
    Never,
    /// When no row has all of them: one or two words, stop words counted.
    WhenNoneHasAll,
    /// To fill the list up to its limit: three or more words.
    ToFillUp,
}

/// What a term of a pattern is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TermUse {
    /// To be met; counts for rank and coverage.
    #[default]
    Wanted,
    /// A stop word beside other words; counts a little for rank.
    Optional,
    /// Takes rows away; counts for nothing.
    Unwanted,
    /// To be met, and counts for nothing: a field.
    Filter,
}

impl TermUse {
    /// Returns what an operand is for where others are for this.
    pub(super) const fn of(self, operand: &Operand) -> Self {
        match (self, operand) {
            (Self::Wanted, Operand::Field(_)) => Self::Filter,
            _ => self,
        }
    }
}

/// A term of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Term {
    /// What is looked for.
    pub operand: Operand,
    /// What for.
    pub term_use: TermUse,
}

impl Pattern {
    pub(super) fn new(
        text: &str,
        expr: Expr,
        operators: Operators,
        whole_forms: Vec<String>,
    ) -> Self {
        let (expr, optional, relaxation) = match operators {
            Operators::Some => (expr, Vec::new(), Relaxation::Never),
            Operators::None => {
                let (required, optional) = without_stop_words(distinct(operands_of(expr)));
                let relaxation = relaxation(&required, &optional);
                (all_of(required), optional, relaxation)
            }
        };
        Self {
            read_as: read_as(&expr, &optional),
            hint: advice(text, operators),
            expr,
            wanted: Vec::new(),
            optional,
            whole_forms,
            relaxation,
            breadth: Breadth::Forms,
        }
    }

    /// Returns what the pattern asks for.
    #[must_use]
    pub const fn expr(&self) -> &Expr {
        &self.expr
    }

    /// Returns the pattern as it was understood, in words of the language.
    #[must_use]
    pub fn read_as(&self) -> &str {
        &self.read_as
    }

    /// Returns advice on how to write it, where there is some.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Says when rows with some of the words may be shown.
    #[must_use]
    pub const fn relaxation(&self) -> Relaxation {
        self.relaxation
    }

    /// Says whether rows with some of the words may be shown at all.
    #[must_use]
    pub fn can_relax(&self) -> bool {
        self.relaxation != Relaxation::Never
    }

    /// Says which other words count as a word of it.
    pub(super) const fn breadth(&self) -> Breadth {
        self.breadth
    }

    /// Says whether this is a pattern for rows that have some of the words.
    #[must_use]
    pub fn is_relaxed(&self) -> bool {
        self.breadth == Breadth::Related
    }

    /// Says whether who asks speaks of themselves: `where did I put it`.
    #[must_use]
    pub fn is_first_person(&self) -> bool {
        self.optional.iter().any(|operand| match operand {
            Operand::Word(words) => words
                .pieces
                .first()
                .is_some_and(|word| FIRST_PERSON.contains(&word.as_str())),
            _ => false,
        })
    }

    /// Says whether it asks for a time: its first stop word is `when`.
    #[must_use]
    pub fn asks_when(&self) -> bool {
        match self.optional.first() {
            Some(Operand::Word(words)) => words.pieces.iter().map(String::as_str).eq(["when"]),
            _ => false,
        }
    }

    /// Says whether no words are asked for, only substrings, regular expressions and fields; then
    /// there is no rank.
    #[must_use]
    pub fn is_fuzzy_only(&self) -> bool {
        self.terms().iter().all(|term| {
            matches!(term.term_use, TermUse::Unwanted | TermUse::Filter)
                || matches!(term.operand, Operand::Fuzzy(_) | Operand::Regex(_))
        })
    }

    /// Returns its terms, each once, in the order in which a match and statistics count them.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::new();
        collect_terms(&self.expr, TermUse::Wanted, &mut terms);
        for operand in &self.wanted {
            push_term(&mut terms, operand, TermUse::Wanted);
        }
        for operand in &self.optional {
            push_term(&mut terms, operand, TermUse::Optional);
        }
        terms
    }

    /// Returns the pattern for rows that have some of the words. Phrases, prefixes, substrings,
    /// regular expressions and fields stay required. None if it may not be relaxed.
    #[must_use]
    pub fn relaxed(&self) -> Option<Self> {
        if self.relaxation == Relaxation::Never {
            return None;
        }
        let (words, others): (Vec<Operand>, Vec<Operand>) = operands_of(self.expr.clone())
            .into_iter()
            .partition(|operand| matches!(operand, Operand::Word(_)));
        let is_field = |operand: &Operand| matches!(operand, Operand::Field(_));
        let (expr, wanted) = if others.iter().all(is_field) {
            // Fields alone would let every such row through.
            let words = Expr::Or(words.into_iter().map(Expr::Term).collect());
            let mut all: Vec<Expr> = others.into_iter().map(Expr::Term).collect();
            all.push(words);
            match (all.len(), all.pop()) {
                (1, Some(words)) => (words, Vec::new()),
                (_, last) => {
                    all.extend(last);
                    (Expr::And(all), Vec::new())
                }
            }
        } else {
            (all_of(others), words)
        };
        Some(Self {
            expr,
            wanted,
            relaxation: Relaxation::Never,
            breadth: Breadth::Related,
            ..self.clone()
        })
    }
}

/// Returns the operands of a pattern without operators, which is one list.
fn operands_of(expr: Expr) -> Vec<Operand> {
    match expr {
        Expr::Term(operand) => vec![operand],
        Expr::And(exprs) | Expr::Or(exprs) => exprs.into_iter().flat_map(operands_of).collect(),
        Expr::Without(left, _) => operands_of(*left),
    }
}

fn distinct(operands: Vec<Operand>) -> Vec<Operand> {
    let mut distinct = Vec::with_capacity(operands.len());
    for operand in operands {
        if !distinct.contains(&operand) {
            distinct.push(operand);
        }
    }
    distinct
}

fn all_of(operands: Vec<Operand>) -> Expr {
    let mut terms: Vec<Expr> = operands.into_iter().map(Expr::Term).collect();
    match (terms.len(), terms.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            terms.extend(last);
            Expr::And(terms)
        }
    }
}

/// Parts stop words off, unless there is nothing else.
fn without_stop_words(operands: Vec<Operand>) -> (Vec<Operand>, Vec<Operand>) {
    let is_stop = |operand: &Operand| match operand {
        Operand::Word(words) => is_stop_word(&words.pieces),
        _ => false,
    };
    let is_field = |operand: &Operand| matches!(operand, Operand::Field(_));
    if operands
        .iter()
        .all(|operand| is_stop(operand) || is_field(operand))
    {
        return (operands, Vec::new());
    }
    let (optional, required) = operands.into_iter().partition(is_stop);
    (required, optional)
}

fn relaxation(required: &[Operand], optional: &[Operand]) -> Relaxation {
    let n_words = required
        .iter()
        .filter(|operand| matches!(operand, Operand::Word(_)))
        .count();
    let is_field = |operand: &&Operand| matches!(operand, Operand::Field(_));
    let n_required = required.len() - required.iter().filter(is_field).count();
    match (n_words, n_required) {
        (0, _) | (_, 0 | 1) => Relaxation::Never,
        // `what did ada bring` is a question of four words, two of which must be met.
        (1 | 2, _) if n_words + optional.len() < FILLING_WORDS => Relaxation::WhenNoneHasAll,
        _ => Relaxation::ToFillUp,
    }
}

fn collect_terms(expr: &Expr, term_use: TermUse, terms: &mut Vec<Term>) {
    match expr {
        Expr::Term(operand) => push_term(terms, operand, term_use),
        Expr::And(exprs) | Expr::Or(exprs) => {
            for expr in exprs {
                collect_terms(expr, term_use, terms);
            }
        }
        Expr::Without(left, right) => {
            collect_terms(left, term_use, terms);
            collect_terms(right, TermUse::Unwanted, terms);
        }
    }
}

fn push_term(terms: &mut Vec<Term>, operand: &Operand, term_use: TermUse) {
    let term_use = term_use.of(operand);
    let is_known = terms
        .iter()
        .any(|term| term.term_use == term_use && term.operand == *operand);
    if !is_known {
        terms.push(Term {
            operand: operand.clone(),
            term_use,
        });
    }
}

fn read_as(expr: &Expr, optional: &[Operand]) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr, Place::Outside);
    if !optional.is_empty() {
        out.push_str(" (optional:");
        for operand in optional {
            out.push(' ');
            write_operand(&mut out, operand);
        }
        out.push(')');
    }
    out
}

/// Where an expression is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Inside,
}

fn write_expr(out: &mut String, expr: &Expr, place: Place) {
    if let Expr::Term(operand) = expr {
        write_operand(out, operand);
        return;
    }
    if place == Place::Inside {
        out.push('(');
    }
    match expr {
        Expr::Term(_) => {}
        Expr::And(exprs) => write_list(out, exprs, " AND "),
        Expr::Or(exprs) => write_list(out, exprs, " OR "),
        Expr::Without(left, right) => {
            write_expr(out, left, Place::Inside);
            out.push_str(" NOT ");
            write_expr(out, right, Place::Inside);
        }
    }
    if place == Place::Inside {
        out.push(')');
    }
}

fn write_list(out: &mut String, exprs: &[Expr], between: &str) {
    for (idx, expr) in exprs.iter().enumerate() {
        if idx > 0 {
            out.push_str(between);
        }
        write_expr(out, expr, Place::Inside);
    }
}
